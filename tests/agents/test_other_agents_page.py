"""The examples of docs/how-to/other-agents.md do what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tabshell.session import Session

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "other-agents.md").read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
AGENT = """#!/bin/sh
echo "$@" > "$HOME/words"
bash -c 'cat sales.txt'
/bin/bash -c 'head -1 sales.txt'
"""


@pytest.fixture
def house(own_home, monkeypatch):
    """A home with a folder of documents and the programs that the page calls."""
    documents, programs = own_home / "documents", own_home / "programs"
    documents.mkdir()
    programs.mkdir()
    (documents / "sales.txt").write_text("Net sales of the quarter: 348,800 EUR\n")
    (documents / "task.md").write_text("Report the net sales.")
    (programs / "my-agent").write_text(AGENT)
    (programs / "tabshell").write_text(f'#!/bin/sh\nexec {sys.executable} -m tabshell "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("TMUX_TMPDIR", str(own_home))
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.chdir(documents)
    return own_home


def recorded(house):
    (directory,) = (house / "sidecars" / "sessions").iterdir()
    with Session.open(directory) as session:
        return [turn.started.command for turn in session.tab(turns=True).turns.values()]


@pytest.mark.parametrize("number", [0, 1])
def test_an_unknown_agent_is_recorded_and_can_be_told_of_the_tab(number, house):
    run = subprocess.run(["bash", "-c", SHELL[number]], capture_output=True, text=True)
    assert run.returncode == 0
    assert run.stdout == "Net sales of the quarter: 348,800 EUR\n" * 2
    assert "[tab] requirements: none added yet" in run.stderr
    assert "[tab] Finish check" in run.stderr
    assert {"cat sales.txt", "head -1 sales.txt"} <= set(recorded(house))
    assert ("tab resolve" in (house / "words").read_text()) == (number == 1)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_tmux_shows_the_status_line(house):
    try:
        subprocess.run(["bash", "-ec", SHELL[2].rpartition("\n")[0].rpartition("\n")[0]], check=True)
        look = SHELL[2].strip().splitlines()[-1]
        assert look.startswith("tmux capture-pane")
        until = time.monotonic() + 60
        shown = ""
        while "2 unopened" not in shown and time.monotonic() < until:
            shown = subprocess.run(["bash", "-c", look], capture_output=True, text=True, check=True).stdout
        assert "r1: net sales of the quarter" in shown
        assert "[tab] requirements: 1 open (r1), 0 resolved | candidates: 2 unopened" in shown
    finally:
        subprocess.run(["tmux", "kill-server"], check=False)


@pytest.mark.slow
def test_pexpect_waits_for_the_status_line(house):
    program = PYTHON[0] + "\nprint(shell.before)\nshell.close(force=True)\n"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert "348,800 EUR" in run.stdout
    assert recorded(house) == ["cat sales.txt"]
