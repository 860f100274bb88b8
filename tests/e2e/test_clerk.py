"""A terminal's session with its clerk: ``tab`` is answered by another process and nobody can tell."""

from __future__ import annotations

import os
import time

import pytest

from tabshell.cli.tab_client import Caller, ask
from tabshell.session.clerk import SOCKET, answers
from tabshell.store.locate import home, session_directories


@pytest.fixture
def attended(terminal, workspace):
    """A terminal whose session has its clerk, and the session's directory."""
    (workspace / "a.txt").write_text("alpha 17\nbeta 4\n")
    shell = terminal("-q", "--task", "report alpha")
    (directory,) = session_directories(home(os.environ))
    until = time.monotonic() + 30
    while ask(["status"], str(directory), Caller()) is None:
        assert time.monotonic() < until, "no clerk came"
        time.sleep(0.02)
    return shell, directory


def test_tab_sees_what_its_own_line_showed_and_the_next_prompt_knows_what_tab_did(attended):
    shell, directory = attended
    shown = shell.run("cat a.txt; tab list log; tab show L1")
    assert shown.count("alpha 17") == 2
    assert "L1: a.txt (turn 1, " in shown
    assert "requirements: 1 open (r1)" in shell.status("tab add 'the alpha figure'")
    assert "last tab access: this turn" in shell.status("tab list")
    assert shell.run("tab resolve r1 done a.txt").startswith("r1 done (L1). Open: 0.\n")
    assert shell.run("printf 'one\\ntwo\\n' | tab add; tab add < /dev/null; echo $?").startswith("r2: one\nr3: two\n")
    assert shell.run("ls; tab list candidates").count("a.txt") == 1  # opened: no candidate
    assert "[tab] Finish check: you are about to leave the shell." in shell.run("exit")
    shell.leave()
    assert not answers(directory)
    assert not (directory / SOCKET).exists()


def test_what_the_clerk_printed_is_neither_read_nor_listed(attended, exported):
    shell, _ = attended
    shell.run("ls")
    shell.run("tab list candidates")
    shell.run("tab list candidates | cat > kept.txt; cat kept.txt")
    shell.run("exit")
    shell.leave()
    turns = exported()["turns"]
    assert [turn["listed"] for turn in turns[:3]] == [["a.txt"], [], []]
