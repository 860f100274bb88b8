"""The program that is put in the place of an agent's: what it runs, whoever starts it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tabshell.engines.recorded import Recorded

pytestmark = pytest.mark.filterwarnings("default")  # what Inspect's own packages warn of is theirs


@pytest.fixture
def replaced(tmp_path):
    """The program, a Python that prints its words, and the agent's own, which prints its own."""
    program_text = pytest.importorskip("tabshell.engines.inspect.cli_agents").program_text
    python, real = tmp_path / "python3", tmp_path / ".untabbed" / "agent"
    real.parent.mkdir()
    python.write_text('#!/bin/sh\nprintf "<%s>" "$TABSHELL_HOME" "$@"\nexit 5\n')
    real.write_text('#!/bin/sh\nprintf "own<%s>" "$@"\nexit 4\n')
    code = "from tabshell.engines.inside import main; sys.exit(main(sys.argv[1:]))"
    recorded = Recorded(f"{tmp_path}/home/sessions/it's", "/w", "/bin/bash", (str(python), "-IS", "-c", code), "h")
    agent = tmp_path / "agent"
    agent.write_text(program_text(recorded, str(real)))
    for one in (python, real, agent):
        one.chmod(0o755)
    return tmp_path, agent


@pytest.mark.parametrize("by", ["sh", "node"])
def test_the_agent_runs_in_the_session_whatever_its_program_is_called_with(replaced, by):
    folder, agent = replaced
    words = [str(agent)]
    if by == "node":
        if shutil.which("node") is None:
            pytest.skip("there is no node here")
        words = ["node", str(agent)]
    done = subprocess.run(
        [*words, "-p", "a 'b' $c"], capture_output=True, text=True, env={"PATH": "/bin:/usr/bin:/usr/local/bin"}
    )
    assert done.returncode == 5, done.stderr
    assert done.stdout.startswith(f"<{folder}/home><-IS><-c><from tabshell.__main__ import main;")
    assert f"<run><--resume><{folder}/home/sessions/it's><--on-finish>" in done.stdout
    assert done.stdout.endswith(f"<--><{folder}/.untabbed/agent><-p><a 'b' $c>")


@pytest.mark.parametrize(("words", "shim"), [(["--version"], ""), (["-v"], ""), (["-p", "x"], "/s")])
def test_a_question_for_its_version_and_an_agent_started_by_an_agent_run_bare(replaced, words, shim):
    _, agent = replaced
    environment = {"PATH": "/bin:/usr/bin", **({"TABSHELL_SHIM": shim} if shim else {})}
    done = subprocess.run([agent, *words], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (4, "".join(f"own<{word}>" for word in words))
