"""The clerk's own program: answers ``tab`` calls and status lines for one session until its parent is gone.

In: the session's directory, a listening socket, and a pipe whose other end the parent holds (or none: then it goes
when nobody has asked for a while). One thread hears who asks, so that nobody takes a busy clerk for a dead one; the
other has the session open and answers in turn. The talk is described in ``tab_client``; a shim or a hook sends just
``status`` and gets the line.

Nothing is done for a caller before it says ``go``: one that gave up waiting does it itself. A call is refused
(``alone``) where the answer could differ from what the caller would find itself: another version, another user,
another process namespace, a store that was replaced or cannot be written.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tabshell import __version__
from tabshell.cli.tab_client import SOCKET, Caller
from tabshell.errors import TabshellError
from tabshell.model.collection import no_collection
from tabshell.store.database import DATABASE

if TYPE_CHECKING:
    from tabshell.session import Session

#: Seconds without a question after which a clerk without a parent goes.
IDLE_S = 60.0
#: Seconds between two looks for something new in the store, to have it folded before somebody asks.
LOOK_S = 0.5
#: Seconds that a connection may take to say what it wants, and to say ``go``.
ASK_S = 0.5
#: Seconds between two looks at whether the directory is still there.
GONE_S = 15.0
#: Seconds that the answer which is being made may take when the parent is gone.
LAST_S = 2.0
#: Seconds that a thread waits for a status line, behind which the classifier may stand.
LINE_S = 60.0
#: The longest request: a requirement may be a text of some megabytes.
LONGEST = 64 << 20
_FOR_THE_SHELL = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGPIPE)


Answer = Callable[[socket.socket, "Callable[[], Session]", Callable[[], None]], bool]
"""What answers an engine's question, see ``attend``."""


class InputWantedError(Exception):
    """The text of the caller's standard input is needed and was not sent."""


class Remote(Caller):
    """A caller in another process, as its request describes it."""

    __slots__ = ("_directory", "_holds", "words")

    def __init__(self, request: bytes) -> None:
        """Raises ValueError for what is no request of this version."""
        version, process, holds, given, directory, count, rest = request.split(b"\0", 6)
        if version.decode() != __version__:
            raise ValueError(version)
        self.process = int(process)
        self._holds = holds == b"1"
        self._directory = _text(directory) or None
        *words, text = rest.split(b"\0", int(count))
        if len(words) != int(count):
            raise ValueError(count)
        self.words = [_text(word) for word in words]
        self._text = text if given == b"1" else None

    def directory(self) -> str | None:
        """See ``Caller``."""
        return self._directory

    def holds_text(self) -> bool:
        """See ``Caller``."""
        return self._holds

    def text(self) -> bytes:
        """See ``Caller``. Raises InputWantedError."""
        if self._text is None:
            raise InputWantedError
        return self._text


class _Question(NamedTuple):
    """A connection and what it asked; ``caller`` is None where it wants the status line."""

    asking: socket.socket
    caller: Remote | None


def serve() -> None:
    """Answers until the parent is gone, or nobody asks any more."""
    for number in _FOR_THE_SHELL:
        signal.signal(number, signal.SIG_IGN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    directory, listening, watched = sys.argv[1], socket.socket(fileno=int(sys.argv[2])), int(sys.argv[3])
    desk = _Desk(directory)
    worker = threading.Thread(target=desk.work, daemon=True)
    worker.start()
    with listening:
        if watched < 0:
            path = os.path.join(directory, SOCKET)
            own = _state(path, "st_dev", "st_ino")
            _hear_until_idle(desk, listening)
            if _state(path, "st_dev", "st_ino") == own:
                with contextlib.suppress(OSError):
                    os.unlink(path)
        else:
            _hear_until_alone(desk, listening, watched)
    desk.questions.put(None)
    if desk.ready.is_set():
        worker.join(LAST_S)
    os._exit(0)


def _hear_until_alone(desk: _Desk, listening: socket.socket, watched: int) -> None:
    waited_for = [listening.fileno(), watched]
    while watched not in (ready := select.select(waited_for, [], [], LOOK_S)[0]):
        _hear(desk, listening) if ready else desk.look()


def _hear_until_idle(desk: _Desk, listening: socket.socket) -> None:
    asked = time.monotonic()
    while time.monotonic() - asked < IDLE_S and os.path.exists(desk.store) and not desk.over:
        if select.select([listening], [], [], LOOK_S)[0]:
            asked = time.monotonic()
            _hear(desk, listening)
        else:
            desk.look()


def attend(
    directory: str,
    listening: socket.socket,
    other: socket.socket,
    answer: Answer,
    idle_s: float,
    tell: Callable[[Callable[[], str | None]], None] | None = None,
) -> None:
    """The clerk of an engine's session, in a process that was forked with everything loaded (``engines.warm``).

    Besides the usual questions at ``listening`` it takes those of the engine at ``other``: ``answer`` gets the
    connection and the means to have the session and to let it go, and says whether that was the last question. Comes
    back then, when the directory is gone, or after ``idle_s`` seconds without a question. ``tell`` is given what other
    threads of this process have the status line from.
    """
    desk = _Desk(directory)
    if tell is not None:
        tell(desk.line)
    worker = threading.Thread(target=desk.work, daemon=True)
    worker.start()
    quiet, last = 0.0, False
    while not last and quiet < idle_s and os.path.exists(desk.store):
        ready = select.select([listening, other], [], [], GONE_S)[0]
        quiet = 0.0 if ready else quiet + GONE_S
        if listening in ready:
            _hear(desk, listening)
        if other in ready:
            last = _for_engine(desk, other, answer)
    desk.questions.put(None)
    worker.join(LAST_S)


def _for_engine(desk: _Desk, other: socket.socket, answer: Answer) -> bool:
    """One question of the engine, answered in the thread that has the session."""
    over = threading.Event()
    last = False

    def answering() -> None:
        nonlocal last
        try:
            with asking:
                last = answer(asking, desk.current, desk.forget)
        finally:
            over.set()

    try:
        asking, _ = other.accept()
    except OSError:
        return False
    desk.questions.put(answering)
    over.wait()
    return last


def _hear(desk: _Desk, listening: socket.socket) -> None:
    """Takes one question in."""
    with contextlib.suppress(OSError):
        asking, _ = listening.accept()
        try:
            asking.settimeout(ASK_S)
            question = _question(asking)
            if question is not None:
                if question.caller is not None:
                    asking.sendall(b"wait\n")
                desk.questions.put(question)
                return
            asking.sendall(b"alone\n")
        except OSError:
            pass
        asking.close()


def _question(asking: socket.socket) -> _Question | None:
    """What a connection asks; None for what this clerk should not answer."""
    data = asking.recv(1 << 16)
    if data.startswith(b"status"):
        return _Question(asking, None)
    head, newline, body = data.partition(b"\n")
    verb, _, length = head.partition(b" ")
    if verb != b"tab" or not newline or not length.isdigit() or int(length) > LONGEST:
        return None
    pieces, size = [body], len(body)
    while size < int(length):
        piece = asking.recv(1 << 16)
        if not piece:
            return None
        pieces.append(piece)
        size += len(piece)
    try:
        caller = Remote(b"".join(pieces))
    except ValueError:
        return None
    return _Question(asking, caller) if _is_who_it_says(asking, caller.process) else None


def _is_who_it_says(asking: socket.socket, process: int) -> bool:
    """Whether the other end is this user's, and its process is the one that it takes itself for (it is not in a
    container with a process namespace of its own, whose shells we could not tell apart); or it is this very process,
    which speaks for a caller that it saw (``engines.hatch_tab``)."""
    credentials = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    found, user = (int.from_bytes(credentials[at : at + 4], sys.byteorder) for at in (0, 4))
    return found in (process, os.getpid()) and user == os.geteuid()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


class _Desk:
    """The open session and the questions that wait; ``work`` runs in a thread of its own."""

    def __init__(self, directory: str) -> None:
        self.questions: queue.SimpleQueue[_Question | Callable[[], None] | None] = queue.SimpleQueue()
        #: Whether the session has ended.
        self.over = False
        #: Set when everything is loaded.
        self.ready = threading.Event()
        self._directory = directory
        self._session: Session | None = None
        self.store = os.path.join(directory, DATABASE)
        self._opened: list[tuple[int, ...]] = []
        self._looked: list[tuple[int, ...]] = []

    def look(self) -> None:
        """Has what is new in the store folded, if nobody asks just now."""
        found = [_state(path, "st_mtime_ns", "st_size") for path in (self.store, self.store + "-wal")]
        if found != self._looked and self.ready.is_set() and self.questions.empty():
            self._looked = found
            self.questions.put(self._prepare)

    def work(self) -> None:
        """Answers in turn, until None comes."""
        self._load()
        self.ready.set()
        while (question := self.questions.get()) is not None:
            with no_collection():
                if not isinstance(question, _Question):
                    question()
                    continue
                with contextlib.suppress(OSError), question.asking:
                    self._answer(question)
        if self._session is not None:
            self._session.close()

    def _load(self) -> None:
        """Everything that the first question would wait for. Classifies nothing: at a terminal the door does that."""
        with contextlib.suppress(Exception):  # the first question will meet it, too, and tell
            from tabshell.cli.tab import call, lists  # noqa: F401, PLC0415
            from tabshell.tab import review, show  # noqa: F401, PLC0415

            self.current().status_line(catch_up=False)
            if not os.path.exists(os.path.join(self._directory, "door.sock")):
                from tabshell.access import classify  # noqa: F401, PLC0415 - only for the shim's turns
                from tabshell.access.bash.syntax import parse  # noqa: PLC0415

                parse("true")

    def _answer(self, question: _Question) -> None:
        if question.caller is None:
            question.asking.sendall(self._status_line().encode() + b"\n")
        else:
            question.asking.sendall(self._call(question.asking, question.caller))

    def _call(self, asking: socket.socket, caller: Remote) -> bytes:
        """The last words of a call's talk."""
        from tabshell.cli.tab.call import call  # noqa: PLC0415 - while this thread loads, the other one hears

        session = self._writable()
        if session is None:
            return b"alone\n"
        asking.sendall(b"ready\n")
        if asking.recv(8) != b"go\n":
            return b""
        before = session.store.last_seq
        session.work_for(caller.process)
        try:
            said = call(caller.words, lambda: contextlib.nullcontext(session), caller)
        except InputWantedError:
            return b"input\n"
        except Exception:  # noqa: BLE001 - the caller will meet it too, and show it
            self.forget()
            return b"alone\n" if session.store.last_seq == before else b""
        finally:
            session.work_for(os.getpid())
        error, output = (text.encode("utf-8", "surrogateescape") for text in (said.error, said.output))
        return b"done %d %d %d\n" % (said.status, len(error), len(output)) + error + output

    def line(self) -> str | None:
        """The status line, in its turn, for another thread; None where it cannot be had."""
        said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.questions.put(lambda: said.put(self._status_line()))
        with contextlib.suppress(queue.Empty):
            return said.get(timeout=LINE_S).strip() or None
        return None

    def _status_line(self) -> str:
        """The status line now; empty where it cannot be had."""
        try:
            return self.current().status_line()
        except Exception:  # noqa: BLE001 - whoever asked makes the line itself
            self.forget()
            return ""

    def _prepare(self) -> None:
        """Folds what is new, and counts the terms that a review will rank as long as nobody asks."""
        from tabshell.tab.review import heads  # noqa: PLC0415 - see ``_call``

        try:
            session = self.current()
            tab = session.tab(catch_up=False)
            entries, self.over = tab.entries, tab.ended is not None
            for entry in heads([entries[number] for number in sorted(entries, reverse=True)]):
                if not self.questions.empty():
                    break
                if entry.logged.spans:
                    session.entry_terms(entry)
        except Exception:  # noqa: BLE001 - nobody asked
            self.forget()

    def _writable(self) -> Session | None:
        """The session, as a process that starts now would open it; None where that must look for itself."""
        try:
            session = self.current()
        except (TabshellError, OSError):
            return None
        return session if session.writable else None

    def current(self) -> Session:
        """The open session; opened again after a fault, or when its files are not the ones that were opened."""
        found = [_state(path, "st_dev", "st_ino", "st_mode") for path in (self.store, self._directory)]
        if self._session is None or found != self._opened:
            from tabshell.session import Session  # noqa: PLC0415 - see ``_call``

            self.forget()
            self._session, self._opened = Session.open(self._directory), found
        return self._session

    def forget(self) -> None:
        """Closes the session; the next question opens it again."""
        session, self._session = self._session, None
        if session is not None:
            with contextlib.suppress(Exception):  # whatever it was closed for, it is not asked again
                session.close()


def _state(path: str, *fields: str) -> tuple[int, ...]:
    """What the file system says of a file; zeros for one that is not there."""
    try:
        status = os.stat(path)
    except OSError:
        return (0,) * len(fields)
    return tuple(getattr(status, field) for field in fields)
