"""pdf -> the text lines of each page (pypdf).

Text is in the order of the page's drawing instructions, as pypdf gives it. Pages without text are named in
the remarks; a file with no text at all (scanned) is a ``DocumentError``, because nothing could be traced in it.
"""

from __future__ import annotations

import io
import logging

from tabshell.documents.document import Block, Document, Position
from tabshell.errors import DocumentError

#: Pages beyond this are left out, with a remark.
MAX_PAGES = 5_000


def read(data: bytes, name: str) -> Document:
    """The pdf in ``data``; needs pypdf. An empty password is tried on an encrypted one."""
    from pypdf import PdfReader  # noqa: PLC0415 - optional extra

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns of every harmless oddity
    if not data.strip():
        return Document(name, "pdf", ())
    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentError(f"{name}: encrypted; save it without a password")
    count = len(reader.pages)
    blocks: list[Block] = []
    silent: list[int] = []
    broken: list[int] = []
    for number in range(1, min(count, MAX_PAGES) + 1):
        try:
            lines = (reader.pages[number - 1].extract_text() or "").splitlines()
        except Exception:  # noqa: BLE001 - one broken page must not hide the others
            broken.append(number)
            continue
        found = [(n, line.strip()) for n, line in enumerate(lines, 1) if line.strip()]
        blocks.extend(Block(line, Position(page=number, line=n)) for n, line in found)
        if not found:
            silent.append(number)
    if count and not blocks:
        raise DocumentError(_nothing(name, count, broken))
    return Document(name, "pdf", tuple(blocks), tuple(_remarks(count, silent, broken)))


def _nothing(name: str, count: int, broken: list[int]) -> str:
    if broken:
        return f"{name}: broken, nothing on {_count(count)} can be read"
    return f"{name}: no text on {_count(count)} (scanned images?); run text recognition (ocrmypdf) first"


def _remarks(count: int, silent: list[int], broken: list[int]) -> list[str]:
    remarks = []
    if silent:
        remarks.append(f"no text on {_pages(silent)} (scanned or empty)")
    if broken:
        remarks.append(f"{_pages(broken)} cannot be read")
    if count > MAX_PAGES:
        remarks.append(f"only the first {MAX_PAGES:,} of {count:,} pages were read")
    return remarks


def _pages(numbers: list[int]) -> str:
    shown = ", ".join(str(n) for n in numbers[:10])
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{more}"


def _count(count: int) -> str:
    return "its one page" if count == 1 else f"any of its {count:,} pages"
