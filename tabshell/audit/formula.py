"""One computation on numbers that were traced: its kind, its result, how it is written; when it hits a value, and how
likely by accident. Totals and means of several operands, all that can be made of a pair. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from tabshell.audit.operands import Operand
from tabshell.audit.value import Value
from tabshell.model.light import NamedTuple

#: Shares are added up to the whole and no further, but for their rounding.
WHOLE = 101.0


class Formula(NamedTuple):
    """A computation and its result. ``weight`` counts it among the tries. ``write`` gives its text and operands:
    few formulas are ever written down."""

    kind: str
    result: float
    write: Callable[[], tuple[str, Sequence[Operand]]]
    weight: float
    unit: str


def chance(value: Value) -> float:
    """How likely one formula hits ``value`` by accident: its last digit's share, spread over a decade."""
    digits = int(value.shown.strip("0") or "1")
    return min(1.0, 1.0 / digits / math.log(10))


def hits(value: Value, formula: Formula) -> bool:
    """Whether the formula's result, rounded to the shown digits, is the value."""
    if value.unit and formula.unit and value.unit != formula.unit:
        return False
    if formula.unit == "%" and (value.unit != "%" or (formula.kind == "sum" and formula.result > WHOLE)):
        return False
    wanted = value.readings[0]
    if not math.isfinite(formula.result) or wanted.number == 0:
        return False
    return abs(abs(formula.result) - abs(wanted.number)) <= wanted.step / 2 * (1 + 1e-6) + 1e-9 * abs(wanted.number)


def known(operands: Iterable[Operand | None]) -> list[Operand]:
    """Those that are there and no years."""
    return [operand for operand in operands if operand is not None and not operand.year]


def total_of(kind: str, operands: Sequence[Operand], weight: float) -> Formula:
    """The sum, or the mean, of all of them."""
    result = math.fsum(operand.numbers[0] for operand in operands)
    if kind == "mean":
        result /= len(operands)
    unit = operands[0].unit if len({operand.unit for operand in operands}) == 1 else ""
    return Formula(kind, result, lambda: (listed(kind, operands), operands), weight, unit)


def listed(kind: str, operands: Sequence[Operand]) -> str:
    """How a sum or a mean of many is written."""
    names = [operand.name for operand in operands]
    if kind == "sum" and len(names) <= 4:
        return " + ".join(names)
    shown = ", ".join(names) if len(names) <= 6 else f"{names[0]}, {names[1]}, … {names[-1]}"
    return f"{kind}({shown})" if len(names) <= 6 else f"{kind} of {len(names)}: {shown}"


def pairs(operands: Sequence[Operand], weight: float) -> Iterator[Formula]:
    """Every pair's sum, difference, both ratios and both changes, the nearest pairs first."""
    for second in range(1, len(operands)):
        for first in range(second):
            yield from _of_pair(operands[first], operands[second], weight)


def _of_pair(one: Operand, other: Operand, weight: float) -> Iterator[Formula]:
    same = one.unit == other.unit or not one.unit or not other.unit
    both = (one, other)

    def writer(pattern: str, p: Operand, q: Operand) -> Callable[[], tuple[str, Sequence[Operand]]]:
        return lambda: (pattern.format(p.name, q.name), both)

    for a, b in dict.fromkeys(((one.numbers[0], other.numbers[0]), (one.numbers[-1], other.numbers[-1]))):
        share = weight / 2 if len(one.numbers) + len(other.numbers) > 2 else weight
        unit = one.unit or other.unit
        if same:
            yield Formula("sum", a + b, writer("{} + {}", one, other), share, unit)
            high, low = (one, other) if abs(a) >= abs(b) else (other, one)
            yield Formula("difference", abs(abs(a) - abs(b)), writer("{} - {}", high, low), share, unit)
        for x, y, p, q in ((a, b, one, other), (b, a, other, one)):
            if y and same:
                yield Formula("change", (x - y) / y * 100, writer("({0} - {1}) / {1}", p, q), share, "%")
            if y:
                yield Formula("ratio", x / y * 100, writer("{} / {}", p, q), share, "%")
                yield Formula("ratio", x / y, writer("{} / {}", p, q), share, "")
