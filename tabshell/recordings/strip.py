"""Tab operations out of a film, so that a session can be shown or trained on without its tab.

Left out are turns that only worked on the tab, with the prompt and the typing before them, and every status line.
What a command showed of files stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tabshell.recordings.film import Film, Frame, Size

STATUS_LINE = re.compile(rb"(?:^|(?<=\n))\[tab\] [^\r\n]*\r?\n")


def without_tab(film: Film) -> Iterator[Frame | Size]:
    """The frames of a film without its tab operations. Holds the frames between two turns in memory."""
    between: list[Frame | Size] = []
    open_line = False
    for frame in film.frames():
        if isinstance(frame, Size) or frame.turn is None:
            between.append(frame)
            continue
        if film.scenes[frame.turn].tab:
            # the prompt and the typing before it go too; a new size stays, and the break after an open line
            between = [_break(item, open_line) for item in between if isinstance(item, Size) or item is between[0]]
            continue
        yield from _without_status(between)
        between = []
        yield frame
        open_line = not frame.data.endswith(b"\n")
    yield from _without_status(between)


def _break(item: Frame | Size, open_line: bool) -> Frame | Size:
    """The line break at the beginning of a frame where a line stands open, else nothing of it."""
    if isinstance(item, Size):
        return item
    kept = b"\r\n" if open_line and item.data.startswith(b"\r\n") else b""
    return Frame(item.at, kept, None, item.made, item.terminal)


def _without_status(frames: list[Frame | Size]) -> Iterator[Frame | Size]:
    """Frames between turns, the status lines cut out where they stand whole."""
    data = b"".join(frame.data for frame in frames if isinstance(frame, Frame))
    kept = _outside([found.span() for found in STATUS_LINE.finditer(data)], len(data))
    at = 0
    for frame in frames:
        if isinstance(frame, Size):
            yield frame
            continue
        end = at + len(frame.data)
        left = b"".join(data[max(at, first) : min(end, last)] for first, last in kept if first < end and last > at)
        at = end
        if left:
            yield Frame(frame.at, left, frame.turn, frame.made, frame.terminal)


def _outside(gone: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """The ranges up to ``size`` that lie in none of ``gone``."""
    edges = [0, *(edge for span in gone for edge in span), size]
    return [(first, last) for first, last in zip(edges[::2], edges[1::2], strict=True) if last > first]
