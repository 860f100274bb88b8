"""A line that was typed straight through starts no process of ours; whatever else came of it is told as what ran."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tabshell.shell.bash import READS_ITSELF, Bash, find_bash


def waited_for(shell) -> int:
    """Page faults of the children that the shell has waited for: any child makes a few hundred."""
    (bash,) = [int(word) for word in Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()]
    return int(Path(f"/proc/{bash}/stat").read_text().rpartition(")")[2].split()[8])


needs_reading_without_a_process = pytest.mark.skipif(
    find_bash(os.environ.get("BASH_UNDER_TEST"), os.environ).version < READS_ITSELF,
    reason="this bash starts a process for $(<file): no line is foretold",
)


@needs_reading_without_a_process
def test_a_line_typed_straight_through_starts_no_process(door):
    """After one line told at length; wherever that knowledge is missing there is a process, and the truth."""
    shell = door()
    shell.line("echo first")
    before = waited_for(shell)
    for number in range(5):
        shell.line(f"echo {number}")
    assert waited_for(shell) == before
    shell.line("cd /tmp")
    shell.line("true; echo $PWD")
    assert waited_for(shell) > before
    shell.finish()
    starts = [(start.value["command"], start.value["text_from"]) for start in shell.heard("start")]
    assert starts == [
        (text, "history")
        for text in ("echo first", *(f"echo {number}" for number in range(5)), "cd /tmp", "true; echo $PWD", "exit")
    ]
    assert shell.outputs()[1:4] == [b"0\r\n", b"1\r\n", b"2\r\n"]


def test_an_older_bash_is_told_of_no_line(door):
    """Before 5.2 reading a file takes a process as well."""
    found = find_bash(None, {"PATH": "/usr/local/bin:/usr/bin:/bin"})
    shell = door(bash=Bash(found.path, found.name, (5, 1)))
    shell.line("echo a")
    before = waited_for(shell)
    shell.line("echo b")
    assert waited_for(shell) > before
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["echo a", "echo b", "exit"]


@needs_reading_without_a_process
def test_a_key_that_became_something_else_is_told_as_what_ran(door):
    """A plain key that types other text: what was typed is not what ran, and is never told."""
    shell = door()
    shell.line("echo a")
    shell.line("""bind '"q": "echo w"'""")
    shell.line("q")
    shell.line("q")
    shell.line("echo b")
    shell.finish()
    told = [(start.value["command"], start.value["text_from"]) for start in shell.heard("start")][2:]
    # the first one was foretold and is unknown then; from there on the history is asked
    assert told == [("", "unknown"), ("echo w", "history"), ("echo b", "history"), ("exit", "history")]


def test_lines_typed_without_echo_are_told_by_the_history(door):
    shell = door()
    shell.line("echo a")
    shell.line("stty -echo")
    shell.line("echo hidden")
    shell.line("stty echo")
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["echo a", "stty -echo", "echo hidden", "stty echo", "exit"]


def test_a_shell_whose_stderr_goes_elsewhere_puts_no_mark_there(door, kitchen):
    shell = door()
    shell.line("echo a")
    shell.send(b"exec 2>err\r")
    shell.until(lambda shown: b"err\r\n" in shown)
    shell.settle()  # its prompts are not to be seen now
    shell.send(b"echo b; sleep 0\r")
    shell.until(lambda shown: b"b\r\n" in shown)
    shell.settle()
    shell.send(b"exec 2>/dev/tty\r")
    shell.until(b"@> ")
    shell.finish()
    assert b"7770" not in (kitchen.home / "err").read_bytes()
    assert [text for text, _ in shell.commands()] == [
        "echo a",
        "exec 2>err",
        "echo b; sleep 0",
        "exec 2>/dev/tty",
        "exit",
    ]


def test_typed_ahead_lines_have_each_their_own_text(door):
    shell = door()
    shell.line("echo a")
    for _ in range(3):
        shell.send(b"echo one\recho two\recho three\r")
        shell.until(lambda shown: shown.count(b"@> ") >= 3 and shown.endswith(b"@> "))
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["echo a", *["echo one", "echo two", "echo three"] * 3, "exit"]
