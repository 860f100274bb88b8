"""The known numbers of a deliverable's tables, by row and by column, each asked for in one look-up. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from tabshell.audit.grid import Place
from tabshell.audit.operands import Operand

Line = tuple[str, str, int]


@dataclass(slots=True)
class Neighbours:
    """The operands that stand in tables."""

    _lines: dict[Line, list[tuple[int, Operand]]] = field(default_factory=dict)

    @classmethod
    def of(cls, placed: Iterable[tuple[Place, Operand]]) -> Neighbours:
        """From operands and their places."""
        made = cls()
        for (table, row, col), operand in placed:
            made._lines.setdefault(("row", table, row), []).append((col, operand))
            made._lines.setdefault(("column", table, col), []).append((row, operand))
        for line in made._lines.values():
            line.sort(key=_where)
        return made

    def above(self, place: Place) -> list[Operand]:
        """Those of the column above a cell."""
        table, row, col = place
        return self._before(("column", table, col), row)

    def left(self, place: Place) -> list[Operand]:
        """Those of the row before a cell."""
        table, row, col = place
        return self._before(("row", table, row), col)

    def beside(self, place: Place, most: int) -> list[Operand]:
        """The first of the row without the cell."""
        table, row, col = place
        line = self._lines.get(("row", table, row), [])
        after = bisect_right(line, col, key=_where)
        first = [*line[: min(most, bisect_left(line, col, key=_where))], *line[after : after + most]]
        return [operand for _, operand in first[:most]]

    def _before(self, key: Line, place: int) -> list[Operand]:
        line = self._lines.get(key, [])
        return [operand for _, operand in line[: bisect_left(line, place, key=_where)]]


def _where(placed: tuple[int, Operand]) -> int:
    return placed[0]
