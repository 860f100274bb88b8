"""Text that several rooms need: terms, plain text of terminal output, digests. Pure; imports only ``model``."""
