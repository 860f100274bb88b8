"""What a document is to the rest of the house: blocks of text, each with the place where a person finds it.

A block is the smallest thing that a reader would point at: a line, a paragraph, a table row, a cell, a line
of a page or of a slide. Blocks stand in reading order. Nothing here knows any file format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["docx", "xlsx", "pptx", "pdf", "md", "html", "csv", "txt"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where a block stands. All numbers are 1-based; what a format does not have is None.

    ``line`` counts in the file (txt, md, html, csv) or on the page (pdf). ``paragraph`` counts the non-empty
    paragraphs of the body. ``table``/``row`` number the tables of a document (or slide) and their rows.
    ``part`` names what is not the body: header, footer, footnote, comment, notes, chart.
    """

    line: int | None = None
    paragraph: int | None = None
    page: int | None = None
    sheet: str | None = None
    cell: str | None = None
    slide: int | None = None
    table: int | None = None
    row: int | None = None
    part: str | None = None

    def label(self) -> str:
        """In words: ``page 3 line 12``, ``Budget!B4``, ``slide 2 notes``, ``table 1 row 3``."""
        if self.cell is not None:
            return f"{self.sheet}!{self.cell}"
        words = []
        if self.page is not None:
            words.append(f"page {self.page}")
        if self.slide is not None:
            words.append(f"slide {self.slide}")
        if self.part is not None:
            words.append(self.part)
        if self.table is not None:
            words.append(f"table {self.table} row {self.row}")
        elif self.paragraph is not None and self.slide is None:
            words.append(f"paragraph {self.paragraph}")
        if self.line is not None:
            words.append(f"line {self.line}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Block:
    """``text`` as a reader sees it. ``cells`` are the cells of a table row or record (``text`` joins them).

    For a spreadsheet cell ``raw`` is the stored value where the cell's format shows it otherwise, and
    ``formula`` its formula (``=SUM(B2:B5)``). ``heading`` marks titles and headings.
    """

    text: str
    position: Position
    cells: tuple[str, ...] = ()
    raw: str | None = None
    formula: str | None = None
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A document's text. ``remarks`` say what could not be read (pages without text, formulas without value)."""

    name: str
    kind: Kind
    blocks: tuple[Block, ...]
    remarks: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All blocks as one text, one block a line, stored values of cells beside their shown form."""
        return "\n".join(b.text if b.raw is None else f"{b.text}\n{b.raw}" for b in self.blocks)
