"""What the tests of recordings share: the transcripts and how a record is written down beside them."""

import json
import os
from pathlib import Path

import pytest

from tabshell.model.facts import FinishChecked, Resized, SessionEnded, StreamOpened, TabAccessed, TurnEnded, TurnStarted
from tabshell.model.records import ToolRecord
from tabshell.session import Session, SessionOptions

TRANSCRIPTS = Path(__file__).parents[2] / "fixtures" / "transcripts"


def described(recording):
    """A recording in the form of the expected ``.json`` files."""
    records = []
    for record in recording.records:
        entry = {"command": record.command, "cwd": record.cwd, "exit_code": record.exit_code}
        if isinstance(record, ToolRecord):
            entry |= {"tool": record.tool, "action": record.action, "paths": list(record.paths)}
            entry |= {"numbered": record.numbered, "first_line": record.first_line}
        if record.agent != recording.agent:
            entry["agent"] = record.agent
        entry["seconds"] = [round(record.started_at - recording.started_at, 3), round(record.duration_s, 3)]
        entry["output"] = record.output.decode("utf-8", "surrogateescape")
        records.append(entry)
    return {
        "format": recording.format,
        "agent": recording.agent,
        "workspace": recording.workspace,
        "task": recording.task,
        "agent_session": recording.agent_session,
        "model": recording.model,
        "fault": str(recording.fault) if recording.fault else None,
        "records": records,
    }


@pytest.fixture
def transcript():
    """A function from a transcript's name to its bytes."""
    return lambda name: (TRANSCRIPTS / f"{name}.input").read_bytes()


@pytest.fixture
def expected():
    """A function from a transcript's name to what must come of it."""
    return lambda name: json.loads((TRANSCRIPTS / f"{name}.json").read_text())


@pytest.fixture
def describe():
    """A recording as in the expected files."""
    return described


@pytest.fixture
def to_json():
    """A function from a value to the bytes of its JSON."""
    return lambda value: json.dumps(value).encode()


class Recorded:
    """A session of one terminal made of scripted moments; ``shown`` are all bytes in order."""

    def __init__(self, session):
        self.session = session
        self.now = 1_767_225_600.0
        self.shown = b""
        session.store._clock = lambda: self.now
        self.open_terminal()

    def open_terminal(self):
        self.writer = self.session.recorder.open_stream(StreamOpened(0, "pty", True, 24, 80))

    def show(self, data, after=0.1):
        self.now += after
        self.shown += data
        self.writer.write(data, self.now)

    def store(self, *facts):
        return self.session.append(*self.writer.take(whole=True), *facts)[-1]

    def resize(self, rows, columns):
        self.store(Resized(self.writer.stream, self.writer.position, rows, columns))

    def turn(self, command, *pieces, code=0, operation=None):
        """A command that shows ``pieces``; with ``operation`` one in which the agent used its tab."""
        self.show(b"$ " + command.encode() + b"\r\n")
        cwd, start = self.session.started.workspace, self.writer.begin_turn()
        begun = self.store(TurnStarted(0, "pty", command, "history", cwd, None, 80))
        if operation is not None:
            self.session.append(TabAccessed(begun.turn, operation, ()))
        at = self.now
        for piece in pieces:
            self.show(piece, 0.25)
        self.writer.end_turn()
        size = sum(map(len, pieces))
        end = self.writer.position
        self.store(TurnEnded(begun.turn, code, self.now - at, self.writer.stream, start, end, size))
        self.session.catch_up()

    def stop(self):
        """An ``exit`` that is held."""
        self.show(b"$ exit\r\n")
        start = self.writer.begin_turn()
        begun = self.store(TurnStarted(0, "pty", "exit", "history", self.session.started.workspace, None, 80))
        self.session.append(FinishChecked(begun.turn, "exit", "none", ()))
        self.show(b"[tab] Finish check: nothing was stated.\r\n")
        self.writer.end_turn()
        self.store(TurnEnded(begun.turn, 0, 0.1, self.writer.stream, start, self.writer.position, 40))

    def status(self):
        self.show(b"[tab] requirements: none added yet | ops: tab add\r\n", 0.01)


@pytest.fixture
def recorded(workspace, own_home):
    """A terminal session with four turns, one of them a tab operation, and a resize."""
    (workspace / "day.csv").write_text("hour,rate\n0:00,21\n")
    session = Session.create(SessionOptions(str(workspace), task="Name the day rate."), os.environ)
    made = Recorded(session)
    made.turn("cat day.csv", b"hour,rate\r\n", b"0:00,21\r\n")
    made.status()
    made.turn("tab add rate", b"r1 rate\r\n", operation="add")
    made.status()
    made.resize(40, 100)
    made.turn("printf 'caf\\303\\251 \\377'", b"caf\xc3", b"\xa9 \xff")
    made.show(b"\r\n")
    made.status()
    made.turn("tab status", b"[tab] requirements: none\r\n", operation="list")
    made.turn("false", code=1)
    made.stop()
    made.show(b"$ ")
    made.store(SessionEnded(0))
    yield made
    session.close()
