"""Which formats can be read, and which of them a file is in.

A format is told by what only it has, never by a file's name; ``read`` takes its name where the caller knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tabshell.errors import RecordingError, UsageError
from tabshell.recordings import asciicast, atif, claude_code, codex, mini_swe_agent, pi, swe_agent
from tabshell.recordings.recording import Recording, placed

READERS: dict[str, Callable[[bytes], Recording]] = {
    "claude-code": claude_code.read,
    "codex": codex.read,
    "pi": pi.read,
    "atif": atif.read,
    "swe-agent": swe_agent.read,
    "mini-swe-agent": mini_swe_agent.read,
    "asciicast": asciicast.read,
}

_LOOKED_AT = 40


def read(data: bytes, format_name: str | None = None) -> Recording:
    """The recording in ``data``. Raises ``RecordingError`` where it is none, or holds nothing before a fault."""
    if format_name is not None and format_name not in READERS:
        raise UsageError(f"no recording format {format_name!r}; there are {', '.join(READERS)}")
    name = format_name or detect(data)
    if name is None:
        known = ", ".join(READERS)
        raise RecordingError(f"line 1: no recording that tabshell knows ({known}); name its format with --from")
    recording = READERS[name](data)
    if recording.fault is not None and not recording.records:
        raise recording.fault
    return placed(recording)


def detect(data: bytes) -> str | None:
    """The name of the format, None for an unknown one."""
    heads = [_object(line) for line in data.split(b"\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    first = heads[0] if heads else None
    if first is not None and first.get("version") in (2, 3) and ("width" in first or "term" in first):
        return "asciicast"
    for head in heads:
        name = _of_line(head) if head is not None else None
        if name is not None:
            return name
    try:
        return _of_document(json.loads(data))
    except (ValueError, RecursionError):
        return None


def _object(line: bytes) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _of_line(line: dict[str, object]) -> str | None:
    """The JSON-lines format that one line belongs to."""
    if not isinstance(line.get("type"), str):
        return None
    if "payload" in line and "timestamp" in line:
        return "codex"
    if "sessionId" in line or "leafUuid" in line or {"uuid", "parentUuid"} <= line.keys():
        return "claude-code"
    if (line["type"] == "session" and "cwd" in line) or (line["type"] == "message" and "message" in line):
        return "pi"
    return None


def _of_document(value: object) -> str | None:
    """The format of a whole document."""
    if isinstance(value, list):
        turns = value and all(isinstance(item, dict) and {"role", "content"} <= item.keys() for item in value)
        return "mini-swe-agent" if turns else None
    if not isinstance(value, dict):
        return None
    if str(value.get("schema_version", "")).startswith("ATIF-"):
        return "atif"
    if isinstance(value.get("trajectory"), list) or isinstance(value.get("history"), list):
        return "swe-agent"
    if isinstance(value.get("messages"), list) and ("trajectory_format" in value or "info" in value):
        return "mini-swe-agent"
    return None
