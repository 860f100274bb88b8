"""Command lines: ``tabshell``, ``tab``, and the entry of the shim. One function per command."""
