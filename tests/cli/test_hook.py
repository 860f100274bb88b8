"""``tabshell hook``: what is recorded, what is answered, and that nothing disturbs the agent."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tabshell.cli import hook
from tabshell.cli.agents.launch import prepare
from tabshell.model.facts import TurnShown
from tabshell.model.records import CommandRecord
from tabshell.session import Session, SessionOptions


@pytest.fixture
def documents(workspace) -> Path:
    """A workspace with a few documents."""
    (workspace / "report.md").write_text("# Report\nRevenue was 4.2 million.\n")
    (workspace / "notes.txt").write_text("alpha\nbeta\n")
    (workspace / "rows.txt").write_text("".join(f"row {number:05d}\n" for number in range(2000)))
    return workspace


@pytest.fixture
def environment(own_home) -> dict[str, str]:
    """An environment without a session."""
    return {"HOME": str(own_home), "TABSHELL_HOME": str(own_home / "sidecars"), "PATH": "/usr/bin:/bin"}


@pytest.fixture
def within(documents, environment) -> tuple[dict[str, str], Path]:
    """An environment inside a session, and the session's directory."""
    with Session.create(SessionOptions(str(documents), task="Report the revenue"), environment) as session:
        return {**environment, "TABSHELL_SESSION": str(session.directory)}, session.directory


def claude(event, cwd, session="s-1", **fields) -> str:
    return json.dumps({"session_id": session, "cwd": str(cwd), "hook_event_name": event, **fields})


def read(cwd, name="report.md", session="s-1", **fields) -> str:
    text = (Path(cwd) / name).read_text()
    file = {"filePath": str(Path(cwd) / name), "content": text, "numLines": 2, "startLine": 1, "totalLines": 2}
    return claude("PostToolUse", cwd, session, tool_name="Read", tool_input={"file_path": file["filePath"]},
                  tool_response={"type": "text", "file": file}, tool_use_id="t1", **fields)  # fmt: skip


def bash(cwd, command, stdout, session="s-1", **response) -> str:
    shown = {"stdout": stdout, "stderr": "", "interrupted": False, **response}
    return claude("PostToolUse", cwd, session, tool_name="Bash", tool_input={"command": command},
                  tool_response=shown, tool_use_id="t2")  # fmt: skip


def call(environment, text, agent="claude-code", event=None) -> dict | None:
    answer = hook.run(agent, event, text, environment)
    return json.loads(answer) if answer else None


def context(answer) -> str:
    return answer["hookSpecificOutput"]["additionalContext"]


def tab_of(directory):
    with Session.open(directory) as session:
        return session.tab(turns=True)


def only_session(environment) -> Path:
    (directory,) = (Path(environment["TABSHELL_HOME"]) / "sessions").iterdir()
    return directory


# -- what is recorded ---------------------------------------------------------------------------------------


def test_a_read_by_a_file_tool_becomes_an_entry_and_the_answer_is_the_status_line(within, documents):
    environment, directory = within
    answer = call(environment, read(documents))
    assert context(answer).startswith("[tab] requirements: none added yet")
    assert "read log: 1 entry" in context(answer)
    tab = tab_of(directory)
    assert [entry.logged.paths for entry in tab.entries.values()] == [("report.md",)]
    assert tab.entries[1].logged.command.startswith("Read ")


def test_a_command_that_no_shim_saw_is_recorded_by_the_hook(within, documents):
    environment, directory = within
    call(environment, bash(documents, "cat notes.txt", "alpha\nbeta"))
    (turn,) = tab_of(directory).turns.values()
    assert (turn.started.door, turn.started.command, turn.ended.exit_code) == ("hook", "cat notes.txt", 0)
    assert turn.files.read == ("notes.txt",)


def shim_saw(directory, documents, command, output):
    with Session.open(directory) as session:
        record = CommandRecord("shim", command, "argument", str(documents), output, 0, agent="claude-code")
        return session.recorder.record(record)


def test_a_command_that_the_shim_recorded_is_not_recorded_again(within, documents):
    environment, directory = within
    shim_saw(directory, documents, "cat notes.txt", b"alpha\nbeta\n")
    call(environment, bash(documents, "cat notes.txt", "alpha\nbeta"))
    tab = tab_of(directory)
    assert [turn.started.door for turn in tab.turns.values()] == ["shim"]
    with Session.open(directory) as session:
        (event,) = session.store.events(TurnShown)
    assert event.fact.call == "t2"
    assert event.fact.spans == ((0, 11),)


def test_the_same_command_twice_is_two_turns_and_each_hook_finds_its_own(within, documents):
    environment, directory = within
    for _ in range(2):
        shim_saw(directory, documents, "cat notes.txt", b"alpha\nbeta\n")
        call(environment, bash(documents, "cat notes.txt", "alpha\nbeta"))
    assert [turn.started.door for turn in tab_of(directory).turns.values()] == ["shim", "shim"]
    with Session.open(directory) as session:
        assert [event.fact.turn for event in session.store.events(TurnShown)] == [1, 2]


def test_of_an_output_that_the_agent_cut_only_the_shown_part_is_an_entry(within, documents):
    environment, directory = within
    whole = (documents / "rows.txt").read_text()
    shim_saw(directory, documents, "cat rows.txt", whole.encode())
    saved = {"persistedOutputPath": "/tmp/x", "persistedOutputSize": len(whole)}
    call(environment, bash(documents, "cat rows.txt", whole, **saved))
    with Session.open(directory) as session:
        (entry,) = session.tab().entries.values()
        text = session.entry_text(entry)
        assert entry.logged.truncated
        assert session.output(1) == whole.encode()  # the rest is kept, too
    assert text.startswith("row 00000\nrow 00001\n")
    assert len(text) <= 2000
    assert "row 00300" not in text


def test_explain_says_how_much_of_an_output_the_model_was_shown(within, documents, capsys):
    environment, directory = within
    whole = (documents / "rows.txt").read_text()
    shim_saw(directory, documents, "cat rows.txt", whole.encode())
    saved = {"persistedOutputPath": "/tmp/x", "persistedOutputSize": len(whole)}
    call(environment, bash(documents, "cat rows.txt", whole, **saved))
    from tabshell.cli.tabshell import main  # noqa: PLC0415

    assert main(["explain", str(directory), "1"]) == 0
    assert f"was shown 2,000 of {len(whole):,} bytes" in capsys.readouterr().out
    assert main(["explain", str(directory), "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shown"] == {"bytes": 2000, "of": len(whole)}


def test_a_subagents_read_is_logged_under_its_name(within, documents):
    environment, directory = within
    call(environment, read(documents, agent_id="a1", agent_type="Explore"))
    assert [entry.logged.agent for entry in tab_of(directory).entries.values()] == ["claude-code/Explore"]


def test_a_subagents_command_seen_by_the_shim_goes_to_its_name_too(within, documents):
    environment, directory = within
    shim_saw(directory, documents, "cat notes.txt", b"alpha\nbeta\n")
    payload = json.loads(bash(documents, "cat notes.txt", "alpha\nbeta")) | {"agent_id": "a1", "agent_type": "Explore"}
    call(environment, json.dumps(payload))
    assert [entry.logged.agent for entry in tab_of(directory).entries.values()] == ["claude-code/Explore"]


def test_a_tool_that_shows_no_file_is_neither_recorded_nor_answered(within, documents):
    environment, directory = within
    text = claude("PostToolUse", documents, tool_name="TodoWrite", tool_input={}, tool_response={})
    assert call(environment, text) is None
    assert not tab_of(directory).turns


# -- which session ------------------------------------------------------------------------------------------


def test_without_a_session_one_is_made_for_the_agents_own_id_and_found_again(environment, documents):
    call(environment, read(documents))
    call(environment, read(documents, "notes.txt"))
    directory = only_session(environment)
    tab = tab_of(directory)
    assert tab.session.agent_session == "s-1"
    assert tab.session.workspace == str(documents)
    assert len(tab.entries) == 2


def test_another_id_in_the_same_workspace_is_another_session(environment, documents):
    call(environment, read(documents, session="s-1"))
    call(environment, read(documents, session="s-2"))
    sessions = sorted((Path(environment["TABSHELL_HOME"]) / "sessions").iterdir())
    assert [tab_of(directory).session.agent_session for directory in sessions] == ["s-1", "s-2"]


def test_hooks_that_come_at_once_for_a_new_id_end_in_one_session(environment, documents):
    environment = {**environment, "TABSHELL_STATUS": "off"}
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); from tabshell.cli.hook import main; main(['claude-code'])"
    calls = [
        subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment
        )
        for _ in range(4)
    ]
    for process in calls:
        process.communicate(read(documents).encode())
    assert len(tab_of(only_session(environment)).turns) == 4


def test_a_workspace_around_the_sidecar_is_left_alone(environment, own_home):
    (own_home / "report.md").write_text("text\n")
    assert hook_main(environment, read(own_home)) == ""
    assert "SidecarInWorkspace" in (own_home / "sidecars" / "hook.log").read_text()


# -- what is answered ---------------------------------------------------------------------------------------


def test_the_status_line_is_left_to_the_shim_where_the_model_saw_it_there(within, documents):
    environment, directory = within
    status = "[tab] requirements: none added yet | ops: tab add list show resolve"
    shim_saw(directory, documents, "cat notes.txt", b"alpha\nbeta\n")
    payload = {
        "session_id": "s-1", "cwd": str(documents), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "cat notes.txt"}, "tool_response": f"alpha\nbeta\n{status}\n",
    }  # fmt: skip
    assert call(environment, json.dumps(payload), "codex") is None
    shim_saw(directory, documents, "cat notes.txt", b"alpha\nbeta\n")
    payload["tool_response"] = "alpha\nbeta\n"  # the agent lost the end of the output
    assert "[tab] requirements" in context(call(environment, json.dumps(payload), "codex"))


def test_status_off_means_no_answer_but_a_record(within, documents):
    environment, directory = within
    assert call({**environment, "TABSHELL_STATUS": "off"}, read(documents)) is None
    assert len(tab_of(directory).entries) == 1


def test_the_finish_check_is_given_at_the_first_stop_and_at_no_other(within, documents):
    environment, _ = within
    call(environment, read(documents))
    first = call(environment, claude("Stop", documents, stop_hook_active=False))
    assert context(first).startswith("[tab] Finish check: you are about to stop.")
    assert call(environment, claude("Stop", documents, stop_hook_active=True)) is None
    assert call(environment, claude("Stop", documents, stop_hook_active=False)) is None


def test_a_session_in_which_nothing_was_recorded_gets_no_finish_check(within, documents):
    environment, _ = within
    assert call(environment, claude("Stop", documents)) is None


def test_a_stop_while_a_subagent_runs_is_no_stop(within, documents):
    environment, _ = within
    call(environment, read(documents))
    running = [{"type": "subagent", "status": "running", "id": "a1"}]
    assert call(environment, claude("Stop", documents, background_tasks=running)) is None
    assert call(environment, claude("Stop", documents, background_tasks=[])) is not None


def test_a_subagents_stop_is_no_stop(within, documents):
    environment, _ = within
    call(environment, read(documents))
    assert call(environment, claude("SubagentStop", documents, agent_id="a1")) is None


def test_at_the_start_the_model_is_told_how_to_use_the_tab(within, environment, documents):
    told = context(call(within[0], claude("SessionStart", documents, source="startup")))
    assert "`tab add`" in told
    without = context(call(environment, claude("SessionStart", documents, source="startup", session="new")))
    assert f"`{environment['TABSHELL_HOME']}/sessions/" in without  # by its path, for it is not on PATH


def test_after_a_compaction_the_model_gets_the_tab_in_short(within, documents):
    environment, directory = within
    with Session.open(directory) as session:
        from tabshell.model.facts import RequirementAdded  # noqa: PLC0415

        session.append(RequirementAdded(0, 1, "Revenue of the year"))
    told = context(call(environment, claude("SessionStart", documents, source="compact")))
    assert "r1 [open] Revenue of the year" in told
    assert "`tab add`" not in told


def test_where_a_compaction_cannot_be_answered_the_next_tool_brings_the_digest_once(within, documents):
    environment, _ = within
    assert call(environment, claude("PreCompact", documents, trigger="auto")) is None
    assert "tab show L<n>" in context(call(environment, read(documents)))
    assert "tab show L<n>" not in context(call(environment, read(documents)))


# -- what goes wrong ----------------------------------------------------------------------------------------


def hook_main(environment, text, *words, monkeypatch=None) -> str:
    run = subprocess.run(
        [sys.executable, "-c", "import sys; from tabshell.cli.hook import main; sys.exit(main(sys.argv[1:]))",
         *(words or ("claude-code",))],
        input=text.encode() if isinstance(text, str) else text, capture_output=True, env=environment, check=False,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert run.returncode == 0
    assert run.stderr == b""
    return run.stdout.decode()


@pytest.mark.parametrize(
    "text",
    [b"", b"not json", b"[1, 2]", b'{"a": ', b"\xff\xfe\x00", b'{"hook_event_name": "PostToolUse"}', b"null"],
)
def test_malformed_or_foreign_json_is_answered_with_nothing_and_noted(within, text):
    environment, directory = within
    assert hook_main(environment, text) == ""
    assert "claude-code" in (directory / "hook.log").read_text()


def test_an_agent_that_nobody_knows_is_noted(within):
    environment, directory = within
    assert hook_main(environment, "{}", "no-such-agent") == ""
    assert "no agent 'no-such-agent'" in (directory / "hook.log").read_text()


def test_a_session_that_is_gone_is_noted_beside_the_sessions(environment, documents):
    gone = {**environment, "TABSHELL_SESSION": environment["TABSHELL_HOME"] + "/sessions/gone"}
    assert hook_main(gone, read(documents)) == ""
    assert "SessionNotFound" in (Path(environment["TABSHELL_HOME"]) / "hook.log").read_text()


def test_a_damaged_store_is_no_trouble_to_the_agent(within, documents):
    environment, directory = within
    (directory / "tab.db").write_bytes(b"rubbish" * 1000)
    assert hook_main(environment, read(documents)) == ""
    assert (directory / "hook.log").read_text()


def test_a_hook_prints_its_json_and_nothing_else(within, documents):
    environment, _ = within
    out = hook_main(environment, read(documents))
    assert out.count("\n") == 1
    assert json.loads(out)["hookSpecificOutput"]["hookEventName"] == "PostToolUse"


def test_the_launcher_in_the_sidecar_runs_by_itself(within, documents):
    environment, directory = within
    with Session.open(directory) as session:
        start = prepare(session, ["claude"], environment)
    launcher = directory / "agent" / "tabshell-hook"
    run = subprocess.run(
        [str(launcher), "claude-code", "PostToolUse"], input=read(documents).encode(), capture_output=True,
        env=start.environment, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, b"")
    assert "[tab] requirements" in run.stdout.decode()


def clerks(directory) -> list[int]:
    """The processes that attend this session."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and os.fsencode(directory) in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def test_outside_tabshell_run_the_first_hook_leaves_a_clerk_that_answers_the_next(environment, documents):
    assert "[tab] requirements" in hook_main(environment, read(documents))
    directory = only_session(environment)
    (clerk,) = clerks(directory)
    try:
        assert "2 entries" in hook_main(environment, read(documents, "notes.txt"))
        assert clerks(directory) == [clerk]
    finally:
        os.kill(clerk, signal.SIGKILL)


def test_a_clerk_that_was_killed_is_no_trouble(environment, documents):
    hook_main(environment, read(documents))
    directory = only_session(environment)
    (clerk,) = clerks(directory)
    os.kill(clerk, signal.SIGKILL)
    assert "2 entries" in hook_main(environment, read(documents, "notes.txt"))
    (another,) = clerks(directory)
    os.kill(another, signal.SIGKILL)


def test_reading_stops_at_a_bound(within, monkeypatch, capsys):
    environment, _ = within
    monkeypatch.setattr(hook, "LARGEST_INPUT", 100)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 1000)))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert hook.main(["claude-code"]) == 0
    assert capsys.readouterr() == ("", "")
