"""The processes that stay in a sandbox: the warm one, and the clerk of each session that it forks.

A question comes in on a Unix socket, a line of JSON goes out. The warm process takes ``start`` and forks; the child
makes the session, answers, and stays as its clerk: it answers ``tab`` and the shim (``cli.tab.clerk``), and the engine
its ``finish`` and ``close``. A clerk goes when its session is closed, when its directory is gone, or after ``IDLE_S``
without a question; the warm process goes when it has no child and nobody asked for a while. No store is open on both
sides of a fork.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sqlite3
import threading
import zlib
from collections.abc import Callable, Generator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from tabshell.engines.hatch import Hatch, SessionHatch, answer_to
from tabshell.engines.hatch_calls import asked_body
from tabshell.engines.hatch_run import words_of
from tabshell.engines.hatch_tab import put_tab
from tabshell.engines.inside import CLERK, ENGINE, ask, at
from tabshell.engines.rehearsal import preload
from tabshell.errors import TabshellError
from tabshell.session import Session, SessionOptions
from tabshell.store.connections import wait_for_no_disk
from tabshell.store.database import DATABASE

Answer = dict[str, Any]
#: Seconds without a question after which a clerk goes: a model may think, and its provider may fail, for long.
IDLE_S = 6 * 3600.0
#: Seconds after which the warm process goes, when no clerk of its own is left.
WARM_IDLE_S = 60.0
#: Seconds between two looks at whether anything is left to do.
_LOOK_S = 15.0
_ASK_S = 5.0
#: Seconds for a status line, which may wait for the classifier.
_LINE_S = 60.0
_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP, signal.SIGPIPE)


def start_warm(path: str) -> bytes | None:
    """Starts the warm process; it listens at ``path`` when this comes back. The caller holds the lock. Gives the answer
    that says why there is none, else None."""
    wait_for_no_disk()
    try:
        preload()
    except TabshellError as error:
        return json.dumps(fault(error)).encode() + b"\n"
    listening = _listen(path)
    if os.fork():
        listening.close()
        return None
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
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    at(path, listening.bind)
    os.chmod(path, 0o600)
    listening.listen(256)
    return listening


def _serve_warm(listening: socket.socket, path: str) -> None:
    mine = os.stat(path).st_ino
    hatch = _hatch_of(os.path.dirname(path))
    quiet = 0.0
    while True:
        waited_for = [listening.fileno(), *([hatch.asking] if hatch else [])]
        ready = select.select(waited_for, [], [], _LOOK_S)[0]
        quiet = 0.0 if ready else quiet
        if listening.fileno() in ready:
            asking, _ = listening.accept()
            if os.fork() == 0:
                _be_clerk(_at_socket(asking), listening, hatch)
            asking.close()
        if hatch and hatch.asking in ready:
            for words in hatch.heard():
                if os.fork() == 0:
                    _be_clerk(_at_hatch(hatch, words), listening, hatch)
        if not _children() and not ready:
            quiet += _LOOK_S
        if quiet >= WARM_IDLE_S or not _still(path, mine):
            with contextlib.suppress(OSError):
                if _still(path, mine):
                    os.unlink(path)
            return


def _hatch_of(home: str) -> Hatch | None:
    try:
        return Hatch(home)
    except OSError:
        return None  # who asks at the socket is served all the same


def _children() -> bool:
    """Whether clerks are left; takes leave of those that ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _at_socket(asking: socket.socket) -> Generator[Answer, Answer, None]:
    """The question of a connection, as ``_be_clerk`` has it; what it sends back is the answer."""
    with asking:
        _say(asking, (yield received(asking)))
    yield {}


def _at_hatch(hatch: Hatch, words: list[bytes]) -> Generator[Answer, Answer, None]:
    """The question of a caller at the hatch: its words hold the object, its directory is the workspace."""
    _, slot, *numbers, _ = words
    process, out = map(int, numbers)
    word = b"no"
    try:
        asked = json.loads(asked_body(hatch.directory, words_of(process)))
        asked["options"]["workspace"] = os.readlink(f"/proc/{process}/cwd")
        asked["environment"] = _pairs(Path(f"/proc/{process}/environ").read_bytes())
        answer = yield asked
        answer_to(process, out, json.dumps({**answer, "workspace": asked["options"]["workspace"]}).encode() + b"\n")
        word = b"done"
    finally:
        hatch.last(slot, word, renew=False)
    yield {}


def _still(path: str, inode: int) -> bool:
    try:
        return os.stat(path).st_ino == inode
    except OSError:
        return False


def _be_clerk(talk: Generator[Answer, Answer, None], listening: socket.socket, hatch: Hatch | None) -> NoReturn:
    """In a fork of the warm process: makes the session that is asked for, answers, and stays for its questions."""
    code = 1
    try:
        listening.close()
        try:
            asked = next(talk)
            os.environ.clear()
            os.environ.update(asked["environment"])
            directory = make_session(asked)
            sockets = [_listen(os.path.join(directory, name)) for name in (CLERK, ENGINE)]
            served = open_hatch(directory)
            if served:
                put_tab(directory, asked["bash"])
        except Exception as error:  # noqa: BLE001 - said to the caller, who can do something about it
            talk.send(fault(error))
        else:
            talk.send({"ok": True, "session": directory})
            if hatch:
                hatch.close()
            # the clerk stands above this room
            clerk = importlib.import_module("tabshell.cli.tab.clerk")
            clerk.attend(directory, *sockets, _answer, IDLE_S, served.have_line if served else None)
            if served:
                served.rest(_LINE_S)
            code = 0
    finally:
        os._exit(code)


def open_hatch(directory: str) -> SessionHatch | None:
    """Serves the session's hatch in a thread of this process; where pipes cannot be made nobody misses it."""
    try:
        hatch = SessionHatch(directory, functools.partial(_handed_on, directory))
    except OSError:
        return None
    threading.Thread(target=hatch.serve, daemon=True).start()
    return hatch


def _handed_on(directory: str, verb: str, body: bytes) -> bytes | None:
    """The clerk's answer to a question at the hatch."""
    return ask(os.path.join(directory, ENGINE), verb, body)


def _answer(asking: socket.socket, current: Callable[[], Session], forget: Callable[[], None]) -> bool:
    """A question that came to a session's clerk from the engine; True after the last one."""
    try:
        asked = received(asking)
        answer = answered(asked, current, forget)
    except Exception as error:  # noqa: BLE001 - the engine gets it as an answer, whatever it is
        forget()
        asked, answer = {}, fault(error)
    _say(asking, answer)
    return asked.get("verb") == "close" and bool(answer["ok"])


def make_session(asked: Answer) -> str:
    """The directory of a new session, with its programs for ``asked["bash"]``. Raises the errors of Session.create."""
    from tabshell.shim.launchers import write_launchers  # noqa: PLC0415

    options = SessionOptions(bash=asked["bash"], **asked["options"])
    programs = functools.partial(write_launchers, bash=asked["bash"], bash_env=os.environ.get("BASH_ENV"))
    environment = {**os.environ, "TABSHELL_HOME": asked["home"]}
    with Session.create(options, environment, programs=programs) as session:
        return os.path.realpath(session.directory)


def received(asking: socket.socket) -> Answer:
    """A question: a head of three words (verb, length of the object, length of the environment), and these two."""
    asking.settimeout(_ASK_S)
    said = b""
    while True:
        head, newline, rest = said.partition(b"\n")
        if newline:
            verb, *sizes = head.split()
            body, block = map(int, sizes)
            if len(rest) >= body + block:
                break
        more = asking.recv(1 << 16)
        if not more:
            msg = "the question broke off"
            raise ValueError(msg)
        said += more
    environment = _pairs(rest[body : body + block])
    return {**json.loads(rest[:body] or b"{}"), "verb": verb.decode(), "environment": environment}


def _pairs(block: bytes) -> dict[str, str]:
    """An environment as the kernel keeps it."""
    pairs = (one.partition(b"=") for one in block.split(b"\0") if one)
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}


def _say(asking: socket.socket, answer: Answer) -> None:
    with contextlib.suppress(OSError):
        asking.settimeout(None)
        asking.sendall(json.dumps(answer).encode() + b"\n")


def alone(verb: str, body: bytes) -> bytes:
    """The answer where no clerk is: this process opens the session itself."""
    asked: Answer = {**json.loads(body or b"{}"), "verb": verb}
    opened: list[Session] = []

    def current() -> Session:
        if not opened:
            opened.append(Session.open(asked["session"]))
        return opened[0]

    def forget() -> None:
        while opened:
            opened.pop().close()

    try:
        answer = answered(asked, current, forget)
    except Exception as error:  # noqa: BLE001 - the engine gets it as an answer, whatever it is
        answer = fault(error)
    forget()
    return json.dumps(answer).encode() + b"\n"


def fault(error: BaseException) -> Answer:
    """The answer that says what went wrong."""
    said = str(error) or type(error).__name__
    return {"ok": False, "error": said if isinstance(error, TabshellError) else f"{type(error).__name__}: {said}"}


def answered(asked: Answer, current: Callable[[], Session], forget: Callable[[], None]) -> Answer:
    """The answer to a question. Raises what the session raises."""
    if asked["verb"] == "finish":
        return {"ok": True, "text": current().finish_check("hook")}
    if asked["verb"] == "close":
        return _close(current(), forget, asked)
    return {"ok": False, "error": f"no such question: {asked['verb']!r}"}


def _close(session: Session, forget: Callable[[], None], asked: Answer) -> Answer:
    """Ends the session and makes its store one file; a second call gives the same answer again. ``inline`` bytes of
    it at most come with the answer (zlib, base64); ``remove`` then takes the directory away."""
    from tabshell.audit.stats import session_stats  # noqa: PLC0415

    session.catch_up()
    if session.store.ended_at() is None:
        session.end(asked.get("exit_code"))
    tab = session.tab(turns=True)
    measures = asdict(session_stats(tab, session.entry_text))
    events, head = session.store.head()
    directory = session.directory
    store = directory / DATABASE
    forget()
    store = _one_file(store)
    answer: Answer = {
        "ok": True,
        "stats": measures,
        "turns": len(tab.turns),
        "events": events,
        "head": head,
        "bytes": os.stat(store).st_size,
        "file": store.name,
        "cpu_s": round(sum(os.times()[:2]), 3),
    }
    if answer["bytes"] <= asked.get("inline", 0):
        answer["store"] = base64.b64encode(zlib.compress(store.read_bytes(), 3)).decode()
        if asked.get("remove"):
            shutil.rmtree(directory, ignore_errors=True)
    return answer


def _one_file(store: Path) -> Path:
    """The store with its write-ahead log in it; a copy where another process has it open."""
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # it is read in a moment, and thrown away
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:
            copy = store.with_name("closed.db")
            copy.unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(copy)) as target:
                connection.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")
            return copy
    return store
