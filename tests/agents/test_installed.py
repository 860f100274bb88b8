"""Hooks that were installed for good: a real agent, started by itself, is recorded in a session of its own."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tabshell.session import Session
from tabshell.session.summary import summarise

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = str(Path(__file__).parents[2])
PROGRAM = f"import sys; sys.path.insert(0, {ROOT!r}); from tabshell.__main__ import main; sys.exit(main())"
NAMES = ["pi", "claude-code", "gemini", "qwen", "copilot", "opencode"]
#: ``qwen -p`` calls no hook when it ends, ``opencode run`` is gone before one could hold it.
NO_END, NO_CHECK = "qwen", "opencode"
WANTED = os.environ.get("TABSHELL_AGENTS_WANTED", "").split()


@pytest.mark.parametrize("name", [name for name in NAMES if not WANTED or name in WANTED])
def test_an_agent_with_installed_hooks_is_recorded(name, driving, agents_cache, tmp_path):
    missing = driving.installed(name, agents_cache)
    if missing:
        pytest.skip(missing)
    install = [sys.executable, "-c", PROGRAM, "install", name, "--yes"]
    run = driving.run(name, tmp_path / "run", agents_cache, tabshell=None, first=install)
    assert run.status == 0, run.err
    limit = time.monotonic() + 20  # the hook's work goes on behind the agent's end
    while name != NO_END and not summarise(run.session).ended and time.monotonic() < limit:
        time.sleep(0.05)
    with Session.open(run.session) as session:
        tab = session.tab(turns=True)
    assert (tab.ended is not None) == (name != NO_END)
    assert len(list(run.session.parent.iterdir())) == 1
    assert tab.session.agent == name
    assert tab.session.workspace == str(tmp_path / "run" / "workspace")
    commands = [turn.started.command for turn in tab.turns.values() if turn.started.tool is None]
    steps = driving.steps(name, tmp_path / "run" / "workspace")
    assert commands == [step["shell"] for step in steps if "shell" in step]
    read = {path for turn in tab.turns.values() for path in turn.files.read}
    assert {"notes/a.txt", "report.md", "table.csv"} <= read
    first = next(request for request in run.requests if request["step"] == 0)
    assert f"{run.session}/bin/tab" in first["system"] + "".join(text for _, text in first["shown"])
    assert "[tab] requirements" in run.shown(1)
    assert run.everything.count("[tab] Finish check") == (name != NO_CHECK)
    assert name == NO_CHECK or "[tab] Finish check" in run.shown(11)
