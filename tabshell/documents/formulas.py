"""A small calculator for spreadsheet formulas whose result nobody stored. Pure.

Files written by a script hold formulas without cached values; what a reader would see is then calculated
here: ``+ - * / ^ %``, comparison-free arithmetic, references, ranges over sheets, and SUM, AVERAGE, MIN, MAX, COUNT,
COUNTA, ROUND, ABS, PRODUCT, MEDIAN, IFERROR. Anything else gives None, which the reader of the file reports.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

Key = tuple[str, int, int]
"""Sheet, row, column; rows and columns are 1-based."""

TOKEN = re.compile(
    r"\s*(?:(?P<num>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|(?P<str>\"[^\"]*\")"
    r"|(?P<ref>(?:(?:'(?:[^']|'')+'|[A-Za-z_][\w.]*)!)?\$?[A-Za-z]{1,3}\$?\d{1,7}"
    r"(?::\$?[A-Za-z]{1,3}\$?\d{1,7})?)(?![\w(])|(?P<fn>[A-Za-z][\w.]*)\s*\(|(?P<op>[-+*/^%(),&]))"
)
CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
#: A range of more cells than this is not added up here.
MAX_RANGE = 200_000
MAX_DEPTH = 200

FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "SUM": sum,
    "AVERAGE": statistics.fmean,
    "MIN": min,
    "MAX": max,
    "COUNT": len,
    "PRODUCT": lambda values: statistics.prod(values) if hasattr(statistics, "prod") else _product(values),
    "MEDIAN": statistics.median,
    "ABS": lambda values: abs(values[0]),
}


def _product(values: list[float]) -> float:
    result = 1.0
    for value in values:
        result *= value
    return result


class Unknown(Exception):  # noqa: N818 - not a fault, only "cannot tell"
    """The formula uses something that is not calculated here."""


@dataclass(slots=True)
class Calculator:
    """Calculates cells of one workbook. ``cells`` holds constants and formulas (text that begins with ``=``)."""

    cells: dict[Key, object]
    results: dict[Key, object] = field(default_factory=dict)
    depth: int = 0

    def value(self, key: Key) -> object:
        """The cell's value; raises Unknown where it cannot be told."""
        content = self.cells.get(key)
        if not (isinstance(content, str) and content.startswith("=")):
            return content
        if key in self.results:
            return self.results[key]
        if self.depth > MAX_DEPTH:
            raise Unknown
        self.depth += 1
        self.results[key] = None  # a circle reads as empty
        try:
            self.results[key] = _Parser(content[1:], key[0], self).parse()
        finally:
            self.depth -= 1
        return self.results[key]

    def formula(self, key: Key) -> float | None:
        """The number that a formula gives, or None."""
        try:
            value = self.value(key)
        except (Unknown, ArithmeticError, ValueError, statistics.StatisticsError, RecursionError):
            self.results.pop(key, None)
            return None
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def precedents(formula: str, sheet: str) -> list[Key]:
    """The cells that a formula names, ranges spelled out (up to the bound)."""
    keys: list[Key] = []
    for match in TOKEN.finditer(formula[1:]):
        if match.group("ref"):
            keys.extend(span(match.group("ref"), sheet))
    return keys


def span(reference: str, sheet: str) -> list[Key]:
    """The cells of ``B2``, ``$B$2:B5`` or ``'Other sheet'!B2:C3``; nothing for a range beyond the bound."""
    if "!" in reference:
        name, reference = reference.rsplit("!", 1)
        sheet = name[1:-1].replace("''", "'") if name.startswith("'") else name
    corners = [CELL.fullmatch(corner) for corner in reference.split(":")]
    places = [(int(c.group(2)), column(c.group(1))) for c in corners if c is not None]
    (top, left), (bottom, right) = min(places), max(places)
    left, right = min(left, right), max(left, right)
    if (bottom - top + 1) * (right - left + 1) > MAX_RANGE:
        return []
    return [(sheet, row, col) for row in range(top, bottom + 1) for col in range(left, right + 1)]


def column(letters: str) -> int:
    """``A`` is 1, ``AB`` 28."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


class _Parser:
    """Recursive descent over one formula."""

    def __init__(self, text: str, sheet: str, calculator: Calculator) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.sheet, self.calculator, self.at = sheet, calculator, 0
        end = len(text.rstrip())
        place = 0
        while place < end:
            match = TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise Unknown
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            place = match.end()

    def parse(self) -> object:
        value = self.sum()
        if self.at != len(self.tokens):
            raise Unknown
        return value

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise Unknown
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self) -> object:
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take()[1]
            other = self.number(self.product())
            value = self.number(value) + other if sign == "+" else self.number(value) - other
        return value

    def product(self) -> object:
        value = self.power()
        while self.peek() in ("*", "/"):
            sign = self.take()[1]
            other = self.number(self.power())
            value = self.number(value) * other if sign == "*" else self.number(value) / other
        return value

    def power(self) -> object:
        value = self.atom()
        while self.peek() == "^":
            self.take()
            value = self.number(value) ** self.number(self.atom())
        return value

    def atom(self) -> object:
        kind, text = self.take()
        value: object
        if text == "-" and kind == "op":
            return -self.number(self.atom())
        if text == "+" and kind == "op":
            return self.atom()
        if text == "(":
            value = self.sum()
            self.close()
        elif kind == "num":
            value = float(text)
        elif kind == "ref":
            if ":" in text:
                raise Unknown
            value = self.calculator.value(span(text, self.sheet)[0])
        elif kind == "fn":
            value = self.call(text.upper())
        else:
            raise Unknown
        while self.peek() == "%":
            self.take()
            value = self.number(value) / 100
        return value

    def close(self) -> None:
        if self.take()[1] != ")":
            raise Unknown

    def call(self, name: str) -> object:
        arguments: list[list[object]] = [self.argument()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.argument())
        self.close()
        if name == "IFERROR":
            return arguments[0][0]
        if name == "ROUND" and len(arguments) == 2:
            digits = int(self.number(arguments[1][0]))
            value = self.number(arguments[0][0])
            return float(f"{value:.{digits}f}") if digits >= 0 else round(value, digits)
        values = [value for argument in arguments for value in argument]
        if name == "COUNTA":
            return float(sum(value not in (None, "") for value in values))
        if name not in FUNCTIONS:
            raise Unknown
        numbers = [float(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
        return float(FUNCTIONS[name](numbers))

    def argument(self) -> list[object]:
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        if kind == "ref" and ":" in text:
            self.at += 1
            return [self.calculator.value(key) for key in span(text, self.sheet)]
        return [self.sum()]

    def number(self, value: object) -> float:
        if value is None or value == "":
            return 0.0
        if isinstance(value, (int, float)):
            return float(value)
        raise Unknown
