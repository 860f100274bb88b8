"""Values that nobody showed but that follow from what was shown: sums, differences, ratios, changes, means. Pure.

With enough numbers around, anything equals some sum. So each value may try only as many formulas as its digits
bear: a formula hits a value of d significant digits by chance once in about 10**d tries, and when the expected
number of such accidents passes ``ACCIDENTS`` the search ends. The likeliest formulas come first (the total of its
own table, numbers of its own sentence, a column of an excerpt about the same thing), and words such as "total" or
"average" make their kind likelier. A find is always shown with its formula and is never certain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tabshell.audit.index import LogIndex
from tabshell.audit.mentions import Mention
from tabshell.audit.operands import Operand, Tables, of_traced
from tabshell.audit.trace import Traced
from tabshell.audit.value import Value
from tabshell.documents.document import Document
from tabshell.documents.formulas import precedents
from tabshell.text.terms import matching_terms

#: Expected accidental finds per value.
ACCIDENTS = 0.025
#: Words that announce a kind of computation, as folded terms.
CUES: dict[str, frozenset[str]] = {
    "sum": matching_terms("total sum combined together altogether overall aggregate gesamt summe 合计 总计 总额 共计"),
    "mean": matching_terms("average mean avg typical durchschnitt moyenne 平均"),
    "difference": matching_terms(
        "difference gap increase decrease rise fall rose fell grew growth change less fewer higher lower drop gain "
        "decline surplus deficit remaining left saving net variance 增加 减少 差额"
    ),
    "change": matching_terms(
        "increase decrease rise fall rose fell grew growth change higher lower drop gain decline yoy 增长 下降 同比"
    ),
    "ratio": matching_terms("share percent percentage ratio proportion rate part margin times utilization 占比 比例"),
}
#: How much less (or more) likely an accident is for formulas that belong together with the value.
OWN_TABLE, OWN_SENTENCE, ELSEWHERE = 0.25, 0.5, 1.0
CUED, UNCUED = 0.3, 1.5
MAX_RUN = 15
MAX_FILTERS = 6


@dataclass(frozen=True, slots=True)
class Formula:
    """A computation and its result. ``weight`` counts it among the tries."""

    kind: str
    result: float
    text: str
    operands: tuple[Operand, ...]
    weight: float
    unit: str


@dataclass(slots=True)
class Computer:
    """Tries formulas for the untraced values of one deliverable."""

    document: Document
    index: LogIndex
    tables: Tables
    traced: list[Traced] = field(default_factory=list)
    _operands: list[Operand | None] = field(default_factory=list)

    def complete(self, traced: Sequence[Traced]) -> list[Traced]:
        """``traced`` with what can be computed, twice over: totals of totals."""
        self.traced = list(traced)
        for _ in range(2):
            self._operands = [of_traced(item) for item in self.traced]
            changed = False
            for number, item in enumerate(self.traced):
                if item.status == "no source" and item.mention.value.readings and not item.mention.value.label:
                    found = self._compute(number, item)
                    changed |= found is not None
                    self.traced[number] = found or item
            if not changed:
                break
        return self.traced

    def _compute(self, number: int, item: Traced) -> Traced | None:
        mention = item.mention
        budget = ACCIDENTS / chance(mention.value)
        tried = 0.0
        for formula in self._formulas(number, mention):
            tried += formula.weight * (CUED if mention.near & CUES[formula.kind] else UNCUED)
            if tried > budget:
                return None
            if hits(mention.value, formula):
                sources = tuple(source for operand in formula.operands for source in operand.sources)
                return Traced(mention, "computed", sources, formula.text, sure=False, remark=formula.kind)
        return None

    def _formulas(self, number: int, mention: Mention) -> Iterator[Formula]:
        yield from self._own_table(mention)
        yield from self._own_sentence(number, mention)
        excerpts = self._excerpts(number, mention)
        yield from self._columns(mention, excerpts)
        yield from self._runs(number)
        yield from self._lines(mention, excerpts)

    def _own_table(self, mention: Mention) -> Iterator[Formula]:
        """Totals of the column above and the row to the left; pairs of the same row."""
        if mention.place is None:
            return
        table, row, col = mention.place
        above: list[tuple[int, Operand | None]] = []
        left: list[Operand | None] = []
        others: list[Operand | None] = []
        for item, operand in zip(self.traced, self._operands, strict=True):
            place = item.mention.place
            if place is None or place[0] != table or item.mention is mention:
                continue
            if place[2] == col and place[1] < row:
                above.append((place[1], operand))
            elif place[1] == row and place[2] != col:
                others.append(operand)
                if place[2] < col:
                    left.append(operand)
        column = _known([operand for _, operand in above])
        for line in (column, _known(left)):
            if len(line) > 1:
                yield _total("sum", line, OWN_TABLE)
                yield _total("mean", line, OWN_TABLE)
        yield from _pairs(_known(others)[:6], OWN_TABLE)
        yield from _pairs(column[-2:], OWN_TABLE)

    def _own_sentence(self, number: int, mention: Mention) -> Iterator[Formula]:
        """Numbers of the same paragraph, the nearest first."""
        near = [
            (abs(self.traced[n].mention.offset - mention.offset), n)
            for n in range(max(0, number - 12), min(len(self.traced), number + 13))
            if n != number and self.traced[n].mention.block == mention.block
        ]
        operands = _known([self._operands[n] for _, n in sorted(near)][:6])
        yield from _pairs(operands, OWN_SENTENCE)
        if len(operands) > 2:
            yield _total("sum", operands, OWN_SENTENCE)
            yield _total("mean", operands, OWN_SENTENCE)

    def _runs(self, number: int) -> Iterator[Formula]:
        """Neighbouring traced numbers of one unit, before and after the value: lists with their total."""
        mention = self.traced[number].mention
        unit = mention.value.unit
        before = [o for o in _known(self._operands[max(0, number - 30) : number])[::-1] if o.unit == unit]
        after = [o for o in _known(self._operands[number + 1 : number + 31]) if o.unit == unit]
        for length in range(2, MAX_RUN + 1):
            for run in (before, after):
                if len(run) >= length:
                    yield _total("sum", run[:length][::-1] if run is before else run[:length], ELSEWHERE)
                    yield _total("mean", run[:length], ELSEWHERE)
        akin = [
            self._operands[n]
            for n in sorted(
                range(max(0, number - 30), min(len(self.traced), number + 31)), key=lambda n: abs(n - number)
            )
            if n != number and len(self.traced[n].mention.near & mention.near) > 1
        ]
        yield from _pairs(_known(akin)[:6], ELSEWHERE)

    def _excerpts(self, number: int, mention: Mention) -> list[int]:
        """Excerpts that may hold the operands: those that neighbouring values came from, then those with the words."""
        numbers = self.tables.log.numbers
        found = {
            numbers[source.entry]: None
            for n in range(max(0, number - 4), min(len(self.traced), number + 5))
            for source in self.traced[n].sources[:1]
        }
        found.update(dict.fromkeys(self.index.near(sorted(mention.near), enough=6)))
        return list(found)[:8]

    def _columns(self, mention: Mention, excerpts: Iterable[int]) -> Iterator[Formula]:
        """Whole columns of tables, and those of their rows that share a word with the value."""
        found: list[Formula] = []
        for number in excerpts:
            for column in self.tables.columns(number):
                about = OWN_SENTENCE if column.head & mention.near else ELSEWHERE
                parts = [column.cells, *self._filtered(mention, number, column.cells)]
                last = column.cells[-1][0]
                if self.tables.log.line(number, last).terms & CUES["sum"]:
                    parts.insert(1, column.cells[:-1])
                for part in parts:
                    operands = [self.tables.operand(number, index, value) for index, value in part]
                    if len(operands) > 1:
                        found += [_total("sum", operands, about), _total("mean", operands, about)]
        return iter(sorted(found, key=lambda formula: formula.weight))

    def _filtered(
        self, mention: Mention, number: int, cells: Sequence[tuple[int, Value]]
    ) -> Iterator[list[tuple[int, Value]]]:
        log = self.tables.log
        for term in sorted(mention.near)[:40]:
            rows = [cell for cell in cells if term in log.line(number, cell[0]).terms]
            if 2 <= len(rows) < len(cells):
                yield rows

    def _lines(self, mention: Mention, excerpts: Iterable[int]) -> Iterator[Formula]:
        """Pairs of numbers on the lines that share most words with the value: of one line, of one column."""
        log = self.tables.log
        ranked: list[tuple[int, int, int, Value, int]] = []
        for number in excerpts:
            for position, column in enumerate(self.tables.columns(number)):
                for index, value in column.cells:
                    shared = len(mention.near & (log.line(number, index).terms | column.head))
                    if shared and not value.is_year:
                        ranked.append((-shared, number, index, value, position))
        ranked.sort(key=lambda item: item[:3])
        best = [(n, i, p, self.tables.operand(n, i, v)) for _, n, i, v, p in ranked[:24]]
        for first in range(len(best)):
            for second in range(first):
                (n1, i1, p1, one), (n2, i2, p2, other) = best[first], best[second]
                if n1 == n2 and (i1 == i2 or p1 == p2):
                    yield from _pairs([one, other], ELSEWHERE)


def chance(value: Value) -> float:
    """How likely one formula hits ``value`` by accident: its last digit's share, spread over a decade."""
    digits = int(value.shown.strip("0") or "1")
    return min(1.0, 1.0 / digits / math.log(10))


def hits(value: Value, formula: Formula) -> bool:
    """Whether the formula's result, rounded to the shown digits, is the value."""
    if value.unit and formula.unit and value.unit != formula.unit:
        return False
    if formula.unit == "%" and value.unit != "%":
        return False
    wanted = value.readings[0]
    if not math.isfinite(formula.result) or wanted.number == 0:
        return False
    return abs(abs(formula.result) - abs(wanted.number)) <= wanted.step / 2 * (1 + 1e-6) + 1e-9 * abs(wanted.number)


def sheet_formula(item: Traced, by_cell: dict[tuple[str, int, int], Traced]) -> Traced:
    """A spreadsheet formula is its own proof if the numbers that it names are traced."""
    mention = item.mention
    if mention.formula is None or mention.place is None or item.status == "sourced":
        return item
    named = [by_cell[key] for key in precedents(mention.formula, mention.place[0]) if key in by_cell]
    loose = [n for n in named if n.status == "no source" and not n.weak and n.mention.formula is None]
    sources = tuple(source for n in named for source in n.sources[:1])
    if not named or loose or not sources:
        remark = (
            f"{mention.formula}: {len(loose)} of its {len(named)} numbers have no source" if loose else mention.formula
        )
        return Traced(mention, "no source", remark=remark)
    return Traced(mention, "computed", sources, mention.formula, sure=False, remark="formula")


def _known(operands: Iterable[Operand | None]) -> list[Operand]:
    return [operand for operand in operands if operand is not None and not operand.year]


def _total(kind: str, operands: Sequence[Operand], weight: float) -> Formula:
    result = math.fsum(operand.numbers[0] for operand in operands)
    if kind == "mean":
        result /= len(operands)
    unit = operands[0].unit if len({operand.unit for operand in operands}) == 1 else ""
    return Formula(kind, result, _listed(kind, operands), tuple(operands), weight, unit)


def _listed(kind: str, operands: Sequence[Operand]) -> str:
    names = [operand.name for operand in operands]
    if kind == "sum" and len(names) <= 4:
        return " + ".join(names)
    shown = ", ".join(names) if len(names) <= 6 else f"{names[0]}, {names[1]}, … {names[-1]}"
    return f"{kind}({shown})" if len(names) <= 6 else f"{kind} of {len(names)}: {shown}"


def _pairs(operands: Sequence[Operand], weight: float) -> Iterator[Formula]:
    """Every pair's sum, difference, both ratios and both changes, the nearest pairs first."""
    for second in range(1, len(operands)):
        for first in range(second):
            yield from _of_pair(operands[first], operands[second], weight)


def _of_pair(one: Operand, other: Operand, weight: float) -> Iterator[Formula]:
    same = one.unit == other.unit or not one.unit or not other.unit
    for a, b in dict.fromkeys(((one.numbers[0], other.numbers[0]), (one.numbers[-1], other.numbers[-1]))):
        names, both = (one.name, other.name), (one, other)
        share = weight / 2 if len(one.numbers) + len(other.numbers) > 2 else weight
        unit = one.unit or other.unit
        if same:
            yield Formula("sum", a + b, f"{names[0]} + {names[1]}", both, share, unit)
            low, high = (names, (a, b)) if abs(a) >= abs(b) else (names[::-1], (b, a))
            yield Formula("difference", high[0] - high[1], f"{low[0]} - {low[1]}", both, share, unit)
        for x, y, p, q in ((a, b, *names), (b, a, *names[::-1])):
            if y and same:
                yield Formula("change", (x - y) / y * 100, f"({p} - {q}) / {q}", both, share, "%")
            if y:
                yield Formula("ratio", x / y * 100, f"{p} / {q}", both, share, "%")
                yield Formula("ratio", x / y, f"{p} / {q}", both, share, "")
