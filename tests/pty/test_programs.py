"""Programs that draw a screen of their own, and terminals in terminals: what is seen in the end is the same."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable

import pyte
import pytest

pytestmark = pytest.mark.slow

#: A door of its own inside the shell; its listener only has a status line.
INNER = (
    "import os, sys; from tabshell.shell.bash import find_bash; from tabshell.shell.door import DoorOptions, run\n"
    "class Quiet:\n"
    "    def output(self, data, at): pass\n"
    "    def command_started(self, start): pass\n"
    "    def command_finished(self, end): return b'[inner]'\n"
    "    def stop_attempted(self, stop): return None\n"
    "    def resized(self, rows, columns): pass\n"
    "    def synchronise(self): pass\n"
    "    def settle(self): return b''\n"
    "sys.exit(run(find_bash(None, os.environ), dict(os.environ), Quiet(), DoorOptions()).status)\n"
)


def screen_of(shown: bytes) -> list[str]:
    """The rows of the terminal after these bytes, without blanks at their ends."""
    screen = pyte.Screen(80, 24)
    pyte.ByteStream(screen).feed(shown)
    return [row.rstrip() for row in screen.display]


def in_both(kitchen, play: Callable, **options) -> list:
    """What ``play`` gives of a plain shell, and of one behind the door."""
    return [play(kitchen.start(door, **options)) for door in (False, True)]


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_tmux_inside_shows_the_same_screen(kitchen):
    def play(shell):
        (kitchen.home / "tmux.conf").write_text(
            "set -g status off\nset -g default-command 'exec bash --rcfile inner.rc'\n"
        )
        (kitchen.home / "inner.rc").write_text("PS1='in> '\n")
        shell.send(b"TMUX_TMPDIR=$HOME tmux -f tmux.conf -L probe new-session\r")
        shell.until(lambda _: screen_of(shell.seen)[0].endswith("in>"))
        shell.send(b"echo one two; tput cols\r")
        shell.until(lambda _: "80" in screen_of(shell.seen) and screen_of(shell.seen)[3] == "in>")
        inside = screen_of(shell.seen)
        shell.send(b"exit\r")
        shell.until(lambda shown: b"exited" in shown and shown.endswith(b"@> "))
        return inside, screen_of(shell.seen), shell.finish()

    plain, behind = in_both(kitchen, play)
    assert plain[0][1] == "one two"
    assert behind == plain


@pytest.mark.skipif(shutil.which("htop") is None, reason="htop is not installed")
def test_htop_inside_comes_and_goes(kitchen):
    """Its picture differs each time; what stands there before and after does not, and it takes keys."""

    def play(shell):
        shell.line("echo before")
        shell.send(b"HTOPRC=/dev/null htop -d 50\r")
        shell.until(lambda shown: b"F10" in shown)
        shell.send(b"h")
        shell.until(lambda shown: b"htop" in shown)
        shell.send(b"\r")
        shell.send(b"q")
        shell.until(lambda shown: b"\x1b[?1049l" in shown and shown.endswith(b"@> "))
        shell.line("echo after $?")
        return [row for row in screen_of(shell.seen) if row][-3:], shell.finish()

    plain, behind = in_both(kitchen, play)
    assert "after 0" in plain[0]
    assert behind == plain


@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")
def test_vim_inside_follows_the_window(kitchen):
    def play(shell):
        shell.send(b"vim -u NONE -i NONE -n -N +'set noruler nosmd' f\r")
        shell.until(lambda shown: b"f" in shown and b"~" in shown)
        shell.process.setwinsize(12, 40)
        shell.until(lambda shown: b"\x1b[12;1H" in shown)
        shell.send(b"iabc\x1b:wq\r")
        shell.until(b"@> ")
        seen = shell.line("cat f; stty size")
        return seen, shell.finish()

    plain, behind = in_both(kitchen, play)
    assert b"12 40" in plain[0]
    assert behind == plain


def test_a_door_inside_a_door_is_one_command_of_the_outer(kitchen, door):
    (program := kitchen.home.parent / "inner.py").write_text(INNER)
    shell = door(env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)})
    shell.line("true")
    shell.send(f"{sys.executable} {program}\r".encode())
    shell.until(lambda shown: shown.count(b"@> ") == 1 and shown.endswith(b"@> "))
    for text in ("echo one", "echo two", "false"):
        assert b"[inner]\r\n" in shell.line(text)
    shell.line("exit 5")
    assert b"5\r\n" in shell.line("echo $?")
    shell.finish()
    commands = shell.commands()
    assert [status for _, status in commands] == [0, 5, 0, 0]
    assert commands[1][0].endswith("inner.py")
    assert b"7770" not in shell.seen
    assert b"one\r\n[inner]" in shell.outputs()[1]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGALRM])
def test_signals_while_a_foretold_command_runs_end_as_without_the_door(kitchen, number):
    def play(shell):
        shell.line("true")
        shell.line("true")
        shell.send(b"sleep 30\r")
        shell.until_runs("sleep")
        shell.kill(number)
        shell.send(b"\x03")
        if number in (signal.SIGTERM, signal.SIGINT):
            shell.until(lambda shown: shown.endswith(b"@> "))
            return shell.finish()
        return shell.wait()

    plain, behind = in_both(kitchen, play)
    assert (128 - behind if behind < 0 else behind) == (128 - plain if plain < 0 else plain)
