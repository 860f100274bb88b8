"""One way in: the bytes of a document and its name -> ``Document``.

The name's suffix picks the format; where there is none, or the content is plainly something else, the first
bytes do. Every fault of a format's library becomes a ``DocumentError`` that says what is wrong and what to do:
encrypted, broken, of an old format, without text, or in need of the ``office`` extra.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from tabshell.documents import html as html_format
from tabshell.documents import pdf, plain, slides, spreadsheet, word
from tabshell.documents.bounds import MAX_TEXT
from tabshell.documents.document import Document, Kind
from tabshell.errors import DocumentError

Reader = Callable[[bytes, str], Document]

READERS: dict[Kind, Reader] = {
    "docx": word.read,
    "xlsx": spreadsheet.read,
    "pptx": slides.read,
    "pdf": pdf.read,
    "html": html_format.read,
    "csv": plain.read_csv,
    "md": plain.read_markdown,
    "txt": plain.read_text,
}

SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), "docx"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), "xlsx"),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".potx"), "pptx"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".md", ".markdown"), "md"),
    ".pdf": "pdf",
}

#: Formats of before 2007; their readers are not worth their risk.
OLD = {".doc": ".docx", ".xls": ".xlsx", ".ppt": ".pptx"}
OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: The name of the stream in which an encrypted office file lies, as OLE2 directories write it.
ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")


def extract(data: bytes, name: str) -> Document:
    """The document in ``data``; ``name`` gives its format and is used in messages.

    Raises DocumentError for anything that cannot be read.
    """
    kind = kind_of(data, name)
    if kind in ("html", "csv", "md", "txt") and len(data) > MAX_TEXT:
        raise DocumentError(f"{name}: refused, {len(data):,} bytes of text (bound: {MAX_TEXT:,})")
    try:
        return READERS[kind](data, name)
    except DocumentError:
        raise
    except ImportError as error:
        raise DocumentError(
            f"{name}: reading {kind} needs {error.name or error}; run: pip install 'tabshell[office]'"
        ) from None
    except RecursionError:
        raise DocumentError(f"{name}: broken, its parts are nested without end") from None
    except Exception as error:  # noqa: BLE001 - foreign bytes make format libraries raise anything
        detail = f"{type(error).__name__}: {error}".rstrip(": ")
        raise DocumentError(f"{name}: broken, not readable as {kind} ({detail})") from None


def kind_of(data: bytes, name: str) -> Kind:
    """The format of ``data``. Raises DocumentError for encrypted and for old office files."""
    suffix = os.path.splitext(name)[1].lower()
    if data.startswith(OLE2):
        if ENCRYPTED_STREAM in data:
            raise DocumentError(f"{name}: encrypted; save it without a password")
        raise DocumentError(f"{name}: the old binary office format; save it as {OLD.get(suffix, suffix or '.docx')}")
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if suffix in OLD and data:
        raise DocumentError(f"{name}: not an office file; is it {OLD[suffix]}?")
    return _sniff(data)


def _sniff(data: bytes) -> Kind:
    if data.startswith(b"%PDF-"):
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        head = data[-65_536:] + data[:4096]
        for mark, kind in ((b"word/", "docx"), (b"xl/", "xlsx"), (b"ppt/", "pptx")):
            if mark in head:
                return kind  # type: ignore[return-value]
    if data[:512].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "html"
    return "txt"
