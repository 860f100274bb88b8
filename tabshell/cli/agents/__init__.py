"""Agents and sessions: started in one, bound to one by their hooks, and the proof that it works here."""
