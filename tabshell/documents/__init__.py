"""Bytes of docx, xlsx, pptx, pdf, html, csv, text -> text with positions.

``document``  the types: ``Document``, ``Block``, ``Position``
``reading``   picks the format; one module per format, each imports its library only when it is called
``extract``   the one way in; nothing is imported before it is called
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabshell.documents.document import Document


def extract(data: bytes, name: str) -> Document:
    """The document in ``data``; ``name`` gives its format. Raises DocumentError for what cannot be read."""
    from tabshell.documents import reading  # noqa: PLC0415 - the shim imports this package and must start fast

    return reading.extract(data, name)
