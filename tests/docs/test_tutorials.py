"""What the tutorials show is what the program prints. ``UPDATE_DOCS=1 pytest tests/docs`` writes it anew.

In a ``console`` block a line that begins with ``$ `` is typed into a real session, with the lines of its
here-document after it; the rest is compared. Status lines are left out, except for ``tab status``. What follows the
end of the session runs in a plain shell.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

ROOT = Path(__file__).parents[2]
TUTORIALS = ROOT / "docs" / "tutorial"
PROMPT = "ready> "
#: Tutorial -> its workspace.
WORKSPACES = {"quarterly-summary.md": "bakery"}


class Typist:
    """Types commands into a session on a copy of the workspace."""

    def __init__(self, workspace, home):
        (home / ".bashrc").write_text(f"PS1='{PROMPT}' PS2=''\nbind 'set enable-bracketed-paste off'\n")
        programs = home / "programs"
        programs.mkdir()
        (programs / "tabshell").write_text(f'#!/bin/sh\nexec {sys.executable} -m tabshell "$@"\n')
        (programs / "tabshell").chmod(0o755)
        environment = {**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        self.outside = {"env": {**environment, "PATH": f"{programs}:{os.environ['PATH']}"}, "cwd": str(workspace)}
        self.ended = False
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "tabshell", "--task-file", "task.md"],
            cwd=str(workspace),
            env=environment,
            dimensions=(50, 1000),
            timeout=60,
            encoding="utf-8",
        )
        self.child.delaybeforesend = None
        self.child.expect_exact(PROMPT)

    def type(self, lines):
        """The output of one command, its echo taken off."""
        if self.ended:
            run = subprocess.run(["bash", "-c", "\n".join(lines)], **self.outside, stdout=subprocess.PIPE, text=True)
            return run.stdout.splitlines()
        for line in lines:
            self.child.sendline(line)
        self.ended = self.child.expect_exact([PROMPT, pexpect.EOF]) == 1
        _, _, shown = self.child.before.replace("\r\n", "\n").partition(f"{lines[-1]}\n")
        keep_status = lines == ["tab status"]
        told = [line for line in shown.split("\n")[:-1] if keep_status or not line.startswith("[tab] requirements:")]
        return told[:1] if keep_status else told


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("unzip") is None, reason="the tutorial uses unzip, which is not installed")
@pytest.mark.parametrize("name", sorted(WORKSPACES))
def test_a_tutorial_shows_what_the_program_prints(name, tmp_path, own_home, page_of):
    page = page_of(TUTORIALS / name)
    workspace = tmp_path / WORKSPACES[name]
    shutil.copytree(ROOT / "fixtures" / "workspaces" / WORKSPACES[name], workspace)
    typist = Typist(workspace, own_home)
    real = re.sub(r"(head) [0-9a-f]{64}", r"\1 …", page.played(typist.type))
    real = re.sub(r"(session) \d{8}-\d{6}-\d{6}", r"\1 20260703-091500-000000", real)
    real = re.sub(r"(ended:|record of) \d+ events", r"\1 120 events", real)
    real = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "2026-07-03 09:15 UTC", real).replace(str(tmp_path), "/home/ada")
    typist.child.close()
    page.must_be(real)
