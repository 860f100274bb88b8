"""The recording of a terminal, told byte by byte what a door would tell; real store, real classifier."""

from __future__ import annotations

import os
import sqlite3
import time

import pytest

from tabshell.model.facts import EntryLogged, OutputChunk, RecordingGap, StreamOpened, TurnEnded, TurnStarted
from tabshell.session import Session, SessionOptions
from tabshell.session.live import LiveRecording
from tabshell.shell.segment import CommandEnd, CommandStart
from tabshell.store.chain import check
from tabshell.store.database import Store


class Door:
    """Says what a door says: displayed bytes and where commands begin and end."""

    def __init__(self, recording: LiveRecording, cwd: str) -> None:
        self.recording, self.cwd, self.offset, self.at = recording, cwd, 0, 1000.0

    def show(self, data: bytes) -> None:
        self.at += 0.01
        self.offset += len(data)
        self.recording.output(data, self.at)

    def start(self, command: str, *, back: int = 0) -> None:
        self.recording.command_started(CommandStart(command, "history", self.cwd, self.at, self.offset - back, 80))

    def finish(self, status: int = 0, *, back: int = 0) -> str:
        """What is said before the prompt."""
        line = self.recording.command_finished(CommandEnd(status, self.cwd, self.at, self.offset - back))
        return (line + self.recording.settle()).decode()

    def run(self, command: str, output: bytes, status: int = 0) -> str:
        self.show(b"$ " + command.encode() + b"\r\n")
        self.start(command)
        self.show(output)
        return self.finish(status)


@pytest.fixture
def session(workspace):
    with Session.create(SessionOptions(str(workspace), task="report alpha"), os.environ) as made:
        yield made


@pytest.fixture
def impatient(session):
    """The session with a store that waits for no other writer."""
    with Session(session.directory, Store.open(session.store.path, busy_s=0.0)) as made:
        yield made


@pytest.fixture
def door(session, workspace):
    return Door(LiveRecording(session, (24, 80), clock=lambda: 1000.0), str(workspace))


def facts(session, kind):
    return [event.fact for event in session.store.events(kind)]


def shown(session):
    """Everything that was displayed, as stored."""
    return b"".join(
        session.store.output(f.stream, f.offset, f.offset + sum(size for _, size, _ in f.pieces))
        for f in facts(session, OutputChunk)
    )


def test_what_was_displayed_is_stored_byte_for_byte_and_the_turn_is_its_part(session, door, workspace):
    (workspace / "a.txt").write_text("alpha 42\nbeta\n")
    line = door.run("cat a.txt", b"alpha 42\r\nbeta\r\n")
    door.show(b"$ ")
    door.recording.close()
    assert shown(session) == b"$ cat a.txt\r\nalpha 42\r\nbeta\r\n$ "
    assert session.output(1) == b"alpha 42\r\nbeta\r\n"
    assert "read log: 1 entry" in line
    tab = session.tab(turns=True)
    assert session.entry_text(tab.entries[1]) == "alpha 42\nbeta"
    assert tab.turns[1].ended.exit_code == 0


def test_a_command_that_is_told_late_begins_where_its_output_began(session, door):
    door.show(b"$ # note\r\n")
    door.show(b"late\r\n")
    door.start("# note", back=6)
    door.finish()
    assert session.output(1) == b"late\r\n"


def test_an_end_that_lies_before_the_last_bytes_leaves_them_out(session, door):
    door.start("printf x")
    door.show(b"x$ ")
    door.finish(back=2)
    assert session.output(1) == b"x"
    assert facts(session, TurnEnded)[0].output_bytes == 1


def test_tab_sees_what_was_shown_before_it_on_the_same_line(session, door, workspace):
    (workspace / "a.txt").write_text("alpha 42\nbeta\n")
    (workspace / "b.txt").write_text("gamma 7\ndelta\n")
    door.start("cat a.txt; tab list; cat b.txt")
    door.show(b"alpha 42\r\nbeta\r\n")
    door.recording.synchronise()
    assert [entry.paths for entry in facts(session, EntryLogged)] == [("a.txt",)]
    door.show(b"gamma 7\r\ndelta\r\n")
    door.finish()
    assert [entry.paths for entry in facts(session, EntryLogged)] == [("a.txt",), ("b.txt",)]


def test_a_locked_store_is_told_once_and_nothing_is_lost(impatient, workspace):
    (workspace / "a.txt").write_text("alpha 42\nbeta\n")
    door = Door(LiveRecording(impatient, (24, 80), clock=lambda: 1000.0), str(workspace))
    door.run("true", b"")
    other = sqlite3.connect(impatient.store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    first = door.run("cat a.txt", b"alpha 42\r\nbeta\r\n")
    second = door.run("echo two", b"two\r\n")
    other.execute("ROLLBACK")
    other.close()
    third = door.run("echo three", b"three\r\n")
    door.recording.close()

    status, _, complaint = first.partition("[tab] not recorded: ")
    assert status.startswith("[tab] requirements: ")
    assert "locked" in complaint
    assert "not recorded" not in second + third
    assert [fact.command for fact in facts(impatient, TurnStarted)] == ["true", "cat a.txt", "echo two", "echo three"]
    assert [fact.turn for fact in facts(impatient, TurnEnded)] == [1, 2, 3, 4]
    assert [entry.paths for entry in facts(impatient, EntryLogged)] == [("a.txt",)]
    assert shown(impatient).endswith(b"$ echo three\r\nthree\r\n")
    assert list(check(impatient.store.stored())) == []


def test_output_that_cannot_be_kept_becomes_a_gap(impatient, workspace, monkeypatch):
    monkeypatch.setattr("tabshell.session.live.KEPT", 1000)
    door = Door(LiveRecording(impatient, (24, 80), clock=lambda: 1000.0), str(workspace))
    door.run("true", b"")
    other = sqlite3.connect(impatient.store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    door.run("seq 9999", b"9" * 5000)
    other.execute("ROLLBACK")
    other.close()
    door.run("true", b"")
    door.recording.close()
    (gap,) = facts(impatient, RecordingGap)
    assert "bytes of output could not be kept" in gap.reason
    assert [fact.turn for fact in facts(impatient, TurnEnded)] == [1, 2, 3]


def test_a_store_that_is_gone_does_not_stop_the_shell(session, door):
    session.close()
    assert "not recorded" in door.run("echo one", b"one\r\n")
    assert door.run("echo two", b"two\r\n") == ""
    assert door.recording.stop_attempted("exit") is None
    door.recording.resized(10, 20)
    door.recording.synchronise()
    door.recording.close()


def test_a_turn_that_another_writer_overtakes_is_numbered_anew(session, door, workspace):
    """Between the status line and the moment in which it is stored somebody else begins a turn."""
    (workspace / "a.txt").write_text("alpha 42\nbeta\n")
    door.run("true", b"")
    door.show(b"$ cat a.txt\r\n")
    door.start("cat a.txt")
    door.show(b"alpha 42\r\nbeta\r\n")
    line = door.recording.command_finished(CommandEnd(0, door.cwd, door.at, door.offset))
    assert b"read log: 1 entry" in line
    with Session.open(session.directory) as other:
        other.append(TurnStarted(0, "shim", "date", "argument", str(workspace)))
    assert door.recording.settle() == b""
    assert [(fact.turn, fact.command) for fact in facts(session, TurnStarted)] == [
        (1, "true"),
        (2, "date"),
        (3, "cat a.txt"),
    ]
    assert [fact.turn for fact in facts(session, TurnEnded)] == [1, 3]
    assert [(fact.turn, fact.paths) for fact in facts(session, EntryLogged)] == [(3, ("a.txt",))]
    assert "read log: 1 entry" in door.run("true", b"")
    assert list(check(session.store.stored())) == []


def test_a_command_that_goes_on_is_stored_while_it_runs(session, door):
    door.run("true", b"")
    door.start("sleep 60")
    assert [fact.command for fact in facts(session, TurnStarted)] == ["true"]
    door.recording.settle()
    assert [fact.command for fact in facts(session, TurnStarted)] == ["true", "sleep 60"]
    door.finish()
    assert [fact.turn for fact in facts(session, TurnEnded)] == [1, 2]


def test_a_turn_begins_when_its_line_was_read(session, door):
    """However late its start is stored."""
    door.start("true")
    began = door.at
    door.show(b"x")
    door.finish()
    (started,) = facts(session, TurnStarted)
    assert started.began_at == began


def test_what_is_shown_at_a_prompt_is_stored_when_it_rests(session, door):
    door.run("true", b"")
    door.show(b"$ typed and not entered")
    door.recording.settle()
    assert shown(session).endswith(b"typed and not entered")


def test_a_start_that_could_not_be_stored_keeps_its_end(impatient, workspace):
    """The store opens again while the command still runs: its end goes to the turn that was stored late."""
    door = Door(LiveRecording(impatient, (24, 80), clock=lambda: 1000.0), str(workspace))
    door.run("true", b"")
    other = sqlite3.connect(impatient.store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    door.start("sleep 60")
    door.recording.settle()
    other.execute("ROLLBACK")
    other.close()
    end = time.monotonic() + 10
    while len(facts(impatient, TurnStarted)) == 1 and time.monotonic() < end:  # it is left alone for a moment
        door.recording.resized(10, 20)
    door.finish()
    assert [fact.turn for fact in facts(impatient, TurnEnded)] == [1, 2]


def test_without_a_status_line_nothing_is_said(session, workspace):
    quiet = Door(LiveRecording(session, (24, 80), show_status=False, clock=lambda: 1000.0), str(workspace))
    assert quiet.run("true", b"") == ""
    assert quiet.recording.stop_attempted("exit") is None
    assert len(facts(session, TurnEnded)) == 1


def test_a_terminal_that_ends_in_a_command_says_so(session, door):
    door.start("sleep 100")
    door.show(b"partial")
    door.recording.close()
    (over,) = facts(session, TurnEnded)
    assert over.exit_code is None
    assert over.unobserved == "the terminal ended while it ran"
    assert session.output(1) == b"partial"
    assert len(facts(session, StreamOpened)) == 1


def test_a_long_output_is_compressed_aside_and_stored_in_order(session, door, monkeypatch):
    monkeypatch.setattr("tabshell.session.live.PACK_ASIDE", 100_000)
    monkeypatch.setattr("tabshell.session.packing.PACKED_AT_ONCE", 2)
    parts = [bytes([65 + number % 26]) * 70_001 + b"\r\n" for number in range(60)]
    door.start("cat big")
    for part in parts:
        door.show(part)
    door.finish()
    door.show(b"$ ")
    door.recording.close()
    assert session.output(1) == b"".join(parts)
    assert shown(session) == b"".join(parts) + b"$ "
    assert [fact.offset for fact in facts(session, OutputChunk)] == sorted(
        fact.offset for fact in facts(session, OutputChunk)
    )
    assert list(check(session.store.stored())) == []
