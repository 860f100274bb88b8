"""A bash that lives long: fed through a pipe, or typed into on a terminal, it is recorded command by command."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import termios

import pexpect
import pytest

from tabshell.model.facts import TurnEnded, TurnStarted


class Tool:
    """Feeds a shell as the reference tool does: a command, a sentinel, an answer."""

    def __init__(self, words, env) -> None:
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, bufsize=0
        )

    def ask(self, command: str) -> str:
        self.process.stdin.write(f"{command}; echo '<<exit>>'\n".encode())
        out = b""
        while b"<<exit>>" not in out:
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, out
            out += data
        return out.decode()

    def leave(self, text: bytes = b"") -> int:
        if text:
            self.process.stdin.write(text)
        self.process.stdin.close()
        status = self.process.wait(20)
        self.process.stdout.close()
        self.errors = self.process.stderr.read()
        self.process.stderr.close()
        return status


def _commands(session) -> list[str]:
    session.catch_up()
    return [event.fact.command for event in session.store.events(TurnStarted)]


def _output(session, turn: int) -> str:
    return session.output(turn).decode()


@pytest.fixture
def tool(bash, shim_env, until):
    """The reference tool on the session's bash, started like it: nothing is written until the shell waits."""
    made = Tool([bash], shim_env)
    until(lambda: _reads_input(made.process.pid))
    yield made
    made.process.kill()
    made.process.wait(10)
    for stream in (made.process.stdin, made.process.stdout, made.process.stderr):
        if not stream.closed:
            stream.close()


def _reads_input(pid: int) -> bool:
    """Whether the shim has started its bash (its third process)."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            return len(children.read().split()) == 2
    except OSError:
        return False


def test_each_command_is_a_turn_without_the_sentinel(session, tool, workspace):
    (workspace / "a.txt").write_text("alpha 1\n")
    assert tool.ask("cat a.txt") == "alpha 1\n<<exit>>\n"
    assert tool.ask("(cd /; pwd)") == "/\n<<exit>>\n"
    assert tool.ask("x=5") == "<<exit>>\n"
    assert tool.ask("f() {\n echo multi $x\n}; f") == "multi 5\n<<exit>>\n"
    assert tool.leave(b"exit 7\n") == 7
    assert _commands(session) == ["cat a.txt", "(cd /; pwd)", "x=5", "f() {\n echo multi $x\n}; f", "exit 7\n"]
    assert [_output(session, turn) for turn in (1, 2, 3, 4)] == ["alpha 1\n", "/\n", "", "multi 5\n"]
    ends = [event.fact.exit_code for event in session.store.events(TurnEnded)]
    assert ends == [None, None, None, None, 7]


def test_tab_knows_its_turn_and_what_was_shown(session, tool, workspace):
    (workspace / "a.txt").write_text("alpha 1\n")
    tool.ask("echo first")
    answer = tool.ask("cat a.txt; tab list log")
    assert "L1: a.txt (turn 2" in answer
    tool.ask("tab add 'a row'")
    tool.leave()
    assert tool.errors == b""
    assert session.tab().requirements[1].added.turn == 3


def test_bash_itself_is_left_alone(tool):
    assert tool.ask("trap; echo $-; shopt -o history; declare -F") == "hBs\nhistory        \toff\n<<exit>>\n"
    tool.leave()


def test_a_command_that_reads_the_same_input_gets_it(tool):
    tool.process.stdin.write(b"read x; echo got $x\nhello\n")
    assert tool.ask("echo next") == "got hello\nnext\n<<exit>>\n"
    tool.leave()


def test_the_status_line_stands_inside_the_answer(bash, shim_env, until):
    tool = Tool([bash], {**shim_env, "TABSHELL_STATUS": "stdout"})
    until(lambda: _reads_input(tool.process.pid))
    lines = tool.ask("printf x").splitlines()
    assert lines[0] == "x"
    assert lines[1].startswith("[tab] requirements: none added yet")
    assert lines[2:] == ["<<exit>>"]
    assert tool.leave() == 0


def test_the_end_of_input_ends_the_shell(session, tool):
    tool.ask("true")
    assert tool.leave() == 0
    assert _commands(session) == ["true"]


# -- on a terminal -----------------------------------------------------------------------------------------


def _spawn(words, env, **options):
    return pexpect.spawn("/usr/bin/env", words, env=env, encoding="utf-8", timeout=20, **options)


@pytest.fixture
def prompted(shim_env):
    """A shell on a terminal as SWE-ReX keeps one."""
    shell = _spawn(["bash"], shim_env, echo=False)
    shell.sendline("export PS1='SHELLPS1PREFIX'; export PS2=''; export PS0=''")
    shell.expect("SHELLPS1PREFIX")
    yield shell
    shell.close(force=True)


def _ask(shell, command: str) -> tuple[str, int]:
    shell.sendline(command)
    shell.expect("SHELLPS1PREFIX")
    answer = shell.before
    shell.sendline("\necho EXITCODESTART$?EXITCODEEND")
    shell.expect(r"EXITCODESTART(\d+)EXITCODEEND")
    status = int(shell.match.group(1))
    shell.expect("SHELLPS1PREFIX")
    return answer, status


def test_an_interactive_shell_is_recorded_without_its_sentinels(session, prompted, workspace):
    (workspace / "a.txt").write_text("alpha 1\n")
    answer, status = _ask(prompted, "cat a.txt")
    assert "alpha 1" in answer
    assert status == 0
    assert _ask(prompted, "(exit 3)")[1] == 3
    prompted.sendline("exit 5")
    prompted.expect(pexpect.EOF)
    prompted.close()
    assert prompted.exitstatus == 5
    commands = _commands(session)
    assert commands[-3:] == ["cat a.txt", "(exit 3)", "exit 5"]
    assert not any("EXITCODE" in command for command in commands)
    assert [entry.logged.paths for entry in session.tab().entries.values()] == [("a.txt",)]


@pytest.mark.parametrize("words", [["--norc"], ["--noprofile", "--norc", "-i"], ["--login"], ["--rcfile", "own"]])
def test_the_rc_file_that_was_asked_for_is_read(session, shim_env, own_home, workspace, words):
    (own_home / ".bashrc").write_text("echo RC-FILE\n")
    (own_home / ".bash_profile").write_text("echo PROFILE-FILE\n")
    (workspace / "own").write_text("echo OWN-FILE\n")
    shell = _spawn(["bash", *words], shim_env)
    shell.sendline("echo rea''dy; exit")
    shell.expect(pexpect.EOF)
    shell.close()
    plain = _spawn(["/bin/bash", *words], {**shim_env, "PATH": "/usr/bin:/bin"})
    plain.sendline("echo rea''dy; exit")
    plain.expect(pexpect.EOF)
    plain.close()
    for text in ("RC-FILE", "PROFILE-FILE", "OWN-FILE", "\nready"):
        assert (text in shell.before) == (text in plain.before), (text, shell.before)
    assert any("ready" in command or "rea''dy" in command for command in _commands(session))


def test_one_command_on_a_terminal_keeps_it_a_terminal(session, shim_env):
    command = 'test -t 0 && test -t 1 && test -t 2 && stty size; read -r x; echo "got $x"; exit 3'
    # before the start: pexpect sets it a moment after, which a quick start does not wait for
    size = struct.pack("HHHH", 30, 90, 0, 0)
    sized = {"preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSWINSZ, size), "dimensions": (30, 90)}
    shell = _spawn(["bash", "-c", command], shim_env, **sized)
    shell.expect("30 90")
    shell.sendline("hey")
    shell.expect("got hey")
    shell.expect(pexpect.EOF)
    shell.close()
    assert shell.exitstatus == 3
    assert _commands(session) == [command]
    started = next(event.fact for event in session.store.events(TurnStarted))
    assert started.columns == 90
    assert "got hey" in _output(session, 1)
