"""Drives a bash on a real terminal, plain or through the door, and says what was seen.

``Shell.start`` forks: the child becomes a plain bash, or runs the door with a listener that writes what it hears to
a file. Nothing sleeps: each step waits until the terminal has shown what it names.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ptyprocess import PtyProcess

from tabshell.shell.bash import Bash, find_bash
from tabshell.shell.door import DoorOptions, run

PROMPT = b"@> "
PATIENCE = 30.0
SIGNAL_KEYS = (b"\x03", b"\x1a", b"\x1c")


def chosen_bash() -> Bash:
    """The installed bash, or the one that BASH_UNDER_TEST names: the whole suite can be run with another."""
    found = find_bash(os.environ.get("BASH_UNDER_TEST"), os.environ)
    return Bash(found.path, "bash", found.version)


def children(pid: int) -> list[int]:
    """The processes that this one has started."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def descendants(pid: int) -> list[int]:
    """The processes that this one has started, and those that they have."""
    return [found for child in children(pid) for found in (child, *descendants(child))]


def named(pid: int) -> str:
    """The name of the program that a process runs."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().rstrip("\n")
    except OSError:
        return ""


def asleep(pid: int) -> bool:
    """Whether a process waits for something, but for who opens the other end of a FIFO: a shell at its gate does so."""
    try:
        if "partner" in Path(f"/proc/{pid}/wchan").read_text():
            return False
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(") ")[2][:1] in "SZTt"
    except OSError:
        return True


@dataclass
class Heard:
    """One thing that a listener was told."""

    what: str
    at: int
    value: dict[str, Any] = field(default_factory=dict)


class Recorder:
    """A listener that writes all it is told to a directory: ``events`` (JSON lines) and ``stream`` (bytes)."""

    def __init__(self, directory: Path, status: bytes, check: bytes | None) -> None:
        self._events = open(directory / "events", "a", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
        self._stream = open(directory / "stream", "ab", buffering=0)  # noqa: SIM115
        self._size = 0
        self._status = status
        self._check = check

    def _tell(self, what: str, **value: Any) -> None:
        self._events.write(json.dumps({"what": what, "at": self._size, **value}) + "\n")
        self._events.flush()

    def output(self, data: bytes, at: float) -> None:
        self._stream.write(data)
        self._size += len(data)

    def command_started(self, start: Any) -> None:
        self._tell("start", command=start.command, text_from=start.text_from, cwd=start.cwd, offset=start.offset)

    def command_finished(self, end: Any) -> bytes:
        self._tell("end", status=end.exit_code, cwd=end.cwd, offset=end.offset, unobserved=end.unobserved)
        return self._status

    def stop_attempted(self, stop: str) -> bytes | None:
        self._tell("stop", stop=stop)
        check, self._check = self._check, None
        return check

    def resized(self, rows: int, columns: int) -> None:
        self._tell("size", rows=rows, columns=columns)

    def synchronise(self) -> None:
        self._tell("sync")

    def settle(self) -> bytes:
        return b""


class Shell:
    """A shell on a terminal. ``seen`` is all it has shown so far."""

    def __init__(self, process: PtyProcess, records: Path | None) -> None:
        self.process = process
        self.fd: int = process.fd
        self.pid: int = process.pid
        self._shown = bytearray()
        self.sent_at = 0
        self.status: int | None = None
        self.records = records

    @property
    def seen(self) -> bytes:
        """All that it has shown."""
        return bytes(self._shown)

    def send(self, data: bytes) -> None:
        """Types, reading meanwhile (a full terminal takes no more keys)."""
        if data[:1] in SIGNAL_KEYS:
            self.settle()
        self.sent_at = len(self._shown)
        os.set_blocking(self.fd, False)
        rest = memoryview(data)
        end = time.monotonic() + PATIENCE
        while rest and time.monotonic() < end:
            readable, writable, _ = select.select([self.fd], [self.fd], [], 1.0)
            if readable and not self._read():
                break
            if writable:
                rest = rest[os.write(self.fd, rest[:4096]) :]
        if rest and time.monotonic() >= end:
            pytest.fail(f"{len(rest)} keys were not taken; saw {self.seen[-2000:]!r}")

    def settle(self) -> None:
        """Waits until the shell sleeps: readline loses a signal that comes between its prompt and its read (so does
        a plain bash: about one in forty on a busy machine), and then waits for another key."""
        end, looks = time.monotonic() + PATIENCE, 0
        while looks < 3 and time.monotonic() < end:
            looks = looks + 1 if all(map(asleep, (self.pid, *descendants(self.pid)))) else 0
            select.select([], [], [], 0.002)

    def until_runs(self, name: str) -> None:
        """Waits until a program of this name runs in it and sleeps: between fork and exec bash loses a ^C."""
        end = time.monotonic() + PATIENCE
        while not any(named(pid) == name and asleep(pid) for pid in descendants(self.pid)):
            assert time.monotonic() < end, f"{name} did not start; saw {self.seen[-2000:]!r}"
            select.select([], [], [], 0.002)

    def kill(self, number: int) -> None:
        """Sends a signal to it when it sleeps."""
        self.settle()
        os.kill(self.pid, number)

    def until(self, wanted: bytes | Callable[[bytes], bool], patience: float = PATIENCE) -> bytes:
        """Waits until what was shown since the last ``send`` ends with, or satisfies, ``wanted``."""
        end = time.monotonic() + patience
        while not self._shows(wanted):
            left = end - time.monotonic()
            if left <= 0:
                pytest.fail(f"waited for {wanted!r}, saw {self.seen[self.sent_at :][-2000:]!r}")
            if select.select([self.fd], [], [], left)[0] and not self._read():
                break
        return bytes(self._shown[self.sent_at :])

    def _shows(self, wanted: bytes | Callable[[bytes], bool]) -> bool:
        if callable(wanted):
            return wanted(bytes(self._shown[self.sent_at :]))
        return self._shown.endswith(wanted, self.sent_at)  # megabytes come in pieces: nothing is copied for each

    def line(self, text: bytes | str, prompt: bytes = PROMPT) -> bytes:
        """Types a line and waits for the next prompt."""
        self.send((text.encode() if isinstance(text, str) else text) + b"\r")
        return self.until(prompt)

    def finish(self, data: bytes = b"exit\r") -> int:
        """Types the last line, waits for the end; gives the exit status (negative: signal)."""
        if data:
            self.send(data)
        return self.wait()

    def wait(self, patience: float = PATIENCE) -> int:
        """Waits for the end, however it comes."""
        end = time.monotonic() + patience
        over = False
        while not over and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                over = not self._read()
            if self.reap():
                while select.select([self.fd], [], [], 0)[0] and self._read():
                    pass
                return self.status  # type: ignore[return-value]
        while not self.reap():
            if time.monotonic() > end:
                pytest.fail(f"did not end; saw {self.seen[-2000:]!r}")
        return self.status  # type: ignore[return-value]

    def reap(self) -> bool:
        """Whether it has ended."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def heard(self, *what: str) -> list[Heard]:
        """What the listener was told so far (of these kinds)."""
        assert self.records is not None
        text = (self.records / "events").read_text(encoding="utf-8", errors="surrogateescape")
        events = [json.loads(line) for line in text.splitlines()]
        return [
            Heard(event.pop("what"), event.pop("at"), event) for event in events if not what or event["what"] in what
        ]

    def commands(self) -> list[tuple[str, int | None]]:
        """The commands with their statuses, in order."""
        starts, ends = self.heard("start"), self.heard("end")
        return [(start.value["command"], end.value["status"]) for start, end in zip(starts, ends, strict=False)]

    def outputs(self) -> list[bytes]:
        """The output of each finished command."""
        assert self.records is not None
        stream = (self.records / "stream").read_bytes()
        pairs = zip(self.heard("start"), self.heard("end"), strict=False)
        return [stream[start.value["offset"] : end.value["offset"]] for start, end in pairs]

    def stream(self) -> bytes:
        """All bytes that the listener was given."""
        assert self.records is not None
        return (self.records / "stream").read_bytes()

    def attributes(self) -> list[Any]:
        """The settings of the terminal that it was started on."""
        return termios.tcgetattr(self.fd)

    def close(self) -> None:
        """Ends it if it has not ended."""
        if not self.reap():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.hang_up()

    def hang_up(self) -> None:
        """Takes the terminal away."""
        if not self.process.closed:
            self.process.closed = True
            self.process.fileobj.close()

    def _read(self) -> bool:
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._shown += data
        return bool(data)


@dataclass
class Kitchen:
    """Where shells are started: a home, remade for each, and a directory for what listeners hear."""

    home: Path
    records: Path
    shells: list[Shell]

    def remake(self, rc: str) -> None:
        """A fresh home with this rc file."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        (self.home / ".bashrc").write_text(rc, encoding="utf-8", errors="surrogateescape")
        shutil.rmtree(self.records, ignore_errors=True)
        self.records.mkdir()

    def environment(self, extra: dict[str, str]) -> dict[str, str]:
        """What both kinds of shell get."""
        base = {"HOME": str(self.home), "PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8", "USER": "u"}
        return {name: value for name, value in {**base, **extra}.items() if value != "-"}

    def start(
        self,
        door: bool,
        *,
        rc: str = "PS1='@> '\n",
        env: dict[str, str] | None = None,
        status: bytes = b"",
        check: bytes | None = None,
        bash: Bash | None = None,
        prompt: bytes | None = PROMPT,
        size: tuple[int, int] = (24, 80),
        **options: Any,
    ) -> Shell:
        """A shell at its first prompt (with ``prompt`` None: as soon as it is there)."""
        self.remake(rc)
        environment = self.environment(env or {})
        found = bash or chosen_bash()

        def become() -> None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number in (signal.SIGINT, signal.SIGALRM, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            os.chdir(self.home)
            if not door:
                os.execve(found.path, [found.name, *options.get("arguments", ())], environment)
            code = 1
            try:
                listener = Recorder(self.records, status, check)
                chosen = DoorOptions(hold=check is not None, **options)
                code = run(found, environment, listener, chosen).status
            except BaseException as error:  # noqa: BLE001 - the child of a fork must not go on as a test
                os.write(2, f"DOOR FAILED {type(error).__name__}: {error}\r\n".encode())
            os._exit(code)

        (self.records / "events").touch()
        (self.records / "stream").touch()
        process = PtyProcess.spawn([found.path], preexec_fn=become, dimensions=size) if not door else fork(become, size)
        shell = Shell(process, self.records if door else None)
        self.shells.append(shell)
        if prompt is not None:
            shell.until(prompt)
        return shell


def fork(become: Callable[[], None], size: tuple[int, int]) -> PtyProcess:
    """A child on a terminal of its own that runs ``become`` and never returns (no exec to wait for)."""
    import pty  # noqa: PLC0415

    ready, go = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        os.close(go)
        os.read(ready, 1)
        os.close(ready)
        become()
        os._exit(70)
    os.close(ready)
    process = PtyProcess(pid, fd)
    process.setwinsize(*size)
    os.close(go)
    return process


@pytest.fixture
def kitchen(tmp_path):
    made = Kitchen(tmp_path / "home", tmp_path / "records", [])
    yield made
    for shell in made.shells:
        shell.close()


@pytest.fixture
def door(kitchen):
    """Starts a shell behind the door."""
    return lambda **options: kitchen.start(True, **options)


_JOB = re.compile(rb"\[(\d+)\]([+-]?) +\d+")
_CLOCK = re.compile(rb"\b\d\d:\d\d:\d\d\b|(?<=^#)\d{10}$", re.M)


@pytest.fixture
def alike() -> Callable[[bytes], bytes]:
    """Bytes without what differs from one run to the next: process numbers of jobs, the time of day."""
    return lambda seen: _CLOCK.sub(b"TIME", _JOB.sub(rb"[\1]\2 PID", seen))
