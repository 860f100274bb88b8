"""Reading stores that nobody writes, and rows that are no facts."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys

import pytest

from tabshell.errors import StoreDamaged
from tabshell.model.facts import NoteAdded, TaskSet, TurnStarted
from tabshell.store.chain import check
from tabshell.store.database import Store
from tabshell.store.migrations import version_of
from tabshell.store.still import read_still


@pytest.fixture
def path(tmp_path):
    """A store with one task in it, closed."""
    where = tmp_path / "tab.db"
    with Store.create(where) as store:
        store.append([TaskSet("count")])
    return where


def tasks(store):
    return [event.fact.text for event in store.events(TaskSet)]


def test_a_store_at_rest_is_read_without_a_file_made_beside_it(path):
    seen = []

    def read(store):
        seen.append(sorted(os.listdir(path.parent)))
        return tasks(store)

    before = path.stat().st_mtime_ns
    assert read_still(path, read) == ["count"]
    assert seen == [["tab.db"]]
    assert path.stat().st_mtime_ns == before


def test_what_waits_in_the_write_ahead_log_is_read_too(path):
    with Store.open(path) as writer:
        writer.append([TaskSet("more")])
        assert (path.parent / "tab.db-wal").stat().st_size
        assert read_still(path, tasks) == ["count", "more"]


def test_a_store_that_changes_while_it_is_read_is_read_again(path):
    calls = []

    def read(store):
        found = tasks(store)
        if not calls:
            with Store.open(path) as writer:
                writer.append([TaskSet("meanwhile")])
        calls.append(found)
        return tasks(store)

    assert read_still(path, read) == ["count", "meanwhile"]
    assert len(calls) == 2


def test_a_store_opened_as_still_takes_no_facts(path):
    with Store.open(path, still=True) as store:
        assert store.readonly


@pytest.mark.parametrize("body", ["{", "[]", '"text"', '{"text": 1}{', "{}", '{"turn":1,"text":[1'])
def test_a_row_that_is_no_fact_is_damage_and_names_the_file(path, body):
    with Store.open(path) as store:
        store.append([NoteAdded(0, 1, "note"), TurnStarted(0, "shim", "ls", "argument", "/w")])
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER events_are_facts_u")
    connection.execute("UPDATE events SET body = ?", (body,))
    connection.commit()
    connection.close()
    for read in (lambda s: list(s.events()), lambda s: s.numbered(NoteAdded, 1), lambda s: s.numbered(TurnStarted, 1)):
        with pytest.raises(StoreDamaged, match=r"tab\.db is damaged"):
            read_still(path, read)


def test_output_that_does_not_unpack_is_damage(path):
    from tabshell.model.facts import OutputChunk, StreamOpened  # noqa: PLC0415

    with Store.open(path) as store:
        store.append([StreamOpened(1, "shim", False), OutputChunk(1, 0, ((1.0, 3, "out"),), b"abc")])
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER events_are_facts_u")
    connection.execute("UPDATE events SET blob = x'00112233' WHERE kind = 'OutputChunk'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreDamaged):
        read_still(path, lambda store: store.output(1, 0, 3))


def test_a_process_that_leaves_a_store_leaves_its_log_for_the_next(path):
    """The last to close it would wait for the disk; a session that has ended is closed for good."""
    line = (
        "import os, sys; from tabshell.store.database import Store; from tabshell.model import facts; "
        "store = Store.open(sys.argv[1]); store.append([eval(sys.argv[2], vars(facts))]); store.leave(); os._exit(0)"
    )
    log = path.parent / "tab.db-wal"
    subprocess.run([sys.executable, "-c", line, str(path), "TaskSet('more')"], check=True)
    assert log.stat().st_size
    assert read_still(path, tasks) == ["count", "more"]
    subprocess.run([sys.executable, "-c", line, str(path), "SessionEnded(0)"], check=True)
    assert not log.exists()
    with Store.open(path) as store:
        assert tasks(store) == ["count", "more"]
        assert list(check(store.stored())) == []


def test_where_no_file_can_be_made_what_waits_in_the_log_is_read_from_a_copy(path, tmp_path, monkeypatch):
    def refuse(connection, where):
        if where == str(path) and connection.execute("PRAGMA database_list").fetchone()[2] == where:
            raise sqlite3.OperationalError("unable to open database file")
        return version_of(connection, where)

    made = tmp_path / "copies"
    made.mkdir()
    monkeypatch.setenv("TMPDIR", str(made))
    monkeypatch.setattr("tempfile.tempdir", None)
    with Store.open(path) as writer:
        writer.append([TaskSet("more")])
        monkeypatch.setattr("tabshell.store.connections.version_of", refuse)
        with Store.open(path, readonly=True) as store:
            assert tasks(store) == ["count", "more"]
            assert list(made.iterdir()) == []
