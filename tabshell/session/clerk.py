"""The clerk: a child of ``tabshell run`` that has everything loaded and tells status lines at once.

A shim that owes a status line would have to import the classifier and fold the tab anew for each command, which
takes longer than most commands. While ``tabshell run`` lives it keeps this process beside it instead. In: a
connection to the socket ``clerk.sock`` of the session's directory, with the line ``status``. Out: the status line.
The clerk ends with its parent. Where there is none, the shim makes the line itself.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tabshell.errors import TabshellError
from tabshell.session.session import Session
from tabshell.shim.launchers import search_path

SOCKET = "clerk.sock"
#: In the place of the pipe that a parent holds: there is none.
NOBODY = -1
#: Seconds without a question after which a clerk without a parent goes.
IDLE_S = 60.0
#: Seconds that a connection may take to say what it wants.
_ASK_S = 0.5
_FOR_THE_SHELL = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGPIPE)


@contextlib.contextmanager
def clerk(directory: Path) -> Iterator[None]:
    """While this lasts, shims of the session get their status lines from a process that is ready."""
    listening = _listen(directory)
    if listening is None:
        yield
        return
    watched, held = os.pipe()
    child = subprocess.Popen(
        _words(directory, listening, watched),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(listening.fileno(), watched),
    )
    listening.close()
    os.close(watched)
    try:
        yield
    finally:
        os.close(held)
        child.wait()
        with contextlib.suppress(OSError):
            (directory / SOCKET).unlink()


def start_idle(directory: Path) -> None:
    """Starts a clerk that goes by itself when nobody has asked for a while: for hooks that an agent calls outside
    ``tabshell run``, where no process of ours lives on."""
    listening = _listen(directory)
    if listening is None:
        return
    with listening:
        subprocess.Popen(
            _words(directory, listening, NOBODY),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(listening.fileno(),),
            start_new_session=True,
        ).returncode = 0  # it outlives us on purpose: nothing to wait for


def _words(directory: Path, listening: socket.socket, watched: int) -> list[str]:
    """The clerk's own program: SQLite must not be used on both sides of a fork."""
    code = f"import sys; sys.path[:0] = {search_path()!r}; from tabshell.session.clerk import serve; serve()"
    return [sys.executable, "-IS", "-c", code, os.fspath(directory), str(listening.fileno()), str(watched)]


def _listen(directory: Path) -> socket.socket | None:
    """The clerk's socket; bound through a descriptor, for a socket's path may have 107 bytes only."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with contextlib.suppress(OSError):
                os.unlink(directory / SOCKET)
            listening.bind(f"/proc/self/fd/{folder}/{SOCKET}")
        finally:
            os.close(folder)
        listening.listen(16)
    except OSError:
        listening.close()
        return None
    return listening


def serve() -> None:
    """The clerk's own program: answers until the parent is gone, or nobody asks any more. Its words: directory,
    socket, watched pipe."""
    for number in _FOR_THE_SHELL:
        signal.signal(number, signal.SIG_IGN)
    directory, listening, watched = Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2])), int(sys.argv[3])
    with _Desk(directory) as desk, listening:
        desk.line()  # loads everything before the first command needs it
        waited_for = [listening.fileno()] if watched == NOBODY else [listening.fileno(), watched]
        limit = IDLE_S if watched == NOBODY else None
        while (ready := select.select(waited_for, [], [], limit)[0]) and watched not in ready:
            _answer(desk, listening)
    if watched == NOBODY:
        with contextlib.suppress(OSError):
            (directory / SOCKET).unlink()


def _answer(desk: _Desk, listening: socket.socket) -> None:
    with contextlib.suppress(OSError):
        asking, _ = listening.accept()
        with asking:
            asking.settimeout(_ASK_S)
            if asking.recv(16).startswith(b"status"):
                asking.sendall(desk.line().encode() + b"\n")


class _Desk:
    """The open session, opened again after a fault."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._session: Session | None = None

    def __enter__(self) -> _Desk:
        return self

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.close()

    def line(self) -> str:
        """The status line now; empty where it cannot be had."""
        try:
            if self._session is None:
                self._session = Session.open(self._directory)
            return self._session.status_line()
        except (TabshellError, OSError, ValueError):
            self._session = None
            return ""
