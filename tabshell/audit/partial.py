"""Files of which only a part was shown: ``40 of 900 lines``. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tabshell.model.state import Tab


@dataclass(frozen=True, slots=True)
class PartialRead:
    """``shown`` of ``lines`` lines of a file were shown, in these ranges (1-based, both ends in) and entries."""

    path: str
    shown: int
    lines: int
    ranges: tuple[tuple[int, int], ...]
    entries: tuple[int, ...]


def partial_reads(tab: Tab) -> Iterator[PartialRead]:
    """The files that were read in part, the largest unread rest first. Searches do not count as reading."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    lengths: dict[str, int] = {}
    entries: dict[str, list[int]] = {}
    for number, entry in tab.entries.items():
        logged = entry.logged
        if logged.kind != "read" or logged.own or len(logged.paths) != 1:
            continue
        path = logged.derived_from[0] if len(logged.derived_from) == 1 else logged.paths[0]
        if logged.lines is None or logged.line_count is None:
            continue
        ranges.setdefault(path, []).append(logged.lines)
        lengths[path] = max(lengths.get(path, 0), logged.line_count)
        entries.setdefault(path, []).append(number)
    found = []
    for path, spans in ranges.items():
        merged = _merged(spans)
        shown = sum(last - first + 1 for first, last in merged)
        if shown < lengths[path]:
            found.append(PartialRead(path, shown, lengths[path], merged, tuple(entries[path])))
    yield from sorted(found, key=lambda read: (read.shown - read.lines, read.path))


def _merged(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)
