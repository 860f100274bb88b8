"""A session in a workspace, told turn by turn, and ``tab`` called on it."""

from __future__ import annotations

import json
import os

import pytest

from tabshell.cli.tab.call import main
from tabshell.model.accesses import Span
from tabshell.model.facts import EntryLogged, OutputChunk, StreamOpened, TurnClassified, TurnEnded, TurnStarted
from tabshell.session import Session, SessionOptions


class Desk:
    """A session in a workspace, told turn by turn, and ``tab`` called on it."""

    def __init__(self, workspace, capfd, **options):
        self.workspace, self.capfd = workspace, capfd
        self.session = Session.create(SessionOptions(str(workspace), **options), os.environ)
        self.directory = self.session.directory
        self.session.append(StreamOpened(0, "pty", True, 24, 80))
        self.offset = self.turn = 0

    def command(self, command, output=b"", **files):
        """One turn that was recorded and classified; gives the span of its output."""
        self.turn += 1
        span = Span(self.offset, self.offset + len(output))
        if output:
            self.session.append(OutputChunk(1, self.offset, ((0.0, len(output), "tty"),), output))
        self.session.append(
            TurnStarted(0, "pty", command, "history", str(self.workspace)),
            TurnEnded(self.turn, 0, 0.1, 1, span.start, span.end, len(output)),
        )
        self.offset = span.end
        lists = {name: tuple(files.get(name, ())) for name in ("read", "searched", "listed", "wrote")}
        self.session.append(TurnClassified(self.turn, **lists, computed_from=(), opened=(), reasons=()))
        return span

    def read(self, path, text, **flags):
        data = text.encode("utf-8", "surrogateescape")
        span = self.command(f"cat {path}", data, read=[path])
        self.session.append(
            EntryLogged(0, self.turn, "read", (path,), (path,), f"cat {path}", 1, (span,), len(text), "0" * 64, **flags)
        )

    def tab(self, *words):
        """Status, standard output, standard error of one call."""
        status = main(list(words), self.directory)
        out, err = self.capfd.readouterr()
        return status, out, err

    def json(self, *words):
        status, out, err = self.tab(*words, "--json")
        assert err == ""
        return status, json.loads(out)

    def state(self):
        return self.session.tab()

    def accesses(self):
        return [(access.operation, access.shown) for access in self.state().accesses]


@pytest.fixture
def make_desk(workspace, capfd, monkeypatch):
    monkeypatch.chdir(workspace)
    desks = []

    def make(**options):
        desks.append(Desk(workspace, capfd, **options))
        return desks[-1]

    yield make
    for desk in desks:
        desk.session.close()


@pytest.fixture
def desk(make_desk, workspace):
    (workspace / "hr").mkdir()
    (workspace / "hr" / "annex.txt").write_text("x")
    (workspace / "out").mkdir()
    (workspace / "out" / "guide.md").write_text("x")
    desk = make_desk(task="travel guide with standards", out="out")
    desk.command("ls", listed=["hr/travel_standards.txt", "hr/annex.txt", "menu.txt"])
    desk.read("hr/travel_standards.txt", "Article 7\nReimbursement standards: 220\n")
    return desk


@pytest.fixture
def piped(monkeypatch, tmp_path):
    """Makes standard input a file with this text, a pipe with it, or something else."""
    opened = []

    def piped(text=None, kind="file"):
        if kind == "pipe":
            reading, writing = os.pipe()
            os.write(writing, text.encode())
            os.close(writing)
        elif kind == "file":
            (tmp_path / "stdin").write_bytes(text.encode("utf-8", "surrogateescape"))
            reading = os.open(tmp_path / "stdin", os.O_RDONLY)
        else:
            reading = os.open(os.devnull, os.O_RDONLY)
        opened.append(os.dup(0))
        os.dup2(reading, 0)
        os.close(reading)

    yield piped
    for saved in reversed(opened):
        os.dup2(saved, 0)
        os.close(saved)
