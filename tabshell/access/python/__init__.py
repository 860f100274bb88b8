"""Python scripts, read but not run: which files they open, list, write, and whose names they print."""
