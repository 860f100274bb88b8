"""mini-swe-agent's trajectories: a list of ``{role, content}`` messages, or an object around it.

Looked at: lists of 2025, and ``trajectory_format`` ``mini-swe-agent-1`` (1.13) and ``-1.1`` (2.4). The
assistant's command stands in a fenced block (``bash`` or ``mswea_bash_command``), in newer versions in
``extra.actions`` or in tool calls; the message after it is the observation, with ``<returncode>`` and
``<output>``. The elided middle of a long output is told by its own lines.
"""

from __future__ import annotations

import json
import re

from tabshell.errors import RecordingError
from tabshell.recordings.calls import UNANSWERED, Call, Result
from tabshell.recordings.fields import Node, document, elements, parse
from tabshell.recordings.recording import (
    UNKNOWN_WORKSPACE,
    Recording,
    common_directory,
    epoch,
    leading_directories,
)
from tabshell.recordings.transcript import Transcript

AGENT = "mini-swe-agent"
_FENCE = re.compile(r"```(?:mswea_bash_command|bash|sh)\s*\n(.*?)\n?```", re.DOTALL)
_TEMPLATE = re.compile(r"\A\s*Please solve this issue: |\n+You can execute bash commands and edit files .*", re.DOTALL)
"""What the agent's own template puts around the task."""
_CODE = re.compile(r"<returncode>\s*(-?\d+)\s*</returncode>")
_OUTPUT = re.compile(r"<output(?:_head)?>\n?(.*?)</output(?:_head)?>", re.DOTALL)
_TAIL = re.compile(r"<elided_chars>\s*(.*?)\s*</elided_chars>\s*<output_tail>\n?(.*?)</output_tail>", re.DOTALL)


def read(data: bytes) -> Recording:
    """The recording in a trajectory."""
    value = document(data)
    transcript = Transcript(format="mini-swe-agent", agent=AGENT)
    if isinstance(value, dict):
        root = Node(value, 1)
        _info(root, transcript)
        messages, key = root.get("messages"), "messages"
    else:
        messages, key = value, None
    if not isinstance(messages, list):
        raise RecordingError("line 1: no list of messages, as mini-swe-agent writes it")
    try:
        _messages(list(elements(data, messages, key)), transcript)
    except RecordingError as fault:
        transcript.fault = fault
    return transcript.recording()


def _info(root: Node, transcript: Transcript) -> None:
    config = root.node("info").node_or_none("config")
    if config is None:
        return
    environment, model = config.node_or_none("environment"), config.node_or_none("model")
    cwd = environment.text_or_none("cwd") if environment is not None else None
    transcript.saw(0.0, cwd or None)
    transcript.model = model.text_or_none("model_name") if model is not None else None


def _messages(messages: list[Node], transcript: Transcript) -> None:
    """Pairs each command with the observation that follows it."""
    if transcript.workspace is None:
        commands = [command for node in messages if node.get("role") == "assistant" for command in _commands(node)]
        guess = common_directory(leading_directories(commands))
        transcript.saw(0.0, guess if guess != UNKNOWN_WORKSPACE else None)
    waiting: list[str] = []
    for message in messages:
        role, at = message.text("role"), _time(message)
        transcript.saw(at)
        if role == "assistant":
            waiting = _called(message, at, transcript)
        elif role in ("user", "tool", "exit") and waiting:
            identity = message.text_or_none("tool_call_id") or waiting[0]
            waiting = [name for name in waiting if name != identity]
            transcript.answered(identity, _observation(message, at))
        elif role == "user":
            transcript.said(_TEMPLATE.sub("", _text(message)))


def _time(message: Node) -> float:
    extra = message.node_or_none("extra")
    return epoch(extra.get("timestamp")) if extra is not None else epoch(message.get("timestamp"))


def _called(message: Node, at: float, transcript: Transcript) -> list[str]:
    calls = [node.text_or_none("id") for node in message.nodes_or_none("tool_calls") or []]
    names: list[str] = []
    for index, command in enumerate(_commands(message)):
        given = calls[index] if index < len(calls) else None
        names.append(given or f"{message.path or message.line}.{index}")
        transcript.called(names[-1], Call("bash", {"command": command}, AGENT, transcript.cwd, at))
    return names


def _commands(message: Node) -> list[str]:
    """The commands of an assistant's message: as parsed by the agent, as tool calls, or the fenced block."""
    extra = message.node_or_none("extra")
    actions = extra.nodes_or_none("actions") if extra is not None else None
    if actions:
        return [action.text("command") for action in actions]
    calls = message.nodes_or_none("tool_calls")
    if calls:
        return [_argument(call.node("function")) for call in calls]
    blocks = _FENCE.findall(_text(message))
    return blocks if len(blocks) == 1 else []


def _argument(function: Node) -> str:
    value = parse(function.text("arguments"), function.line)
    command = value.get("command") if isinstance(value, dict) else None
    if not isinstance(command, str):
        raise function.fault(f"{function.name('arguments')} holds no command")
    return command


def _observation(message: Node, at: float) -> Result:
    """The output as the model was shown it (a long one is cut there, and whole only in ``extra``)."""
    text = _text(message)
    if not text.strip():
        return UNANSWERED
    extra = message.node_or_none("extra")
    code = extra.get("returncode") if extra is not None else None
    code_found, shown = _CODE.search(text), _OUTPUT.search(text)
    exit_code = _status(code if isinstance(code, int) else int(code_found[1]) if code_found else None)
    if shown is None:
        return _as_json(text, at) or Result(text, at, exit_code)
    tail = _TAIL.search(text)
    output = shown[1] + (f"\n{tail[1]}\n{tail[2]}" if tail else "")
    return Result(output, at, exit_code)


def _as_json(text: str, at: float) -> Result | None:
    """An observation in JSON (2.x): ``returncode`` with ``output``, or with its head and tail."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict) or "returncode" not in value:
        return None
    output = value.get("output")
    if not isinstance(output, str):
        head, tail = value.get("output_head", ""), value.get("output_tail", "")
        output = f"{head}\n{value.get('elided_chars')} characters elided\n{tail}"
    code = value["returncode"]
    return Result(output, at, _status(code if isinstance(code, int) else None))


def _status(code: int | None) -> int | None:
    """An exit status; -1 means that the command was not run, or not to its end."""
    return code if code is not None and code >= 0 else None


def _text(message: Node) -> str:
    """The text of a message: a text, or parts."""
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.text("text") for part in message.nodes("content") if part.get("type") == "text")
