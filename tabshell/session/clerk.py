"""The clerk: a process beside a session's shell or agent that has everything loaded and answers at once.

A shim that owes a status line would have to import the classifier and fold the tab anew for each command, a ``tab``
to load all that it needs: longer than most commands take. While a session's terminal or ``tabshell run`` lives it
keeps this process beside it instead; its program is ``PROGRAM``. In: connections to the socket ``clerk.sock`` of the
session's directory. The clerk ends with its parent. Where there is none, shim and ``tab`` do it themselves.
"""

from __future__ import annotations

import contextlib
import os
import sys
from _thread import allocate_lock
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from tabshell.model.aside import aside

if TYPE_CHECKING:
    import socket
    import subprocess

SOCKET = "clerk.sock"
#: The module whose ``serve`` is the clerk; it stands above this one.
PROGRAM = "tabshell.cli.tab.clerk"
#: In the place of the pipe that a parent holds: there is none.
NOBODY = -1
#: Seconds after which a terminal's session gets its clerk: what ends before needs none.
SOON_S = 1.0
#: Seconds that it may take to end; then it is killed.
END_S = 3.0


@contextlib.contextmanager
def clerk(directory: Path) -> Iterator[None]:
    """While this lasts, the session has a clerk."""
    beside = BesideShell(directory)
    beside.start()
    try:
        yield
    finally:
        beside.stop()


class BesideShell:
    """A clerk that is started and ended by the process that it serves. As a context manager it is started when the
    session has lasted for a moment, aside, so that no prompt waits for it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = allocate_lock()
        self._stopped = False
        self._child: subprocess.Popen[bytes] | None = None
        self._held = -1
        self._socket: tuple[int, int] | None = None

    def start(self) -> None:
        """Starts it, unless the session has one. Nothing is raised: everything works without."""
        with self._lock, contextlib.suppress(OSError):
            if self._stopped or self._child is not None or answers(self._directory):
                return
            listening = _listen(self._directory)
            if listening is None:
                return
            watched, self._held = os.pipe()
            try:
                self._socket = _identity(self._directory / SOCKET)
                self._child = _started(self._directory, listening, watched)
            finally:
                listening.close()
                os.close(watched)

    def stop(self) -> None:
        """Ends it; waits until it is gone."""
        with self._lock:
            self._stopped = True
            if self._held >= 0:
                os.close(self._held)
                self._held = -1
            if self._child is not None:
                _end(self._child)
            if self._socket is not None and self._socket == _identity(self._directory / SOCKET):
                with contextlib.suppress(OSError):
                    (self._directory / SOCKET).unlink()

    def __enter__(self) -> BesideShell:
        aside(self.start, after_s=SOON_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start_idle(directory: Path) -> None:
    """Starts a clerk that goes by itself when nobody has asked for a while: where an agent's hooks or shells are ours
    but no process of ours lives on (hooks outside ``tabshell run``, ``tabshell env``)."""
    listening = _listen(directory)
    if listening is None:
        return
    with listening:
        _started(directory, listening, NOBODY).returncode = 0  # it outlives us on purpose: nothing to wait for


def answers(directory: Path) -> bool:
    """Whether a clerk listens for this session (a socket may also be what a killed one left)."""
    import socket  # noqa: PLC0415 - see ``_started``

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            asking.connect(f"/proc/self/fd/{folder}/{SOCKET}")
        except OSError:
            return False
        finally:
            os.close(folder)
    return True


def _end(child: subprocess.Popen[bytes]) -> None:
    import subprocess  # noqa: PLC0415 - see ``_started``

    try:
        child.wait(END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _started(directory: Path, listening: socket.socket, watched: int) -> subprocess.Popen[bytes]:
    """The clerk's own program: SQLite must not be used on both sides of a fork."""
    import subprocess  # noqa: PLC0415 - no first prompt shall wait for it

    from tabshell.shim.launchers import search_path  # noqa: PLC0415

    code = f"import sys; sys.path[:0] = {search_path()!r}; from {PROGRAM} import serve; serve()"
    words = [sys.executable, "-IS", "-c", code, os.fspath(directory), str(listening.fileno()), str(watched)]
    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[listening.fileno(), *([watched] if watched != NOBODY else [])],
        start_new_session=watched == NOBODY,
    )


def _listen(directory: Path) -> socket.socket | None:
    """The clerk's socket; bound through a descriptor, for a socket's path may have 107 bytes only."""
    import socket  # noqa: PLC0415 - see ``_started``

    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with contextlib.suppress(OSError):
                os.unlink(directory / SOCKET)
            listening.bind(f"/proc/self/fd/{folder}/{SOCKET}")
            os.chmod(f"/proc/self/fd/{folder}/{SOCKET}", 0o600)
        finally:
            os.close(folder)
        listening.listen(64)
    except OSError:
        listening.close()
        return None
    return listening


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
