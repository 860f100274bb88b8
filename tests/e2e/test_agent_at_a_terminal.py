"""``tabshell run -- AGENT`` at a terminal: the agent's own shells are recorded, and so is what it displayed."""

import os
import sys

import pexpect
import pytest

AGENT = """
import os, subprocess, sys
print("agent: tty", sys.stdout.isatty(), os.get_terminal_size())
for command in ("ls", "cat a.txt", "tab add alpha", "tab resolve r1 done L1"):
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    print("model sees:", done.stdout.replace(chr(10), "|"))
sys.exit(7)
"""


@pytest.fixture
def ran(workspace, own_home, tmp_path):
    (workspace / "a.txt").write_text("alpha 42\nbeta\n")
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    child = pexpect.spawn(
        sys.executable, ["-m", "tabshell", "run", "--task", "alpha", "--", sys.executable, str(agent)],
        cwd=str(workspace), dimensions=(40, 120), encoding="utf-8", timeout=60, env=dict(os.environ),
    )  # fmt: skip
    child.expect(pexpect.EOF)
    child.close()
    return child


def test_the_agent_has_a_terminal_and_its_status_is_ours(ran):
    assert "agent: tty True os.terminal_size(columns=120, lines=40)" in ran.before
    assert ran.exitstatus == 7


def test_its_shells_are_turns_and_the_check_comes_at_the_end(ran, exported):
    session = exported()
    assert [(turn["door"], turn["command"]) for turn in session["turns"]] == [
        ("shim", "ls"), ("shim", "cat a.txt"), ("shim", "tab add alpha"), ("shim", "tab resolve r1 done L1"),
    ]  # fmt: skip
    assert [(entry["paths"], entry["excerpt"]) for entry in session["log"]] == [(["a.txt"], "alpha 42\nbeta")]
    assert session["requirements"][0]["status"] == "done"
    assert session["finish_check"]["stop"] == "end"
    assert "Finish check" in ran.before
