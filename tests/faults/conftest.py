"""Programs on a terminal, started with limits and faults, and what their sessions hold afterwards."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from tabshell.model.facts import RequirementAdded, TurnEnded, TurnStarted
from tabshell.session import Session
from tabshell.store.chain import check

PROMPT = b"@> "
PATIENCE = 40.0


class Terminal:
    """A program on a terminal of its own. ``run`` types a line and gives what came before the next prompt."""

    def __init__(self, argv, cwd, environment=(), prepare=lambda: None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            with contextlib.suppress(BaseException):
                os.chdir(cwd)
                prepare()
                os.execvpe(argv[0], argv, {**os.environ, "TERM": "xterm", **dict(environment)})
            os._exit(99)
        self.status = None

    def until(self, wanted=PROMPT, again=b""):
        """What is shown up to and with ``wanted``; fails where it does not come. ``again`` is typed every 3 s."""
        shown, end = bytearray(), time.monotonic() + PATIENCE
        while not shown.endswith(wanted):
            left = max(0.0, end - time.monotonic())
            if not select.select([self.fd], [], [], min(left, 3.0) if again else left)[0]:
                if again and left:
                    os.write(self.fd, again)
                    continue
                pytest.fail(f"waited for {wanted!r}, saw {bytes(shown[-1500:])!r}")
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                data = b""
            if not data:
                pytest.fail(f"the terminal ended; saw {bytes(shown[-1500:])!r}")
            shown += data
        return bytes(shown)

    def see(self, wanted):
        """Waits until ``wanted`` was shown."""
        shown, end = bytearray(), time.monotonic() + PATIENCE
        while wanted not in shown:
            if not select.select([self.fd], [], [], max(0.0, end - time.monotonic()))[0]:
                pytest.fail(f"waited for {wanted!r}, saw {bytes(shown[-1500:])!r}")
            shown += os.read(self.fd, 1 << 16)
        return bytes(shown)

    def run(self, line, wanted=PROMPT):
        began = time.monotonic()
        os.write(self.fd, line.encode("utf-8", "surrogateescape") + b"\r")
        shown = self.until(wanted)
        self.took = time.monotonic() - began
        return shown

    def leave(self, line="exit"):
        """Types a line that ends the shell, twice where it is held; gives the exit status."""
        end = time.monotonic() + PATIENCE
        os.write(self.fd, line.encode() + b"\r")
        self.rest = b""
        while self.status is None and time.monotonic() < end:
            self._drain(line)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._drain(line)
                self.status = os.waitstatus_to_exitcode(status)
        if self.status is None:
            pytest.fail(f"it did not end; saw {self.rest[-1500:]!r}")
        return self.status

    def _drain(self, line):
        while select.select([self.fd], [], [], 0.02)[0]:
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.rest += data
            if self.rest.endswith(PROMPT):
                os.write(self.fd, line.encode() + b"\r")

    def close(self):
        if self.status is None:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        with contextlib.suppress(OSError):
            os.close(self.fd)


@pytest.fixture
def terminal(own_home, workspace):
    """Starts ``tabshell`` (or another program) on a terminal, at its first prompt."""
    (own_home / ".bashrc").write_text("PS1='@> '\n")
    started = []

    def start(*words, argv=None, environment=(), prepare=lambda: None, first=PROMPT):
        argv = argv or [sys.executable, "-m", "tabshell", "-q", *words]
        started.append(Terminal(argv, workspace, environment, prepare))
        if first:
            started[-1].opening = started[-1].until(first)
        return started[-1]

    yield start
    for each in started:
        each.close()


class Record:
    """What a session holds, read when it is asked."""

    def __init__(self, directory: Path):
        self.directory = directory

    def facts(self, kind):
        with Session.open(self.directory, readonly=True) as session:
            return [event.fact for event in session.store.events(kind)]

    def commands(self):
        return [fact.command for fact in self.facts(TurnStarted)]

    def output(self, command):
        with Session.open(self.directory, readonly=True) as session:
            return b"".join(session.output(fact.turn) for fact in self.facts(TurnStarted) if fact.command == command)

    def requirements(self):
        return [fact.text for fact in self.facts(RequirementAdded)]

    def sound(self):
        """The chain holds and turns are numbered 1, 2, 3 …, each ending once at most."""
        with Session.open(self.directory, readonly=True) as session:
            assert list(check(session.store.stored())) == []
        turns = [fact.turn for fact in self.facts(TurnStarted)]
        assert turns == list(range(1, len(turns) + 1))
        ends = [fact.turn for fact in self.facts(TurnEnded)]
        assert len(ends) == len(set(ends))
        assert set(ends) <= set(turns)
        return True


@pytest.fixture
def record(own_home):
    """The only session that there is."""

    def only():
        (directory,) = (own_home / "sidecars" / "sessions").iterdir()
        return Record(directory)

    return only
