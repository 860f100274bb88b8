"""Each agent's hook JSON in and out, case by case (``fixtures/hooks/AGENT/CASE.json``)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.agents.all_agents import AGENTS
from tabshell.agents.gemini import LIMIT, Gemini
from tabshell.model.records import CommandRecord, ToolRecord

FIXTURES = Path(__file__).parents[2] / "fixtures" / "hooks"
CASES = sorted(FIXTURES.glob("*/*.json"))
assert len(CASES) > 60, f"no fixtures in {FIXTURES}"


def _text(output: bytes) -> object:
    text = output.decode("utf-8", "surrogateescape")
    return text if len(text) < 400 else {"chars": len(text), "starts": text[:40], "ends": text[-40:]}


def _told(event) -> dict | None:
    """An event in the words of the fixtures."""
    if event is None:
        return None
    told = {"kind": event.kind, "session": event.session, "cwd": event.cwd}
    optional = ("call", "subagent", "resumed", "busy")
    told |= {name: getattr(event, name) for name in optional if getattr(event, name)}
    record = event.record
    if record is None:
        return told
    what = {
        "type": type(record).__name__,
        "command": record.command,
        "cwd": record.cwd,
        "output": _text(record.output),
        "exit_code": record.exit_code,
    }
    if record.gap:
        what["gap"] = [record.gap.offset, record.gap.size]
    if record.duration_s:
        what["seconds"] = record.duration_s
    if isinstance(record, ToolRecord):
        what |= {"tool": record.tool, "action": record.action, "paths": list(record.paths)}
        what |= {"first_line": record.first_line} if record.first_line is not None else {}
        what |= {"numbered": True} if record.numbered else {}
    return told | {"record": what}


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_agents_json_is_read_and_answered_as_written_down(path):
    case = json.loads(path.read_text())
    agent = AGENTS[path.parent.name]
    event = agent.read_hook(json.dumps(case["in"]), case["event"])
    assert _told(event) == case["seen"]
    answer = agent.answer_hook(event, "[tab] text")
    assert (json.loads(answer) if answer else None) == case["out"]


@pytest.mark.parametrize("agent", AGENTS.values(), ids=lambda agent: agent.name)
@pytest.mark.parametrize("text", ["", "null", "[]", '"text"', "{", "{}", '{"session_id": 5}', '{"event": "stop"}'])
def test_foreign_json_is_no_event(agent, text):
    event = agent.read_hook(text, agent.events[0] if agent.events else None)
    assert event is None


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("agent", [a for a in AGENTS.values() if a.events], ids=lambda agent: agent.name)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: _json | st.sampled_from(["PostToolUse", "AfterTool", "after-tool", "Bash", "bash", "Read", "view"])
            for name in (
                "session_id", "sessionId", "session", "hook_event_name", "event", "cwd", "tool_name", "toolName",
                "tool", "tool_input", "toolArgs", "input", "tool_response", "toolResult", "output", "error",
            )
        },
    )
)  # fmt: skip
def test_no_json_at_all_makes_an_agent_raise(agent, payload):
    for event in agent.events:
        agent.read_hook(json.dumps(payload), event)


def test_the_fixtures_hold_every_kind_of_event_of_every_agent_with_hooks():
    for agent in AGENTS.values():
        if not agent.events:
            continue
        cases = [json.loads(path.read_text()) for path in (FIXTURES / agent.name).glob("*.json")]
        kinds = {case["seen"]["kind"] for case in cases}
        assert {"after-tool", "stop"} <= kinds, agent.name


def _gemini(output: str) -> CommandRecord:
    framed = f"<untrusted_context>\nOutput: {output}\nProcess Group PGID: 7\n</untrusted_context>"
    payload = {
        "session_id": "s", "cwd": "/ws", "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
        "tool_input": {"command": "cat rows.txt"}, "tool_response": {"llmContent": framed},
    }  # fmt: skip
    record = Gemini().read_hook(json.dumps(payload), None).record
    assert isinstance(record, CommandRecord)
    return record


def test_gemini_tells_its_hook_more_than_its_model_so_the_middle_is_a_gap():
    rows = "\n".join(f"row {number:06d}" for number in range(9000))
    record = _gemini(rows)
    assert record.gap is not None
    assert record.output.startswith(b"row 000000\n")
    assert record.output.endswith(b"row 008999")
    assert len(record.output) + record.gap.size == len(rows)
    assert len(record.output) < LIMIT


def test_an_output_at_the_limit_is_shown_whole():
    record = _gemini("x" * 30_000)
    assert record.gap is None
    assert len(record.output) == 30_000
