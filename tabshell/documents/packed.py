"""What is packed (gzip, bzip2, xz, zip, tar) -> the texts in it, to compare an output with.

Office files are read from their bare XML, which is a hundred times faster than a library and enough for comparing.
What is unpacked is bounded. The libraries' own errors come out.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from html import unescape

from tabshell.documents.limit import LIMIT, limited

#: Gives the texts of a member: its bytes and its name.
Inside = Callable[[bytes, str], list[str]]

_MEMBERS = 2000
_PARAGRAPH = re.compile(r"</(?:w:p|a:p|text:p|text:h|w:tr|table:table-row)>|<(?:w:br|a:br|text:line-break)\b[^>]*>")
_ROW = re.compile(r"<row\b.*?</row>", re.S)
_CELL = re.compile(r"<c\b([^>]*)>(.*?)</c>", re.S)
_VALUE = re.compile(r"<v>(.*?)</v>", re.S)
_TAG = re.compile(r"<[^>]*>")
_BODY = re.compile(r"word/|ppt/slides/|ppt/notes|content\.xml|OEBPS|EPUB")
_OFFICE = (".docx", ".xlsx", ".pptx", ".docm", ".xlsm", ".odt", ".ods", ".odp", ".epub", ".dotx", ".potx")


def unpacked(data: bytes) -> bytes:
    """The content of a gzip, bzip2 or xz stream, cut at the limit; nothing where it is broken."""
    try:
        if data.startswith(b"\x1f\x8b"):
            return gzip.GzipFile(fileobj=io.BytesIO(data)).read(LIMIT)
        if data.startswith(b"BZh"):
            return bz2.BZ2File(io.BytesIO(data)).read(LIMIT)
        return lzma.LZMAFile(io.BytesIO(data)).read(LIMIT)
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        return b""


def archived(data: bytes, name: str, inside: Inside | None) -> list[str]:
    """Office files by their words; other zip archives member by member, if ``inside`` is to be looked into."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if name.endswith(_OFFICE) or "[Content_Types].xml" in archive.namelist():
            return [limited(_office(archive))]
        return [] if inside is None else _members(archive, inside)


def first_of_sheets(data: bytes, most: int) -> str:
    """The first ``most`` bytes of each sheet of a workbook."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return limited(_office(archive, most))


def _members(archive: zipfile.ZipFile, inside: Inside) -> list[str]:
    found: list[str] = []
    room = LIMIT
    for member in archive.infolist()[:_MEMBERS]:
        if member.is_dir() or room <= 0:
            continue
        data = _member(archive, member, room)
        if data is not None:
            room -= len(data)
            found += inside(data, member.filename)
    return ["\n".join(found)] if found else []


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes | None:
    """What one member holds; None where it is broken or encrypted: the others are shown all the same."""
    try:
        with archive.open(member) as stream:
            return stream.read(most)
    except Exception:  # noqa: BLE001 - foreign bytes make zip raise anything
        return None


def tarred(data: bytes, inside: Inside) -> list[str]:
    """The members of a tar archive."""
    found: list[str] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for number, member in enumerate(archive):
                if number >= _MEMBERS:
                    break
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is not None:
                    found += inside(stream.read(LIMIT), member.name)
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
