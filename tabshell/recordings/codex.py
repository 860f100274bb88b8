"""Codex rollouts (``$CODEX_HOME/sessions/YYYY/MM/DD/rollout-….jsonl``): ``{timestamp, type, payload}`` a line.

Looked at: 0.58 to 0.171. Calls are ``response_item`` payloads (``function_call``, ``custom_tool_call``,
``local_shell_call``), results the ``…_output`` payloads of the same ``call_id``. A result is JSON with
``output`` and ``metadata`` (old), or text under a short header that ends with ``Output:`` (new); the header is
the program's, not the command's. ``event_msg`` lines add exit statuses and directories. ``write_stdin`` shows
more output of a command that still ran: it counts as that command again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from tabshell.recordings.calls import Call, Result
from tabshell.recordings.fields import Node, parse
from tabshell.recordings.recording import Recording, epoch
from tabshell.recordings.transcript import Transcript

AGENT = "codex"
_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines|Warning): ?[^\n]*\n"
    r"|Process (?:exited with code|running with session ID) [^\n]*\n)+Output:(?:\n|\Z)"
)
_EXIT = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d+)$", re.MULTILINE)
_SESSION = re.compile(r"^Process running with session ID (\d+)$", re.MULTILINE)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_NOT_A_TASK = re.compile(r"\s*(?:<(?:environment_context|user_instructions|turn_aborted|hook_prompt)|# AGENTS\.md)")


def read(data: bytes) -> Recording:
    """The recording in a rollout."""
    reader = _Reader()
    return reader.transcript.of_lines(data, reader.line)


class _Reader:
    """One rollout; ``running`` are the commands of unified sessions that had not ended, by session number."""

    def __init__(self) -> None:
        self.transcript = Transcript(format="codex", agent=AGENT)
        self.running: dict[str, str] = {}

    def line(self, line: Node) -> None:
        kind = line.text("type")
        self.transcript.saw(epoch(line.get("timestamp")))
        if kind == "session_meta":
            meta = line.node("payload")
            self.transcript.saw(0.0, meta.text("cwd"), meta.text("id"))
        elif kind == "turn_context":
            context = line.node("payload")
            self.transcript.saw(0.0, context.text("cwd"))
            self.transcript.model = context.text_or_none("model") or self.transcript.model
        elif kind == "response_item":
            self.item(line.node("payload"), epoch(line.get("timestamp")))
        elif kind == "event_msg":
            self.event(line.node("payload"))

    def item(self, item: Node, at: float) -> None:
        match item.text("type"):
            case "message":
                self.message(item)
            case "function_call":
                self.call(item, item.text("name"), _arguments(item), at)
            case "custom_tool_call":
                text = item.text("input")
                paths = [first or second for first, second in _PATCHED.findall(text)]
                self.call(item, item.text("name"), {"paths": paths, "path": paths[:1], "input": text}, at)
            case "local_shell_call":
                action = item.node("action")
                arguments = {"command": action.get("command"), "workdir": action.get("working_directory")}
                self.call(item, "local_shell", arguments, at)
            case "function_call_output" | "custom_tool_call_output":
                self.output(item, at)
            case _:
                pass

    def message(self, item: Node) -> None:
        if item.text("role") != "user":
            return
        for part in item.nodes("content"):
            text = part.get("text")
            if isinstance(text, str) and not _NOT_A_TASK.match(text):
                self.transcript.said(text)

    def call(self, item: Node, name: str, arguments: Mapping[str, object], at: float) -> None:
        identity = item.text_or_none("call_id") or item.text("id")
        if name == "write_stdin":
            command = self.running.get(str(arguments.get("session_id")))
            if command is not None:
                name, arguments = "exec_command", {"cmd": command}
        self.transcript.called(identity, Call(name, arguments, AGENT, self.transcript.cwd, at))

    def output(self, item: Node, at: float) -> None:
        identity = item.text("call_id")
        exit_code, text, session = _observation(item)
        known = self.transcript.result(identity)
        if exit_code is None and known is not None:
            exit_code = known.exit_code
        call = self.transcript.call(identity)
        command = call.arguments.get("cmd") if call is not None else None
        if session is not None and isinstance(command, str):
            self.running[session] = command
        self.transcript.replace_result(identity, Result(text, at, exit_code))

    def event(self, event: Node) -> None:
        """Ends of commands: their status, their directory, and their output if no result tells it."""
        kind = event.get("type")
        if kind == "item_completed":
            event = event.node("item")
            if event.get("type") != "CommandExecution":
                return
            identity = event.text("id")
        elif kind == "exec_command_end":
            identity = event.text("call_id")
        else:
            return
        self.ended(identity, event)

    def ended(self, identity: str, event: Node) -> None:
        code = event.get("exit_code")
        exit_code = code if isinstance(code, int) else None
        known = self.transcript.result(identity)
        if known is None:
            output = event.get("aggregated_output")
            known = Result(output if isinstance(output, str) else "", 0.0, exit_code)
        self.transcript.replace_result(identity, replace(known, exit_code=exit_code))
        call, cwd = self.transcript.call(identity), event.get("cwd")
        if call is not None and isinstance(cwd, str) and not call.arguments.get("workdir"):
            self.transcript.replace_call(identity, replace(call, cwd=cwd.removeprefix("file://")))


def _arguments(item: Node) -> Mapping[str, object]:
    """The arguments of a function call, which are JSON inside a text."""
    value = parse(item.text("arguments") or "{}", item.line)
    if not isinstance(value, dict):
        raise item.fault(f"{item.name('arguments')} is no JSON object")
    return value


def _observation(item: Node) -> tuple[int | None, str, str | None]:
    """Exit status, text as the command showed it, and the session that still runs."""
    text = _flat(item)
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except json.JSONDecodeError:
            value = None
        if isinstance(value, dict) and isinstance(value.get("output"), str):
            meta = value.get("metadata")
            code = meta.get("exit_code") if isinstance(meta, dict) else None
            return (code if isinstance(code, int) else None), value["output"], None
    header = _HEADER.match(text)
    if header is None:
        return None, text, None
    code_found, session = _EXIT.search(header[0]), _SESSION.search(header[0])
    return (
        int(code_found[1]) if code_found else None,
        text[header.end() :],
        session[1] if session else None,
    )


def _flat(item: Node) -> str:
    """The text of an output: a text, content parts, or an object around its text."""
    output = item.get("output")
    if isinstance(output, str):
        return output
    if isinstance(output, dict):
        inner = item.node("output")
        return inner.text_or_none("content") or ""
    parts = item.nodes("output")
    return "\n".join(text for part in parts if isinstance(text := part.get("text"), str))
