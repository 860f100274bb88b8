"""Bytes of a terminal -> display bytes and command records: the pty door."""
