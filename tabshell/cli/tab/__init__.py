"""The agent's own command: its words, its operations, what it prints, and the clerk that answers at once."""
