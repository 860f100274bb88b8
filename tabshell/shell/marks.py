"""Marks in a terminal's byte stream: bytes in, display bytes and marks out. Pure.

A mark is one operating system command, ``ESC ] 7770 ; KIND ; TOKEN BEL``: KIND is one capital letter, TOKEN
a one-time number of at most 40 digits (``docs/reference/marks.md``). Transparent: every other byte comes out
as it came in, in order, other OSC 7770 included. Bounded: at most ``LONGEST`` bytes of an unfinished mark
are kept back for the next chunk. Found with ``bytes.find``, never byte by byte. A mark that is well-formed
but not ours is the caller's to judge; ``encode`` gives back exactly the bytes that were read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

#: Every mark begins with these bytes.
INTRODUCER = b"\x1b]7770;"

_WHOLE = re.compile(rb"\x1b\]7770;([A-Z]);([0-9]{1,40})\x07")

#: What the end of a chunk may look like when a mark is split there.
_PARTIAL = re.compile(rb"\x1b(?:\](?:7(?:7(?:7(?:0(?:;(?:[A-Z](?:;(?:[0-9]{1,40})?)?)?)?)?)?)?)?)?\Z")

#: The longest mark in bytes.
LONGEST = len(INTRODUCER) + 2 + 40 + 1


class Mark(NamedTuple):
    """A well-formed mark: what it says (``S`` a start, ``Y`` caught up) and its one-time number."""

    kind: str
    token: str


def encode(mark: Mark) -> bytes:
    """The mark's bytes."""
    return INTRODUCER + f"{mark.kind};{mark.token}\a".encode("ascii")


class MarkScanner:
    """Splits a stream, fed in pieces of any size, into display bytes and marks."""

    def __init__(self) -> None:
        self._kept = b""

    @property
    def kept(self) -> bytes:
        """The bytes that may be the beginning of a mark, not given out yet."""
        return self._kept

    def feed(self, data: bytes) -> list[bytes | Mark]:
        """The pieces of ``data`` (after what was kept), in order; never an empty ``bytes``."""
        if self._kept:
            data = self._kept + data
            self._kept = b""
        if b"\x1b" not in data:  # most of what is shown; a search for one byte takes a tenth of the other
            return [data] if data else []
        pieces: list[bytes | Mark] = []
        done = 0
        at = data.find(INTRODUCER)
        while at >= 0:
            found = _WHOLE.match(data, at)
            if found is None:
                at = data.find(INTRODUCER, at + 1)
                continue
            if at > done:
                pieces.append(data[done:at])
            pieces.append(Mark(found[1].decode("ascii"), found[2].decode("ascii")))
            done = found.end()
            at = data.find(INTRODUCER, done)
        end = self._split(data, done)
        if end > done:
            pieces.append(data[done:end] if done or end < len(data) else data)
        return pieces

    def flush(self) -> bytes:
        """Gives out what was kept (the stream has ended or paused: it is no mark)."""
        kept, self._kept = self._kept, b""
        return kept

    def _split(self, data: bytes, done: int) -> int:
        escape = data.rfind(b"\x1b", max(done, len(data) - LONGEST))
        if escape < 0 or _PARTIAL.match(data, escape) is None:
            return len(data)
        self._kept = data[escape:]
        return escape
