"""What a value is: a number, amount, percentage, date or passage, found at a place of a text. Pure.

Two values are compared by their readings, not by how they are written (``agree``).
"""

from __future__ import annotations

from typing import Literal

from tabshell.model.light import NamedTuple

Kind = Literal["number", "amount", "percent", "date", "quote"]
Agreement = Literal["same", "reread", "rounded", "scaled", "no"]

#: Tables state their unit once ("in thousands of dollars"): the number beside it is smaller by one of these.
TABLE_SCALES = (1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9)
#: Two readings of the same decimal digits differ by less than this.
CLOSE = 1e-9


class Reading(NamedTuple):
    """One number that a text may mean; ``step`` is the place value of its last digit (12.30: 0.01)."""

    number: float
    step: float


class Date(NamedTuple):
    """A calendar date as far as it was written. ``quarter`` is set for ``Q3 2024`` (and then no month)."""

    year: int | None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None

    def iso(self) -> str:
        """``2024-03-05``, ``2024-03``, ``--03-05`` (no year), ``2024-Q3``."""
        year = "-" if self.year is None else f"{self.year:04d}"
        if self.quarter is not None:
            return f"{year}-Q{self.quarter}"
        parts = [year] + [f"{part:02d}" for part in (self.month, self.day) if part is not None]
        return "-".join(parts)


class Value(NamedTuple):
    """``text`` stood at ``start`` to ``end`` of its line or cell. ``digits`` counts the digits that say
    something, ``shown`` are all its digits from the first that is no zero.

    ``label`` tells that the number only names something (``Table 3``, ``2.1 Costs``, a list number).
    ``dates`` are the readings of a date. ``plain_integer``: bare digits without unit, scale or separator.
    """

    kind: Kind
    text: str
    start: int
    end: int
    readings: tuple[Reading, ...] = ()
    dates: tuple[Date, ...] = ()
    unit: str = ""
    digits: int = 0
    shown: str = ""
    plain_integer: bool = False
    scaled: bool = False
    label: bool = False

    @property
    def is_year(self) -> bool:
        """Whether it is a bare number that reads as a year."""
        return self.plain_integer and len(self.text) == 4 and 1800 <= self.readings[0].number <= 2100

    @property
    def weak(self) -> bool:
        """Whether finding it somewhere proves nothing by itself: small bare integers, years, month names."""
        if self.kind == "date":
            return all(date.day is None and date.quarter is None and date.month is None for date in self.dates)
        if self.kind == "quote":
            return False
        number = abs(self.readings[0].number)
        return self.is_year or number == 0 or (self.plain_integer and number < 1000)

    def plain(self) -> float | str:
        """The likeliest reading: a number (percentages in points), an ISO date, or the text."""
        if self.dates:
            return self.dates[0].iso()
        return self.readings[0].number if self.readings else self.text


def agree(shown: Value, source: Value) -> Agreement:
    """Whether ``shown`` (in a deliverable) may come from ``source`` (in an excerpt).

    reread: the numbers agree if one of them is read the less likely way (``1.234`` as 1234).
    rounded: the source has more digits, and rounding it to the shown ones gives the shown number.
    scaled: the digits agree but a power of a thousand lies between; something must state the scale.
    """
    if shown.dates and source.dates:
        return _dates_agree(shown, source)
    if not shown.readings or not source.readings:
        return "no"
    if not units_agree(shown, source):
        return "no"
    best = _numbers_agree(shown.readings[0], source.readings[0], shown, source)
    if best == "same" or len(shown.readings) + len(source.readings) == 2:
        return best
    for n, wanted in enumerate(shown.readings):
        for m, given in enumerate(source.readings):
            if (n == 0) != (m == 0) and _numbers_agree(wanted, given, shown, source) == "same":
                return "reread"
    return best


def units_agree(one: Value, other: Value) -> bool:
    """A unit agrees with itself and with none; ``%`` never with money."""
    return not one.unit or not other.unit or one.unit == other.unit


def _numbers_agree(wanted: Reading, given: Reading, shown: Value, source: Value) -> Agreement:
    factors = [1.0]
    if shown.unit == "%" and not source.unit:
        factors.append(100.0)
    elif source.unit == "%" and not shown.unit:
        factors.append(0.01)
    best: Agreement = "no"
    for factor in factors:
        found = _close(abs(wanted.number), wanted.step, abs(given.number) * factor, given.step * factor)
        if found == "same":
            return "same"
        best = found if found != "no" else best
    if best == "no" and shown.unit != "%" and source.unit != "%" and not (shown.scaled and source.scaled):
        for factor in TABLE_SCALES:
            if _close(abs(wanted.number), wanted.step, abs(given.number) * factor, given.step * factor) != "no":
                return "scaled"
    return best


def _close(wanted: float, step: float, given: float, given_step: float) -> Agreement:
    difference = abs(wanted - given)
    if difference <= CLOSE * max(wanted, given):
        return "same"
    if given_step < step * (1 - CLOSE) and difference <= step / 2 * (1 + 1e-6):
        return "rounded"
    return "no"


def _dates_agree(shown: Value, source: Value) -> Agreement:
    best: Agreement = "no"
    for wanted in shown.dates:
        for given in source.dates:
            if wanted == given:
                return "same"
            if _covers(wanted, given):
                best = "rounded"
    return best


def _covers(wanted: Date, given: Date) -> bool:
    """Whether ``wanted`` says less than ``given`` and nothing else: ``March 2024`` of 2024-03-05, ``5 March`` of it."""
    if wanted.quarter is not None or given.quarter is not None:
        return False
    pairs = ((wanted.year, given.year), (wanted.month, given.month), (wanted.day, given.day))
    if any(a is not None and b is not None and a != b for a, b in pairs):
        return False
    if wanted.month is None or given.month is None:
        return False
    return wanted.day is None or given.day is not None
