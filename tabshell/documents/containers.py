"""Bytes of a file -> texts to compare an output with: decoded, unpacked, or read out of a database.

Comparing needs no layout: a line for a line, a row for a row, cells apart by tabs. What is packed (gzip, bzip2,
xz, zip, tar) is unpacked up to ``LIMIT`` bytes of text; SQLite databases give their schema and rows. Office files
are read from their bare XML, which is a hundred times faster than a library and enough for comparing, web pages
without their tags; PDF, mail and the like go through ``documents.extract``. ``beginning`` gives what stands first in
a large document. Nothing raises: what cannot be understood gives no text.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import itertools
import lzma
import re
import sqlite3
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from html import unescape

#: Characters of text that one file gives at most.
LIMIT = 48 << 20
_MEMBERS = 2000
#: Steps of SQLite's machine that a database may take, in all and more for each byte; they are counted by thousands.
_STEPS, _STEPS_A_BYTE, _STEP = 100_000, 20, 1000
#: What ``beginning`` takes: rows of a table, bytes of a sheet.
FIRST_ROWS, FIRST_BYTES = 150, 120_000
_DEPTH = 2
_GUESSES = ("cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1252", "latin-1")
_PARAGRAPH = re.compile(r"</(?:w:p|a:p|text:p|text:h|w:tr|table:table-row)>|<(?:w:br|a:br|text:line-break)\b[^>]*>")
_ROW = re.compile(r"<row\b.*?</row>", re.S)
_CELL = re.compile(r"<c\b([^>]*)>(.*?)</c>", re.S)
_VALUE = re.compile(r"<v>(.*?)</v>", re.S)
_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.S | re.I)
_BLOCK = re.compile(r"</?(?:p|div|br|h[1-6]|li|ul|ol|tr|table|title|section|pre|td|th|dt|dd)\b[^>]*>", re.I)
_TAG = re.compile(r"<[^>]*>")
_BODY = re.compile(r"word/|ppt/slides/|ppt/notes|content\.xml|OEBPS|EPUB")
_OFFICE = (".docx", ".xlsx", ".pptx", ".docm", ".xlsm", ".odt", ".ods", ".odp", ".epub", ".dotx", ".potx")


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
    packed = _unpacked(data)
    if packed is not None:
        if depth >= _DEPTH:
            return []
        inner = re.sub(r"\.(gz|bz2|xz|tgz|z)$", ".tar" if lowered.endswith(".tgz") else "", lowered)
        return texts(packed, inner, depth + 1)
    if data.startswith(b"SQLite format 3\0"):
        return ["\n".join(_limited(_database(data)))]
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(data, lowered, depth)
    if len(data) > 262 and data[257:262] == b"ustar":
        return _tar(data, depth)
    if lowered.endswith((".html", ".htm", ".xhtml")) and not looks_binary(data):
        return [form for text in decodings(data) for form in (text, _page(text))]
    if lowered.endswith((".xls", ".rtf", ".msg")) or data.startswith(b"%PDF"):
        shown = [] if looks_binary(data) or data.startswith(b"%PDF") else decodings(data)
        return shown + _extracted(data, name)
    return [] if looks_binary(data) else decodings(data)


def beginning(data: bytes, name: str) -> list[str]:
    """The first rows of each sheet or table, where the whole would take long; nothing for other kinds of files."""
    try:
        if data.startswith(b"SQLite format 3\0"):
            return ["\n".join(_limited(_database(data, FIRST_ROWS)))]
        if data.startswith(b"PK\x03\x04") and name.lower().endswith((".xlsx", ".xlsm")):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return ["\n".join(_limited(_office(archive, FIRST_BYTES)))]
    except Exception:  # noqa: BLE001 - as in ``texts``
        return []
    return []


def _page(text: str) -> str:
    """The words of a web page: its tags away, lines where its blocks end."""
    shown = _BLOCK.sub("\n", _UNSEEN.sub(" ", text))
    return unescape(_TAG.sub("", shown))


def _unpacked(data: bytes) -> bytes | None:
    """The content of a gzip, bzip2 or xz stream, cut at the limit; None if it is none of them."""
    try:
        if data.startswith(b"\x1f\x8b"):
            return gzip.GzipFile(fileobj=io.BytesIO(data)).read(LIMIT)
        if data.startswith(b"BZh"):
            return bz2.BZ2File(io.BytesIO(data)).read(LIMIT)
        if data.startswith(b"\xfd7zXZ\0"):
            return lzma.LZMAFile(io.BytesIO(data)).read(LIMIT)
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        return b""
    return None


def _archive(data: bytes, name: str, depth: int) -> list[str]:
    """Office files by their words; other zip archives member by member."""
    office = name.endswith(_OFFICE)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if office or "[Content_Types].xml" in archive.namelist():
            return ["\n".join(_limited(_office(archive)))]
        return _members(archive, depth)


def _members(archive: zipfile.ZipFile, depth: int) -> list[str]:
    found: list[str] = []
    room = LIMIT
    for member in archive.infolist()[:_MEMBERS]:
        if member.is_dir() or depth >= _DEPTH or room <= 0:
            continue
        data = _member(archive, member, room)
        if data is not None:
            room -= len(data)
            found += texts(data, member.filename, depth + 1)
    return ["\n".join(found)] if found else []


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes | None:
    """What one member holds; None where it is broken or encrypted: the others are shown all the same."""
    try:
        with archive.open(member) as stream:
            return stream.read(most)
    except Exception:  # noqa: BLE001 - as in ``texts``
        return None


def _tar(data: bytes, depth: int) -> list[str]:
    found: list[str] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for number, member in enumerate(archive):
                if number >= _MEMBERS or depth >= _DEPTH:
                    break
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is not None:
                    found += texts(stream.read(LIMIT), member.name, depth + 1)
    except Exception:  # noqa: BLE001, S110 - what stands before the broken place is shown all the same
        pass
    return ["\n".join(found)] if found else []


def _office(archive: zipfile.ZipFile, most: int = -1) -> Iterator[str]:
    """Paragraphs and rows out of the bare XML of a docx, pptx, xlsx or OpenDocument file; of a sheet ``most`` bytes."""
    names = sorted(archive.namelist())
    shared: list[str] = []
    if "xl/sharedStrings.xml" in names:
        raw = archive.read("xl/sharedStrings.xml").decode("utf-8", "replace")
        shared = [_words(item) for item in re.findall(r"<si\b.*?</si>", raw, re.S)]
    for name in names:
        if name.startswith("xl/worksheets/sheet"):
            with archive.open(name) as part:
                yield from _sheet(part.read(most).decode("utf-8", "replace"), shared)
        elif name.endswith((".xml", ".xhtml", ".html")) and _BODY.match(name):
            raw = archive.read(name).decode("utf-8", "replace")
            yield from (_words(part) for part in _PARAGRAPH.split(raw))


def _sheet(raw: str, shared: list[str]) -> Iterator[str]:
    for row in _ROW.findall(raw):
        cells: list[str] = []
        for attributes, body in _CELL.findall(row):
            value = _VALUE.search(body)
            if 't="s"' in attributes and value and value.group(1).isdigit() and int(value.group(1)) < len(shared):
                cells.append(shared[int(value.group(1))])
            else:
                cells.append(_words(value.group(1) if value else body))
        yield "\t".join(cells)


def _words(xml: str) -> str:
    """The text between tags, entities resolved."""
    text = _TAG.sub("", xml) if "<" in xml else xml
    return (unescape(text) if "&" in text else text).strip()


def _database(data: bytes, most: int = -1) -> Iterator[str]:
    """Schema, then the rows of each table (``most``: so many), cells apart by tabs."""
    if sys.version_info >= (3, 11):
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(data)
            yield from _tables(connection, len(data), most)
        return
    with tempfile.NamedTemporaryFile(prefix="tabshell-") as copy:  # Python 3.10 opens files alone
        copy.write(data)
        copy.flush()
        with contextlib.closing(sqlite3.connect(f"file:{copy.name}?immutable=1", uri=True)) as connection:
            yield from _tables(connection, len(data), most)


def _tables(connection: sqlite3.Connection, size: int, most: int) -> Iterator[str]:
    """The schema and the rows of what ``connection`` has open.

    A few pages that name each other can hold rows without end, a column made by an expression a gigabyte in each: the
    steps are counted by the file's size, and a value is no longer than all text may be.
    """
    steps = itertools.repeat(None, (_STEPS + _STEPS_A_BYTE * size) // _STEP)
    connection.set_progress_handler(lambda: next(steps, 1) or 0, _STEP)
    if sys.version_info >= (3, 11):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LIMIT)
    try:
        tables = []
        for name, sql in connection.execute("select name, sql from sqlite_master where sql is not null"):
            tables.append((str(name), str(sql)))
            yield str(sql)
        for name, sql in tables:
            if sql.lower().startswith("create table"):
                yield from _table(connection, name, most)
    except sqlite3.Error:
        return


def _table(connection: sqlite3.Connection, name: str, most: int) -> Iterator[str]:
    """Column names and rows of one table; text that is no UTF-8 with replacement characters."""
    bounded = sys.version_info >= (3, 11)  # before Python 3.11 what an expression makes cannot be bounded
    found = connection.execute("select name, hidden from pragma_table_xinfo(?)", (name,))
    columns = [str(column) for column, hidden in found if bounded or not hidden]
    yield "\t".join(columns)
    wanted = ", ".join(map(_quoted, columns))
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for row in connection.execute(f"select {wanted} from {_quoted(name)} limit {most:d}"):  # noqa: S608 - a copy
        yield "\t".join(map(str, row)).replace("None", "")


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def _limited(lines: Iterator[str]) -> Iterator[str]:
    room = LIMIT
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return
        yield line


def _extracted(data: bytes, name: str) -> list[str]:
    """Through the document readers; nothing where there is none for this kind."""
    try:
        from tabshell.documents import extract  # type: ignore[attr-defined,unused-ignore]  # noqa: PLC0415

        document = extract(data, name)
    except Exception:  # noqa: BLE001 - a broken document only means that there is no text to compare with
        return []
    return ["\n".join(block.text for block in document.blocks)]
