"""What a computed value may be computed from: numbers of the deliverable that are traced, and columns and lines of
excerpts that speak of the same things. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from tabshell.audit.log import Line, Log
from tabshell.audit.traced import Source, Traced
from tabshell.audit.value import Value
from tabshell.text.terms import matching_terms

DIGIT = re.compile(r"\d")
#: Lines of one excerpt that are read as a table.
MAX_ROWS = 600
#: Lines with digits of all excerpts together that are read as tables.
MAX_LINES = 4_000
TOTAL = matching_terms("total sum altogether gesamt summe 合计 总计")
#: Rows further apart than this belong to different tables, but for records of one file.
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
    if not value.readings or value.dates or item.status == "no source" or value.label:
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
    """Numbers that stand under each other in an excerpt: row -> value; ``number`` is the excerpt's. ``closed``: its
    last row is a total of the others."""

    number: int
    cells: dict[int, Value]
    head: frozenset[str]
    closed: bool

    def rows(self) -> tuple[int, ...]:
        """Its rows in order."""
        return tuple(self.cells)


@dataclass(slots=True)
class Tables:
    """Excerpts read as tables, each once, and altogether no more than ``MAX_LINES`` lines of them."""

    log: Log
    _columns: dict[int, list[Column]] = field(default_factory=dict)
    _rows: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    _read: int = 0

    def columns(self, number: int) -> list[Column]:
        """The columns of an excerpt: by cell where it has cells, else by the order of numbers on its lines."""
        if number not in self._columns:
            self._columns[number] = list(self._find(number))
        return self._columns[number]

    def rows_with(self, number: int, term: str) -> list[int]:
        """The rows of an excerpt that hold a term."""
        if number not in self._rows:
            self.columns(number)
        return self._rows.get(number, {}).get(term, [])

    def _find(self, number: int) -> Iterable[Column]:
        text = self.log.texts[number]
        lines = [n for n, line in enumerate(text.excerpt.lines()[:MAX_ROWS]) if DIGIT.search(line)]
        if self._read + len(lines) > MAX_LINES:
            return
        self._read += len(lines)
        groups: dict[tuple[int, int], list[list[tuple[int, Value]]]] = {}
        rows: dict[str, list[int]] = self._rows.setdefault(number, {})
        for index in lines:
            line = self.log.line(number, index)
            for term in line.terms:
                rows.setdefault(term, []).append(index)
            numbers = [value for value in line.values if value.readings and not value.label]
            if len(numbers) > 1 and all(value.is_year for value in numbers):
                continue  # the head of a table by years
            for order, value in enumerate(numbers):
                column = cell_of(line, value) if line.cells else order
                runs = groups.setdefault((len(line.cells) or -len(numbers), column), [[]])
                if runs[-1] and index - runs[-1][-1][0] > MAX_GAP and not text.is_csv:
                    runs.append([])
                runs[-1].append((index, value))
        for cells in (run for runs in groups.values() for run in runs):
            if len(cells) >= 2 and not _is_count(cells):
                last, value = cells[-1]
                closed = bool(self.log.terms(number, last) & TOTAL)
                yield Column(number, dict(cells), self.log.head_terms(number, last, value), closed)

    def operand(self, number: int, index: int, value: Value) -> Operand:
        """One number of an excerpt as an operand."""
        source = Source.at(self.log, (number, index), (value.start, value.end), "same", 0.0, value)
        return Operand((value.readings[0].number,), value.unit, source.anchor(), (source,), value.is_year)


def cell_of(line: Line, value: Value) -> int:
    """The place of the cell that a value stands in; behind all of them where it stands in none."""
    place = line.cell_of(value)
    return len(line.cells) if place is None else place


def _is_count(cells: list[tuple[int, Value]]) -> bool:
    """Whether a column only numbers its rows or names years: adding it up means nothing."""
    if all(value.is_year for _, value in cells):
        return True
    numbers = [value.readings[0].number for _, value in cells]
    return len(numbers) > 2 and all(b - a == 1 for a, b in pairwise(numbers))
