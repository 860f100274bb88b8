"""What a computed value may be computed from: numbers of the deliverable that are traced, and columns and lines of
excerpts that speak of the same things. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from tabshell.audit.log import Log
from tabshell.audit.trace import Source, Traced
from tabshell.audit.value import Value

#: Lines of one excerpt that are read as a table.
MAX_ROWS = 2_000
#: Rows further apart than this belong to different tables.
MAX_GAP = 4


@dataclass(frozen=True, slots=True)
class Operand:
    """A number that may enter a computation: as the source has it and, where that differs, as it was shown."""

    numbers: tuple[float, ...]
    unit: str
    name: str
    sources: tuple[Source, ...]
    year: bool = False


def of_traced(item: Traced) -> Operand | None:
    """A traced value of the deliverable as an operand; None for dates, passages and untraced ones."""
    value = item.mention.value
    if not value.readings or item.status == "no source" or value.label:
        return None
    shown = value.readings[0].number
    if item.status == "computed":
        return Operand((shown,), value.unit, f"({item.formula})", item.sources, value.is_year)
    source = item.sources[0]
    given = _scaled_like(source.value.readings[0].number, shown)
    numbers = (shown,) if given is None or given == shown else (given, shown)
    return Operand(numbers, value.unit, source.anchor(), item.sources[:1], value.is_year)


def _scaled_like(given: float, shown: float) -> float | None:
    """The source's number in the scale in which it was shown (633.4 of a table in millions for $633M: 633,400,000);
    None if it is another reading altogether."""
    if not given or not shown:
        return None
    power = round(math.log10(abs(shown / given)))
    scaled = math.copysign(abs(given) * 10.0**power, shown)
    return scaled if abs(scaled - shown) <= 0.06 * abs(shown) else None


@dataclass(frozen=True, slots=True)
class Column:
    """Numbers that stand under each other in an excerpt: (line index, value) pairs; ``number`` is the excerpt's."""

    number: int
    cells: tuple[tuple[int, Value], ...]
    head: frozenset[str]


@dataclass(slots=True)
class Tables:
    """Excerpts read as tables, each once."""

    log: Log
    _columns: dict[int, list[Column]] = field(default_factory=dict)

    def columns(self, number: int) -> list[Column]:
        """The columns of an excerpt: by cell where it has cells, else by the order of numbers on its lines."""
        if number not in self._columns:
            self._columns[number] = list(self._read(number))
        return self._columns[number]

    def _read(self, number: int) -> Iterable[Column]:
        text = self.log.texts[number]
        count = min(MAX_ROWS, len(text.excerpt.line_starts()))
        groups: dict[tuple[int, int], list[list[tuple[int, Value]]]] = {}
        for index in range(count):
            line = self.log.line(number, index)
            numbers = [value for value in line.values if value.readings and not value.label]
            if len(numbers) > 1 and all(value.is_year for value in numbers):
                continue  # the head of a table by years
            for order, value in enumerate(numbers):
                column = _cell_of(line.cells, value) if line.cells else order
                runs = groups.setdefault((len(line.cells) or -len(numbers), column), [[]])
                if runs[-1] and index - runs[-1][-1][0] > MAX_GAP:
                    runs.append([])
                runs[-1].append((index, value))
        for cells in (run for runs in groups.values() for run in runs):
            if len(cells) >= 2 and not _is_count(cells):
                yield Column(number, tuple(cells), self.log.head_terms(number, *cells[-1]))

    def operand(self, number: int, index: int, value: Value) -> Operand:
        """One number of an excerpt as an operand."""
        source = Source(
            self.log.texts[number].entry.id, self.log.path_of(number, index), self.log.source_line(number, index),
            index + 1, self.log.line(number, index).text, value.start, value.end, "same", 0.0, value,
        )  # fmt: skip
        return Operand((value.readings[0].number,), value.unit, source.anchor(), (source,), value.is_year)


def _cell_of(cells: tuple[tuple[int, int], ...], value: Value) -> int:
    return next((n for n, (start, end) in enumerate(cells) if start <= value.start <= end), len(cells))


def _is_count(cells: list[tuple[int, Value]]) -> bool:
    """Whether a column only numbers its rows or names years: adding it up means nothing."""
    if all(value.is_year for _, value in cells):
        return True
    numbers = [value.readings[0].number for _, value in cells]
    return len(numbers) > 2 and all(b - a == 1 for a, b in pairwise(numbers))
