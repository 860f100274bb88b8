"""What a shim's run leaves in the session: turns, entries, the running turn, the status line, and when nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from tabshell.model.facts import StreamOpened, TurnEnded, TurnStarted
from tabshell.session import Session
from tabshell.session.clerk import answers, clerk


def _turns(session):
    session.catch_up()
    tab = session.tab(turns=True)
    return [turn for turn in tab.turns.values() if turn.ended is not None]


@pytest.fixture
def run(bash, shim_env):
    """Runs the session's bash with these words; gives what came out."""

    def call(*words, **options):
        options = {"stdin": subprocess.DEVNULL, "env": shim_env, "timeout": 30, "check": False, **options}
        return subprocess.run([bash, *words], capture_output=True, **options)

    return call


def test_a_command_is_a_turn_with_its_text_directory_status_output_and_times(session, run, workspace):
    before = time.time()
    run("-c", "echo out; echo err >&2; exit 3")
    (turn,) = _turns(session)
    assert turn.started.command == "echo out; echo err >&2; exit 3"
    assert (turn.started.door, turn.started.text_from) == ("shim", "argument")
    assert turn.started.cwd == str(workspace)
    assert turn.ended.exit_code == 3
    assert session.output(turn.started.turn) == b"out\nerr\n"
    assert before < turn.started_at < time.time()
    assert 0 <= turn.ended.duration_s < 20


def test_what_was_shown_of_a_file_is_in_the_read_log(session, run, workspace):
    (workspace / "a.txt").write_text("alpha 17\nbeta 4\n")
    (workspace / "b.txt").write_text("gamma\n")
    run("-c", "cat a.txt; ls")
    tab = session.tab()
    assert [entry.logged.paths for entry in tab.entries.values()] == [("a.txt",)]
    assert list(tab.candidates) == ["b.txt"]


def test_turns_stand_in_the_order_in_which_they_began(session, run):
    for number in range(5):
        run("-c", f"echo {number}")
    assert [turn.started.command for turn in _turns(session)] == [f"echo {number}" for number in range(5)]


def test_two_at_once_are_two_turns(session, bash, shim_env):
    children = [
        subprocess.Popen([bash, "-c", f"sleep 0.2; echo {n}"], env=shim_env, stdout=subprocess.PIPE) for n in "ab"
    ]
    for child in children:
        child.communicate(timeout=20)
    assert sorted(turn.started.command[-1] for turn in _turns(session)) == ["a", "b"]


def test_a_script_and_its_arguments_are_told_as_one_would_type_them(session, run, workspace):
    (workspace / "my script.sh").write_text("echo ran $1\n")
    assert run("my script.sh", "x y").stdout == b"ran x y\n"
    (turn,) = _turns(session)
    assert turn.started.command == "bash 'my script.sh' 'x y'"


def test_commands_from_a_file_are_told_by_their_text(session, run, workspace):
    (workspace / "commands").write_text("echo one\necho two\n")
    with (workspace / "commands").open() as stream:
        run(stdin=stream)
    (turn,) = _turns(session)
    assert turn.started.command == "echo one\necho two\n"


def test_commands_that_wait_in_a_pipe_are_told_by_their_text(session, bash, shim_env):
    read, write = os.pipe()
    os.write(write, b"echo piped\nread x\nthe rest\n")
    os.close(write)
    done = subprocess.run([bash], stdin=read, capture_output=True, env=shim_env, check=False, timeout=20)
    os.close(read)
    assert done.stdout == b"piped\n"
    (turn,) = _turns(session)
    assert turn.started.command.startswith("echo piped\n")


@pytest.mark.parametrize("words", [["-c", ""], ["-c", "  \n"], ["-n", "x"], ["--version"], ["-c"], ["-nc", "echo"]])
def test_what_is_no_command_is_no_turn(session, run, words):
    run(*words)
    assert _turns(session) == []


def test_a_shell_inside_is_not_recorded_again(session, run):
    run("-c", 'bash -c "bash -c \\"echo deep\\""; "$BASH" -c "echo again"')
    assert len(_turns(session)) == 1


def test_a_shell_of_another_session_inside_is_recorded_there(session, run, tmp_path):
    run("-c", f"TABSHELL_SHIM={tmp_path}/elsewhere {session.directory}/bin/bash -c 'echo own'")
    assert len(_turns(session)) == 2


def test_an_appended_file_is_read_from_where_it_ended(session, bash, shim_env, tmp_path):
    path = tmp_path / "task.output"
    path.write_bytes(b"earlier\n")
    with path.open("ab") as stream:
        subprocess.run([bash, "-c", "echo new; echo err >&2"], stdout=stream, stderr=stream, env=shim_env, check=True)
    (turn,) = _turns(session)
    assert session.output(turn.started.turn) == b"new\nerr\n"


def test_a_command_killed_with_its_group_keeps_what_it_showed(session, bash, shim_env, until):
    child = subprocess.Popen(
        [bash, "-c", "echo shown; sleep 60"], stdout=subprocess.PIPE, env=shim_env, start_new_session=True
    )
    assert child.stdout.readline() == b"shown\n"
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate(timeout=10)
    (turn,) = until(lambda: _turns(session))
    assert session.output(turn.started.turn) == b"shown\n"
    assert turn.ended.exit_code is None
    assert "killed" in turn.ended.unobserved


def test_a_command_whose_process_was_killed_alone_has_that_status(session, bash, shim_env, until):
    child = subprocess.Popen([bash, "-c", "echo shown; exec sleep 60"], stdout=subprocess.PIPE, env=shim_env)
    assert child.stdout.readline() == b"shown\n"
    child.kill()
    child.wait(10)
    (turn,) = until(lambda: _turns(session))
    assert turn.ended.exit_code == 137
    child.stdout.close()


def test_tab_sees_what_its_own_command_showed_before_it(session, run, workspace):
    (workspace / "a.txt").write_text("alpha 17\n")
    done = run("-c", "cat a.txt; tab list log; tab show L1; tab add 'a row'; echo end")
    assert b"L1: a.txt (turn 1" in done.stdout
    assert done.stdout.count(b"alpha 17") == 2
    (turn,) = _turns(session)
    tab = session.tab()
    assert [entry.logged.turn for entry in tab.entries.values()] == [1]
    assert tab.requirements[1].added.turn == 1
    assert session.output(1) == done.stdout
    assert turn.ended.exit_code == 0


def test_a_running_command_is_stored_in_one_stream(session, run, workspace):
    (workspace / "a.txt").write_text("alpha\n")
    run("-c", "cat a.txt; tab status >/dev/null; echo x; tab status >/dev/null; echo y")
    session.catch_up()
    opened = [event.fact for event in session.store.events(StreamOpened)]
    assert len(opened) == 1
    assert session.output(1) == b"alpha\nx\ny\n"


def test_a_run_that_was_stored_before_its_taker_died_is_not_stored_twice(session, run):
    run("-c", "echo once")
    (file,) = (session.directory / "inbox").glob("*.rec")
    data = file.read_bytes()
    session.take_in()
    file.with_name(file.name + ".taking").write_bytes(data)
    session.take_in()
    assert session.store.last_number(TurnStarted) == 1
    assert session.store.last_number(TurnEnded) == 1


def test_a_run_whose_taker_died_before_storing_is_stored(session, run):
    run("-c", "echo once")
    (file,) = (session.directory / "inbox").glob("*.rec")
    file.rename(file.with_name(file.name + ".taking"))
    assert len(_turns(session)) == 1
    assert list((session.directory / "inbox").glob("*.rec*")) == []


def test_no_status_line_unless_it_was_asked_for(run):
    assert run("-c", "echo x").stdout == b"x\n"


@pytest.mark.parametrize("with_clerk", [False, True], ids=["alone", "clerk"])
def test_the_status_line_comes_last_on_a_line_of_its_own(session, run, shim_env, with_clerk, until):
    def check():
        done = run("-c", "printf x; exit 4", env={**shim_env, "TABSHELL_STATUS": "stdout"})
        assert done.stdout.startswith(b"x\n[tab] requirements: none added yet | ")
        assert done.stdout.endswith(b"\n")
        assert done.returncode == 4
        done = run("-c", "echo x", env={**shim_env, "TABSHELL_STATUS": "stderr"})
        assert done.stdout == b"x\n"
        assert done.stderr.startswith(b"[tab] requirements")
        assert run("-c", "", env={**shim_env, "TABSHELL_STATUS": "stdout"}).stdout == b""
        inner = run("-c", 'x=$(bash -c "echo in"); echo "[$x]"', env={**shim_env, "TABSHELL_STATUS": "stdout"}).stdout
        assert inner.startswith(b"[in]\n[tab] ")
        assert inner.count(b"[tab]") == 1

    if with_clerk:
        with clerk(session.directory):
            check()
    else:
        check()
        assert answers(session.directory)  # the first one started one
        session.end(0)
    until(lambda: not (session.directory / "clerk.sock").exists())
    assert all(b"[tab]" not in session.output(turn.started.turn) for turn in _turns(session))


def test_a_probe_and_a_hook_get_not_one_byte(session, run, shim_env):
    status = {**shim_env, "TABSHELL_STATUS": "stdout"}
    probe = run(
        "-c", "printf %s '__copilot_login_env_snapshot_1'; env -0 | sort -z | grep -zc TABSHELL_SHIM", env=status
    )
    assert probe.stdout == b"__copilot_login_env_snapshot_10\n"
    hook = run("-c", "cat", env={**status, "CLAUDE_PROJECT_DIR": "/x"}, stdin=None, input=b'{"a":1}')
    assert hook.stdout == b'{"a":1}'
    assert _turns(session) == []


def test_the_models_own_text_is_recorded(session, run, shim_env):
    wrapped = "shopt -u nullglob; _bgpids_file=x\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\necho model\n)\n__code=$?\nexit $__code"
    run("-c", wrapped, env={**shim_env, "GEMINI_CLI": "1"})
    (turn,) = _turns(session)
    assert turn.started.command == "echo model"
    assert turn.started.agent == "gemini"


def test_tab_is_found_behind_a_profile_that_resets_path(session, run, own_home):
    (own_home / ".bash_profile").write_text("PATH=/usr/bin:/bin\n")
    done = run("-lc", "tab status; bash -lc 'tab status'")
    assert done.stdout.count(b"[tab] requirements") == 2
    assert done.stderr == b""


def test_a_session_that_is_opened_anew_has_what_shims_wrote(session, run):
    run("-c", "echo x")
    with Session.open(session.directory) as again:
        assert len(_turns(again)) == 1
