"""Imported sessions: every turn of real transcripts classified as it was labelled by hand, with times and task.

The two transcripts of 42 and 36 calls were made by Claude Code 2.1.332 and Codex 0.171 on the example workspace.
"""

import json
import os
from pathlib import Path

import pytest

import tabshell
from tabshell.access.disk.disk import Disk
from tabshell.cli.tabshell import main
from tabshell.errors import RecordingError
from tabshell.model.facts import RecordingGap
from tabshell.recordings.tree import RecordedTree
from tabshell.session import Session
from tabshell.session.importing import Moved, import_file

TRANSCRIPTS = Path(__file__).parents[2] / "fixtures" / "transcripts"
OFFICE = Path(tabshell.__file__).parent / "cli" / "demo" / "workspace"
KINDS = ("read", "searched", "listed")


def taken_in(name, **options):
    """(the session's directory, its tab) of an imported transcript."""
    made = import_file(TRANSCRIPTS / f"{name}.input", os.environ, **options)
    with Session.open(made.directory, readonly=True) as session:
        return made, session.tab(turns=True, catch_up=False)


def labels(name):
    return json.loads((TRANSCRIPTS / f"{name}.reads.json").read_text())


def of(files):
    return {kind: sorted(getattr(files, kind)) for kind in KINDS if getattr(files, kind)}


def wanted(label, *, with_copy):
    own = label.get("with_copy") if with_copy else None
    source = label if own is None else own
    return {kind: source[kind] for kind in KINDS if kind in source}


@pytest.mark.parametrize("name", ["claude_code_office", "codex_office"])
def test_without_the_files_each_turn_is_classified_as_labelled(name, own_home):
    _, tab = taken_in(name)
    assert {label["turn"]: of(tab.turns[label["turn"]].files) for label in labels(name)} == {
        label["turn"]: wanted(label, with_copy=False) for label in labels(name)
    }
    assert all(entry.logged.unconfirmed for entry in tab.entries.values())


@pytest.mark.parametrize("name", ["claude_code_office", "codex_office"])
def test_with_a_copy_of_the_files_each_turn_is_confirmed(name, own_home):
    _, tab = taken_in(name, copy=str(OFFICE))
    assert {label["turn"]: of(tab.turns[label["turn"]].files) for label in labels(name)} == {
        label["turn"]: wanted(label, with_copy=True) for label in labels(name)
    }
    logged = [entry.logged for entry in tab.entries.values()]
    shown = {path for entry in logged if entry.unconfirmed for path in set(entry.paths) - set(entry.derived_from)}
    assert all(path.startswith(("out/", "/tmp/")) for path in shown)
    assert all(entry.unconfirmed for entry in logged if any(path.startswith("/") for path in entry.paths))
    assert tab.session.workspace == os.path.realpath(OFFICE)


def test_a_file_outside_the_workspace_that_has_the_same_name_here_is_another_file(tmp_path):
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "a.txt").write_text("alpha")
    other = tmp_path / "other.txt"
    other.write_text("of this machine")
    files = Moved(Disk(), RecordedTree([]), "/recorded", str(tmp_path / "copy"))
    assert (files.text("/recorded/a.txt"), files.names("/recorded")) == ("alpha", ("a.txt",))
    assert (files.info(str(other)), files.content(str(other)), files.text(str(other))) == (None, None, None)
    assert files.names(str(tmp_path)) == ()


def test_what_the_agent_wrote_is_its_own_and_no_evidence(own_home):
    _, tab = taken_in("claude_code_office")
    own = {path for entry in tab.entries.values() if entry.logged.own for path in entry.logged.paths}
    assert own == {"out/memo.md", "out/notes.txt"}


def test_a_text_file_made_of_a_pdf_is_derived_from_it_in_a_later_turn(own_home):
    _, tab = taken_in("codex_office")
    assert any(entry.logged.derived_from == ("legal/lease_mill_lane.pdf",) for entry in tab.entries.values())


def test_the_session_keeps_the_times_the_task_and_the_agent_of_the_recording(own_home):
    made, tab = taken_in("claude_code_office")
    assert (made.format, made.turns, made.fault) == ("claude-code", 42, None)
    assert tab.task == "Do what task.md asks for."
    assert (tab.session.agent, tab.session.model) == ("claude-code", "claude-sonnet-4-5")
    assert tab.session.agent_session is not None
    assert tab.session.workspace == "/home/ada/office"
    first, last = tab.turns[1], tab.turns[42]
    assert 0 < last.started_at - first.started_at < 60
    assert abs(tab.started_at - first.started_at) < 5
    assert tab.ended is not None
    assert tab.ended_at >= last.started_at


def test_outputs_are_stored_as_they_stand_in_the_recording(own_home):
    from tabshell.recordings.all_recordings import read  # noqa: PLC0415

    records = read((TRANSCRIPTS / "codex_office.input").read_bytes()).records
    made = import_file(TRANSCRIPTS / "codex_office.input", os.environ)
    with Session.open(made.directory, readonly=True) as session:
        assert [session.output(number) for number in range(1, 37)] == [record.output for record in records]


def test_nothing_on_this_machine_is_asked_without_a_copy(own_home, tmp_path):
    """A file of the same name here, with other content, changes nothing."""
    here = tmp_path / "srv"
    here.mkdir()
    (here / "a.txt").write_text("something else\n")
    path = tmp_path / "x.cast"
    lines = [
        '{"version": 2, "width": 80, "height": 24}',
        json.dumps([0.1, "o", f"u@h:{here}$ cat a.txt\r\nalpha one\r\n"]),
    ]
    path.write_text("\n".join(lines) + "\n")
    made = import_file(path, os.environ)
    with Session.open(made.directory, readonly=True) as session:
        tab = session.tab(turns=True, catch_up=False)
        assert tab.turns[1].files.read == ("a.txt",)
        assert session.entry_text(tab.entries[1]).strip() == "alpha one"


def test_paths_of_the_old_place_are_found_in_the_copy(own_home, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "a.txt").write_text("alpha one\nbeta two\n")
    path = tmp_path / "x.cast"
    show = "u@h:/srv/old$ head -1 /srv/old/a.txt\r\nalpha one\r\nu@h:/srv/old$ ls /srv/old/*\r\n/srv/old/a.txt\r\n"
    path.write_text('{"version": 2, "width": 80, "height": 24}\n' + json.dumps([0.1, "o", show]) + "\n")
    made = import_file(path, os.environ, copy=str(copy))
    with Session.open(made.directory, readonly=True) as session:
        tab = session.tab(turns=True, catch_up=False)
    assert [of(turn.files) for turn in tab.turns.values()] == [{"read": ["a.txt"]}, {"listed": ["a.txt"]}]
    assert tab.entries[1].logged.lines == (1, 1)
    assert not tab.entries[1].logged.unconfirmed


def test_a_broken_recording_keeps_what_came_before_and_says_so(own_home, tmp_path, capsys):
    path = tmp_path / "cut.jsonl"
    lines = (TRANSCRIPTS / "codex_office.input").read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:40]) + "no json\n")
    status = main(["import", str(path)])
    said = capsys.readouterr()
    assert status == 6
    assert "line 41: no valid JSON" in said.err
    identity = said.out.split(":")[0]
    with Session.open(own_home / "sidecars" / "sessions" / identity, readonly=True) as session:
        gaps = [event.fact for event in session.store.events(RecordingGap)]
        assert "line 41" in gaps[0].reason
        assert len(session.tab(turns=True, catch_up=False).turns) > 5


def test_a_file_that_is_no_recording_makes_no_session(own_home, tmp_path, capsys):
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    assert main(["import", str(path)]) == 6
    assert "no recording that tabshell knows" in capsys.readouterr().err
    assert main(["import", str(tmp_path / "none")]) == 6
    assert main(["import", str(path), "-w", str(tmp_path / "none")]) == 2
    assert not (own_home / "sidecars").exists()


@pytest.mark.parametrize("path", sorted(TRANSCRIPTS.glob("*.input")), ids=lambda path: path.stem)
def test_every_transcript_becomes_a_session_whose_turns_are_all_classified(path, own_home):
    made = import_file(path, os.environ)
    with Session.open(made.directory, readonly=True) as session:
        tab = session.tab(turns=True, catch_up=False)
        assert session.store.pending() == []
        faults = [
            reason for turn in tab.turns.values() for reason in turn.files.reasons if reason.rule == "internal fault"
        ]
        assert faults == []


def test_an_unreadable_file_is_one_clear_error(own_home, tmp_path):
    with pytest.raises(RecordingError, match=r"cannot read .*: No such file or directory"):
        import_file(tmp_path / "none.jsonl", os.environ)
