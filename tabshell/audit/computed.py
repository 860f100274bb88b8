"""Values that nobody showed but that follow from what was shown: sums, differences, ratios, changes, means. Pure.

With enough numbers around, anything equals some sum. So each value may try only as many formulas as its digits
bear: a formula hits a value of d significant digits by chance once in about 10**d tries, and when the expected
number of such accidents passes ``ACCIDENTS`` the search ends. The likeliest formulas come first (the total of its
own table, numbers of its own sentence, a column of an excerpt about the same thing), and words such as "total" or
"average" make their kind likelier. A find is always shown with its formula and is never certain.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from tabshell.audit.formula import Formula, chance, hits, known, listed, pairs, total_of
from tabshell.audit.grid import Place
from tabshell.audit.index import LogIndex
from tabshell.audit.mentions import Mention
from tabshell.audit.neighbours import Neighbours
from tabshell.audit.operands import Column, Operand, Tables, of_traced
from tabshell.audit.trace import MAX_THIN
from tabshell.audit.traced import Traced
from tabshell.audit.twins import twins
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
#: Numbers of a deliverable's own tables that are added up altogether, for all its values.
MAX_ADDED = 5_000_000
#: A source whose scale nothing states is doubted up to so many digits.
MAX_UNSTATED = 6
#: Stands for "all rows but the last, which is their total"; no term looks like it.
CLOSED = "\0closed"
#: Formulas tried for one value, whatever its digits bear; excerpts read for one value; lines paired.
MAX_TRIES = 300
MAX_EXCERPTS = 8
#: Excerpts whose columns a total or a mean may name.
MAX_NAMED = 16
MAX_PAIRED = 8
#: Twin cells that one value is tried with.
MAX_TWINS = 3


@dataclass(slots=True)
class Computer:
    """Tries formulas for the untraced values of one deliverable."""

    document: Document
    index: LogIndex
    tables: Tables
    traced: list[Traced] = field(default_factory=list)
    _operands: list[Operand | None] = field(default_factory=list)
    _neighbours: Neighbours = field(default_factory=Neighbours)
    _near: dict[frozenset[str], list[int]] = field(default_factory=dict)
    _room: int = MAX_ADDED
    _totals: dict[tuple[int, str], tuple[float, Sequence[int], str] | None] = field(default_factory=dict)

    def complete(self, traced: Sequence[Traced]) -> list[Traced]:
        """``traced`` with what can be computed, twice over: totals of totals."""
        self.traced = list(traced)
        for attempt in range(2):
            self._operands = [of_traced(item) for item in self.traced]
            self._neighbours = Neighbours.of(self._placed())
            changed = False
            for number, item in enumerate(self.traced):
                if not item.mention.value.readings or item.mention.value.label:
                    continue
                found = None
                if item.status == "no source":
                    found = self._compute(item, self._formulas(number, item.mention, own_only=attempt > 0))
                elif attempt == 0 and _is_likely_chance(item):
                    found = self._compute(item, self._said_to_be(number, item.mention))
                changed |= found is not None
                self.traced[number] = found or item
            if not changed:
                break
        return self.traced

    def _placed(self) -> Iterator[tuple[Place, Operand]]:
        for item, operand in zip(self.traced, self._operands, strict=True):
            if item.mention.place is not None and operand is not None and not operand.year:
                yield item.mention.place, operand

    def _compute(self, item: Traced, formulas: Iterable[Formula]) -> Traced | None:
        mention = item.mention
        budget = ACCIDENTS / chance(mention.value)
        tried = 0.0
        for formula in islice(formulas, MAX_TRIES):
            tried += formula.weight * (CUED if mention.near & CUES[formula.kind] else UNCUED)
            if tried > budget:
                return None
            if hits(mention.value, formula):
                text, operands = formula.write()
                sources = tuple(source for operand in operands for source in operand.sources)
                return Traced(mention, "computed", sources, text, sure=False, remark=formula.kind)
        return None

    def _formulas(self, number: int, mention: Mention, own_only: bool) -> Iterator[Formula]:
        """The likeliest first; ``own_only`` leaves the excerpts out, which the first attempt has tried."""
        yield from self._own_totals(mention)
        if not own_only:
            yield from self._named_totals(number, mention)
        yield from self._own_pairs(mention)
        pair = self._only_pair(number, mention)
        yield from pairs(pair, OWN_TABLE)
        yield from self._twin_tables(number, mention)
        if not pair:
            yield from self._own_sentence(number, mention)
        if own_only:
            yield from self._runs(number)
            return
        excerpts = self._excerpts(number, mention)
        yield from self._columns(mention, excerpts)
        yield from self._runs(number)
        yield from self._lines(mention, excerpts)

    def _said_to_be(self, number: int, mention: Mention) -> Iterator[Formula]:
        """What a value is that some longer number of the log rounds to as well: made of the numbers beside it, or a
        total or a mean where its words say so."""
        yield from self._own_sentence(number, mention)
        yield from self._own_pairs(mention)
        if mention.near & (CUES["sum"] | CUES["mean"]):
            yield from self._named_totals(number, mention)
            columns = self._columns(mention, self._excerpts(number, mention))
            yield from (formula for formula in columns if mention.near & CUES[formula.kind])

    def _named_totals(self, number: int, mention: Mention) -> Iterator[Formula]:
        """Where the words say that a value is a total or a mean: those of whole columns whose heads they name, those
        named with most words first."""
        cued = [kind for kind in ("sum", "mean") if mention.near & CUES[kind]]
        if not cued:
            return
        named = mention.near - CUES["sum"] - CUES["mean"]
        excerpts = self._excerpts(number, mention, MAX_NAMED)
        columns = [column for n in excerpts for column in self.tables.columns(n) if column.head & named]
        columns.sort(key=lambda column: -len(column.head & named))
        for column in columns:
            for formula in self._of_rows(mention, column, CLOSED if column.closed else ""):
                if formula.kind in cued:
                    yield formula

    def _own_totals(self, mention: Mention) -> Iterator[Formula]:
        """Totals of the column above and the row to the left."""
        if mention.place is None or self._room <= 0:
            return
        above, left = self._neighbours.above(mention.place), self._neighbours.left(mention.place)
        self._room -= len(above) + len(left)
        for line in (above, left):
            if len(line) > 1:
                yield total_of("sum", line, OWN_TABLE)
                yield total_of("mean", line, OWN_TABLE)

    def _own_pairs(self, mention: Mention) -> Iterator[Formula]:
        """Pairs of the same row, and of the two cells above."""
        if mention.place is None:
            return
        yield from pairs(self._neighbours.beside(mention.place, 6), OWN_TABLE)
        yield from pairs(self._neighbours.above(mention.place)[-2:], OWN_TABLE)

    def _twin_tables(self, number: int, mention: Mention) -> Iterator[Formula]:
        """The nearest traced number of the same paragraph, beside the same cell of a twin table."""
        near = [n for n in self._beside(number, mention) if self.traced[n].status == "sourced"][:2]
        for operand in known([self._operands[n] for n in near]):
            for twin in islice(twins(self.tables, operand.sources[0]), MAX_TWINS):
                yield from pairs([operand, twin], OWN_TABLE)

    def _beside(self, number: int, mention: Mention) -> list[int]:
        """The values of the same paragraph, the nearest first."""
        window = range(max(0, number - 12), min(len(self.traced), number + 13))
        same = [n for n in window if n != number and self.traced[n].mention.paragraph == mention.paragraph]

        def distance(n: int) -> tuple[int, int]:
            other = self.traced[n].mention
            return abs(other.block - mention.block), abs(other.offset - mention.offset)

        return sorted(same, key=distance)

    def _only_pair(self, number: int, mention: Mention) -> list[Operand]:
        """The numbers of the same paragraph if they are two: what it says is likeliest said of them."""
        operands = known([self._operands[n] for n in self._beside(number, mention)])
        return operands if len(operands) == 2 else []

    def _own_sentence(self, number: int, mention: Mention) -> Iterator[Formula]:
        """Numbers of the same paragraph, the nearest first."""
        operands = known([self._operands[n] for n in self._beside(number, mention)][:6])
        yield from pairs(operands, OWN_SENTENCE)
        if len(operands) > 2:
            yield total_of("sum", operands, OWN_SENTENCE)
            yield total_of("mean", operands, OWN_SENTENCE)

    def _runs(self, number: int) -> Iterator[Formula]:
        """Neighbouring traced numbers of one unit, before and after the value: lists with their total."""
        mention = self.traced[number].mention
        unit = mention.value.unit
        before = [o for o in known(self._operands[max(0, number - 30) : number])[::-1] if o.unit == unit]
        after = [o for o in known(self._operands[number + 1 : number + 31]) if o.unit == unit]
        for length in range(2, MAX_RUN + 1):
            for run in (before, after):
                if len(run) >= length:
                    yield total_of("sum", run[:length][::-1] if run is before else run[:length], ELSEWHERE)
                    yield total_of("mean", run[:length], ELSEWHERE)
        akin = [
            self._operands[n]
            for n in sorted(
                range(max(0, number - 30), min(len(self.traced), number + 31)), key=lambda n: abs(n - number)
            )
            if n != number and len(self.traced[n].mention.near & mention.near) > 1
        ]
        yield from pairs(known(akin)[:6], ELSEWHERE)

    def _excerpts(self, number: int, mention: Mention, most: int = MAX_EXCERPTS) -> list[int]:
        """Excerpts that may hold the operands: those that neighbouring values came from, then those with the words."""
        numbers = self.tables.log.numbers
        found = {
            numbers[source.entry]: None
            for n in range(max(0, number - 4), min(len(self.traced), number + 5))
            for source in self.traced[n].sources[:1]
        }
        if mention.near not in self._near:
            near = self.index.near(sorted(mention.near), enough=2 * MAX_NAMED)
            near.sort(key=lambda n: -self.index.shared(n, mention.near))
            self._near[mention.near] = near
        near = self._near[mention.near]
        neighbours = list(found)[: MAX_EXCERPTS // 2]
        return list(dict.fromkeys([*neighbours, *near, *found]))[:most]

    def _columns(self, mention: Mention, excerpts: Iterable[int]) -> Iterator[Formula]:
        """Whole columns of tables, and those of their rows that share a word with the value; first the columns
        whose head the value's words name."""
        columns = [column for number in excerpts for column in self.tables.columns(number)]
        columns.sort(key=lambda column: -len(column.head & mention.near))
        for column in columns:
            yield from self._of_rows(mention, column, "")
            if column.closed:
                yield from self._of_rows(mention, column, CLOSED)
        for column in columns:
            for term in sorted(mention.near):
                yield from self._of_rows(mention, column, term)

    def _of_rows(self, mention: Mention, column: Column, term: str) -> Iterator[Formula]:
        """Sum and mean of a column, of its rows with a term, or of all but its last; each added up once."""
        key = (id(column), term)
        if key not in self._totals:
            self._totals[key] = self._total_of(column, term)
        found = self._totals[key]
        if found is None:
            return
        total, rows, unit = found
        weight = OWN_SENTENCE if column.head & mention.near else ELSEWHERE
        for kind, result in (("sum", total), ("mean", total / len(rows))):
            yield Formula(kind, result, partial(self._written, kind, column, rows), weight, unit)

    def _total_of(self, column: Column, term: str) -> tuple[float, Sequence[int], str] | None:
        rows: Sequence[int] = column.rows()
        if term == CLOSED:
            rows = rows[:-1]
        elif term:
            some = [row for row in self.tables.rows_with(column.number, term) if row in column.cells]
            rows = some if len(some) < len(rows) else []
        if len(rows) < 2:
            return None
        values = [column.cells[row] for row in rows]
        unit = values[0].unit if len({value.unit for value in values}) == 1 else ""
        return math.fsum(value.readings[0].number for value in values), rows, unit

    def _written(self, kind: str, column: Column, rows: Sequence[int]) -> tuple[str, Sequence[Operand]]:
        operands = [self.tables.operand(column.number, row, column.cells[row]) for row in rows]
        return listed(kind, operands), operands

    def _lines(self, mention: Mention, excerpts: Iterable[int]) -> Iterator[Formula]:
        """Pairs of numbers on the lines that share most words with the value: of one line, of one column."""
        best: list[tuple[int, int, int, Operand]] = []
        for number in excerpts:
            shared = Counter(row for term in mention.near for row in self.tables.rows_with(number, term))
            columns = self.tables.columns(number)
            for row, _ in shared.most_common(MAX_PAIRED):
                for place, column in enumerate(columns):
                    value = column.cells.get(row)
                    if value is not None and not value.is_year:
                        best.append((number, row, place, self.tables.operand(number, row, value)))
        for first in range(len(best)):
            for second in range(first):
                (n1, i1, p1, one), (n2, i2, p2, other) = best[first], best[second]
                if n1 == n2 and (i1 == i2 or p1 == p2):
                    yield from pairs([one, other], ELSEWHERE)


def _is_likely_chance(item: Traced) -> bool:
    """Whether a value of few digits has no better source than a longer number that rounds to it, or one with the
    same digits in another scale that nothing states."""
    value = item.mention.value
    if item.status != "sourced" or value.weak:
        return False
    if not item.sources[0].stated:
        return value.digits <= MAX_UNSTATED
    return item.sources[0].agreement == "rounded" and value.digits <= MAX_THIN


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
