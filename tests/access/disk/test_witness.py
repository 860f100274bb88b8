"""The witness sees which files of a workspace are opened, and says so when it missed some."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tabshell.access.disk import witness as module
from tabshell.access.disk.witness import Witness

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


@pytest.fixture
def watched(tmp_path: Path):
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    for name in ("a.txt", "sub/b.txt", "sub/deep/ü \n.txt"):
        (tmp_path / name).write_text("x")
    witness = Witness.start(str(tmp_path))
    assert witness
    yield tmp_path, witness
    witness.close()


def test_opened_files_are_told_once_in_order(watched) -> None:
    top, witness = watched
    for name in ("sub/b.txt", "a.txt", "sub/b.txt", "sub/deep/ü \n.txt"):
        (top / name).read_text()
    assert witness.take() == tuple(str(top / n) for n in ("sub/b.txt", "a.txt", "sub/deep/ü \n.txt"))
    assert witness.take() == ()


def test_listing_a_directory_opens_no_file(watched) -> None:
    top, witness = watched
    assert sorted(p.name for p in (top / "sub").iterdir()) == ["b.txt", "deep"]
    assert witness.take() == ()


def test_a_directory_made_later_is_watched(watched) -> None:
    top, witness = watched
    (top / "new").mkdir()
    witness.collect()
    (top / "new" / "c.txt").write_text("x")
    assert str(top / "new" / "c.txt") in (witness.take() or ())


def test_an_overflow_is_an_absent_witness_for_one_turn(watched, monkeypatch) -> None:
    top, witness = watched
    monkeypatch.setattr(module, "FILES", 1)
    (top / "a.txt").read_text()
    (top / "sub/b.txt").read_text()
    assert witness.take() is None
    monkeypatch.undo()
    (top / "a.txt").read_text()
    assert witness.take() == (str(top / "a.txt"),)


def test_a_workspace_with_too_many_directories_is_watched_as_far_as_they_go(tmp_path: Path, monkeypatch) -> None:
    for n in range(5):
        (tmp_path / f"d{n}").mkdir()
    monkeypatch.setattr(module, "DIRECTORIES", 3)
    witness = Witness.start(str(tmp_path))
    assert witness
    assert witness.partial
    witness.close()


def test_a_workspace_that_is_not_there_has_no_witness(tmp_path: Path) -> None:
    assert Witness.start(str(tmp_path / "gone")) is None
