"""The read log as the audit sees it: which entries may be evidence, and what each of their lines says. Pure.

Left out as sources: what the agent wrote itself (``own``), binary output, and the deliverables read back.
A line is given with its number in the source file where that is known (``lines`` of the entry, or numbers that
the command printed before the lines), else with its number in the excerpt.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tabshell.audit.excerpt import Excerpt
from tabshell.audit.passages import FoldedText
from tabshell.audit.scan import path_of
from tabshell.audit.surroundings import words
from tabshell.audit.value import Value
from tabshell.audit.values import find_values
from tabshell.model.state import Entry, Tab

#: The comma of 77,001, which separates no cells.
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
#: A digit, but of no year.
NUMBERS_BUT_YEARS = re.compile(r"(?<!\d)(?!(?:1[89]|20)\d\d(?!\d))\d")
#: A cell that is a number and nothing else.
BARE_NUMBER = re.compile(r"[\s$€£¥(-]*\d[\d.,'\s]*[\s%)]*")
#: Lines at the top of an excerpt that may head its table.
MAX_HEADS = 3
#: A line with more values is not gone through value by value; so many digits at the start are compared then.
MAX_VALUES = 200
LEAD = 3
#: How far above a row of an aligned table its head is looked for.
HEAD_ABOVE = 60
#: ``12:``, ``12-``, `` 12\t``, ``12→``: line numbers as grep, cat and agents' file tools print them.
NUMBERED = re.compile(r"\s*(\d{1,7})(?:[:\t→|]|-(?!\d))\s?")
STATED_SCALE = re.compile(
    r"(?:\bin\s+(?:[A-Za-z.$€£]+\s+){0,3}|\(\s*|[$€£]\s?|\bUSD\s|\bEUR\s)(?P<word>thousands?|millions?|billions?)\b"
    r"|[$€£]?\s?'?(?P<zeros>000(?:,000)?)(?:'?s|\s+omitted)|\b(?:[$€£]|USD\s?|EUR\s?|T)(?P<letter>mn?|bn|k|€)\b"
    r"|单位[:：]\s*(?P<han>千|万|百万|亿)",
    re.IGNORECASE,
)
SCALE_OF = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "000": 1e3, "000,000": 1e6, "m": 1e6, "mn": 1e6,
            "bn": 1e9, "k": 1e3, "€": 1e3, "千": 1e3, "万": 1e4, "百万": 1e6, "亿": 1e8}  # fmt: skip


@dataclass(slots=True)
class Line:
    """One line of an excerpt. ``heads`` are the terms of the column heads by cell, empty if it is no table."""

    text: str
    terms: frozenset[str]
    values: list[Value]
    cells: tuple[tuple[int, int], ...] = ()
    _by_lead: dict[str, list[Value]] = field(default_factory=dict)
    _ends: list[int] = field(default_factory=list)

    def cell_of(self, value: Value) -> int | None:
        """The place of the cell that a value stands in."""
        if not self._ends:
            self._ends += [end for _, end in self.cells]
        place = bisect_left(self._ends, value.start)
        return place if place < len(self.cells) and self.cells[place][0] <= value.start else None

    def candidates(self, value: Value) -> list[Value]:
        """The values that may be like one: all, but of a line with very many only some that begin like it."""
        if len(self.values) <= MAX_VALUES:
            return self.values
        if not self._by_lead:
            for given in self.values:
                for lead in _leads(given):
                    kept = self._by_lead.setdefault(lead, [])
                    if len(kept) < MAX_VALUES:
                        kept.append(given)
        return [given for lead in _leads(value) for given in self._by_lead.get(lead, ())]


def _leads(value: Value) -> Iterator[str]:
    """What values that agree have in common: their dates, all digits, the first three."""
    yield from dict.fromkeys(f"date {date.month} {date.day}" for date in value.dates)
    digits = value.shown.strip("0")
    if value.readings:
        yield digits or "0"
        if len(digits) > LEAD:
            yield f"lead {digits[:LEAD]}"


@dataclass(slots=True)
class LoggedText:
    """One entry that may be evidence, with what is known of its layout (filled in when asked for)."""

    entry: Entry
    excerpt: Excerpt
    path: str
    path_terms: frozenset[str]
    cited: bool
    is_csv: bool = False
    numbered: bool = False
    lines: dict[int, Line] = field(default_factory=dict)
    terms: dict[int, frozenset[str]] = field(default_factory=dict)
    heads: dict[int, int | None] = field(default_factory=dict)
    scales: list[tuple[int, float]] | None = None
    folded: FoldedText | None = None
    speaks: dict[int, frozenset[str]] = field(default_factory=dict)

    def is_tabular(self, index: int) -> bool:
        """Whether a line looks like a table's row, so that a head above may name its columns."""
        line = self.excerpt.line(index)
        return self.is_csv or "  " in line or "|" in line or "\t" in line

    def has_cells(self, index: int) -> bool:
        """Whether a line has cells by its separators (csv, pipes, tabs), not only by how it is set."""
        line = self.excerpt.line(index)
        return (self.is_csv and "," in line) or "|" in line or "\t" in line

    def words_on(self, index: int) -> frozenset[str]:
        """A quick look at what a line speaks of: its words in small letters; those of the first line too where that
        may be the head of a table."""
        found = self.speaks.get(index)
        if found is None:
            found = self.excerpt.words_on(index)
            if index and self.is_tabular(index):
                found |= self.words_on(0)
            self.speaks[index] = found
        return found


def evidence(tab: Tab, deliverables: Iterable[str] = ()) -> list[Entry]:
    """The entries that may be evidence, in order. ``deliverables`` are keys (relative to the workspace) of documents
    that must not prove themselves."""
    excluded = frozenset(deliverables)
    return [
        entry
        for entry in tab.entries.values()
        if not entry.logged.own
        and not entry.logged.binary
        and (entry.logged.derived_from or not excluded.issuperset(entry.logged.paths))
    ]


class Log:
    """All entries that may be evidence, in order."""

    def __init__(self, tab: Tab, excerpts: Iterable[Excerpt]) -> None:
        """``excerpts``: those of the entries that ``evidence`` names."""
        self.cited = frozenset(
            ref for r in tab.requirements.values() if r.resolution is not None for ref in r.resolution.refs
        )
        self._together = _cited_together(tab)
        self.texts = [self._prepared(tab.entries[excerpt.number], excerpt) for excerpt in excerpts]
        self.numbers = {text.entry.id: number for number, text in enumerate(self.texts)}
        self._by_path: dict[str, list[LoggedText]] = {}
        for text in self.texts:
            self._by_path.setdefault(text.path, []).append(text)

    def _prepared(self, entry: Entry, excerpt: Excerpt) -> LoggedText:
        path = path_of(entry)
        prepared = LoggedText(entry, excerpt, path, words(path.rpartition("/")[2]), entry.id in self.cited)
        head = excerpt.text[:8000].split("\n")[:6]
        prepared.is_csv = path.lower().endswith(".csv") or _looks_like_csv(head)
        prepared.numbered = _is_numbered(head)
        return prepared

    def text_of(self, entry: int) -> str | None:
        """The excerpt of an entry, None if it is none that may be evidence."""
        number = self.numbers.get(entry)
        return None if number is None else self.texts[number].excerpt.shown

    def cited_with(self, entry: int) -> tuple[int, ...]:
        """The entries that one requirement cites together with this one."""
        return self._together.get(entry, ())

    def line(self, number: int, index: int) -> Line:
        """Line ``index`` (0-based) of the excerpt of ``texts[number]``."""
        text = self.texts[number]
        line = text.lines.get(index)
        if line is None:
            line = text.lines[index] = self._read_line(text, index)
        return line

    def _read_line(self, text: LoggedText, index: int) -> Line:
        content = text.excerpt.line(index)
        skipped = _prefix(text, content)
        if text.is_csv and "," in content:
            cells = tuple(_csv_cells(content, skipped))
        elif "|" in content or "\t" in content[skipped:]:
            cells = tuple(_split_cells(content, skipped))
        else:
            cells = tuple(_aligned_cells(content, skipped))
        spans = cells or ((skipped, len(content)),)
        values = [_moved(value, start) for start, end in spans for value in find_values(content[start:end])]
        return Line(content, self._terms(text, index), values, cells)

    def terms(self, number: int, index: int) -> frozenset[str]:
        """The terms of a line alone; nothing beyond the excerpt. Cheaper than the whole line."""
        return self._terms(self.texts[number], index)

    def _terms(self, text: LoggedText, index: int) -> frozenset[str]:
        found = text.terms.get(index)
        if found is None:
            content = text.excerpt.line(index)
            found = text.terms[index] = words(content[_prefix(text, content) :])
        return found

    def head_terms(self, number: int, index: int, value: Value) -> frozenset[str]:
        """The terms of the column head of a value in a table: the first line of the excerpt with as many cells."""
        line = self.line(number, index)
        if len(line.cells) < 2 or index == 0:
            return frozenset()
        text = self.texts[number]
        if index not in text.heads:
            text.heads[index] = self._head_of(number, index, len(line.cells))
        above = text.heads[index]
        column = line.cell_of(value)
        if above is None or column is None:
            return frozenset()
        head = self.line(number, above)
        span = head.cells[column] if len(head.cells) == len(line.cells) else _above(head.cells, value)
        return words(head.text[span[0] : span[1]]) if span is not None else frozenset()

    def _head_of(self, number: int, index: int, cells: int) -> int | None:
        """The line that heads a table row: one of the first three, or the nearest above without numbers but years."""
        text = self.texts[number]
        above = index - 1
        if above in text.heads and len(self.line(number, above).cells) == cells:
            return text.heads[above]  # the row above has the same head
        lines: list[int] = [*range(min(index, MAX_HEADS)), *range(index - 1, max(2, index - HEAD_ABOVE), -1)]
        for candidate in lines:
            if not text.has_cells(candidate) and NUMBERS_BUT_YEARS.search(text.excerpt.line(candidate)):
                continue
            head = self.line(number, candidate)
            if len(head.cells) != cells and (len(head.cells) < 2 or text.is_csv):
                continue
            if not text.has_cells(candidate) or not _holds_number(head):
                return candidate
        return None

    def is_head(self, number: int, index: int) -> bool:
        """Whether a line near the top of a table of cells only names its columns."""
        text = self.texts[number]
        if index >= MAX_HEADS or not text.has_cells(index):
            return False
        line = self.line(number, index)
        return len(line.cells) > 1 and not _holds_number(line)

    def source_line(self, number: int, index: int) -> int:
        """The 1-based number of a line in the source file where known, else in the excerpt."""
        text = self.texts[number]
        content = text.excerpt.line(text.excerpt.head(index))
        match = NUMBERED.match(content, _path_prefix(text, content))
        if text.numbered and match is not None:
            return int(match.group(1))
        lines = text.entry.logged.lines
        shown, _ = text.excerpt.place(index)
        if lines is not None and lines[0] + shown <= lines[1]:
            return lines[0] + shown
        return shown + 1

    def path_of(self, number: int, index: int) -> str:
        """The file of a line: named at its start where an entry holds several files."""
        text = self.texts[number]
        index = text.excerpt.head(index)
        logged = text.entry.logged
        if len(logged.paths) > 1:
            content = text.excerpt.line(index)
            for path, shown in zip(
                logged.paths, (*logged.shown_as, *logged.paths[len(logged.shown_as) :]), strict=False
            ):
                if content.startswith((f"{shown}:", f"{path}:", f"./{path}:")):
                    return path
        return text.path

    def stated_scale(self, number: int, index: int) -> float | None:
        """The scale that a heading above a line states (``in millions``: 1e6), in any excerpt of its file."""
        text = self.texts[number]
        above = [scale for line, scale in self._scales(text) if line <= index]
        if above:
            return above[-1]
        for other in self._by_path.get(text.path, ()):
            if self._scales(other):
                return self._scales(other)[0][1]
        return None

    def _scales(self, text: LoggedText) -> list[tuple[int, float]]:
        if text.scales is None:
            text.scales = [
                (text.excerpt.line_at(match.start()), SCALE_OF[_scale_word(match)])
                for match in STATED_SCALE.finditer(text.excerpt.text)
            ]
        return text.scales

    def folded(self, number: int) -> FoldedText:
        """The excerpt folded for passages."""
        text = self.texts[number]
        if text.folded is None:
            text.folded = FoldedText.of(iter(text.excerpt.text.split("\n")))
        return text.folded


def _holds_number(line: Line) -> bool:
    """Whether a cell of a line is a number and no year."""
    cells = (line.text[start:end].strip() for start, end in line.cells)
    return any(BARE_NUMBER.fullmatch(cell) and NUMBERS_BUT_YEARS.search(cell) for cell in cells)


def _cited_together(tab: Tab) -> dict[int, tuple[int, ...]]:
    together: dict[int, tuple[int, ...]] = {}
    for requirement in tab.requirements.values():
        refs = requirement.resolution.refs if requirement.resolution is not None else ()
        for ref in refs if len(refs) > 1 else ():
            together[ref] = tuple(dict.fromkeys((*together.get(ref, ()), *refs)))
    return together


def _scale_word(match: re.Match[str]) -> str:
    word = match["word"] or match["zeros"] or match["letter"] or match["han"]
    return word.lower().rstrip("s") if match["word"] else word.lower()


def _moved(value: Value, by: int) -> Value:
    return value._replace(start=value.start + by, end=value.end + by) if by else value


def _looks_like_csv(head: list[str]) -> bool:
    """Whether the first lines are records with equally many cells, none of which begins with a space (prose), and
    some comma is not merely that of 77,001."""
    lines = [line for line in head if line.strip()]
    try:
        rows = [next(csv.reader([line])) for line in lines]
    except (csv.Error, StopIteration):
        return False
    counts = {len(row) for row in rows}
    if len(rows) < 2 or len(counts) != 1 or counts.pop() < 2:
        return False
    prose = any(cell.startswith(" ") and not cell.isspace() for row in rows for cell in row)
    return not prose and any("," in THOUSANDS.sub("", line) for line in lines)


def _is_numbered(head: list[str]) -> bool:
    """Whether the lines begin with their numbers: each line has one, and they grow."""
    numbers = [
        int(m.group(1)) if (m := re.search(rf"^(?:[^:\s]+:)?{NUMBERED.pattern}", line)) else None
        for line in head
        if line
    ]
    found = [number for number in numbers if number is not None]
    return bool(found) and len(found) == len(numbers) and found == sorted(set(found))


def _path_prefix(text: LoggedText, content: str) -> int:
    """How many characters the path before a hit takes (``notes/a.md:12:…``)."""
    logged = text.entry.logged
    for name in (*logged.shown_as, *logged.paths):
        for form in (f"{name}:", f"{name}-", f"./{name}:"):
            if content.startswith(form):
                return len(form)
    return 0


def _prefix(text: LoggedText, content: str) -> int:
    """How much of a line's start is no content: the path of a hit, a line number."""
    start = _path_prefix(text, content) if text.entry.logged.kind == "search" or text.numbered else 0
    if text.numbered:
        match = NUMBERED.match(content, start)
        start = match.end() if match else start
    return start


def _csv_cells(content: str, start: int) -> Iterable[tuple[int, int]]:
    try:
        cells = next(csv.reader([content[start:]]))
    except (csv.Error, StopIteration):
        return
    place = start
    for cell in cells:
        found = content.find(cell, place) if cell else place
        found = place if found < 0 else found
        yield found, found + len(cell)
        place = found + len(cell)


def _above(cells: tuple[tuple[int, int], ...], value: Value) -> tuple[int, int] | None:
    """The cell of an aligned head line that stands over a value."""
    over = [cell for cell in cells if cell[0] <= value.end + 1 and value.start <= cell[1] + 1]
    return over[0] if len(over) == 1 else None


def _aligned_cells(content: str, start: int) -> Iterable[tuple[int, int]]:
    """The columns of text set with spaces: apart by two and more. A line of one column has no cells."""
    found = [(start + m.start(), start + m.end()) for m in re.finditer(r"\S+(?: \S+)*", content[start:])]
    if len(found) > 1:
        yield from found


def _split_cells(content: str, start: int) -> Iterable[tuple[int, int]]:
    for match in re.finditer(r"[^|\t]+", content[start:]):
        if match.group().strip():
            yield start + match.start(), start + match.end()
