"""Facts -> the tab, and everything that is said about it. Pure."""
