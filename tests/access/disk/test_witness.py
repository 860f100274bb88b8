"""The witness sees which files of a workspace are opened, and says so when it missed some."""

from __future__ import annotations

import os
import sys
import threading
import time
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


@pytest.fixture
def slow(tmp_path: Path, monkeypatch):
    """A workspace of two folders, the first of which is read only when the event is set."""
    (tmp_path / "sub").mkdir()
    for name in ("a.txt", "sub/b.txt"):
        (tmp_path / name).write_text("x")
    answers, scandir = threading.Event(), os.scandir

    def slowly(folder):
        answers.wait(30)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", slowly)
    yield tmp_path, answers
    answers.set()


def until_over(witness: Witness) -> None:
    end = time.monotonic() + 30
    while not witness.over:
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_witness_that_was_not_there_at_the_beginning_says_so(slow) -> None:
    top, answers = slow
    witness = Witness(str(top))
    witness.begin()
    assert witness.take() is None  # a command begins
    assert not witness.over
    answers.set()
    until_over(witness)
    assert witness.stands
    (top / "sub/b.txt").read_text()
    assert witness.take() is None  # it ends: what it opened first was not seen
    (top / "sub/b.txt").read_text()
    assert witness.take() == (str(top / "sub/b.txt"),)
    witness.close()


def test_what_was_opened_before_the_first_command_belongs_to_none(watched) -> None:
    top, _ = watched
    witness = Witness(str(top))
    witness.begin()
    until_over(witness)
    (top / "a.txt").read_text()
    witness.take()  # a command begins
    (top / "sub/b.txt").read_text()
    assert witness.take() == (str(top / "sub/b.txt"),)
    witness.close()


def test_a_witness_that_is_closed_places_no_more_watches(slow) -> None:
    top, answers = slow
    witness = Witness(str(top))
    witness.begin()
    witness.close()
    answers.set()
    until_over(witness)
    assert witness.take() is None


def test_watching_a_large_tree_does_not_fill_its_own_queue(tmp_path: Path, monkeypatch) -> None:
    """Reading a directory is noted, too: twice, once for its parent."""
    for n in range(300):
        (tmp_path / f"d{n}" / "e").mkdir(parents=True)
    (tmp_path / "d7" / "e" / "a.txt").write_text("x")
    monkeypatch.setattr(module, "_STRETCH", 50)
    witness = Witness.start(str(tmp_path))
    assert witness
    (tmp_path / "d7" / "e" / "a.txt").read_text()
    assert witness.take() == (str(tmp_path / "d7" / "e" / "a.txt"),)
    witness.close()


def test_a_mount_that_does_not_answer_holds_nobody_up(mount_that_hangs, tmp_path: Path) -> None:
    hung = mount_that_hangs(tmp_path / "silent")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.txt").write_text("x")
    witness = Witness(str(tmp_path))
    witness.begin()
    until_over(witness)
    assert witness.stands
    assert os.fsencode(hung) not in witness._folders.values()
    witness.take()
    (tmp_path / "sub" / "b.txt").read_text()
    assert witness.take() == (str(tmp_path / "sub" / "b.txt"),)
    witness.close()


def test_no_thread_no_witness(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "aside", lambda _: False)
    witness = Witness(str(tmp_path))
    witness.begin()
    assert witness.over
    assert witness.take() is None
