"""The processes that stay in a sandbox: the warm one, and the clerk of each session that it forks.

A line comes in on a Unix socket, a line goes out. The warm process takes ``start`` and forks; the child makes the
session, answers, and stays as its clerk: ``status`` (from the shim, as ``session.clerk`` answers it), ``finish``,
``close``. A clerk goes when its session is closed, when its directory is gone, or after ``IDLE_S`` without a question;
the warm process goes when it has no child and nobody asked for a while. No store is open on both sides of a fork.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import socket
import sqlite3
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tabshell.engines.inside import fault
from tabshell.errors import TabshellError
from tabshell.session import Session, SessionOptions
from tabshell.store.database import DATABASE

Answer = dict[str, Any]
#: Seconds without a question after which a clerk goes: a model may think, and its provider may fail, for long.
IDLE_S = 6 * 3600.0
#: Seconds after which the warm process goes, when no clerk of its own is left.
WARM_IDLE_S = 60.0
#: Seconds between two looks at whether anything is left to do.
_LOOK_S = 15.0
_ASK_S = 5.0
#: What ``Session`` and its parts import when they need it.
_LOADED = (
    "tabshell.access.classify",
    "tabshell.access.disk",
    "tabshell.audit.stats",
    "tabshell.session.inbox",
    "tabshell.shim.launchers",
    "tabshell.tab.candidates",
    "tabshell.tab.finish",
    "tabshell.tab.fold",
    "tabshell.tab.statusline",
    "tabshell.text.observation",
)
_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP, signal.SIGPIPE)


def preload() -> None:
    """Imports what a session needs, before the fork."""
    for name in _LOADED:
        importlib.import_module(name)


def start_warm(path: str) -> None:
    """Starts the warm process; it listens at ``path`` when this comes back. The caller holds the lock."""
    preload()
    listening = _listen(path)
    if os.fork():
        listening.close()
        return
    code = 1
    try:
        _detach(listening.fileno())
        _serve_warm(listening, path)
        code = 0
    finally:
        os._exit(code)


def _detach(kept: int) -> None:
    """A session of its own and nothing open that is the caller's, but ``kept``: the engine waits until its streams
    are closed, and the next caller until the lock is."""
    os.setsid()
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.closerange(3, kept)
    os.closerange(kept + 1, kept + 4096)


def _listen(path: str) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        listening.bind(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
        os.chmod(path, 0o600)
        listening.listen(256)
    finally:
        os.close(folder)
    return listening


def _serve_warm(listening: socket.socket, path: str) -> None:
    mine = os.stat(path).st_ino
    quiet = 0.0
    while True:
        ready = select.select([listening], [], [], _LOOK_S)[0]
        if ready:
            quiet = 0.0
            asking, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                os._exit(_clerk(asking))
            asking.close()
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                quiet += 0.0 if ready else _LOOK_S
                break
        if quiet >= WARM_IDLE_S or not _still(path, mine):
            with contextlib.suppress(OSError):
                if _still(path, mine):
                    os.unlink(path)
            return


def _still(path: str, inode: int) -> bool:
    try:
        return os.stat(path).st_ino == inode
    except OSError:
        return False


def _clerk(asking: socket.socket) -> int:
    """In a fork of the warm process: makes the session that is asked for, answers, and stays for its questions."""
    with asking:
        try:
            asked = json.loads(_line(asking))
            os.environ.clear()
            os.environ.update(asked["environment"])
            directory = make_session(asked)
            listening = _listen(os.path.join(directory, "clerk.sock"))
        except Exception as error:  # noqa: BLE001 - said to the caller, who can do something about it
            _say(asking, fault(error))
            return 1
        _say(asking, {"ok": True, "session": directory})
    with Desk(directory) as desk, listening:
        idle = 0.0
        while idle < IDLE_S and os.path.exists(os.path.join(directory, DATABASE)):
            if not select.select([listening], [], [], _LOOK_S)[0]:
                idle += _LOOK_S
                continue
            idle = 0.0
            with contextlib.suppress(OSError):
                question, _ = listening.accept()
                with question:
                    if _answer(desk, question) == "close":
                        return 0
    return 0


def make_session(asked: Answer) -> str:
    """The directory of a new session, with its programs for ``asked["bash"]``. Raises the errors of Session.create."""
    from tabshell.shim.launchers import write_launchers  # noqa: PLC0415

    options = SessionOptions(bash=asked["bash"], **asked["options"])
    with Session.create(options, {**os.environ, "TABSHELL_HOME": asked["home"]}) as session:
        directory = os.path.realpath(session.directory)
        write_launchers(Path(directory), asked["bash"], os.environ.get("BASH_ENV"))
    return directory


def _line(asking: socket.socket) -> bytes:
    asking.settimeout(_ASK_S)
    said = b""
    while not said.endswith(b"\n"):
        more = asking.recv(65536)
        if not more:
            break
        said += more
    return said


def _say(asking: socket.socket, answer: Answer) -> None:
    with contextlib.suppress(OSError):
        asking.sendall(json.dumps(answer).encode() + b"\n")


def _answer(desk: Desk, asking: socket.socket) -> str:
    said = _line(asking)
    if said.startswith(b"status"):
        with contextlib.suppress(OSError):
            asking.sendall(desk.line().encode() + b"\n")
        return "status"
    try:
        asked: Answer = json.loads(said)
    except ValueError:
        return ""
    answer = desk.answer(asked)
    _say(asking, answer)
    return str(asked.get("verb")) if answer["ok"] else ""


class Desk:
    """The open session; opened again after a fault."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._session: Session | None = None

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        if self._session is not None:
            self._session.close()
        self._session = None

    def _open(self) -> Session:
        if self._session is None:
            self._session = Session.open(self._directory)
        return self._session

    def line(self) -> str:
        """The status line now; empty where it cannot be had."""
        try:
            return self._open().status_line()
        except (TabshellError, OSError, ValueError):
            self._leave()
            return ""

    def answer(self, asked: Answer) -> Answer:
        """The answer to a question; a fault is one, too."""
        try:
            if asked["verb"] == "finish":
                return {"ok": True, "text": self._open().finish_check("hook")}
            if asked["verb"] == "close":
                return self._close(asked.get("exit_code"))
            return {"ok": False, "error": f"no such question: {asked['verb']!r}"}
        except Exception as error:  # noqa: BLE001 - the engine gets it as an answer, whatever it is
            self._leave()
            return fault(error)

    def _close(self, exit_code: int | None) -> Answer:
        """Ends the session and makes its store one file. A second call gives the same answer again."""
        from tabshell.audit.stats import session_stats  # noqa: PLC0415

        session = self._open()
        session.catch_up()
        if session.store.ended_at() is None:
            session.end(exit_code)
        tab = session.tab(turns=True)
        measures = asdict(session_stats(tab, session.entry_text))
        events, head = session.store.head()
        self._leave()
        store = os.path.join(self._directory, DATABASE)
        with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as connection:
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            try:
                connection.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.OperationalError:
                if busy:
                    raise
                # a terminal of the session is still open, and stays: all of it stands in the store all the same
        return {
            "ok": True,
            "stats": measures,
            "turns": len(tab.turns),
            "events": events,
            "head": head,
            "bytes": os.stat(store).st_size,
            "cpu_s": round(sum(os.times()[:2]), 3),
        }
