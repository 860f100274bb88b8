"""Pi's session files (``~/.pi/agent/sessions/…/….jsonl``), one JSON object a line.

Looked at: 0.x of 2025 to 1.6. The ``session`` line names the directory; ``message`` lines carry roles user,
assistant (with ``toolCall`` blocks), toolResult and bashExecution (a command that the person ran with ``!``).
Placeholders of Pi's own are taken off: ``(no output)``, and the line that tells a failed command's status.
"""

from __future__ import annotations

import re

from tabshell.recordings.calls import Call, Result
from tabshell.recordings.fields import Node
from tabshell.recordings.recording import Recording, epoch
from tabshell.recordings.transcript import Transcript

AGENT = "pi"
_STATUS = re.compile(r"\n*Command exited with code (-?\d+)\s*\Z")


def read(data: bytes) -> Recording:
    """The recording in a session file."""
    transcript = Transcript(format="pi", agent=AGENT)
    return transcript.of_lines(data, lambda line: _line(line, transcript))


def _line(line: Node, transcript: Transcript) -> None:
    kind = line.text("type")
    at = epoch(line.get("timestamp"))
    if kind == "session":
        transcript.saw(at, line.text("cwd"), line.text("id"))
        transcript.model = line.text_or_none("modelId")
    elif kind == "model_change":
        transcript.model = line.text("modelId")
    elif kind == "message":
        transcript.saw(at)
        _message(line.node("message"), at, transcript)


def _message(message: Node, at: float, transcript: Transcript) -> None:
    match message.text("role"):
        case "user":
            transcript.said(_text(message))
        case "assistant":
            for block in message.nodes("content"):
                if block.text("type") == "toolCall":
                    arguments = block.node("arguments").value
                    call = Call(block.text("name"), arguments, AGENT, transcript.cwd, at)
                    transcript.called(block.text("id"), call)
        case "toolResult":
            _result(message, at, transcript)
        case "bashExecution":
            _execution(message, at, transcript)
        case _:
            pass


def _result(message: Node, at: float, transcript: Transcript) -> None:
    identity = message.text("toolCallId")
    call, text = transcript.call(identity), _text(message)
    exit_code = None
    if message.text("toolName") == "bash":
        found = _STATUS.search(text)
        if found is not None:
            exit_code, text = int(found[1]), text[: found.start()]
        elif message.get("isError") is False:
            exit_code = 0
        text = "" if text.strip() == "(no output)" else text
    offset = call.arguments.get("offset") if call is not None else None
    first = offset if isinstance(offset, int) else 1
    transcript.answered(identity, Result(text, at, exit_code, first_line=first, failed=message.get("isError") is True))


def _execution(message: Node, at: float, transcript: Transcript) -> None:
    """A command of the person, unless the model was not shown it."""
    if message.get("excludeFromContext") is True:
        return
    identity, code = f"line {message.line}", message.get("exitCode")
    call = Call("bash", {"command": message.text("command")}, AGENT, transcript.cwd, at)
    transcript.called(identity, call)
    exit_code = code if isinstance(code, int) else None
    transcript.answered(identity, Result(message.text("output"), at, exit_code))


def _text(message: Node) -> str:
    """The text of a message: a text, or blocks of which only texts count."""
    if isinstance(message.get("content"), str):
        return message.text("content")
    return "\n".join(block.text("text") for block in message.nodes("content") if block.get("type") == "text")
