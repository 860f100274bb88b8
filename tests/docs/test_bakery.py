"""The bakery workspace is what its script makes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "fixtures" / "workspaces"


@pytest.fixture
def made(tmp_path):
    pytest.importorskip("docx")
    pytest.importorskip("pptx")
    spec = importlib.util.spec_from_file_location("make_bakery", FOLDER / "make_bakery.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.make(tmp_path / "bakery")
    return tmp_path / "bakery"


def files(root):
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def test_the_same_files_with_the_same_text(made):
    kept = FOLDER / "bakery"
    assert files(made) == files(kept)
    for name in files(kept):
        if not name.endswith((".docx", ".pptx")):
            assert (made / name).read_bytes() == (kept / name).read_bytes(), name


def test_the_leases_have_their_terms():
    docx = pytest.importorskip("docx")
    text = "\n".join(p.text for p in docx.Document(str(FOLDER / "bakery/leases/station_square.docx")).paragraphs)
    assert "ends on 31 August 2031" in text


def test_the_sums_of_the_tutorial_are_those_of_the_exports():
    revenue = 0.0
    for month in ("04", "05", "06"):
        lines = (FOLDER / f"bakery/exports/2026-{month}_receipts.csv").read_text().splitlines()[1:]
        revenue += sum(float(line.split(",")[3]) for line in lines)
    page = (FOLDER.parents[1] / "docs/tutorial/quarterly-summary.md").read_text(encoding="utf-8")
    assert f"Revenue was {revenue:,.2f} EUR" in page
