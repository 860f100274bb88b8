"""Tables of a document as rows and columns, whatever format they came from. Pure.

A spreadsheet's cells, the table rows of docx, pptx, html and Markdown, and csv records all get a place
(table, row, column); ``labels`` gives the words that head a cell: its row's text cells and its column's head.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from tabshell.documents.document import Block
from tabshell.documents.formulas import CELL, column
from tabshell.text.terms import matching_terms

Place = tuple[str, int, int]
WORD = re.compile(r"[^\W\d_]{2,}")
NUMERIC = re.compile(r"[\s\d.,%$€£¥()+/:-]*")
#: An amount, a share or a date among words: a cell with one is a value or a sentence, no head of those below it.
DATA = re.compile(r"\d[.,]\d|\d ?%|[$€£¥] ?\d|\b\d{1,2} [A-Z][a-z]+ \d{4}\b|[a-z] \d{1,2}, \d{4}\b")
#: A column's head is looked for this far up.
MAX_UP = 2_000
#: A longer cell, or one with more words, is a text of its own: no column heads it. A longer cell heads no column.
LONGEST_VALUE = 32
MOST_WORDS = 3
LONGEST_HEAD = 80
#: A row of more columns is not taken whole: so many of its first and so many on either side.
WIDEST = 100
FIRST = 8
AROUND = 24


class Grid:
    """All tables of one document."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.texts: dict[Place, str] = {}
        self.rows: dict[tuple[str, int], list[int]] = {}
        self._places: dict[tuple[int, int], Place] = {}
        self._heads: dict[Place, str] = {}
        table, previous = 0, None
        for number, block in enumerate(blocks):
            if block.position.cell is not None:
                match = CELL.fullmatch(block.position.cell)
                if match is not None:
                    self._put(number, 0, (block.position.sheet or "", int(match[2]), column(match[1])), block.text)
                continue
            if not block.cells:
                previous = None
                continue
            if previous is None or block.position.table != previous.position.table:
                table += 1
            previous = block
            for index, cell in enumerate(block.cells):
                self._put(number, index, (f"table {table}", number, index), cell)

    def _put(self, block: int, index: int, place: Place, text: str) -> None:
        self._places[block, index] = place
        self.texts[place] = text
        self.rows.setdefault(place[:2], []).append(place[2])

    def place(self, block: int, index: int) -> Place | None:
        """Where a block's cell stands in its table."""
        return self._places.get((block, index))

    def labels(self, place: Place) -> frozenset[str]:
        """The terms of the cells that say what the cell at ``place`` is: text cells of its row, its column's head."""
        table, row, col = place
        texts = [self.texts[table, row, c] for c in self._columns(place) if c != col]
        names = [text for text in texts if not NUMERIC.fullmatch(text)]
        head = self.head(place) if _is_value(self.texts[place]) else ""
        return matching_terms(" ".join([*names, head]))

    def said(self, place: Place) -> str:
        """All words of the row of a cell, and its column's head."""
        table, row, _ = place
        head = self.head(place) if _is_value(self.texts[place]) else ""
        return " ".join([*(self.texts[table, row, c] for c in self._columns(place)), head])

    def _columns(self, place: Place) -> Sequence[int]:
        """The columns of a row; of very many the first and those around ``place``."""
        table, row, col = place
        columns = self.rows[table, row]
        if len(columns) <= WIDEST:
            return columns
        middle = bisect_left(columns, col)
        around = columns[max(FIRST, middle - AROUND) : max(FIRST, middle + AROUND)]
        return [*columns[:FIRST], *around]

    def head(self, place: Place) -> str:
        """The nearest text cell above, skipping numbers; nothing if there is none."""
        table, row, col = place
        if place not in self._heads:
            head = ""
            for above in range(row - 1, max(-1, row - MAX_UP), -1):
                text = self.texts.get((table, above, col))
                if (table, above, col) in self._heads:
                    known = self._heads[table, above, col]
                    head = (
                        known if text is None or NUMERIC.fullmatch(text) or DATA.search(text) else text[:LONGEST_HEAD]
                    )
                    break
                if text and not NUMERIC.fullmatch(text) and not DATA.search(text):
                    head = text if len(text) <= LONGEST_HEAD else ""
                    break
            self._heads[place] = head
        return self._heads[place]


def _is_value(text: str) -> bool:
    return len(text) <= LONGEST_VALUE and len(WORD.findall(text)) <= MOST_WORDS
