"""A line of our own between an output and the prompt: where does the cursor stand? Bytes in, bytes out. Pure."""

from __future__ import annotations

import re

#: Sequences that move nothing: colours, modes, titles, marks of other programs.
_STILL = re.compile(
    rb"\x1b\[[0-9;?]*[mhlnqt]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P_^X][^\x1b]*\x1b\\|\x1b[=>78]|\x1b[()][0-9A-Z]"
)

#: Leaving a full-screen program puts the cursor back where it was when it started: behind Enter.
_LEFT_SCREEN = re.compile(rb"\x1b\[\?(?:1049|1047|47)l[^\n]*\Z")


def own_line(text: bytes, before: bytes) -> bytes:
    """``text`` as terminal bytes on lines of its own after the display bytes ``before`` (a few hundred do)."""
    body = text.strip(b"\r\n").replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") + b"\r\n"
    return body if at_line_start(before) else b"\r\n" + body


def at_line_start(before: bytes) -> bool:
    """Whether the cursor stands on an empty line."""
    left = _LEFT_SCREEN.search(before)
    if left is not None and not _STILL.sub(b"", left[0]).strip(b"\r"):
        return True
    tail = _STILL.sub(b"", before).rstrip(b"\r")
    return not tail or tail.endswith(b"\n")
