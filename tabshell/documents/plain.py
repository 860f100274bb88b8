"""Text files: txt, Markdown, csv. Bytes -> lines with their numbers.

Decoding: a byte order mark, else UTF-8, else UTF-16 where every other byte is zero, else Windows-1252.
A csv record gives one block with its cells; a Markdown table row as well.
"""

from __future__ import annotations

import csv
import io
import re

from tabshell.documents.document import Block, Document, Position
from tabshell.errors import DocumentError

MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*")
#: A csv field may hold a whole document; beyond this the file is no table.
csv.field_size_limit(16 * 1024 * 1024)


def decode(data: bytes, name: str = "text") -> str:
    """The text in ``data``. Raises DocumentError where it is plainly no text (NUL bytes throughout)."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    if "\0" not in text:
        return text
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, others = data[start:4096:2].count(0), data[1 - start : 4096 : 2].count(0)
        if zeros * 4 > len(data[:4096]) and others * 20 < zeros:
            return data.decode(encoding, "replace")
    raise DocumentError(f"{name}: binary, no text in it")


def read_text(data: bytes, name: str) -> Document:
    """Each non-empty line is a block."""
    lines = decode(data, name).splitlines()
    blocks = (Block(line, Position(line=n)) for n, line in enumerate(lines, 1) if line.strip())
    return Document(name, "txt", tuple(blocks))


def read_markdown(data: bytes, name: str) -> Document:
    """Lines; headings are marked, table rows split into cells, table rules left out."""
    blocks = []
    for n, line in enumerate(decode(data, name).splitlines(), 1):
        if not line.strip() or ("-" in line and TABLE_RULE.fullmatch(line)):
            continue
        cells = table_cells(line)
        blocks.append(Block(line, Position(line=n), cells=cells, heading=line.lstrip().startswith("#")))
    return Document(name, "md", tuple(blocks))


def table_cells(line: str) -> tuple[str, ...]:
    """The cells of a Markdown table row, or nothing if the line is none."""
    stripped = line.strip()
    if not stripped.startswith("|") or stripped.count("|") < 2:
        return ()
    inner = stripped.strip("|").replace(r"\|", "\0")
    return tuple(cell.strip().replace("\0", "|") for cell in inner.split("|"))


def read_csv(data: bytes, name: str) -> Document:
    """Each record is a block; its line is where it begins. The delimiter is found by counting."""
    text = decode(data, name)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text))
    blocks, line = [], 1
    try:
        for record in reader:
            if any(cell.strip() for cell in record):
                blocks.append(Block(" | ".join(record), Position(line=line), cells=tuple(record)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DocumentError(f"{name}: broken csv at line {reader.line_num} ({error})") from None
    return Document(name, "csv", tuple(blocks))


def delimiter(text: str) -> str:
    """The most regular of comma, semicolon, tab and bar in the first lines."""
    head = [line for line in text[:16_384].splitlines()[:50] if line.strip()]
    best, score = ",", 0.0
    for mark in (",", ";", "\t", "|"):
        counts = [line.count(mark) for line in head]
        usual = max(set(counts), key=counts.count, default=0)
        regular = usual and counts.count(usual) / len(counts) * (1 + min(usual, 10) / 100)
        if regular > score:
            best, score = mark, regular
    return best
