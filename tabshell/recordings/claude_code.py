"""Claude Code's transcripts (``~/.claude/projects/…/SESSION.jsonl``), one JSON object a line.

Looked at: 1.0 to 2.1.332. Lines of type ``user`` and ``assistant`` carry a message whose content is a text or
blocks; ``tool_use`` and ``tool_result`` blocks meet by id, wherever they stand (one message is spread over
several lines, parallel calls answer out of order). Types that are not known are passed over. A call that
occurs twice (a resumed session repeats lines) counts once. Calls of sub-agents (``isSidechain``) keep a name
of their own: the main conversation did not see what they saw.
"""

from __future__ import annotations

import re

from tabshell.recordings.calls import Call, Result
from tabshell.recordings.fields import Node
from tabshell.recordings.recording import Recording, epoch
from tabshell.recordings.transcript import Transcript

AGENT = "claude-code"
_REMINDER = re.compile(r"\s*<system-reminder>(?:(?!<system-reminder>).)*</system-reminder>\s*\Z", re.DOTALL)
_EXIT = re.compile(r"Exit code (\d+)(?:\n|\Z)")
_NO_OUTPUT = ("(Bash completed with no output)", "Tool ran without output", "(no content)")
_NOT_A_TASK = re.compile(r"\s*(?:<(?:command-|local-command|system-reminder|bash-)|Caveat: |\[Request interrupted)")


def read(data: bytes) -> Recording:
    """The recording in a transcript."""
    transcript = Transcript(format="claude-code", agent=AGENT)
    return transcript.of_lines(data, lambda line: _line(line, transcript))


def _line(line: Node, transcript: Transcript) -> None:
    kind = line.text("type")
    if kind == "summary":
        line.text("summary")
    if kind not in ("user", "assistant"):
        return
    message = line.node("message")
    at = epoch(line.get("timestamp"))
    transcript.saw(at, line.text_or_none("cwd"), line.text_or_none("sessionId"))
    if kind == "assistant":
        transcript.model = _model(message) or transcript.model
    if isinstance(message.get("content"), str):
        _task(line, message.text("content"), transcript)
        return
    for block in message.nodes("content"):
        match block.text("type"):
            case "text":
                _task(line, block.text("text"), transcript)
            case "tool_use":
                _call(line, block, at, transcript)
            case "tool_result":
                _result(line, block, at, transcript)
            case _:
                pass


def _model(message: Node) -> str | None:
    name = message.get("model")
    return name if isinstance(name, str) and name != "<synthetic>" else None


def _task(line: Node, text: str, transcript: Transcript) -> None:
    """The first text of the person is the task."""
    if line.get("type") != "user" or line.get("isSidechain") is True:
        return
    hidden = line.get("isMeta") is True or line.get("isCompactSummary") is True
    if not hidden and not _NOT_A_TASK.match(text):
        transcript.said(text)


def _call(line: Node, block: Node, at: float, transcript: Transcript) -> None:
    agent = f"{AGENT} (subagent)" if line.get("isSidechain") is True else AGENT
    call = Call(block.text("name"), block.node("input").value, agent, transcript.cwd, at)
    transcript.called(block.text("id"), call)


def _result(line: Node, block: Node, at: float, transcript: Transcript) -> None:
    identity = block.text("tool_use_id")
    call = transcript.call(identity)
    text = _text(block)
    while (found := _REMINDER.search(text)) is not None:
        text = text[: found.start()]
    exit_code = None
    if call is not None and call.name == "Bash":
        exit_code, text = _status(text, failed=block.get("is_error") is True)
    details = line.get("toolUseResult")
    beside = Node(details, line.line, "toolUseResult") if isinstance(details, dict) else None
    transcript.answered(
        identity,
        Result(
            text,
            at,
            exit_code,
            paths_only=_paths_only(call, beside),
            first_line=_first_line(beside),
            failed=block.get("is_error") is True,
        ),
    )


def _text(block: Node) -> str:
    """The text of a tool result: a text, blocks (images say nothing), or nothing."""
    content = block.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(part.text("text") for part in block.nodes("content") if part.get("type") == "text")


def _status(text: str, *, failed: bool) -> tuple[int | None, str]:
    """Exit status and output: a failed command's result begins with a line of its status, and one without
    output is told by a placeholder."""
    if text.strip() in _NO_OUTPUT:
        return (None if failed else 0), ""
    found = _EXIT.match(text) if failed else None
    if found is None:
        return (None if failed else 0), text
    return int(found[1]), text[found.end() :]


def _paths_only(call: Call | None, beside: Node | None) -> bool:
    """Whether a Grep printed names only: its mode says so, and its default does."""
    if call is None or call.name != "Grep":
        return False
    mode = beside.get("mode") if beside is not None else None
    if not isinstance(mode, str):
        mode = call.arguments.get("output_mode", "files_with_matches")
    return mode != "content"


def _first_line(beside: Node | None) -> int | None:
    """The source line that a Read began with."""
    file = beside.get("file") if beside is not None else None
    start = file.get("startLine") if isinstance(file, dict) else None
    return start if isinstance(start, int) else None
