"""A line of our own between an output and the prompt: where does the cursor stand? Bytes in, bytes out. Pure."""

from __future__ import annotations

from tabshell.text.late import late

#: Sequences that move nothing: colours, modes, titles, marks of other programs.
_STILL = late(
    rb"\x1b\[[0-9;?]*[mhlnqtg]|\x1b\[!p|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P_^X][^\x1b]*\x1b\\|\x1b[=>78]|\x1b[()][0-9A-Z]"
)

#: Leaving a full-screen program puts the cursor back where it was when it started: behind Enter.
_LEFT_SCREEN = late(rb"\x1b\[\?(?:1049|1047|47)l[^\n]*\Z")

#: What clears the screen, or goes to its upper left corner: ``clear`` sends both, some programs in the other order.
_TOP = rb"\x1bc|\x1b\[[0-3]?J|\x1b\[[01]?(?:;[01]?)?[Hf]"
_TO_THE_TOP = late(_TOP)
_AT_LAST = late(rb"(?:%s)+\Z" % _TOP)


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
    return not tail or tail.endswith(b"\n") or _cleared(tail)


def _cleared(tail: bytes) -> bool:
    """Whether an empty screen was the last that these bytes left, with the cursor in its upper left corner."""
    last = _AT_LAST.search(tail)
    at_top = empty = False
    for step in _TO_THE_TOP.findall(last[0]) if last else ():
        at_top = at_top or step == b"\x1bc" or step[-1:] in b"Hf"
        # J alone erases from the cursor on, 1J before it, 3J only what was scrolled away
        empty = empty or step in (b"\x1bc", b"\x1b[2J") or (at_top and step in (b"\x1b[J", b"\x1b[0J"))
    return at_top and empty
