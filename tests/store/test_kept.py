"""What is kept beside the facts: true for this store and this format, else computed again."""

import os
import stat

import pytest

from tabshell.model.facts import NoteAdded
from tabshell.store import kept
from tabshell.store.database import Store
from tabshell.store.kept import Kept


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "tab.db") as made:
        made.append([NoteAdded(0, 1, "one"), NoteAdded(0, 1, "two")])
        yield made


def test_what_is_kept_comes_back_with_the_event_up_to_which_it_is_true(store):
    kept.write(store, "memory.json", "a/1", Kept(2, 1, "body\nof two lines"))
    assert kept.read(store, "memory.json", "a/1") == Kept(2, 1, "body\nof two lines")
    assert kept.read(store, "memory.json", "a/1", body=False) == Kept(2, 1, "")


def test_another_format_or_another_store_counts_as_nothing(store, tmp_path):
    kept.write(store, "memory.json", "a/1", Kept(2, 2, "body"))
    assert kept.read(store, "memory.json", "a/2") is None
    (tmp_path / "other").mkdir()
    with Store.create(tmp_path / "other" / "tab.db") as other:
        other.append([NoteAdded(0, 1, "one"), NoteAdded(0, 1, "another")])
        os.rename(tmp_path / "memory.json", tmp_path / "other" / "memory.json")
        assert kept.read(other, "memory.json", "a/1") is None


@pytest.mark.parametrize("text", ["", "{", "[]\n", '{"version": "a/1"}\nbody', "\xff\xfe"])
def test_a_file_that_is_no_kept_file_counts_as_nothing(store, tmp_path, text):
    (tmp_path / "memory.json").write_text(text, encoding="latin-1")
    assert kept.read(store, "memory.json", "a/1") is None


def test_only_the_owner_may_read_it_and_nothing_else_is_left_beside_it(store, tmp_path):
    kept.write(store, "memory.json", "a/1", Kept(1, 1, "x"))
    assert stat.S_IMODE(os.stat(tmp_path / "memory.json").st_mode) == 0o600
    assert [name for name in os.listdir(tmp_path) if not name.startswith("tab.db")] == ["memory.json"]


def test_a_directory_that_cannot_be_written_is_no_fault(store, tmp_path):
    (tmp_path / "memory.json").mkdir()
    kept.write(store, "memory.json", "a/1", Kept(1, 1, "x"))
    assert kept.read(store, "memory.json", "a/1") is None
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".memory")]
