"""SWE-agent's trajectories (``.traj``): ``trajectory`` with actions and observations, or only ``history``.

Looked at: 0.x and 1.x. An action is a line of the agent's shell. Its own tools become records of file tools:
``open``, ``goto`` and ``scroll_…`` show a window of a file with numbered lines, ``search_…`` and ``find_file``
search and list, ``create`` and ``edit`` write (and show what they wrote). ``state`` tells the directory: in 0.x
(a JSON text) before the action, in 1.x (an object) after it. Demonstrations inside ``history`` are not the
agent's doings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tabshell.errors import RecordingError
from tabshell.model.records import Action, Record, ToolRecord
from tabshell.recordings.calls import Call, Result, record
from tabshell.recordings.fields import Node, document, elements
from tabshell.recordings.recording import UNKNOWN_WORKSPACE, Recording, encode, settled

AGENT = "swe-agent"
_TOOLS: dict[str, Action] = {
    **dict.fromkeys(("open", "goto", "scroll_up", "scroll_down"), "read"),
    "search_file": "search",
    **dict.fromkeys(("search_dir", "find_file"), "list"),
    **dict.fromkeys(("create", "edit", "insert", "append", "undo_edit"), "write"),
    **dict.fromkeys(("submit", "exit_cost", "exit_context", "exit_format", "skip"), "other"),
}
_OPENED = re.compile(r"\[File: (.+?) \(\d+ lines total\)\]")
_PROMPT = re.compile(r"\n?\(Open file: (.*)\)\n\(Current directory: (.*)\)\nbash-\$\s*\Z")


def read(data: bytes) -> Recording:
    """The recording in a trajectory."""
    value = document(data)
    if not isinstance(value, dict):
        raise RecordingError("line 1: no object with trajectory or history, as SWE-agent writes it")
    root, fault, task = Node(value, 1), None, None
    reader, records = _Reader(), list[Record]()
    try:
        for made in _records(root, data, reader):
            records.append(made)
        task = _task(root)
    except RecordingError as error:
        fault = error
    workspace = reader.workspace or UNKNOWN_WORKSPACE
    return Recording("swe-agent", AGENT, settled(records, workspace), workspace, task=task, fault=fault)


def _records(root: Node, data: bytes, reader: _Reader) -> Iterator[Record]:
    """The records of the steps, or of the history where a file has no steps."""
    steps, history = root.get("trajectory"), root.get("history")
    if isinstance(steps, list) and steps:
        yield from map(reader.step, elements(data, steps, "trajectory"))
    elif isinstance(history, list):
        for message, following in _pairs(list(elements(data, history, "history"))):
            yield reader.spoken(message, following)
    else:
        raise root.fault("trajectory is missing, and history too")


def _task(root: Node) -> str | None:
    """The first message of the person that is no demonstration."""
    for message in root.nodes_or_none("history") or []:
        text = message.get("content")
        demo = message.get("is_demo") is True or message.get("message_type") == "demonstration"
        if message.get("role") != "user" or not isinstance(text, str) or demo:
            continue
        if "--- DEMONSTRATION ---" not in text:
            return text.strip()
    return None


def _pairs(history: list[Node]) -> list[tuple[Node, Node | None]]:
    """Each message with an action, and the observation after it."""
    pairs = []
    for index, message in enumerate(history):
        if message.get("is_demo") is True or not isinstance(message.get("action"), str):
            continue
        following = history[index + 1] if index + 1 < len(history) else None
        pairs.append((message, following))
    return pairs


class _Reader:
    """Follows the directory and the open file from action to action."""

    def __init__(self) -> None:
        self.workspace: str | None = None
        self.cwd = UNKNOWN_WORKSPACE
        self.opened: str | None = None

    def step(self, node: Node) -> Record:
        """One entry of ``trajectory``."""
        action, observation = node.text("action"), node.text("observation")
        state = node.get("state")
        if isinstance(state, str):
            self._state(_object(node, state))
        made = self._record(action, observation, node.get("execution_time"))
        if isinstance(state, dict):
            self._state(state)
        return made

    def spoken(self, message: Node, following: Node | None) -> Record:
        """One action of ``history`` with the message after it, which ends with the agent's prompt."""
        text = following.get("content") if following is not None else None
        observation = text if isinstance(text, str) else ""
        prompt = _PROMPT.search(observation)
        if prompt is not None:
            observation = observation[: prompt.start()]
            self._state({"open_file": prompt[1], "working_dir": prompt[2]})
        return self._record(message.text("action"), observation, None)

    def _state(self, state: dict[str, object]) -> None:
        directory, opened = state.get("working_dir"), state.get("open_file")
        if isinstance(directory, str) and directory.startswith("/"):
            self.cwd = directory
            self.workspace = self.workspace or directory
        self.opened = opened if isinstance(opened, str) and opened != "n/a" else None

    def _record(self, action: str, observation: str, seconds: object) -> Record:
        words = action.split()
        name = words[0] if words else ""
        if name == "str_replace_editor" and len(words) > 2:
            arguments = {"command": words[1], "path": words[2].strip("\"'")}
            return record(Call(name, arguments, AGENT, self.cwd), Result(observation))
        if name not in _TOOLS:
            call = Call("bash", {"command": action.rstrip("\n")}, AGENT, self.cwd)
            return record(call, Result(observation.removeprefix("\n")))
        shown = _OPENED.search(observation)
        paths = (shown[1],) if shown is not None else self._named(name, words)
        return ToolRecord(
            door="import",
            agent=AGENT,
            tool=name,
            action=_TOOLS[name],
            command=action.split("\n", 1)[0].strip(),
            cwd=self.cwd,
            paths=paths,
            output=encode(observation),
            duration_s=float(seconds) if isinstance(seconds, (int, float)) else 0.0,
            numbered=_TOOLS[name] == "read",
            confirmable=False,
        )

    def _named(self, name: str, words: list[str]) -> tuple[str, ...]:
        """The file that a tool names, or the one that stands open."""
        if name in ("open", "create") and len(words) > 1:
            return (words[1].strip("\"'"),)
        if name in ("search_dir", "search_file", "find_file"):
            return tuple(word.strip("\"'") for word in words[2:3])
        return (self.opened,) if self.opened is not None and name != "submit" else ()


def _object(node: Node, state: str) -> dict[str, object]:
    """The object inside the text of a state."""
    try:
        value = json.loads(state)
    except json.JSONDecodeError:
        raise node.fault(f"{node.name('state')} is no valid JSON") from None
    return value if isinstance(value, dict) else {}
