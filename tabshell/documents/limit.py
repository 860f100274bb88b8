"""How much text of one file is compared with an output."""

from __future__ import annotations

from collections.abc import Iterator

#: Characters of text that one file gives at most.
LIMIT = 48 << 20


def limited(lines: Iterator[str]) -> str:
    """The lines as one text, up to the limit."""
    room = LIMIT
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept)
