"""A session as an ATIF trajectory (schema ATIF-v1.6): the task, then one agent step for each turn.

A turn is a tool call (``bash`` with its command, or the agent's own file tool) and its observation: the text as
it was shown, escape sequences removed. What tabshell knows more (files read, searched, listed, log entries,
directory, door) stands in ``extra``, the only place that the schema leaves free; so does the tab itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from tabshell.model.state import Requirement, Tab, Turn
from tabshell.recordings.film import Film
from tabshell.recordings.redact import Redactor
from tabshell.recordings.times import iso
from tabshell.text.observation import plain

SCHEMA_VERSION = "ATIF-v1.6"
Object = dict[str, object]


@dataclass(frozen=True, slots=True)
class Session:
    """What is exported: the tab with its turns, the stored output of a turn, and which turns to leave out."""

    tab: Tab
    output: Callable[[int], bytes]
    version: str
    without: frozenset[int] = frozenset()

    def turns(self) -> list[Turn]:
        """The turns to write, in order."""
        return [turn for number, turn in self.tab.turns.items() if number not in self.without]


def tab_turns(film: Film) -> frozenset[int]:
    """The turns that only worked on the tab."""
    return frozenset(number for number, scene in film.scenes.items() if scene.tab)


def to_atif(session: Session, redactor: Redactor) -> str:
    """The trajectory as JSON text."""
    tab = session.tab
    steps: list[Object] = []
    if tab.task:
        steps.append(_step(steps, iso(tab.started_at), "user", tab.task))
    for turn in session.turns():
        steps.append(_turn(steps, turn, session))
    if not steps:
        steps.append(_step(steps, iso(tab.started_at), "system", "A session without a task and without a command."))
    agent: Object = {"name": tab.session.agent or "unknown", "version": "unknown"}
    if tab.session.model:
        agent["model_name"] = tab.session.model
    trajectory: Object = {
        "schema_version": SCHEMA_VERSION,
        "session_id": tab.session.id,
        "agent": agent,
        "steps": steps,
        "final_metrics": {"total_steps": len(steps)},
        "extra": {"tabshell": _tab(tab, session.version, stripped=bool(session.without))},
    }
    return json.dumps(redactor.value(trajectory), ensure_ascii=True, indent=1)


def _step(steps: list[Object], at: str, source: str, message: str) -> Object:
    return {"step_id": len(steps) + 1, "timestamp": at, "source": source, "message": message}


def _turn(steps: list[Object], turn: Turn, session: Session) -> Object:
    started = turn.started
    call = f"turn-{started.turn}"
    arguments: Object = {"command": started.command}
    if started.tool is not None:
        arguments = {"paths": list(started.paths), "call": started.command}
    step = _step(steps, iso(turn.started_at), "agent", "")
    step["tool_calls"] = [
        {"tool_call_id": call, "function_name": started.tool or "bash", "arguments": arguments},
    ]
    if turn.ended is not None:
        shown = plain(session.output(started.turn))
        step["observation"] = {"results": [{"source_call_id": call, "content": shown}]}
    step["extra"] = {"tabshell": _facts(turn)}
    return step


def _facts(turn: Turn) -> Object:
    ended, files = turn.ended, turn.files
    return {
        "turn": turn.started.turn,
        "door": turn.started.door,
        "cwd": turn.started.cwd,
        "exit_code": ended.exit_code if ended else None,
        "duration_s": ended.duration_s if ended else None,
        "read": list(files.read) if files else [],
        "searched": list(files.searched) if files else [],
        "listed": list(files.listed) if files else [],
        "entries": [f"L{number}" for number in turn.entries],
    }


def _tab(tab: Tab, version: str, *, stripped: bool) -> Object:
    about: Object = {"version": version, "workspace": tab.session.workspace}
    if not stripped:
        about["requirements"] = [_requirement(requirement) for requirement in tab.requirements.values()]
    return about


def _requirement(requirement: Requirement) -> Object:
    resolution = requirement.resolution
    return {
        "id": f"r{requirement.id}",
        "text": requirement.text,
        "status": requirement.status,
        "refs": [f"L{number}" for number in resolution.refs] if resolution else [],
        "reason": resolution.reason if resolution else None,
    }
