"""The first line waits for what is to see it, with everything else as in plain bash; the prompt waits for nothing."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import termios
import time
from pathlib import Path

import pytest

from tabshell.shell import firstline
from tabshell.shell.bash import SideFiles


class Flag:
    """Is ready when its file is there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self) -> None:
        self.path.with_name("begun").touch()

    @property
    def over(self) -> bool:
        return self.path.exists()


@pytest.fixture
def flag(tmp_path, monkeypatch) -> Flag:
    monkeypatch.setattr(firstline, "PATIENCE", 60.0)
    return Flag(tmp_path / "ready")


def until_waits(shell):
    """Waits until the shell has read its line and stands still: the hook is a child of it, asleep."""
    (bash,) = descendants(shell)
    end = time.monotonic() + 30
    while not children(bash):
        assert time.monotonic() < end, f"no hook; saw {shell.seen!r}"
        os.sched_yield()
    shell.settle()


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def descendants(shell):
    return [int(pid) for pid in children(shell.pid)]


def test_the_prompt_comes_at_once_and_the_first_line_waits(door, flag):
    shell = door(preparation=flag)
    assert flag.path.with_name("begun").exists()
    shell.send(b"echo R''UN\r")
    until_waits(shell)
    assert b"RUN" not in shell.seen
    assert shell.heard("start") == []
    flag.path.touch()
    assert b"\r\nRUN\r\n" in shell.until(b"@> ").replace(b"\x1b[?2004l\r", b"")
    shell.line("echo second")
    shell.finish()
    assert shell.commands()[:2] == [("echo R''UN", 0), ("echo second", 0)]
    assert shell.outputs()[:2] == [b"RUN\r\n", b"second\r\n"]


@pytest.mark.parametrize("check", [None, b"not yet"])
def test_a_line_typed_before_the_prompt_waits_too(door, flag, check):
    """Also one that the history drops, which might be a bare exit and is asked about anyway."""
    shell = door(preparation=flag, prompt=None, check=check, rc="PS1='@> '\nHISTCONTROL=ignorespace\n")
    shell.send(b" echo R''UN\r")
    shell.until(lambda shown: b"@> " in shown)
    until_waits(shell)
    assert shell.heard("start") == []
    flag.path.touch()
    shell.until(lambda shown: b"RUN\r\n" in shown and shown.endswith(b"@> "))
    shell.finish(b"exit\r" if check is None else b"exit\rexit\r")
    assert shell.commands()[0][1] == 0
    assert shell.outputs()[0] == b"RUN\r\n"


def test_the_line_does_not_wait_for_ever(door, flag, monkeypatch):
    monkeypatch.setattr(firstline, "PATIENCE", 0.05)
    shell = door(preparation=flag)
    assert b"RUN\r\n" in shell.line("echo R''UN")
    assert b"TWO\r\n" in shell.line("echo T''WO")
    shell.finish()
    assert shell.commands()[:2] == [("echo R''UN", 0), ("echo T''WO", 0)]


def test_keys_typed_meanwhile_are_the_commands(door, flag):
    shell = door(preparation=flag)
    shell.send(b"read -r x; echo got$x\r")
    until_waits(shell)
    os.write(shell.fd, b"some\x15more\r")
    flag.path.touch()
    assert b"gotmore\r\n" in shell.until(b"@> ")
    shell.finish()


@pytest.mark.parametrize("trap", ["", "trap 'echo t''rapped' INT\n"])
@pytest.mark.parametrize("outside", [False, True])
def test_an_interrupt_meanwhile_meets_the_command(kitchen, flag, trap, outside):
    """As in a plain bash, where the command runs already: it is not the line that is dropped."""
    seen = []
    for behind in (False, True):
        shell = kitchen.start(behind, rc=f"PS1='@> '\n{trap}", **({"preparation": flag} if behind else {}))
        shell.send(b"echo R''UN; read -r x; echo a''fter $? $x\r")
        if behind:
            until_waits(shell)
        else:
            shell.until(lambda shown: b"RUN\r\n" in shown)
            shell.settle()
        if outside:
            os.kill(shell.pid, signal.SIGINT)
        else:
            os.write(shell.fd, b"\x03")
        if behind:
            flag.path.touch()
        if trap:
            shell.until(lambda shown: b"RUN\r\n" in shown and b"trapped\r\n" in shown)
            shell.send(b"line\r")
        shell.until(lambda shown: shown.endswith(b"@> "))
        shell.line("echo $?")
        seen.append(shell.seen)
        shell.finish()
    assert b"RUN\r\n" in seen[0]
    assert seen[1:] == seen[:1]


def test_a_new_size_is_known_to_the_command(door, flag):
    shell = door(preparation=flag)
    shell.send(b"sleep 0.1; stty size\r")
    until_waits(shell)
    fcntl.ioctl(shell.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 0, 0))
    flag.path.touch()
    assert b"50 132\r\n" in shell.until(b"@> ")
    shell.finish()


@pytest.mark.parametrize(("keys", "status"), [([b"\x04"], 0), ([b"ab\x03", b"\x04"], 130)])
def test_an_end_at_the_first_prompt_waits_for_nothing(door, flag, keys, status):
    shell = door(preparation=flag)
    for key in keys:
        shell.send(key)
        if key == b"ab\x03":
            shell.until(b"@> ")
    assert shell.wait() == status


@pytest.mark.parametrize("key", [b"\x03", b"\x1c"])
def test_an_rc_file_is_interrupted_at_once(door, flag, key):
    shell = door(preparation=flag, prompt=None, rc="PS1='@> '\nsleep 100\n")
    shell.until_runs("sleep")
    shell.send(key)
    shell.until(lambda shown: b"@> " in shown)
    shell.finish(b"\x04")


def test_a_shell_killed_meanwhile_is_told(door, flag, monkeypatch):
    monkeypatch.setattr(firstline, "PATIENCE", 0.5)
    shell = door(preparation=flag)
    shell.send(b"echo RUN\r")
    until_waits(shell)
    os.kill(descendants(shell)[0], signal.SIGKILL)
    assert shell.wait() == 137
    assert shell.commands() == [("echo RUN", 137)]


def test_a_recording_that_breaks_meanwhile_holds_up_no_line(door, flag, monkeypatch):
    def broken(*_):
        raise OSError("broken")

    monkeypatch.setattr("tabshell.shell.door.Door._first_goes", broken)
    shell = door(preparation=flag)
    shell.send(b"echo R''UN\r")
    shell.until(lambda shown: b"RUN\r\n" in shown and shown.endswith(b"@> "))
    assert b"TWO\r\n" in shell.line("echo T''WO")
    shell.finish()


def test_a_shell_that_may_wait_nowhere_does_not(door, flag, monkeypatch):
    """Where no pipe can be made."""
    monkeypatch.setattr(SideFiles, "hold_first", lambda _: False)
    shell = door(preparation=flag)
    assert b"RUN\r\n" in shell.line("echo R''UN")
    shell.finish()


def test_only_what_may_be_an_exit_is_asked_about(door, tmp_path, monkeypatch):
    """A line that the history took and that is no exit runs without a question to the door."""
    asked = tmp_path / "asked"
    answer = SideFiles.answer

    def answered(side, token, *, hold):
        asked.touch()
        answer(side, token, hold=hold)

    monkeypatch.setattr(SideFiles, "answer", answered)
    shell = door(check=b"not yet")
    shell.line("echo one")
    shell.line("echo two; true")
    assert not asked.exists()
    shell.line("exit")
    assert asked.exists()
    shell.finish()
