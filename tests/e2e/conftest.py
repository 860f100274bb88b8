"""A person's terminal: the real ``tabshell`` on a real PTY, driven prompt by prompt."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pytest

PROMPT = "ready> "
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


class Terminal:
    """One ``tabshell`` at a terminal. ``run`` types a line and gives what came before the next prompt."""

    def __init__(self, workspace: Path, *arguments: str, size=(50, 160)) -> None:
        self.child = pexpect.spawn(
            sys.executable, ["-m", "tabshell", *arguments], cwd=str(workspace), dimensions=size, encoding="utf-8",
            codec_errors="surrogateescape", timeout=30, env=dict(os.environ),
        )  # fmt: skip
        self.child.delaybeforesend = None
        self.opening = self.to_prompt()

    def to_prompt(self) -> str:
        self.child.expect_exact(PROMPT)
        return _CONTROL.sub("", self.child.before).replace("\r", "")

    def run(self, line: str) -> str:
        """What the command showed, the status line included; the echo of the line is left out."""
        self.child.sendline(line)
        return self.to_prompt().split("\n", 1)[-1]

    def status(self, line: str) -> str:
        """The status line after a command."""
        return self.run(line).rstrip("\n").rsplit("\n", 1)[-1]

    def until_runs(self, name: str) -> None:
        """Waits until a program of this name runs in it: bash loses a Ctrl-C that comes between fork and exec."""
        end = time.monotonic() + 30
        while name not in programs(self.child.pid):
            assert time.monotonic() < end, f"{name} did not start"
            time.sleep(0.005)

    def leave(self, line: str = "exit") -> str:
        """Types a line that ends the shell; gives the rest of the output."""
        self.child.sendline(line)
        self.child.expect(pexpect.EOF)
        rest = _CONTROL.sub("", self.child.before).replace("\r", "")
        self.child.close()
        return rest


def programs(pid: int) -> list[str]:
    """The names of the programs that run below a process."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(OSError):
            found += [Path(f"/proc/{child}/comm").read_text().rstrip("\n"), *programs(int(child))]
    return found


@pytest.fixture
def rc(own_home) -> Path:
    """The person's ~/.bashrc: a prompt that a test can wait for."""
    file = own_home / ".bashrc"
    file.write_text(f"PS1='{PROMPT}'\n")
    return file


@pytest.fixture
def terminal(rc, workspace):
    """Starts terminals in the workspace and closes what a test left open."""
    started: list[Terminal] = []

    def start(*arguments: str, folder: Path = workspace, **more) -> Terminal:
        started.append(Terminal(folder, *arguments, **more))
        return started[-1]

    yield start
    for each in started:
        each.child.close(force=True)


@pytest.fixture
def tabshell(workspace):
    """Runs a ``tabshell`` command; gives its standard output."""

    def run(*arguments: str, status: int = 0, stdin: str | None = None) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "tabshell", *arguments], cwd=workspace, capture_output=True, text=True, input=stdin,
            timeout=60,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr if status else done.stdout

    return run


@pytest.fixture
def exported(tabshell):
    """The last session as the export's object."""
    return lambda session="last": json.loads(tabshell("export", session, "--format", "json"))
