"""HTML -> blocks: one per paragraph-like element, one per table row with its cells. Line numbers are the source's.

Scripts, styles and what is hidden by the ``hidden`` attribute are left out. Never raises: the standard
library's parser takes any text.
"""

from __future__ import annotations

from html.parser import HTMLParser

from tabshell.documents.document import Block, Document, Position
from tabshell.documents.plain import decode

SILENT = frozenset({"script", "style", "template", "noscript", "svg"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "title"})
BREAKING = HEADINGS | {
    "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "pre", "blockquote", "section", "article", "header",
    "footer", "table", "thead", "tbody", "tr", "figure", "figcaption", "br", "hr", "main", "aside", "body",
    "caption", "address", "form", "summary", "details", "option",
}  # fmt: skip


class _Blocks(HTMLParser):
    """Collects blocks while the parser walks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.parts: list[str] = []
        self.line = 1
        self.silent = 0
        self.heading = False
        self.row: list[str] | None = None
        self.row_line = 1
        self.table = 0
        self.row_number = 0

    def flush(self) -> None:
        text = " ".join("".join(self.parts).split())
        self.parts = []
        if not text:
            return
        if self.row is not None and self.row:
            self.row[-1] = f"{self.row[-1]} {text}".strip()
            return
        self.blocks.append(Block(text, Position(line=self.line), heading=self.heading))

    def end_row(self) -> None:
        self.flush()
        if self.row and any(self.row):
            self.row_number += 1
            position = Position(line=self.row_line, table=self.table, row=self.row_number)
            self.blocks.append(Block(" | ".join(self.row), position, cells=tuple(self.row)))
        self.row = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in SILENT:
            self.silent += 1
        if tag in ("td", "th"):
            self.flush()
            if self.row is None:
                self.row, self.row_line = [], self.getpos()[0]
            self.row.append("")
            return
        if tag not in BREAKING:
            return
        if tag == "tr" or (tag == "table" and self.row is not None):
            self.end_row()
        self.flush()
        if tag == "tr":
            self.row, self.row_line = [], self.getpos()[0]
        elif tag == "table":
            self.table, self.row_number = self.table + 1, 0
        self.heading = tag in HEADINGS

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self.silent = max(0, self.silent - 1)
        if tag in ("tr", "table"):
            self.end_row()
        elif tag in BREAKING or tag in ("td", "th"):
            self.flush()
        if tag in HEADINGS:
            self.heading = False

    def handle_data(self, data: str) -> None:
        if self.silent or not data:
            return
        if not any(part.strip() for part in self.parts):
            self.line = self.getpos()[0] + (len(data) - len(data.lstrip("\n"))) * data.startswith("\n")
        self.parts.append(data)


def read(data: bytes, name: str) -> Document:
    """The document in ``data``."""
    parser = _Blocks()
    parser.feed(decode(data, name))
    parser.close()
    parser.end_row()
    return Document(name, "html", tuple(parser.blocks))
