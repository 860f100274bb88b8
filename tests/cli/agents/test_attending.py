"""An agent that runs in a session: its status, its signals, and what comes at its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tabshell.cli.agents.attending import at_end, run_piped
from tabshell.cli.agents.launch import Start, prepare
from tabshell.cli.tabshell import main
from tabshell.model.records import CommandRecord
from tabshell.session import Session
from tabshell.store.locate import find, home


def start_of(*argv, **environment) -> Start:
    return Start("generic", argv, {"PATH": "/usr/bin:/bin", **environment})


def test_the_agents_status_is_ours():
    assert run_piped(start_of("/bin/sh", "-c", "exit 7")) == 7
    assert run_piped(start_of("/bin/sh", "-c", "kill -9 $$")) == -signal.SIGKILL


def test_an_agent_that_is_not_there_is_told_with_127(capsys):
    assert run_piped(start_of("no-such-agent-anywhere")) == 127
    assert "no-such-agent-anywhere: not found" in capsys.readouterr().err


def test_a_program_that_cannot_be_run_is_told_with_126(tmp_path, capsys):
    (tmp_path / "x").write_text("text")
    assert run_piped(start_of(str(tmp_path / "x"))) == 126
    assert str(tmp_path / "x") in capsys.readouterr().err


def test_a_signal_for_us_reaches_the_agent(tmp_path):
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from tabshell.cli.agents.attending import Start, run_piped;"
        "import os; sys.exit(run_piped(Start('generic', ('/bin/sh', '-c', 'trap \"echo got; exit 5\" TERM; echo ready;"
        " while :; do sleep 0.05; done'), dict(os.environ))))"
    )
    root = str(Path(__file__).parents[3])
    with subprocess.Popen([sys.executable, "-c", script, root], stdout=subprocess.PIPE) as ours:
        assert ours.stdout.readline() == b"ready\n"
        ours.send_signal(signal.SIGTERM)
        assert ours.stdout.read() == b"got\n"
    assert ours.returncode == 5


def recorded(session):
    session.recorder.record(CommandRecord("hook", "ls", "hook", session.started.workspace, b"", 0))


def test_the_end_brings_the_finish_check_on_stderr_where_no_hook_gave_it(session, capsys):
    recorded(session)
    assert at_end(session, start_of("x"), 3) == 3
    assert "[tab] Finish check: the shell or the agent has ended." in capsys.readouterr().err
    assert session.tab().ended.exit_code == 3


def test_on_finish_gets_the_check_and_gives_the_status(session, tmp_path, capsys):
    recorded(session)
    command = f'cat >"{tmp_path}/in"; printf %s "$TABSHELL_FINISH_CHECK" >"{tmp_path}/variable"; exit 4'
    assert at_end(session, start_of("x"), 0, command) == 4
    assert (tmp_path / "in").read_text() == (tmp_path / "variable").read_text()
    assert "Finish check" in (tmp_path / "in").read_text()
    assert capsys.readouterr().err == ""


def test_a_check_that_a_hook_gave_is_not_given_again(session, capsys):
    recorded(session)
    session.finish_check("hook")
    assert at_end(session, start_of("x"), 0, "exit 9") == 0
    assert capsys.readouterr().err == ""


def test_a_check_that_the_agent_ended_upon_is_given_after_all(session, capsys):
    recorded(session)
    session.finish_check("hook")
    (session.directory / "check-unanswered").touch()
    at_end(session, start_of("x"), 0)
    assert "Finish check" in capsys.readouterr().err


def test_a_killed_agent_gets_no_check(session, capsys):
    recorded(session)
    assert at_end(session, start_of("x"), -signal.SIGKILL) == 137
    assert capsys.readouterr().err == ""
    assert session.tab().ended.exit_code is None


def test_a_session_in_which_nothing_happened_ends_without_a_word(session, capsys):
    assert at_end(session, start_of("x"), 0, "exit 9") == 0
    assert capsys.readouterr().err == ""


def test_an_agent_killed_in_the_middle_of_a_command_leaves_what_was_shown(session, environment, workspace):
    (workspace / "a.txt").write_text("alpha\n")
    start = prepare(session, ["my-agent"], {**environment, "TABSHELL_STATUS": "off"})
    words = ["/bin/sh", "-c", "bash -c 'cat a.txt; exec sleep 60' & echo started; wait"]
    with subprocess.Popen(
        words, cwd=workspace, env=start.environment, stdout=subprocess.PIPE, start_new_session=True
    ) as agent:
        assert {agent.stdout.readline(), agent.stdout.readline()} == {b"started\n", b"alpha\n"}
        os.killpg(agent.pid, signal.SIGKILL)
    while not session.tab(turns=True).turns:
        pass  # the kernel takes a moment to end them all
    assert at_end(session, start, -signal.SIGKILL) == 137
    (turn,) = session.tab(turns=True).turns.values()
    assert turn.started.command == "cat a.txt; exec sleep 60"
    assert turn.ended.exit_code is None
    assert session.output(1) == b"alpha\n"


def test_when_an_agent_has_ended_every_turn_of_it_is_classified(workspace, monkeypatch):
    (workspace / "a.txt").write_text("alpha\n")
    monkeypatch.chdir(workspace)
    for agent in (["true"], ["sh", "-c", "bash -c 'cat a.txt'; kill -9 $$"]):
        main(["run", "--", *agent])
    with Session.open(find("last", home(os.environ)), readonly=True) as session:
        (turn,) = session.tab(turns=True, catch_up=False).turns.values()
    assert turn.files is not None
    assert turn.files.read == ("a.txt",)
