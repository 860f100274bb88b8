"""Directories and paths as the classifier asks for them, through ``model.files.Files``."""
