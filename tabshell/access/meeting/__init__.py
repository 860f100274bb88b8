"""Where both sides meet: suspects, who owns which row, who was read, whose entry holds what."""
