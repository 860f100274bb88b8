"""Bytes of a file -> texts to compare an output with: decoded, unpacked, or read out of a database.

Comparing needs no layout: a line for a line, a row for a row, cells apart by tabs. What is packed (gzip, bzip2,
xz, zip, tar) is unpacked up to a limit of text (``documents.packed``); SQLite databases give their schema and rows, web
pages their words; PDF, mail and the like go through ``documents.extract``. ``beginning`` gives what stands first in
a large document. Nothing raises: what cannot be understood gives no text. What most files do not need loads late.
"""

from __future__ import annotations

import re
from functools import partial

#: What ``beginning`` takes: rows of a table, bytes of a sheet.
FIRST_ROWS, FIRST_BYTES = 150, 120_000
_DEPTH = 2
_GUESSES = ("cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1252", "latin-1")
#: How what is packed begins: gzip, bzip2, xz; zip archives, and such without a member; SQLite databases.
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")
_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
_DATABASE = b"SQLite format 3\0"


def looks_binary(data: bytes) -> bool:
    """Whether these bytes are no text in any encoding: zero bytes outside UTF-16 and UTF-32."""
    head = data[:8192]
    return b"\0" in head and _wide(head) is None


def _wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32 by its mark, or by where the zero bytes stand."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    head = data[:512]
    if len(head) >= 8 and b"\0" in head:
        even, odd = head[0::2].count(0), head[1::2].count(0)
        if odd > 0.8 * len(head) / 2 and even == 0:
            return "utf-16-le"
        if even > 0.8 * len(head) / 2 and odd == 0:
            return "utf-16-be"
    return None


def decodings(data: bytes) -> list[str]:
    """The texts that these bytes may be: one for UTF-8 and UTF-16, up to three guesses for older encodings."""
    wide = _wide(data)
    if wide:
        return [data.decode(wide, "replace").removeprefix("\ufeff")]
    try:
        return [data.decode("utf-8").removeprefix("\ufeff")]
    except UnicodeDecodeError:
        pass
    found: list[str] = []
    for encoding in _GUESSES:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text not in found:
            found.append(text)
        if len(found) == 4:
            break
    return found


def texts(data: bytes, name: str, depth: int = 0) -> list[str]:
    """All texts that may be shown of a file; empty where it is binary and nothing is known to open it."""
    try:
        return _texts(data, name, depth)
    except Exception:  # noqa: BLE001 - foreign bytes make zip, tar, xz and SQLite raise anything
        return []


def _texts(data: bytes, name: str, depth: int) -> list[str]:
    lowered = name.lower()
    if data.startswith(_PACKED):
        from tabshell.documents.packed import unpacked  # noqa: PLC0415 - most files are text

        inner = re.sub(r"\.(gz|bz2|xz|tgz|z)$", ".tar" if lowered.endswith(".tgz") else "", lowered)
        return [] if depth >= _DEPTH else texts(unpacked(data), inner, depth + 1)
    if data.startswith(_DATABASE):
        from tabshell.documents import database  # noqa: PLC0415

        return [database.text_of(data)]
    inside = None if depth >= _DEPTH else partial(texts, depth=depth + 1)
    if data.startswith(_ARCHIVES):
        from tabshell.documents.packed import archived  # noqa: PLC0415

        return archived(data, lowered, inside)
    if len(data) > 262 and data[257:262] == b"ustar":
        from tabshell.documents.packed import tarred  # noqa: PLC0415

        return [] if inside is None else tarred(data, inside)
    if lowered.endswith((".html", ".htm", ".xhtml")) and not looks_binary(data):
        from tabshell.documents.webtext import words  # noqa: PLC0415

        return [form for text in decodings(data) for form in (text, words(text))]
    if lowered.endswith((".xls", ".rtf", ".msg")) or data.startswith(b"%PDF"):
        shown = [] if looks_binary(data) or data.startswith(b"%PDF") else decodings(data)
        return shown + _extracted(data, name)
    return [] if looks_binary(data) else decodings(data)


def beginning(data: bytes, name: str) -> list[str]:
    """The first rows of each sheet or table, where the whole would take long; nothing for other kinds of files."""
    try:
        if data.startswith(_DATABASE):
            from tabshell.documents import database  # noqa: PLC0415

            return [database.text_of(data, FIRST_ROWS)]
        if data.startswith(_ARCHIVES[0]) and name.lower().endswith((".xlsx", ".xlsm")):
            from tabshell.documents.packed import first_of_sheets  # noqa: PLC0415

            return [first_of_sheets(data, FIRST_BYTES)]
    except Exception:  # noqa: BLE001 - as in ``texts``
        return []
    return []


def _extracted(data: bytes, name: str) -> list[str]:
    """Through the document readers; nothing where there is none for this kind."""
    try:
        from tabshell.documents import extract  # type: ignore[attr-defined,unused-ignore]  # noqa: PLC0415

        document = extract(data, name)
    except Exception:  # noqa: BLE001 - a broken document only means that there is no text to compare with
        return []
    return ["\n".join(block.text for block in document.blocks)]
