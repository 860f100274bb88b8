"""Terminal bytes -> the lines that a reader saw, each with the byte range it came from.

Escape sequences (CSI, OSC, DCS, charset) are removed; carriage return and backspace are replayed; a line wrapped
by readline is not re-joined. A stretch on the alternate screen (``ESC[?1049h`` … ``l``, also 47 and 1047) is
drawn by ``text.screen`` and gives the union of the lines that stood on it. Invalid UTF-8 becomes surrogate
escapes, so that a name or an excerpt can be given back byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass

from tabshell.model.accesses import Span


@dataclass(frozen=True, slots=True)
class Observation:
    """``lines[i]`` was drawn by the bytes ``starts[i]`` to ``ends[i]`` (the line break included).

    ``screens`` are the index ranges of lines that stood on an alternate screen; their byte ranges are the
    whole stretch. ``broken`` is the index of the line before which a size bound left bytes out, or None.
    """

    lines: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    screens: tuple[tuple[int, int], ...] = ()
    broken: int | None = None


def observe(output: bytes, columns: int = 80, gap_at: int | None = None) -> Observation:
    """The lines that ``output`` drew on a terminal ``columns`` wide (0: no terminal)."""
    raise NotImplementedError


def plain(output: bytes) -> str:
    """The same as one text, lines joined by ``\\n``: what an excerpt reads like."""
    raise NotImplementedError


def excerpt_text(output: bytes, spans: tuple[Span, ...], screen: bool, columns: int = 80) -> str:
    """The text of an entry: ``spans`` of ``output`` in order; ``screen``: drawn, not stripped."""
    raise NotImplementedError
