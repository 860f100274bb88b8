"""A document -> its values, each with the words around it that tell what it is a value of. Pure.

The words of a number in running text are those of its sentence; of a number in a table those of its row and of
the head of its column. Headings above count little and are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tabshell.audit.grid import Grid
from tabshell.audit.passages import find_passages
from tabshell.audit.surroundings import Surroundings, spoken_words, words
from tabshell.audit.value import Reading, Value
from tabshell.audit.values import find_values
from tabshell.documents.document import Block, Document
from tabshell.model.light import NamedTuple

#: Lines that belong to one paragraph are joined up to this many characters.
MAX_CONTEXT = 600
#: Characters of a heading that say what stands below it.
MAX_HEADING = 2_000
#: A wrapped line has at least this share of the usual width.
WRAPPED = 0.75
#: The last character of a line and the first of the next, where a sentence runs over both.
GOES_ON = re.compile(r"[^.!?:。！？](?:[(\[,;%a-zäöüéèàçñ])")
COLUMNS = re.compile(r"\S {3,}\S")
STARTS_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s")


class Mention(NamedTuple):
    """A value where it stands: in block ``block`` (and ``cell`` of it). ``near`` are the terms that say what it is,
    ``far`` those of the heading above; ``spoken`` are all words around it, function words too ("not competent").
    ``place`` is its (table, row, column), if it stands in a table; ``paragraph`` the block where its text begins.
    """

    value: Value
    block: int
    near: frozenset[str]
    far: frozenset[str] = frozenset()
    place: tuple[str, int, int] | None = None
    offset: int = 0
    formula: str | None = None
    spoken: frozenset[str] = frozenset()
    paragraph: int = -1


def find_mentions(document: Document) -> list[Mention]:
    """All values of a document in reading order."""
    return list(_Finder(document).mentions())


@dataclass(slots=True)
class _Finder:
    document: Document
    grid: Grid = field(init=False)
    heading: frozenset[str] = frozenset()
    width: int = 0

    def __post_init__(self) -> None:
        lengths = sorted(len(block.text) for block in self.document.blocks if block.position.line is not None)
        self.width = lengths[len(lengths) * 9 // 10] if lengths else 0
        self.grid = Grid(self.document.blocks)

    def mentions(self) -> list[Mention]:
        found: list[Mention] = []
        for number, block in enumerate(self.document.blocks):
            if block.heading:
                self.heading = words(block.text[:MAX_HEADING])
            if block.position.cell is not None:
                found.extend(self._sheet_cell(number, block))
            elif block.cells:
                found.extend(self._row(number, block))
            else:
                found.extend(self._prose(number, block))
        return found

    def _sheet_cell(self, number: int, block: Block) -> Iterator[Mention]:
        place = self.grid.place(number, 0)
        labels = self.grid.labels(place) if place else frozenset()
        said = spoken_words(self.grid.said(place)) if place else None
        around = Surroundings(block.text, whole=True)
        for value in [*stored_values(block), *find_passages(block.text)]:
            near, spoken = around.of(value.start, value.end)
            near, spoken = labels | near, spoken if said is None else said
            yield Mention(value, number, near, self.heading, place, value.start, block.formula, spoken, number)

    def _row(self, number: int, block: Block) -> Iterator[Mention]:
        offset = 0
        for column, cell in enumerate(block.cells):
            offset = block.text.find(cell, offset) if cell else offset
            values = [*find_values(cell), *find_passages(cell)]
            place = self.grid.place(number, column) if values else None
            labels = self.grid.labels(place) if place else frozenset()
            said = spoken_words(self.grid.said(place)) if place else None
            around = Surroundings(cell, whole=True)
            for value in values:
                near, spoken = around.of(value.start, value.end)
                near, spoken = labels | near, spoken if said is None else said
                at = offset + value.start
                yield Mention(value, number, near, self.heading, place, at, spoken=spoken, paragraph=number)
            offset += len(cell)

    def _prose(self, number: int, block: Block) -> Iterator[Mention]:
        values = find_values(block.text) + find_passages(block.text)
        if not values:
            return
        context, shift, first = self._joined(number)
        around = Surroundings(context)
        for value in sorted(values, key=lambda v: (v.start, v.end)):
            near, said = around.of(shift + value.start, shift + value.end)
            yield Mention(value, number, near, self.heading, None, value.start, spoken=said, paragraph=first)

    def _joined(self, number: int) -> tuple[str, int, int]:
        """The paragraph of a block that is a line of one, where the block begins in it, and its first line."""
        blocks = self.document.blocks
        text, shift = blocks[number].text, 0
        if blocks[number].position.line is None:
            return text, 0, number
        first = number
        for before in range(number - 1, max(-1, number - 4), -1):
            if not self._runs_on(before) or len(text) > MAX_CONTEXT:
                break
            first = before
            text = blocks[before].text + " " + text
            shift += len(blocks[before].text) + 1
        for after in range(number + 1, min(len(blocks), number + 4)):
            if not self._runs_on(after - 1) or len(text) > 2 * MAX_CONTEXT:
                break
            text += " " + blocks[after].text
        return text, shift, first

    def _runs_on(self, first: int) -> bool:
        """Whether a line was wrapped: it is nearly as wide as lines get, or the next goes on amid a sentence."""
        one, other = self.document.blocks[first], self.document.blocks[first + 1]
        if one.cells or other.cells or one.heading or other.heading:
            return False
        if len(one.text) < WRAPPED * self.width and not GOES_ON.match(f"{one.text.rstrip()[-1:]}{other.text[:1]}"):
            return False
        if COLUMNS.search(one.text) or COLUMNS.search(other.text):
            return False
        a, b = one.position, other.position
        return a.line is not None and b.line == a.line + 1 and a.page == b.page and not STARTS_ITEM.match(other.text)


def stored_values(block: Block) -> list[Value]:
    """The values of a spreadsheet cell; where its format rounds, the stored number joins the readings."""
    values = find_values(block.text)
    if block.raw is None or len(values) != 1:
        return values
    stored = find_values(block.raw)
    if len(stored) != 1 or not stored[0].readings:
        return values
    points = 100.0 if values[0].unit == "%" and not stored[0].unit else 1.0
    kept = [Reading(reading.number * points, reading.step * points) for reading in stored[0].readings]
    return [values[0]._replace(readings=(*values[0].readings, *kept))]
