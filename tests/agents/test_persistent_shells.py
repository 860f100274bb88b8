"""Programs that keep one shell: SWE-ReX, tmux as Terminus 2 drives it, a bash over pipes as Anthropic's tool."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tabshell.model.state import Tab
from tabshell.session import Session

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.timeout(600)]

DRIVING = Path(__file__).parent / "driving"
NAMES = {"swe-rex": "swe_rex_task.py", "terminus": "tmux_task.py", "anthropic-tool": "reference_task.py"}
WANTED = os.environ.get("TABSHELL_AGENTS_WANTED", "").split()
ROOT = str(Path(__file__).parents[2])
PROGRAM = f"import sys; sys.path.insert(0, {ROOT!r}); from tabshell.__main__ import main; sys.exit(main())"
TABSHELL = [sys.executable, "-c", PROGRAM, "run", "-q", "--status", "stdout", "--task", "Report the revenue", "--"]


@dataclass
class Shell:
    """The answers to each command, without tabshell and with it; the second run's tab."""

    name: str
    plain: dict[str, dict]
    ours: dict[str, dict]
    status: tuple[int, int]
    err: str
    tab: Tab


@pytest.fixture(scope="session", params=[name for name in NAMES if not WANTED or name in WANTED])
def shell(request, driving, note, agents_cache, tmp_path_factory) -> Iterator[Shell]:
    name = request.param
    python, version = sys.executable, "own code"
    if name == "swe-rex":
        missing = driving.installed(name, agents_cache)
        if missing:
            note(name, "skipped", missing)
            pytest.skip(missing)
        python = str(agents_cache / "venv-swe-rex" / "bin" / "python")
        version = (agents_cache / "swe-rex.installed").read_text().strip()
    if name == "terminus":
        if shutil.which("tmux") is None:
            note(name, "skipped", "tmux is not installed")
            pytest.skip("tmux is not installed")
        version = subprocess.run(["tmux", "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    base = tmp_path_factory.mktemp(name)
    runs = []
    for kind in ("plain", "ours"):
        workspace = base / kind / "workspace"
        driving.make_workspace(workspace)
        words = [python, str(DRIVING / NAMES[name]), json.dumps(commands(driving))]
        env = {"HOME": str(base), "PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8", "SHELL": "/bin/bash"}
        if kind == "ours":
            env |= {"TABSHELL_HOME": str(base / "sidecars"), "REFERENCE_COMMAND": '"$SHELL"'}
            words = [*TABSHELL, *words]
        runs.append(
            subprocess.run(words, cwd=workspace, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=240, check=False)
        )  # fmt: skip
    answers = [{line["command"]: line for line in map(json.loads, run.stdout.splitlines())} for run in runs]
    (directory,) = (base / "sidecars" / "sessions").iterdir()
    with Session.open(directory) as session:
        tab = session.tab(turns=True)
    yield Shell(name, answers[0], answers[1], (runs[0].returncode, runs[1].returncode), runs[1].stderr, tab)
    note(name, "ran", version, door=sorted({turn.started.door for turn in tab.turns.values()}))


def commands(driving) -> list[str]:
    failing = "nosuchcommand; cat nofile; (exit 3)"
    shell = [driving.LIST, driving.SEARCH, driving.READ_BY_SHELL, "cat report.md", failing]
    return [*shell, driving.PIPELINE, driving.LARGE, driving.ADD, driving.REVIEW, driving.RESOLVE]


def test_every_command_is_one_turn_with_its_own_text(shell, driving):
    assert [turn.started.command for turn in shell.tab.turns.values()] == commands(driving)


def test_every_read_and_listing_is_recorded_once(shell, driving):
    files = {turn.started.command: turn.files for turn in shell.tab.turns.values()}
    assert set(files[driving.LIST].listed) == {"big.txt", "notes/a.txt", "report.md", "table.csv"}
    assert files[driving.SEARCH].searched == ("report.md",)
    assert files[driving.READ_BY_SHELL].read == ("notes/a.txt",)
    assert files["cat report.md"].read == ("report.md",)
    assert files[driving.PIPELINE].read == ("table.csv",)
    assert files[driving.LARGE].read == ("big.txt",)
    paths = [entry.logged.paths for entry in shell.tab.entries.values() if entry.logged.kind == "read"]
    assert sorted(paths) == [("big.txt",), ("notes/a.txt",), ("report.md",), ("table.csv",)]


def test_the_status_line_is_in_every_answer(shell, driving):
    told = commands(driving)
    seen_in = told
    if shell.name == "terminus":  # it takes the screen before the prompt, and with it our line, is there
        told, seen_in = told[:-1], told[1:]
    for command, answer in zip(told, seen_in, strict=True):
        assert "[tab] requirements" in shell.ours[answer]["output"], command


def test_all_else_is_as_without_tabshell(shell, driving):
    from compare import levelled  # noqa: PLC0415

    for command in commands(driving)[:7]:
        ours, plain = shell.ours[command], shell.plain[command]
        assert ours["exit"] == plain["exit"], command
        if shell.name != "terminus":  # a screen of 40 rows holds our line in the place of another
            assert levelled(ours["output"], "") == levelled(plain["output"], ""), command
    assert shell.status == (0, 0)


def test_the_tab_operations_took_effect(shell, driving):
    assert [item.status for item in shell.tab.requirements.values()] == ["done", "open"]
    assert "r1 done" in shell.ours[driving.RESOLVE]["output"]


def test_the_finish_check_is_given_once_at_the_end(shell):
    assert shell.err.count("[tab] Finish check") == 1
    assert len(shell.tab.checks) == 1
