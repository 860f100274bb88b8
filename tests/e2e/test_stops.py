"""The first stop at the prompt is held, once; every other way out ends the shell at once with its own status."""

import signal

import pexpect
import pytest

CHECK = "[tab] Finish check"


@pytest.fixture
def shell(terminal):
    opened = terminal("--task", "report alpha")
    opened.run("tab add alpha")
    return opened


def test_end_of_input_is_held_once(shell):
    shell.child.sendcontrol("d")
    held = shell.to_prompt()
    assert CHECK in held
    assert "r1" in held
    shell.run("true")
    shell.child.sendcontrol("d")
    shell.child.expect(pexpect.EOF)
    assert CHECK not in shell.child.before
    shell.child.close()
    assert shell.child.exitstatus == 0


def test_exit_is_held_once_and_stays_a_builtin(shell):
    assert CHECK in shell.run("exit 3")
    assert "exit is a shell builtin" in shell.run("type exit")
    assert CHECK not in shell.leave("exit 4")
    assert shell.child.exitstatus == 4


@pytest.fixture
def keys_ignored():
    """As in what a script starts by ``&``: the signals of Ctrl-C and Ctrl-\\ are ignored."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGQUIT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_exit_is_held_and_ctrl_c_works_where_the_caller_ignores_interrupts(keys_ignored, terminal):
    shell = terminal("--task", "report alpha")
    shell.child.sendline("echo sta''rted; sleep 100")
    shell.child.expect_exact("started")
    shell.until_runs("sleep")
    shell.child.sendcontrol("c")
    shell.to_prompt()
    assert CHECK in shell.run("exit 3")
    assert CHECK not in shell.leave("exit 4")
    assert shell.child.exitstatus == 4


def test_logout_is_a_stop_too(shell):
    assert CHECK in shell.run("logout")


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("false || exit 5", 5),
        ("leave() { exit 6; }; leave", 6),
        ("set -e; false", 1),
        ("exec sh -c 'exit 7'", 7),
        ("echo exit 8 > /dev/null; exit 8", 8),
        ("trap 'exit 9' USR1; kill -USR1 $$", 9),
        ("printf 'exit 10' > s; . ./s", 10),
    ],
)
def test_other_ways_out_end_at_once_and_the_check_comes_behind(shell, line, status):
    rest = shell.leave(line)
    assert CHECK in rest
    assert shell.child.exitstatus == status


def test_an_exit_inside_parentheses_is_no_stop(shell):
    assert CHECK not in shell.run("(exit 3); echo $?")
    assert CHECK in shell.run("exit")


def test_a_trap_of_the_users_own_on_interrupt_outranks_the_hold(shell):
    shell.run("trap 'echo mine' INT")
    rest = shell.leave("exit 2")
    assert "mine" not in rest
    assert CHECK in rest
    assert shell.child.exitstatus == 2


def test_a_shell_that_was_killed_gets_no_check(shell, exported):
    rest = shell.leave("kill -KILL $$")
    assert CHECK not in rest
    assert exported()["finish_check"] is None


def test_nothing_recorded_means_no_check(terminal):
    shell = terminal()
    assert CHECK not in shell.leave("exit 3")
    assert shell.child.exitstatus == 3


def test_the_switch_and_the_silent_status_leave_exit_alone(terminal):
    for option in (["--no-finish-check"], ["--status", "off"]):
        shell = terminal(*option)
        shell.run("tab add alpha")
        assert CHECK not in shell.leave("exit 3")
        assert shell.child.exitstatus == 3


def test_a_new_task_arms_the_check_again(shell):
    assert CHECK in shell.run("exit")
    shell.run("tab task 'another report'")
    assert CHECK in shell.run("exit")
    shell.leave("exit 0")
    assert shell.child.exitstatus == 0


def test_tab_finish_says_one_the_first_time_and_then_nothing_is_held(shell):
    asked = shell.run("tab finish; echo status $?")
    assert CHECK in asked
    assert "status 1" in asked
    assert "status 0" in shell.run("tab finish; echo status $?")
    assert CHECK not in shell.leave("exit 0")


def test_a_resumed_session_goes_on_where_it_was(shell, terminal, exported, tabshell):
    shell.run("exit")
    shell.leave("exit 0")
    again = terminal("--resume", "last")
    assert "requirements: 1 open (r1)" in again.status("true")
    again.leave("exit 0")
    session = exported()
    assert [turn["command"] for turn in session["turns"]] == ["tab add alpha", "exit", "exit 0", "true", "exit 0"]
    assert session["session"]["complete"] is True
    assert "the record holds" in tabshell("verify")
