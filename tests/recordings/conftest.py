"""What the tests of recordings share: the transcripts and how a record is written down beside them."""

import json
from pathlib import Path

import pytest

from tabshell.model.records import ToolRecord

TRANSCRIPTS = Path(__file__).parents[2] / "fixtures" / "transcripts"


def described(recording):
    """A recording in the form of the expected ``.json`` files."""
    records = []
    for record in recording.records:
        entry = {"command": record.command, "cwd": record.cwd, "exit_code": record.exit_code}
        if isinstance(record, ToolRecord):
            entry |= {"tool": record.tool, "action": record.action, "paths": list(record.paths)}
            entry |= {"numbered": record.numbered, "first_line": record.first_line}
        if record.agent != recording.agent:
            entry["agent"] = record.agent
        entry["seconds"] = [round(record.started_at - recording.started_at, 3), round(record.duration_s, 3)]
        entry["output"] = record.output.decode("utf-8", "surrogateescape")
        records.append(entry)
    return {
        "format": recording.format,
        "agent": recording.agent,
        "workspace": recording.workspace,
        "task": recording.task,
        "agent_session": recording.agent_session,
        "model": recording.model,
        "fault": str(recording.fault) if recording.fault else None,
        "records": records,
    }


@pytest.fixture
def transcript():
    """A function from a transcript's name to its bytes."""
    return lambda name: (TRANSCRIPTS / f"{name}.input").read_bytes()


@pytest.fixture
def expected():
    """A function from a transcript's name to what must come of it."""
    return lambda name: json.loads((TRANSCRIPTS / f"{name}.json").read_text())


@pytest.fixture
def describe():
    """A recording as in the expected files."""
    return described


@pytest.fixture
def to_json():
    """A function from a value to the bytes of its JSON."""
    return lambda value: json.dumps(value).encode()
