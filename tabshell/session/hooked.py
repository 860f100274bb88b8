"""Which session a hook belongs to, and whether its command was recorded already.

A session is found by ``$TABSHELL_SESSION``, else by the agent's own session id (a file ``agents/AGENT-…`` beside
the sessions holds the binding), else made for that id; never by the workspace alone (S3). It ends with the agent's
own, and goes on when that is resumed. Raises the errors of ``tabshell.errors``; two hooks that come at once for a new
id end in one session.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tabshell import __version__
from tabshell.agents.shown import shown_spans, without_status_line
from tabshell.errors import SessionNotFound
from tabshell.model.accesses import Span
from tabshell.model.facts import SessionResumed, TurnEnded, TurnShown, TurnStarted
from tabshell.model.light import replace
from tabshell.model.records import CommandRecord, Record
from tabshell.session import Session, SessionOptions
from tabshell.store.locate import find, home

if TYPE_CHECKING:
    from tabshell.agents.agent import HookEvent

#: Seconds between a command's end and its hook, at most.
RECENT_S = 30.0
#: How many turns back a hook's command can be: more never run side by side.
RECENT_TURNS = 40


def session_of(agent: str, event: HookEvent, environment: Mapping[str, str]) -> Session:
    """The session that this event belongs to, open."""
    told = environment.get("TABSHELL_SESSION")
    if told:
        return Session.open(find(told, home(environment)))
    if event.session is None:
        msg = f"{agent} named no session, and TABSHELL_SESSION is not set"
        raise SessionNotFound(msg)
    binding = _binding(agent, event.session, environment)
    binding.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(binding.parent):
        directory = _bound(binding)
        if directory is not None:
            return _gone_on(Session.open(directory))
        options = SessionOptions(event.cwd or os.getcwd(), agent=agent, agent_session=event.session)
        session = Session.create(options, environment)
        fresh = binding.with_suffix(f".{os.getpid()}")
        fresh.write_text(str(session.directory), encoding="utf-8", errors="surrogateescape")
        os.replace(fresh, binding)
        return session


def end_session(agent: str, event: HookEvent, environment: Mapping[str, str]) -> None:
    """Ends the session that hooks began for this one of the agent's. One that the environment names is ended by
    whoever started it."""
    if environment.get("TABSHELL_SESSION") or event.session is None:
        return
    directory = _bound(_binding(agent, event.session, environment))
    if directory is None:
        return
    with Session.open(directory) as session:
        if session.writable and not _over(session):
            session.catch_up()
            session.end(None)


def _gone_on(session: Session) -> Session:
    """The session, which goes on if it had ended: the agent was called back to it."""
    if session.writable and _over(session):
        session.append(SessionResumed(__version__))
    return session


def _over(session: Session) -> bool:
    """Whether the session ended and nobody went on with it."""
    ended = session.store.ended_at()
    return ended is not None and not any(session.store.events(SessionResumed, after=ended[0]))


def _binding(agent: str, session: str, environment: Mapping[str, str]) -> Path:
    """The file that names the session of one of the agent's own."""
    key = hashlib.sha256(session.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return home(environment) / "agents" / f"{agent}-{key}"


def _bound(binding: Path) -> Path | None:
    """The directory that a binding names, while it is there."""
    try:
        directory = Path(binding.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:
        return None
    return directory if (directory / "tab.db").exists() else None


@contextmanager
def _locked(bindings: Path) -> Iterator[None]:
    descriptor = os.open(bindings / ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def shim_turn(session: Session, record: Record) -> int | None:
    """The turn under which the session's shim recorded this command a moment ago, or None."""
    if not isinstance(record, CommandRecord):
        return None
    session.take_in()
    store = session.store
    for number in range(store.last_number(TurnStarted), 0, -1)[:RECENT_TURNS]:
        started = store.numbered(TurnStarted, number)
        if started is None or not isinstance(started.fact, TurnStarted):
            continue
        fact = started.fact
        if fact.door != "shim" or fact.command.strip() != record.command.strip():
            continue
        ended = store.numbered(TurnEnded, number)
        if ended is not None and time.time() - ended.at > RECENT_S:
            return None
        if store.numbered(TurnShown, number) is None:
            return number
    return None


def tell_shown(session: Session, turn: int, record: Record, event: HookEvent) -> None:
    """Adds which part of the turn's output the model saw; a turn that still runs tells it itself later."""
    if session.store.numbered(TurnEnded, turn) is None:
        return
    whole = session.output(turn)
    spans = shown_spans(whole, replace(record, output=without_status_line(record.output)))
    if spans is None:
        spans = (Span(0, len(whole)),)
    agent = record.agent if event.subagent else None
    session.append(TurnShown(turn, spans, event.call, agent))
