"""Every transcript in ``fixtures/transcripts`` reads as the file beside it says, whatever its format."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabshell.errors import RecordingError, UsageError
from tabshell.recordings.all_recordings import READERS, detect, read

TRANSCRIPTS = Path(__file__).parents[2] / "fixtures" / "transcripts"
NAMES = sorted(path.stem for path in TRANSCRIPTS.glob("*.input"))


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_reads_as_expected(name, transcript, expected, describe):
    assert describe(read(transcript(name))) == expected(name)


def test_there_is_a_transcript_of_every_format(transcript):
    assert {detect(transcript(name)) for name in NAMES} == set(READERS)


def test_imported_records_come_through_the_import_door_and_are_not_confirmable(transcript):
    for name in NAMES:
        for record in read(transcript(name)).records:
            assert record.door == "import"
            assert not record.confirmable
            assert record.cwd.startswith("/")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith(("atif", "swe", "mini"))])
def test_what_stands_before_a_broken_line_is_kept_and_the_line_is_named(name, transcript):
    lines = transcript(name).splitlines(keepends=True)
    for cut in range(2, len(lines), max(1, len(lines) // 9)):
        broken = b"".join(lines[:cut]) + b'{"type": "user", "mess\n' + b"".join(lines[cut:])
        whole = read(b"".join(lines[:cut]), detect(transcript(name)))
        recording = READERS[whole.format](broken)
        assert str(recording.fault).startswith(f"line {cut + 1}: ")
        assert recording.records == whole.records


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"type": "assistant", "sessionId": "s"}, "line 1: message is missing"),
        ({"type": "user", "sessionId": "s", "message": "hi"}, "line 1: message is a text, not an object"),
        ({"type": "user", "sessionId": "s", "message": {}}, "line 1: message.content is missing"),
        (
            {"type": "user", "sessionId": "s", "message": {"content": ["hi"]}},
            "line 1: message.content[0] is a text, not an object",
        ),
        (
            {"type": "assistant", "sessionId": "s", "message": {"content": [{"type": "tool_use", "id": "1"}]}},
            "line 1: message.content[0].name is missing",
        ),
        ({"type": "response_item", "payload": {}, "timestamp": "x"}, "line 1: payload.type is missing"),
        ({"type": "session", "cwd": 3}, "line 1: cwd is a number, not a text"),
        ({"schema_version": "ATIF-v1.4"}, "line 1: agent is missing"),
        ({"schema_version": "ATIF-v9.0"}, "line 1: schema_version 'ATIF-v9.0'; ATIF-v1.0 to ATIF-v1.8 can be read"),
        (
            {"schema_version": "ATIF-v1.4", "agent": {"name": "a", "version": "1"}, "steps": []},
            "line 1: steps is missing or empty",
        ),
        ({"trajectory": [{"action": "ls"}]}, "line 1: trajectory[0].observation is missing"),
        ({"version": 2, "height": 24}, "line 1: no recording that tabshell knows"),
    ],
)
def test_a_known_line_with_missing_keys_is_an_error_that_names_it(line, message, to_json):
    with pytest.raises(RecordingError) as raised:
        read(to_json(line))
    assert str(raised.value).startswith(message)


def test_a_step_deep_in_a_document_is_named_by_its_own_line(transcript):
    text = transcript("atif_tools").decode().replace('"step_id": 5', '"step_id": 7')
    recording = read(text.encode())
    line = text[: text.index('"step_id": 7')].count("\n")  # the brace stands one line above
    assert str(recording.fault) == f"line {line}: steps[4].step_id is 7, not 5: steps count from 1"
    assert [record.command for record in recording.records][:2] == [
        "cat rates/day.csv",
        "str_replace_editor /srv/papers/notes/tariff.md",
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"hello\nworld\n",
        b"[]",
        b"[1, 2]",
        b"null",
        b'{"conversations": [{"content": "x"}]}',
        b'[{"conversations": [{"content": "x", "role": "user"}]}]',
        b'{"sessionId": "1", "projectHash": "2", "messages": [{"type": "user", "content": "x"}]}',
        b"\xff\xfe\x00",
        b"[" * 100000,
    ],
)
def test_what_is_no_recording_is_refused_with_the_formats_that_are(data):
    with pytest.raises(RecordingError, match=r"line 1: no recording that tabshell knows \(claude-code, codex"):
        read(data)


def test_an_unknown_format_name_is_a_usage_error():
    with pytest.raises(UsageError, match="no recording format 'cast'; there are claude-code"):
        read(b"{}", "cast")


def test_a_recording_of_one_format_is_refused_as_another(transcript):
    with pytest.raises(RecordingError, match="line 1: schema_version is missing"):
        read(transcript("mini_swe_agent_2_4"), "atif")
    with pytest.raises(RecordingError, match="line 1: version is missing"):
        read(transcript("claude_code_traps"), "asciicast")


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    at=st.floats(0, 1),
    junk=st.binary(max_size=12),
    drop=st.integers(0, 40),
    reader=st.sampled_from([None, *READERS]),
)
def test_damaged_files_give_a_recording_error_or_a_recording(name, at, junk, drop, reader):
    data = (TRANSCRIPTS / f"{name}.input").read_bytes()
    place = int(at * len(data))
    damaged = data[:place] + junk + data[place + drop :]
    try:
        outcome = read(damaged, reader).fault
    except RecordingError as refused:
        outcome = refused
    assert outcome is None or str(outcome).startswith("line ")


@pytest.mark.parametrize(
    ("cwd", "place"), [("-srv/papers", "/workspace/-srv/papers"), ("../x", "/x"), ("/a\0b", "/ab"), ("/srv", "/srv")]
)
def test_a_directory_that_can_be_none_counts_from_the_workspace(cwd, place, to_json):
    lines = [
        {"type": "session", "id": "p", "timestamp": "2025-12-01T09:00:00.000Z", "cwd": cwd},
        {"type": "message", "timestamp": "2025-12-01T09:00:01.000Z", "message": {"role": "assistant", "content": [
            {"type": "toolCall", "id": "1", "name": "bash", "arguments": {"command": "ls"}}]}},
        {"type": "message", "timestamp": "2025-12-01T09:00:02.000Z", "message": {
            "role": "toolResult", "toolCallId": "1", "toolName": "bash", "content": [{"type": "text", "text": "a"}]}},
    ]  # fmt: skip
    recording = read(b"\n".join(map(to_json, lines)), "pi")
    assert [record.cwd for record in recording.records] == [place]
    assert recording.workspace == place
