"""Exports: casts that read back, trajectories that keep to their schema, and nothing secret in any of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tabshell.audit.as_json import Integrity, session_export
from tabshell.errors import UsageError
from tabshell.model.facts import SessionEnded
from tabshell.recordings import asciicast, atif, to_atif
from tabshell.recordings.film import Film
from tabshell.recordings.otlp import to_otlp
from tabshell.recordings.prov import to_prov
from tabshell.recordings.redact import MARK, SECRETS, Redactor
from tabshell.recordings.spans import spans_of
from tabshell.recordings.strip import without_tab
from tabshell.recordings.to_asciicast import CastOptions, to_asciicast
from tabshell.recordings.to_jsonl import to_jsonl
from tabshell.session import Session, SessionOptions

TOKEN = "ghp_" + "a1B2" * 9


def cast(recorded, version=2, redactor=None, stripped=False):
    film = Film(recorded.session.store)
    frames = without_tab(film) if stripped else film.frames()
    return list(to_asciicast(film, frames, redactor or Redactor(), CastOptions(version, title="rates")))


@pytest.mark.parametrize("version", [2, 3])
def test_a_cast_holds_what_was_shown_with_its_times(recorded, version):
    lines = cast(recorded, version)
    read = asciicast.events("\n".join(lines).encode())
    assert read.fault is None
    assert bytes(read.output) == recorded.shown.decode("utf-8", "replace").encode()
    header = json.loads(lines[0])
    assert (header["version"], header["title"]) == (version, "rates")
    total = recorded.now - json.loads(lines[0])["timestamp"]
    assert abs(read.times[-1] - total) < 1.0


def test_versions_2_and_3_tell_the_same_times(recorded):
    two = asciicast.events("\n".join(cast(recorded, 2)).encode())
    three = asciicast.events("\n".join(cast(recorded, 3)).encode())
    assert two.times == pytest.approx(three.times, abs=2e-6)
    assert two.sizes == three.sizes


def test_each_log_entry_has_a_marker_after_its_turn(recorded):
    events = [json.loads(line) for line in cast(recorded)[1:]]
    marks = [index for index, event in enumerate(events) if event[1] == "m"]
    assert [events[index][2] for index in marks] == ["L1 (turn 1)"]
    assert "21" in events[marks[0] - 1][2]


def test_a_character_shown_in_two_pieces_is_whole_and_other_bytes_are_told(recorded):
    text = "".join(event[2] for event in map(json.loads, cast(recorded)[1:]) if event[1] == "o")
    assert "café \ufffd" in text


def test_a_cast_plays_in_asciinema(recorded, tmp_path):
    path = tmp_path / "x.cast"
    path.write_text("\n".join(cast(recorded)) + "\n", encoding="utf-8")
    program = Path(sys.executable).with_name("asciinema")
    if not program.exists():
        pytest.skip("asciinema is not installed beside python")
    shown = subprocess.run([program, "cat", path], capture_output=True, check=True, timeout=60).stdout
    assert shown == recorded.shown.decode("utf-8", "replace").encode()


def test_a_stripped_cast_says_nothing_of_the_tab(recorded):
    assert "tab" not in "\n".join(cast(recorded, stripped=True))


def trajectory(recorded, redactor=None, stripped=False):
    session = recorded.session
    film = Film(session.store)
    without = to_atif.tab_turns(film) if stripped else frozenset()
    source = to_atif.Session(session.tab(turns=True), session.output, "9.9", without)
    return json.loads(to_atif.to_atif(source, redactor or Redactor()))


STEP_KEYS = {"step_id", "timestamp", "source", "message", "tool_calls", "observation", "extra"}
ROOT_KEYS = {"schema_version", "session_id", "agent", "steps", "final_metrics", "extra"}


def check_atif(document):
    """The fields that the format's own schema checks, unknown keys refused."""
    assert set(document) <= ROOT_KEYS
    assert {"schema_version", "agent", "steps"} <= set(document)
    assert set(document["agent"]) <= {"name", "version", "model_name"}
    assert document["final_metrics"] == {"total_steps": len(document["steps"])}
    for number, step in enumerate(document["steps"], 1):
        assert set(step) <= STEP_KEYS
        assert step["step_id"] == number
        assert step["source"] in ("system", "user", "agent")
        assert isinstance(step["message"], str)
        assert step["source"] == "agent" or "tool_calls" not in step
        ids = [call["tool_call_id"] for call in step.get("tool_calls", [])]
        for call in step.get("tool_calls", []):
            assert set(call) == {"tool_call_id", "function_name", "arguments"}
            assert isinstance(call["arguments"], dict)
        for result in step.get("observation", {}).get("results", []):
            assert set(result) == {"source_call_id", "content"}
            assert result["source_call_id"] in ids


def test_a_trajectory_keeps_to_the_schema(recorded):
    document = trajectory(recorded)
    check_atif(document)
    assert [step["source"] for step in document["steps"]] == ["user", *["agent"] * 6]
    assert document["steps"][1]["observation"]["results"][0]["content"] == "hour,rate\n0:00,21"
    assert document["steps"][1]["extra"]["tabshell"]["read"] == ["day.csv"]


def test_a_session_without_anything_is_a_trajectory_of_one_step(workspace, own_home):
    with Session.create(SessionOptions(str(workspace)), os.environ) as session:
        source = to_atif.Session(session.tab(turns=True), session.output, "9.9")
        document = json.loads(to_atif.to_atif(source, Redactor()))
    check_atif(document)
    assert len(document["steps"]) == 1


def test_an_exported_trajectory_imports_again_with_the_same_turns(recorded):
    again = atif.read(json.dumps(trajectory(recorded)).encode())
    assert again.fault is None
    assert again.task == "Name the day rate."
    assert [record.command for record in again.records] == [
        "cat day.csv",
        "tab add rate",
        "printf 'caf\\303\\251 \\377'",
        "tab status",
        "false",
        "exit",
    ]


def test_a_stripped_trajectory_has_no_tab_turn_and_no_requirements(recorded):
    document = trajectory(recorded, stripped=True)
    check_atif(document)
    assert "tab add" not in json.dumps(document)
    assert "requirements" not in document["extra"]["tabshell"]


def test_provenance_leads_from_an_entry_to_its_file_and_its_turn(recorded):
    document = json.loads(to_prov(recorded.session.tab(turns=True), Redactor()))
    named = {*document["entity"], *document["activity"], *document["agent"]}
    for section in ("used", "wasGeneratedBy", "wasDerivedFrom", "wasAssociatedWith"):
        for relation in document.get(section, {}).values():
            assert set(relation.values()) <= named
    assert {"prov:generatedEntity": "tabshell:L1", "prov:usedEntity": "file:day.csv"} in document[
        "wasDerivedFrom"
    ].values()
    assert {"prov:entity": "tabshell:L1", "prov:activity": "tabshell:turn1"} in document["wasGeneratedBy"].values()


def test_a_trace_has_a_span_for_each_turn_below_one_root(recorded):
    document = json.loads(to_otlp(spans_of(recorded.session.tab(turns=True)), "9.9", Redactor()))
    root, *turns = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert {span["parentSpanId"] for span in turns} == {root["spanId"]}
    assert len({span["spanId"] for span in turns}) == 6
    assert all(len(span["traceId"]) == 32 and len(span["spanId"]) == 16 for span in turns)
    assert all(int(span["endTimeUnixNano"]) >= int(span["startTimeUnixNano"]) for span in [root, *turns])
    assert turns[4]["status"] == {"code": 2, "message": "exit status 1"}


def test_json_lines_hold_every_object_of_the_export(recorded):
    session = recorded.session
    document = session_export(session.tab(turns=True), session.entry_text, [], Integrity(True, 1, "00"))
    lines = [json.loads(line) for line in to_jsonl(document, Redactor())]
    assert [line["type"] for line in lines] == ["session", *["turn"] * 6, "entry", "access", "access", "finish_check"]
    assert {key: value for key, value in lines[1].items() if key != "type"} == document["turns"][0]
    stripped = [json.loads(line) for line in to_jsonl(document, Redactor(), frozenset({2, 4, 6}))]
    assert [line["type"] for line in stripped] == ["session", "turn", "turn", "turn", "entry"]


EXAMPLES = {
    "AWS access key": "AKIA" + "ABCD1234EFGH5678",
    "GitHub token": TOKEN,
    "GitLab token": "glpat-" + "x" * 20,
    "Anthropic or OpenAI key": "sk-ant-" + "x1" * 20,
    "Google API key": "AIza" + "x" * 35,
    "Slack token": "xoxb-" + "1" * 12,
    "Hugging Face token": "hf_" + "x" * 34,
    "npm token": "npm_" + "x" * 36,
    "PyPI token": "pypi-" + "x" * 60,
    "Stripe key": "sk_live_" + "x" * 24,
    "JSON web token": "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    "private key": "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----",
    "password in an address": "ada:hunter22",
    "authorization header": "abcdef123456789",
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_of_each_form_is_found_and_named(name):
    before = {"password in an address": "https://", "authorization header": "Authorization: Bearer "}.get(name, "x = ")
    after = "@host/x" if name == "password in an address" else " y"
    redactor = Redactor()
    assert redactor.text(before + EXAMPLES[name] + after) == before + MARK + after
    assert redactor.found == {name: 1}


@pytest.mark.parametrize(
    "text", ["risk-averse-investment-strategy-2025", "task-0123456789012345678901", "eyJ", "a@b:c"]
)
def test_ordinary_words_stay(text):
    assert Redactor().text(text) == text


def test_a_secret_over_the_border_of_pieces_is_found_and_the_rest_stays():
    whole = f"key={TOKEN}; next"
    for cut in range(1, len(whole)):
        for other in (cut, min(cut + 5, len(whole))):
            pieces = Redactor().pieces([whole[:cut], whole[cut:other], whole[other:]])
            assert "".join(pieces) == f"key={MARK}; next"


def test_own_patterns_are_redacted_in_every_text_but_not_in_keys():
    redactor = Redactor(["ada"], scan=False)
    assert redactor.value({"ada": ["by ada", 3, None, TOKEN]}) == {"ada": [f"by {MARK}", 3, None, TOKEN]}
    with pytest.raises(UsageError, match="is no regular expression"):
        Redactor(["("])


def test_a_secret_on_the_screen_leaves_with_no_export(recorded):
    recorded.open_terminal()
    recorded.turn("cat token", TOKEN[:10].encode(), TOKEN[10:].encode() + b"\r\n")
    recorded.store(SessionEnded(0))
    assert MARK in json.dumps(trajectory(recorded))
    assert TOKEN not in json.dumps(trajectory(recorded))
    assert MARK in "".join(cast(recorded))
    assert TOKEN[10:] not in "".join(cast(recorded))
