"""Bytes of files become text to compare with, packed or in an old encoding."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import sqlite3
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.documents.containers import decodings, looks_binary, texts

ORCHARD = Path(__file__).parents[2] / "fixtures" / "workspaces" / "orchard"
TEXT = "date,customer\n2026-01-02,Grüne Halle\n"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text_is_unpacked(pack) -> None:
    assert texts(pack(TEXT.encode()), "a.csv.gz") == [TEXT]


def test_archives_give_their_members() -> None:
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("in/a.csv", TEXT)
        archive.writestr("b.txt", "second")
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        member = tarfile.TarInfo("c.csv")
        member.size = len(TEXT.encode())
        archive.addfile(member, io.BytesIO(TEXT.encode()))
    assert texts(zipped.getvalue(), "x.zip") == [TEXT + "\nsecond"]
    assert texts(tarred.getvalue(), "x.tar.gz") == [TEXT]


def test_office_files_give_paragraphs_and_rows() -> None:
    (lease,) = texts((ORCHARD / "office/lease.docx").read_bytes(), "lease.docx")
    assert "The yearly rent is 1,275 EUR, due on the first of May." in lease.split("\n")
    (budget,) = texts((ORCHARD / "office/budget.xlsx").read_bytes(), "budget.xlsx")
    assert "Press repair\t1860" in budget.split("\n")


def test_a_database_gives_schema_and_rows(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "d.sqlite")
    connection.execute('create table "odd ""name" (a, b)')
    connection.execute('insert into "odd ""name" values (1, ?), (2, null)', ("x",))
    connection.commit()
    connection.close()
    (text,) = texts((tmp_path / "d.sqlite").read_bytes(), "d.sqlite")
    assert text.split("\n")[1:] == ["a\tb", "1\tx", "2\t"]


def pages_that_name_each_other(levels: int) -> bytes:
    """A database of a few pages whose table claims 70 rows to the power of ``levels``."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("pragma page_size=512")
        connection.execute("create table t (a)")
        connection.execute("insert into t values ('x')")
        connection.commit()
        schema, leaf = (connection.serialize()[at : at + 512] for at in (0, 512))
    pages = [schema]
    for number in range(levels):
        below = 3 + number
        head = struct.pack(">BHHHBI", 5, 0, 70, 512 - 350, 0, below)
        cells = struct.pack(">IB", below, 1) * 70
        pages.append((head + struct.pack(">70H", *range(512 - 350, 512, 5))).ljust(512 - 350, b"\0") + cells)
    data = b"".join([*pages, leaf])
    return data[:28] + struct.pack(">I", len(pages) + 1) + data[32:]


@pytest.mark.skipif(not hasattr(sqlite3.Connection, "serialize"), reason="made by what Python 3.11 brought")
def test_a_database_whose_pages_name_each_other_ends_early() -> None:
    (text,) = texts(pages_that_name_each_other(1), "d.sqlite")
    assert text.split("\n") == ["CREATE TABLE t (a)", "a", *["x"] * 71]
    (text,) = texts(pages_that_name_each_other(12), "d.sqlite")
    assert text.startswith("CREATE TABLE t (a)\na\nx\nx\n")
    assert len(text) < 2_000_000


@pytest.mark.skipif(not hasattr(sqlite3.Connection, "serialize"), reason="made by what Python 3.11 brought")
def test_a_column_that_swells_is_left_and_one_of_words_is_shown() -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table a (w, u as (upper(w)))")
        connection.execute("insert into a values ('quay')")
        connection.execute("create table b (w, u as (hex(zeroblob(30000000))))")
        connection.execute("insert into b values ('berth')")
        connection.commit()
        (text,) = texts(connection.serialize(), "d.sqlite")
    assert text.split("\n")[2:] == ["w\tu", "quay\tQUAY", "w\tu"]


def test_a_broken_or_encrypted_member_hides_no_other() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, method in (("a", zipfile.ZIP_LZMA), ("b", zipfile.ZIP_BZIP2), ("c", zipfile.ZIP_DEFLATED)):
            archive.writestr(f"{name}.txt", f"harbour {name} " * 9, method)
        places = [member.header_offset + 35 for member in archive.infolist()]
    whole = buffer.getvalue()
    for place, missing in zip(places, "abc", strict=True):
        data = bytearray(whole)
        data[place + 3 : place + 13] = b"\xff" * 10
        (text,) = texts(bytes(data), "a.zip")
        assert [name for name in "abc" if f"harbour {name} " * 9 in text] == [n for n in "abc" if n != missing]
    data = bytearray(whole)
    data[whole.index(b"PK\x01\x02") + 8] |= 1  # the first one says that it is encrypted
    (text,) = texts(bytes(data), "a.zip")
    assert [name for name in "abc" if f"harbour {name} " in text] == ["b", "c"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-8"])
def test_western_encodings_are_read(encoding: str) -> None:
    assert TEXT in decodings(TEXT.encode(encoding))


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp932", "林檎の注文書 数量 三十箱"),
        ("gb18030", "果园合作社的账目 四千元"),
        ("big5", "果園合作社的帳目 四千元"),
        ("euc_jp", "林檎の注文書"),
    ],
)
def test_eastern_encodings_are_among_the_readings(encoding: str, text: str) -> None:
    assert text in decodings(text.encode(encoding))


def test_binary_files_give_no_text() -> None:
    png = (ORCHARD / "pictures/logo.png").read_bytes()
    assert looks_binary(png)
    assert texts(png, "logo.png") == []


@given(st.binary(max_size=300), st.sampled_from(["a.zip", "b.docx", "c.gz", "d.sqlite", "e.txt", "f.pdf", "g.tar"]))
def test_no_bytes_raise(data: bytes, name: str) -> None:
    for head in (b"", b"PK\x03\x04", b"\x1f\x8b\x08\x00", b"SQLite format 3\0", b"BZh9", b"\xfd7zXZ\0", b"%PDF-1.4\n"):
        assert isinstance(texts(head + data, name), list)
