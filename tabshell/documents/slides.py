"""pptx -> the text of each slide in reading order: shapes, groups, tables, charts' numbers, notes (python-pptx)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, TypeAlias

from tabshell.documents.bounds import check_container
from tabshell.documents.document import Block, Document, Position

Part: TypeAlias = Any
"""A shape, frame, table or chart: python-pptx has no types."""


def read(data: bytes, name: str) -> Document:
    """The presentation in ``data``; needs python-pptx."""
    check_container(data, name).close()
    from pptx import Presentation  # noqa: PLC0415 - optional extra

    blocks: list[Block] = []
    for number, slide in enumerate(Presentation(io.BytesIO(data)).slides, 1):
        walk = _Slide(number, slide.shapes.title)
        blocks.extend(walk.shapes(slide.shapes))
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            frame = slide.notes_slide.notes_text_frame
            blocks.extend(walk.paragraphs(frame, part="notes"))
    return Document(name, "pptx", tuple(blocks))


class _Slide:
    """The blocks of one slide."""

    def __init__(self, number: int, title: Part) -> None:
        self.number = number
        self.title = title
        self.paragraph = 0
        self.table = 0

    def shapes(self, shapes: Part) -> Iterator[Block]:
        for shape in sorted(shapes, key=lambda s: (s.top or 0, s.left or 0)):
            if hasattr(shape, "shapes"):
                yield from self.shapes(shape.shapes)
            elif getattr(shape, "has_table", False):
                yield from self.rows(shape.table)
            elif getattr(shape, "has_chart", False):
                yield from self.chart(shape.chart)
            elif shape.has_text_frame:
                is_title = self.title is not None and shape.shape_id == self.title.shape_id
                yield from self.paragraphs(shape.text_frame, heading=is_title)

    def paragraphs(self, frame: Part, part: str | None = None, heading: bool = False) -> Iterator[Block]:
        for paragraph in frame.paragraphs:
            text = paragraph.text.replace("\v", "\n").strip()
            if text:
                self.paragraph += 1
                position = Position(slide=self.number, paragraph=self.paragraph, part=part)
                yield Block(text, position, heading=heading)

    def rows(self, table: Part) -> Iterator[Block]:
        self.table += 1
        for n, row in enumerate(table.rows, 1):
            cells = tuple(" ".join(cell.text.split()) for cell in row.cells)
            if any(cells):
                position = Position(slide=self.number, table=self.table, row=n)
                yield Block(" | ".join(cells), position, cells=cells)

    def chart(self, chart: Part) -> Iterator[Block]:
        if chart.has_title and chart.chart_title.has_text_frame:
            yield from self.paragraphs(chart.chart_title.text_frame, part="chart")
        for plot in chart.plots:
            categories = [str(category) for category in plot.categories]
            for series in plot.series:
                for n, value in enumerate(series.values):
                    if value is None:
                        continue
                    label = categories[n] if n < len(categories) else str(n + 1)
                    cells = (series.name or "", label, f"{value:.15g}")
                    yield Block(" | ".join(cells), Position(slide=self.number, part="chart"), cells=cells)
