"""Spans of a text -> whether a place touches one of them; asked often, so each answer is a look-up. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


class Overlaps:
    """Spans of a text, to be asked whether a place touches one of them."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def touch(self, start: int, end: int) -> bool:
        """Whether one of the spans and this place overlap."""
        place = bisect_right(self._ends, start)
        return place < len(self._starts) and self._starts[place] < end
