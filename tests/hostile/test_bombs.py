"""Inputs that are made to use up time or memory: bounded work, in words what was refused, and the prompt comes."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import resource
import subprocess
import sys
import time
import zipfile

import pytest

from tabshell.session import Session, SessionOptions

LAUGHS = (
    '<?xml version="1.0"?>{pad}<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{("&" + chr(97 + n) + ";") * 10}">' for n in range(12))
    + "]><w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body><w:p><w:r><w:t>&m;"
    "</w:t></w:r></w:p></w:body></w:document>"
)


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def docx(document: bytes) -> bytes:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    package = "http://schemas.openxmlformats.org/package/2006"
    return zipped(
        {
            "[Content_Types].xml": (
                f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.'
                f'openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="{kind}"/></Types>'
            ).encode(),
            "_rels/.rels": (
                f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}" '
                'Target="word/document.xml"/></Relationships>'
            ).encode(),
            "word/document.xml": document,
        }
    )


ZEROS = b"0" * (300 << 20)
BOMBS = {
    "zeros.docx": lambda: docx(b"<w:document>" + ZEROS),
    "laughs.docx": lambda: docx(LAUGHS.format(pad="").encode()),
    "laughs_behind_a_comment.docx": lambda: docx(LAUGHS.format(pad="<!--" + "x" * 5000 + "-->").encode()),
    "deep.docx": lambda: docx(b"<a>" * 200_000),
    "members.xlsx": lambda: zipped({f"xl/{n}.xml": b"<a/>" for n in range(30_000)}),
    "nested.zip": lambda: zipped({f"{n}.zip": zipped({"a.txt": ZEROS[: 50 << 20]}) for n in range(20)}),
    "zeros.txt.gz": lambda: gzip.compress(ZEROS),
    "zeros.csv.bz2": lambda: bz2.compress(ZEROS),
    "line.csv": lambda: b'"' + b"1,234.50;" * 2_000_000,
    "deep.html": lambda: b"<div><table><tr><td>" * 100_000,
    "numbers.md": lambda: b"1,1" * 300_000 + b" " + b"12." * 200_000 + b" " + b"(" * 100_000,
    "quotes.md": ("\u201c" * 100_000 + "'\"" * 100_000 + "Jan 1 " * 50_000).encode,
    "digits.md": lambda: b"9" * 100_000 + b" x " + b"1" * 5_000 + b" EUR",
    "figures.csv": lambda: ";".join(f"{n * 7919 % 1000003}.{n % 89 + 10}" for n in range(8_000)).encode(),
    "spaces.txt": (" " * 500_000 + "1 " + "\t" * 500_000 + "EUR").encode,
    "circle.pdf": lambda: (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 99999999"
        b"/Parent 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n"
    ),
}


@pytest.fixture
def session(workspace):
    (workspace / "a.txt").write_text("alpha 42\nbeta 1,275 EUR\n")
    with Session.create(SessionOptions(str(workspace), task="alpha"), os.environ) as made:
        yield made


def bounded(*words, cwd, memory=2 << 30, seconds=40, **more):
    """Runs with little memory; gives the process and its seconds of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*words], cwd=cwd, capture_output=True, timeout=110, check=False, stdin=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)), **more,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used < seconds, f"{used:.0f} s"
    assert b"Traceback" not in done.stderr, done.stderr[-2000:]
    return done


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_as_deliverable_is_refused_or_read_within_bounds(session, workspace, name):
    session.close()
    (workspace / name).write_bytes(BOMBS[name]())
    done = bounded(sys.executable, "-m", "tabshell", "trace", name, cwd=workspace)
    assert done.returncode in (0, 1, 5), done.stderr[-500:]
    if done.returncode == 5:
        assert name.encode() in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_in_the_workspace_does_not_hold_up_the_record(session, workspace, name):
    (workspace / name).write_bytes(BOMBS[name]())
    command = f"ls; head -c 300 {name} | tr -cd '[:print:]'; zcat {name} 2>/dev/null | head -c 2000; cat a.txt"
    bounded(session.directory / "bin" / "bash", "-c", command, cwd=workspace)
    done = bounded(session.directory / "bin" / "tab", "list", "log", cwd=workspace, seconds=25)
    assert b"a.txt" in done.stdout


@pytest.mark.slow
def test_requirements_notes_and_tasks_of_a_megabyte(session, workspace):
    tab = session.directory / "bin" / "tab"
    huge = "alpha " * 170_000
    for operation in ("add", "note", "task"):
        added = subprocess.run(
            [tab, operation, "-"], input=huge, capture_output=True, text=True, cwd=workspace, check=False
        )
        assert added.returncode == 0, added.stderr
    many = "\n".join(f"alpha item {n}" for n in range(5000))
    subprocess.run([tab, "add", "-"], input=many, capture_output=True, text=True, cwd=workspace, check=True)
    subprocess.run(
        [session.directory / "bin" / "bash", "-c", "cat a.txt"], capture_output=True, cwd=workspace, check=True
    )
    before = time.process_time()
    for words in (
        ["list"],
        ["list", "candidates"],
        ["show", "r1"],
        ["resolve", "r1", "done", "L1"],
        ["status"],
        ["finish"],
    ):
        done = bounded(tab, *words, cwd=workspace, seconds=15)
        assert done.returncode in (0, 1)
    listed = bounded(tab, "list", cwd=workspace).stdout
    assert len(listed) < 200_000
    assert time.process_time() - before < 60
    report = bounded(sys.executable, "-m", "tabshell", "audit", "last", cwd=workspace)
    assert report.returncode == 0
