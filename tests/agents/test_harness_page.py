"""The examples of docs/how-to/harness.md do what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tabshell.session import Session

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "harness.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def house(own_home, workspace) -> dict[str, str]:
    """A workspace with a document and a task, and an environment in which ``tabshell`` is found."""
    (workspace / "a.txt").write_text("alpha\n")
    (workspace / "task.md").write_text("Report the alpha.")
    programs = own_home / "programs"
    programs.mkdir()
    (programs / "tabshell").write_text(f'#!/bin/sh\nexec {sys.executable} -m tabshell "$@"\n')
    (programs / "tabshell").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    return {"HOME": str(own_home), "TABSHELL_HOME": str(own_home / "sidecars"), "PATH": path, "PYTHONPATH": str(ROOT)}


def recorded(house) -> list[str]:
    (directory,) = (Path(house["TABSHELL_HOME"]) / "sessions").iterdir()
    with Session.open(directory) as session:
        return [turn.started.command for turn in session.tab(turns=True).turns.values()]


def run(python, program, workspace, environment):
    done = subprocess.run(
        [python, "-c", program], cwd=workspace, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_loop_over_subprocess_is_recorded(house, workspace):
    program = f"command = 'cat a.txt'\n{BLOCKS[0]}\nprint(answer.stdout, end='')"
    shown = run(sys.executable, program, workspace, house)
    assert "\nalpha\n[tab] requirements: none added yet" in f"\n{shown}"
    assert " ended: " in shown
    assert recorded(house) == ["cat a.txt"]


def test_a_loop_with_shell_true_is_recorded_as_the_page_says_and_only_so(house, workspace):
    assert '`executable=env["SHELL"]`' in PAGE
    calls = (
        "subprocess.run('cat a.txt; : sh', shell=True, env=env)\n"
        "subprocess.run('cat a.txt; : bash', shell=True, env=env, executable=env['SHELL'])\n"
    )
    run(sys.executable, f"command = 'true'\n{BLOCKS[0]}{calls}", workspace, house)
    assert recorded(house) == ["true", "cat a.txt; : bash"]


@pytest.mark.agents
def test_the_class_for_mini_swe_agent_is_recorded(house, workspace, driving, agents_cache):
    missing = driving.installed("mini-swe-agent", agents_cache)
    if missing:
        pytest.skip(missing)
    python = agents_cache / "venv-mini-swe-agent" / "bin" / "python"
    block = BLOCKS[2].rpartition("agent = ")[0]
    program = (
        "import os, shlex\nfrom minisweagent.environments.local import LocalEnvironment\n"
        f"{block}\nprint(Recorded().execute({{'command': 'cat a.txt'}})['output'], end='')"
    )
    lines = subprocess.run(
        ["tabshell", "env"], cwd=workspace, env=house, capture_output=True, text=True, check=True
    ).stdout
    quoted = program.replace("'", "'\\''")
    done = subprocess.run(
        ["sh", "-c", f"{lines}exec {python} -c '{quoted}'"], cwd=workspace, env={**house, "MSWEA_CONFIGURED": "true"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.endswith("alpha\n"), done.stderr
    assert recorded(house) == ["cat a.txt"]


def test_each_harness_of_the_page_has_an_example_of_a_few_lines():
    assert len(BLOCKS) == 4
    assert all(len(block.splitlines()) <= 6 for block in BLOCKS)
