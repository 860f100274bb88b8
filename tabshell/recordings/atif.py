"""ATIF trajectories (Agent Trajectory Interchange Format, versions 1.0 to 1.8): one JSON document.

Required: ``schema_version``, ``agent`` with name and version, ``steps`` numbered from 1, each with source and
message. Steps that are copies of an earlier trajectory's (``is_copied_context``) are not counted again;
trajectories of sub-agents inside the document are. Agents that write their calls into the message (Terminus's
JSON, ``<function=…>``) are read too. A terminal agent's observation is a screen: the prompts on it tell which
part is whose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tabshell.errors import RecordingError
from tabshell.model.records import Record
from tabshell.recordings.calls import UNANSWERED, Call, Result, record
from tabshell.recordings.fields import Node, document, elements
from tabshell.recordings.prompts import spoken
from tabshell.recordings.recording import UNKNOWN_WORKSPACE, Recording, epoch, settled

_VERSION = re.compile(r"ATIF-v1\.\d+")
_FUNCTION = re.compile(r"<function=([\w.-]+)>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>(.*?)</parameter>", re.DOTALL)
_CWD = re.compile(r"\[(?:The command completed with exit code (-?\d+)|Current working directory: (/[^\]\n]*))")
_REJECTED = re.compile(r"Previous response had parsing errors")
_SCREEN_TITLE = re.compile(r"\A(?:Current terminal state:\n)?(?:New Terminal Output|Current Terminal Screen):\n+", re.I)


class Asked(NamedTuple):
    """One call of a step; ``identity`` is None where the call stands in the message."""

    identity: str | None
    name: str
    arguments: Mapping[str, object]


@dataclass(slots=True)
class _State:
    """What is known while the steps go by. ``first`` is the first directory that was told; the workspace is
    the first that is more than the root, where agents in containers often begin."""

    agent: str
    cwd: str = UNKNOWN_WORKSPACE
    first: str | None = None
    workspace: str | None = None
    task: str | None = None
    model: str | None = None
    at: float = 0.0
    started_at: float = 0.0
    keys: str = ""
    records: list[Record] = field(default_factory=list)

    def moved(self, cwd: str) -> None:
        self.cwd = cwd
        self.first = self.first or cwd
        if cwd != "/":
            self.workspace = self.workspace or cwd


def read(data: bytes) -> Recording:
    """The recording in a trajectory. Raises if it is no ATIF at all."""
    value = document(data)
    if not isinstance(value, dict):
        raise RecordingError("line 1: no ATIF trajectory: an object with schema_version is wanted")
    root = Node(value, 1)
    version = root.text("schema_version")
    if not _VERSION.fullmatch(version):
        raise RecordingError(f"line 1: schema_version {version!r}; ATIF-v1.0 to ATIF-v1.8 can be read")
    agent = root.node("agent")
    state, fault = _State(agent.text("name")), None
    state.model = agent.text_or_none("model_name")
    agent.text("version")
    try:
        _steps(root, data, state)
        for inner in root.nodes_or_none("subagent_trajectories") or []:
            _subagent(inner, state)
    except RecordingError as error:
        fault = error
    return Recording(
        "atif",
        state.agent,
        settled(state.records, state.first or UNKNOWN_WORKSPACE),
        state.workspace or state.first or UNKNOWN_WORKSPACE,
        state.task,
        root.text_or_none("session_id"),
        state.model,
        state.started_at,
        state.at or None,
        fault,
    )


def _steps(root: Node, data: bytes, state: _State) -> None:
    steps = root.get("steps")
    if not isinstance(steps, list) or not steps:
        raise root.fault("steps is missing or empty")
    for number, step in enumerate(elements(data, steps, "steps"), 1):
        _step(step, number, state)


def _subagent(inner: Node, state: _State) -> None:
    name = inner.node("agent").text("name")
    own = _State(f"{state.agent} ({name})", state.cwd, at=state.at)
    for number, step in enumerate(inner.nodes("steps"), 1):
        _step(step, number, own)
    state.records += own.records


def _step(step: Node, number: int, state: _State) -> None:
    if step.number("step_id") != number:
        raise step.fault(f"{step.name('step_id')} is {step.get('step_id')}, not {number}: steps count from 1")
    source, message = step.text("source"), _message(step)
    if source not in ("system", "user", "agent"):
        raise step.fault(f"{step.name('source')} is {source!r}, not system, user or agent")
    if step.get("is_copied_context") is True:
        return
    state.at = epoch(step.get("timestamp")) or state.at
    state.started_at = state.started_at or state.at
    if source == "user" and state.task is None:
        state.task = message.strip() or None
    results = _results(step)
    calls = list(_calls(step))
    if not calls and source == "agent" and not any(_REJECTED.match(text) for _, text in results):
        calls = list(_spoken_calls(message))
    if calls:
        state.records += _answered(calls, results, state)


def _message(step: Node) -> str:
    """The text of a message: a text, or content parts."""
    if isinstance(step.get("message"), str):
        return step.text("message")
    return "\n".join(part.text("text") for part in step.nodes("message") if part.get("type") == "text")


def _calls(step: Node) -> Iterator[Asked]:
    for call in step.nodes_or_none("tool_calls") or []:
        yield Asked(call.text("tool_call_id"), call.text("function_name"), call.node("arguments").value)


def _spoken_calls(message: str) -> Iterator[Asked]:
    """Calls that an agent wrote into its message."""
    for name, body in _FUNCTION.findall(message):
        yield Asked(None, name, {key: value.strip("\n") for key, value in _PARAMETER.findall(body)})
    try:
        value = json.JSONDecoder().raw_decode(message, message.index("{"))[0]
    except ValueError:
        return
    commands = value.get("commands") if isinstance(value, dict) else None
    for command in commands if isinstance(commands, list) else []:
        if isinstance(command, dict) and isinstance(command.get("keystrokes"), str):
            yield Asked(None, "bash_command", command)


def _results(step: Node) -> list[tuple[str | None, str]]:
    """(call, text) of each result of a step's observation."""
    observation = step.node_or_none("observation")
    found = []
    for result in observation.nodes("results") if observation is not None else []:
        content = result.get("content")
        if content is None:
            continue
        if not isinstance(content, str):
            parts = result.nodes("content")
            content = "\n".join(part.text("text") for part in parts if part.get("type") == "text")
        found.append((result.text_or_none("source_call_id"), content))
    return found


def _answered(calls: list[Asked], results: list[tuple[str | None, str]], state: _State) -> Iterator[Record]:
    """Pairs the calls of a step with its results."""
    named = {identity: text for identity, text in results if identity is not None}
    loose = [text for identity, text in results if identity is None]
    if loose and all(isinstance(call.arguments.get("keystrokes"), str) for call in calls):
        yield from _on_screen(calls, "\n".join(loose), state)
        return
    for index, call in enumerate(calls):
        text = named.get(call.identity) if call.identity is not None else None
        if text is None and loose:
            text = loose.pop(0) if index < len(calls) - 1 else "\n".join(loose)
        if isinstance(call.arguments.get("keystrokes"), str) and text is not None:
            yield from _on_screen([call], text, state)
        else:
            yield record(Call(call.name, call.arguments, state.agent, state.cwd, state.at), _result(text, state))


def _result(text: str | None, state: _State) -> Result:
    if text is None:
        return UNANSWERED
    code = None
    for found in _CWD.finditer(text):
        code = int(found[1]) if found[1] else code
        if found[2]:
            state.moved(found[2])
    return Result(text, state.at, code)


def _on_screen(calls: list[Asked], text: str, state: _State) -> Iterator[Record]:
    """Keys sent to a terminal: each command gets the lines between its prompt and the next."""
    lines = _SCREEN_TITLE.sub("", text).split("\n")
    shown = spoken(lines)
    for index, call in enumerate(calls):
        keys = str(call.arguments["keystrokes"]).strip("\n")
        state.keys = keys or state.keys
        place = next((item for item in shown if item.command == keys), None) if keys else None
        if place is not None:
            shown = shown[shown.index(place) + 1 :]
            if place.cwd is not None:
                state.moved(place.cwd)
            output = "\n".join(lines[place.first : place.end]).rstrip("\n")
        else:
            output = "\n".join(lines) if index == len(calls) - 1 and not shown else ""
        asked = {**call.arguments, "keystrokes": state.keys}
        yield record(Call(call.name, asked, state.agent, state.cwd, state.at), Result(output, state.at))
