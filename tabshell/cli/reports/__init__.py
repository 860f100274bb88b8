"""What a person asks about sessions that were recorded: one command for each question."""
