"""xlsx -> one block per cell, as shown and as stored, with its formula (openpyxl).

Two readings are joined: formulas, and the values that the last program to save the file had calculated. Where
it left none (files written by a script), ``formulas.Calculator`` fills in what it can; the rest is remarked.
"""

from __future__ import annotations

import io
import warnings
from typing import Any, TypeAlias

from tabshell.documents.bounds import check_container
from tabshell.documents.document import Block, Document, Position
from tabshell.documents.formulas import Calculator, Key
from tabshell.documents.numberformat import plain, shown

Cell: TypeAlias = Any
"""A cell of openpyxl: read-only cells share no base with the others."""

#: Cells beyond this are left out, with a remark.
MAX_CELLS = 2_000_000


def read(data: bytes, name: str) -> Document:
    """The workbook in ``data``; needs openpyxl."""
    check_container(data, name).close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of every extension it does not keep
        cells, formats, full = _load(data, formulas=True)
        has_formulas = any(isinstance(value, str) and value.startswith("=") for value in cells.values())
        cached = _load(data, formulas=False)[0] if has_formulas else {}
    calculator = Calculator(cells)
    blocks, silent = [], []
    for key, content in cells.items():
        block = _block(key, content, formats.get(key), cached, calculator)
        blocks.append(block)
        if block.formula and not block.text:
            silent.append(block.position.label())
    remarks = [] if full else [f"only the first {MAX_CELLS:,} cells were read"]
    if silent:
        shown_cells = ", ".join(silent[:5])
        remarks.append(f"{len(silent)} formulas without a stored value: {shown_cells}{' …' if silent[5:] else ''}")
    return Document(name, "xlsx", tuple(blocks), tuple(remarks))


def _block(
    key: Key, content: object, number_format: str | None, cached: dict[Key, object], calculator: Calculator
) -> Block:
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - optional extra

    sheet, row, column = key
    position = Position(sheet=sheet, cell=f"{get_column_letter(column)}{row}")
    formula = content if isinstance(content, str) and content.startswith("=") else None
    value = content
    if formula is not None:
        value = cached.get(key)
        if value is None:
            value = calculator.formula(key)
    if value is None:
        return Block("", position, formula=formula)
    text, raw = shown(value, number_format), plain(value)
    return Block(text, position, raw=None if raw == text else raw, formula=formula)


def _load(data: bytes, formulas: bool) -> tuple[dict[Key, object], dict[Key, str], bool]:
    """All non-empty cells in reading order, their number formats, and whether that was all."""
    from openpyxl import load_workbook  # noqa: PLC0415 - optional extra

    workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=not formulas)
    cells: dict[Key, object] = {}
    formats: dict[Key, str] = {}
    try:
        for sheet in workbook.worksheets:
            sheet.reset_dimensions()  # the stored dimension may be wrong
            for row in sheet.iter_rows():
                for cell in row:
                    value = _value(cell)
                    if value is None or value == "":
                        continue
                    key = (sheet.title, int(cell.row or 0), int(cell.column or 0))
                    cells[key] = value
                    if isinstance(value, (int, float)) or formulas:
                        formats[key] = cell.number_format
                if len(cells) > MAX_CELLS:
                    return cells, formats, False
    finally:
        workbook.close()
    return cells, formats, True


def _value(cell: Cell) -> object:
    value = cell.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    text = getattr(value, "text", None)  # array formulas and data tables are objects
    return text if isinstance(text, str) else value
