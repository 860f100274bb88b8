"""docx -> paragraphs, table rows, text boxes, headers, footers, footnotes, comments (python-docx).

python-docx's own ``paragraph.text`` leaves out insertions under review, text boxes and equations; what stands
on the page is therefore gathered from the XML: everything but deleted text and the fallback copies of drawings.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, TypeAlias

from tabshell.documents.bounds import check_container
from tabshell.documents.document import Block, Document, Position

Part: TypeAlias = Any
"""An XML element or a package part: python-docx has no types."""

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

TEXT = frozenset({f"{W}t", f"{M}t"})
SPACE = frozenset({f"{W}tab", f"{W}br", f"{W}cr"})
HIDDEN = frozenset({f"{W}del", f"{W}moveFrom", f"{MC}Fallback", f"{W}instrText", f"{W}delText", f"{W}pPr", f"{W}rPr"})
PARTS = {"header": "header", "footer": "footer", "footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}


def read(data: bytes, name: str) -> Document:
    """The document in ``data``; needs python-docx."""
    check_container(data, name).close()
    from docx.opc.package import OpcPackage  # noqa: PLC0415 - optional extra

    package = OpcPackage.open(io.BytesIO(data))
    main = package.main_document_part
    body = main.element.find(f"{W}body") if hasattr(main, "element") else None
    blocks = list(_Walk().blocks(body)) if body is not None else []
    seen: set[str] = set()
    for relation in main.rels.values():
        kind = PARTS.get(relation.reltype.rsplit("/", 1)[-1])
        if kind is None or relation.is_external or str(relation.target_part.partname) in seen:
            continue
        seen.add(str(relation.target_part.partname))
        blocks.extend(_Walk(kind).blocks(_root(relation.target_part)))
    return Document(name, "docx", tuple(blocks))


def _root(part: Part) -> Part:
    from docx.oxml import parse_xml  # noqa: PLC0415 - optional extra

    return part.element if hasattr(part, "element") else parse_xml(part.blob)


class _Walk:
    """One part's paragraphs and tables in order, numbered."""

    def __init__(self, part: str | None = None) -> None:
        self.part = part
        self.paragraph = 0
        self.table = 0

    def blocks(self, parent: Part) -> Iterator[Block]:
        for child in parent:
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self.table += 1
                yield from self._table(child, self.table)
            elif child.tag not in HIDDEN and isinstance(child.tag, str):
                yield from self.blocks(child)

    def _paragraph(self, element: Part) -> Iterator[Block]:
        boxes: list[Part] = []
        text = _text(element, boxes).strip()
        if text:
            self.paragraph += 1
            position = Position(paragraph=self.paragraph, part=self.part)
            yield Block(text, position, heading=_is_heading(element))
        for box in boxes:
            yield from self.blocks(box)

    def _table(self, element: Part, number: int) -> Iterator[Block]:
        nested: list[Part] = []
        for n, row in enumerate(element.iter(f"{W}tr"), 1):
            if _owner(row) is not element:
                continue
            cells = tuple(_cell_text(cell, nested) for cell in row.iter(f"{W}tc") if _owner(cell) is row)
            if any(cells):
                position = Position(paragraph=self.paragraph or None, table=number, row=n, part=self.part)
                yield Block(" | ".join(cells), position, cells=cells)
        for table in nested:
            self.table += 1
            yield from self._table(table, self.table)


def _owner(element: Part) -> Part:
    """The table of a row, the row of a cell: the nearest ancestor of that kind (content controls lie between)."""
    wanted = f"{W}tbl" if element.tag == f"{W}tr" else f"{W}tr"
    parent = element.getparent()
    while parent is not None and parent.tag != wanted:
        parent = parent.getparent()
    return parent


def _cell_text(cell: Part, nested: list[Part]) -> str:
    lines = []
    for child in cell.iter(f"{W}p", f"{W}tbl"):
        if _inside(child, cell):
            continue
        if child.tag == f"{W}tbl":
            nested.append(child)
        else:
            boxes: list[Part] = []
            lines.append(_text(child, boxes))
            lines.extend(_text(p, []) for box in boxes for p in box.iter(f"{W}p"))
    return " ".join(" ".join(lines).split())


def _inside(child: Part, cell: Part) -> bool:
    """Whether ``child`` belongs to a table within ``cell``, not to the cell itself."""
    parent = child.getparent()
    while parent is not None and parent is not cell:
        if parent.tag in (f"{W}tbl", f"{W}txbxContent"):
            return True
        parent = parent.getparent()
    return False


def _text(element: Part, boxes: list[Part]) -> str:
    """What a paragraph shows; text boxes in it are put into ``boxes`` for later."""
    parts: list[str] = []
    for child in element:
        tag = child.tag
        if tag in TEXT:
            parts.append(child.text or "")
        elif tag in SPACE:
            parts.append("\t" if tag == f"{W}tab" else "\n")
        elif tag == f"{W}noBreakHyphen":
            parts.append("-")
        elif tag == f"{W}txbxContent":
            boxes.append(child)
        elif tag not in HIDDEN and isinstance(tag, str):
            parts.append(_text(child, boxes))
    return "".join(parts)


def _is_heading(element: Part) -> bool:
    style = element.find(f"{W}pPr/{W}pStyle")
    value = "" if style is None else style.get(f"{W}val", "")
    return value.lower().startswith(("heading", "title", "subtitle", "berschrift", "titre"))
