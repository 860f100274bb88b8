"""Bytes of files become text to compare with, packed or in an old encoding."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
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
