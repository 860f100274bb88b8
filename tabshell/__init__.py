"""tabshell: a transparent shell for agents that keeps a running tab of what a task still owes."""

__version__ = "0.1.0"
