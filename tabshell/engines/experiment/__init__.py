"""The paper's experiment for anyone: tasks from a folder, its variants, and the table of results beside its numbers."""
