"""The finish check: a bare exit or Ctrl-D is held once; everything else ends at once with its own status."""

from __future__ import annotations

import pytest

CHECK = b"[tab] Before you stop:\n  r1 is open"
SHOWN = b"[tab] Before you stop:\r\n  r1 is open"


def test_exit_is_held_once_and_ends_with_its_status_then(door):
    shell = door(check=CHECK)
    assert SHOWN in shell.line("exit 4")
    assert b"130\r\n" in shell.line("echo $?")
    assert shell.finish(b"exit 4\r") == 4
    assert [stop.value["stop"] for stop in shell.heard("stop")] == ["exit", "exit"]
    assert shell.commands() == [("exit 4", 130), ("echo $?", 0), ("exit 4", 4)]


def test_a_held_exit_leaves_one_line_break_between_check_and_prompt(door):
    shell = door(check=CHECK)
    shown = shell.line("exit")
    assert shown.endswith(SHOWN + b"\r\n\x1b[?2004h@> ")
    shell.finish()


@pytest.mark.parametrize("line", [b" exit", b"exit", b"logout", b"exit 0 "])
def test_each_form_of_a_bare_exit_is_held(door, line):
    shell = door(check=CHECK, rc="PS1='@> '\nHISTCONTROL=ignoreboth\n")
    assert SHOWN in shell.line(line)
    shell.finish()


def test_a_repeated_exit_that_history_drops_is_asked_again(door):
    """`exit` twice under ignoredups: the second is not in the history, and is recognised all the same."""
    shell = door(check=CHECK, rc="PS1='@> '\nHISTCONTROL=ignoredups\n")
    assert SHOWN in shell.line("exit")
    assert shell.finish(b"exit\r") == 130
    assert len(shell.heard("stop")) == 2


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"false || exit 5", 5),
        (b"leave", 6),
        (b". ./leaving", 8),
        (b"set -e; false", 1),
        (b"exec sh -c 'exit 9'", 9),
        (b"kill -9 $$", 137),
        (b"kill -HUP $$", 129),
        (b"{ exit 3; }", 3),
        (b"exit 2 #", 2),
    ],
)
def test_everything_else_ends_at_once(door, kitchen, line, status):
    shell = door(check=CHECK, rc="PS1='@> '\nleave() { exit 6; }\necho 'exit 8' >leaving\n")
    assert shell.finish(line + b"\r") == status
    assert shell.heard("stop") == []
    assert SHOWN not in shell.seen


def test_a_user_s_interrupt_trap_is_not_disturbed(door):
    """Holding works by an interrupt; where the user traps it the shell ends, and the trap has not run."""
    shell = door(check=CHECK, rc="PS1='@> '\ntrap 'echo TRAPPED' INT\n")
    assert shell.finish(b"exit 3\r") == 3
    assert b"TRAPPED" not in shell.seen
    assert shell.heard("stop") == []


def test_control_d_is_held_once(door):
    shell = door(check=CHECK)
    shell.send(b"\x04")
    assert shell.until(b"@> ").endswith(SHOWN + b"\r\n\x1b[?2004h@> ")
    shell.line("true")
    assert shell.finish(b"\x04") == 0
    assert [stop.value["stop"] for stop in shell.heard("stop")] == ["ctrl-d", "ctrl-d"]
    assert shell.seen == shell.stream()


def test_control_d_right_after_it_was_held_ends(door):
    shell = door(check=CHECK)
    shell.line("false")
    shell.send(b"\x04")
    shell.until(b"@> ")
    assert shell.finish(b"\x04") == 1


def test_control_d_behind_text_deletes(door):
    shell = door(check=CHECK)
    shell.send(b"echo ab\x01\x04")
    shell.line("")
    assert shell.heard("stop") == []
    shell.line("exit")
    shell.finish()


def test_control_d_for_a_program_reaches_it(door):
    shell = door(check=CHECK)
    shell.send(b"echo R''UN; cat\r")
    shell.until(lambda shown: b"RUN\r\n" in shown)
    shell.send(b"\x04")
    shell.until(b"@> ")
    assert shell.heard("stop") == []
    shell.line("exit")
    shell.finish()


def test_control_d_stays_bash_s_own_with_ignoreeof(door):
    shell = door(check=CHECK, rc="PS1='@> '\nIGNOREEOF=1\n")
    shell.send(b"\x04")
    assert b'Use "exit" to leave the shell.' in shell.until(b"@> ")
    assert shell.heard("stop") == []
    shell.line("exit")
    shell.finish()


def test_without_a_check_nothing_is_asked(door):
    shell = door()
    assert shell.finish(b"exit 7\r") == 7
    assert shell.heard("stop") == []


def test_history_holds_what_was_typed(door, kitchen):
    shell = door(check=CHECK, rc="PS1='@> '\nHISTCONTROL=ignorespace\n")
    shell.line("echo a")
    shell.line(" exit")
    shell.finish(b"exit 2\r")
    assert (kitchen.home / ".bash_history").read_bytes() == b"echo a\nexit 2\n"
