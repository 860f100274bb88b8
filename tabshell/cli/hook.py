"""``tabshell hook AGENT [EVENT]``: what an agent's hooks call.

In: the agent's JSON on stdin. Out: the agent's JSON on stdout, or nothing. What the tool showed is recorded once:
where the session's shim has the command already, the hook only adds which part of it the model saw (S2). Then
the status line, or at the first stop the finish check, or at a session's start how to use the tab.

Whatever happens, the status is 0 and nothing else is printed: a hook that fails would disturb the agent. What
went wrong is a line in ``hook.log``, in the session's directory, or beside the sessions where there is none.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tabshell.agents.all_agents import by_name
from tabshell.agents.shown import without_status_line
from tabshell.model.light import replace

if TYPE_CHECKING:
    from tabshell.agents.agent import Agent, HookEvent
    from tabshell.session import Session

#: More than any agent hands a hook; the rest of a stdin without end is not read.
LARGEST_INPUT = 64 << 20
LOG = "hook.log"
#: Stands in the session's directory from a finish check to the agent's next sign of life: an agent that stopped
#: all the same never saw it.
UNANSWERED = "check-unanswered"
_COMPACTED = "compacted"


def main(argv: Sequence[str]) -> int:
    """One call by an agent. Always 0."""
    answer = ""
    try:
        text = sys.stdin.buffer.read(LARGEST_INPUT).decode("utf-8", "surrogateescape")
        answer = run(
            argv[0] if argv else "", argv[1] if len(argv) > 1 else None, text, os.environ, _start_clerk, _aside
        )
    except Exception as error:  # noqa: BLE001 - see the header
        note(os.environ, f"{' '.join(argv)}: {type(error).__name__}: {error}")
    if answer:
        sys.stdout.write(answer + "\n")
    return 0


def run(
    name: str,
    event_name: str | None,
    text: str,
    environment: Mapping[str, str],
    unattended: Callable[[Path], None] | None = None,
    aside: Callable[[Callable[[], None]], None] = lambda work: work(),
) -> str:
    """The answer to one call; empty where there is none to give. ``unattended`` is told the directory of a session
    that no ``tabshell run`` attends and whose status line had to be made here; ``aside`` does what nobody waits for."""
    agent = by_name(name)
    if agent is None:
        note(environment, f"no agent {name!r}")
        return ""
    event = agent.read_hook(text, event_name)
    if event is None:
        note(environment, f"{agent.name} {event_name or ''}: not JSON of this agent's: {text[:200]!r}")
        return ""
    if event.kind in ("other", "subagent-stop"):
        return ""
    if event.kind == "session-end":
        aside(partial(_end, agent, event, environment))
        return ""
    from tabshell.session.hooked import session_of  # noqa: PLC0415 - not for what is not ours

    with session_of(agent.name, event, environment) as session:
        unanswered = session.directory / UNANSWERED
        unanswered.unlink(missing_ok=True)
        told = _told(session, agent, event, environment)
        if told and event.kind == "after-tool" and unattended is not None and not _attended(session, environment):
            unattended(session.directory)
        if told and event.kind == "stop":
            unanswered.touch(0o600)
    return agent.answer_hook(event, told) if told else ""


def _attended(session: Session, environment: Mapping[str, str]) -> bool:
    """Whether a process that is ready answers for this session, or ``tabshell run`` cares for that."""
    if environment.get("TABSHELL_SESSION"):
        return True
    from tabshell.session.clerk import answers  # noqa: PLC0415

    return answers(session.directory)


def _end(agent: Agent, event: HookEvent, environment: Mapping[str, str]) -> None:
    from tabshell.session.hooked import end_session  # noqa: PLC0415 - the agent is gone when it is loaded

    end_session(agent.name, event, environment)


def _aside(work: Callable[[], None]) -> None:
    """Does it in a process of its own: an agent that ends does not wait for its hooks, and kills those it knows."""
    if os.fork():
        return
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        work()
    except Exception as error:  # noqa: BLE001 - nobody is left who could be told
        note(os.environ, f"session-end: {type(error).__name__}: {error}")
    finally:
        os._exit(0)


def _start_clerk(directory: Path) -> None:
    from tabshell.session.clerk import start_idle  # noqa: PLC0415 - once in a session

    start_idle(directory)


def _told(session: Session, agent: Agent, event: HookEvent, environment: Mapping[str, str]) -> str | None:
    """What the model shall be told."""
    if event.kind == "after-tool":
        return _after_tool(session, agent, event, environment)
    if event.kind == "stop":
        return None if event.busy else session.finish_check("hook")
    if event.kind == "compaction":
        (session.directory / _COMPACTED).touch(0o600)
        return None
    if event.resumed:
        return _digest(session, environment)
    from tabshell.tab.prompt import prompt_block  # noqa: PLC0415

    return prompt_block(_command(session, environment))


def _digest(session: Session, environment: Mapping[str, str]) -> str:
    """For a model that has just lost its context."""
    from tabshell.tab.digest import digest  # noqa: PLC0415 - rare

    return digest(session.tab(), _command(session, environment))


def _command(session: Session, environment: Mapping[str, str]) -> str:
    """How the agent calls ``tab``: it is on PATH where the session is in the environment."""
    return "tab" if environment.get("TABSHELL_SESSION") else str(session.directory / "bin" / "tab")


def _after_tool(session: Session, agent: Agent, event: HookEvent, environment: Mapping[str, str]) -> str | None:
    record = event.record
    if record is None:
        return None
    if event.subagent:
        record = replace(record, agent=f"{agent.name}/{event.subagent}")
    record = replace(record, started_at=time.time() - record.duration_s)
    printed = False
    if session.writable:
        from tabshell.session.hooked import shim_turn, tell_shown  # noqa: PLC0415

        turn = shim_turn(session, record)
        if turn is None:
            session.recorder.record(record)
        else:
            printed = agent.status == "stdout" and without_status_line(record.output) != record.output
            tell_shown(session, turn, record, event)
    return _status(session, environment, printed=printed)


def _status(session: Session, environment: Mapping[str, str], *, printed: bool) -> str | None:
    """The status line, unless it is off or stands in what was shown; behind a compaction the digest."""
    compacted = session.directory / _COMPACTED
    if compacted.exists():
        compacted.unlink(missing_ok=True)
        return _digest(session, environment)
    if printed or environment.get("TABSHELL_STATUS") == "off":
        return None
    from tabshell.cli.bash import clerk_tells  # noqa: PLC0415

    return clerk_tells(str(session.directory)) or session.status_line()


def note(environment: Mapping[str, str], line: str) -> None:
    """A line in the log of the session that the environment names, else in the one beside the sessions."""
    from tabshell.store.locate import home  # noqa: PLC0415 - only where something went wrong

    told = environment.get("TABSHELL_SESSION")
    folder = Path(told) if told and os.path.isdir(told) else home(environment)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / LOG, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with open(descriptor, "a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")
    except OSError:
        pass  # nowhere to write: the agent must not notice
