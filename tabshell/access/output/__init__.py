"""What an output shows: its rows, the paths in them, and how much a row proves about a file."""
