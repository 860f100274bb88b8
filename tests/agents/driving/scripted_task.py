"""The scripted task of twelve steps, and one run of it by a real agent, with or without tabshell.

In: an agent's name and a folder for the run. Out: ``Run``: how the agent ended, what its model was shown step by
step, the session's directory, and the hashes of the person's configuration before and after.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from real_agents import AGENTS, Place, environment

HERE = Path(__file__).parent
LIMIT_S = 240

LIST = "ls -R ."
SEARCH = "grep -rn Revenue . --include=*.md"
READ_BY_SHELL = "cat notes/a.txt"
FAILING = "env | grep -F '[tab]'; nosuchcommand; cat nofile; exit 3"
PIPELINE = "sort table.csv | head -3"
LARGE = "cat big.txt"
ADD = "tab add 'Revenue of the year' 'Costs of the year'"
REVIEW = "tab list"
RESOLVE = "tab resolve r1 done report.md"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

#: The tool with which each agent reads a file without a shell, and the argument that takes the path.
FILE_TOOLS = {
    "claude-code": ("Read", "file_path"),
    "gemini": ("read_file", "file_path"),
    "qwen": ("read_file", "file_path"),
    "copilot": ("view", "path"),
    "pi": ("read", "path"),
    "opencode": ("read", "filePath"),
}


def make_workspace(folder: Path) -> None:
    """A few small documents and one of 200 KB, under git."""
    (folder / "notes").mkdir(parents=True)
    (folder / "report.md").write_text("# Report\nRevenue was 4.2 million in 2025.\nCosts were 3.1 million.\n")
    (folder / "notes" / "a.txt").write_text("alpha beta\ngamma delta\n")
    (folder / "table.csv").write_text("north,12\nsouth,7\neast,9\nwest,4\n")
    (folder / "big.txt").write_text("".join(f"line {number:05d} of the large file\n" for number in range(6000)))
    git = "git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm a"
    subprocess.run(git, shell=True, cwd=folder, check=True)


def steps(agent: str, workspace: Path) -> list[dict]:
    """The script of the model."""
    read: dict = {"shell": "cat report.md"}
    if agent in FILE_TOOLS:
        tool, argument = FILE_TOOLS[agent]
        read = {"tool": tool, "args": {argument: str(workspace / "report.md")}}
    shell = [LIST, SEARCH, READ_BY_SHELL, FAILING, PIPELINE, LARGE, ADD, REVIEW, RESOLVE]
    script: list[dict] = [{"shell": command} for command in shell]
    script.insert(3, read)
    if agent == "mini-swe-agent":
        return [*script, {"shell": SUBMIT}, {"shell": SUBMIT}]
    return [*script, {"text": "The first report."}, {"text": "The second report."}]


@dataclass
class Run:
    """What came of one run."""

    agent: str
    base: Path
    status: int
    out: str
    err: str
    requests: list[dict]
    session: Path | None
    files_before: dict[str, str] = field(default_factory=dict)
    files_after: dict[str, str] = field(default_factory=dict)

    def shown(self, step: int) -> str:
        """What the model had newly been shown when it was asked for ``step`` (counted from 0)."""
        texts = [text for request in self.requests if request["step"] == step for _, text in request["shown"]]
        return "\n".join(texts)

    def results(self, step: int) -> str:
        """The same, tool results only."""
        parts = [part for request in self.requests if request["step"] == step for part in request["shown"]]
        return "\n".join(text for role, text in parts if role == "tool")

    @property
    def last_step(self) -> int:
        """The last step that the model was asked for."""
        return max((request["step"] for request in self.requests if isinstance(request["step"], int)), default=-1)

    @property
    def everything(self) -> str:
        """All texts that the model was shown anew (a repeated request shows nothing new, one for a title is not the
        model's)."""
        played = [request for request in self.requests if isinstance(request["step"], int)]
        return "\n".join(text for request in played for _, text in request["shown"])


def hashes(home: Path) -> dict[str, str]:
    """The files of the person's configuration, as the agent's set-up wrote them."""
    files = (path for path in sorted(home.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def run(
    agent: str,
    base: Path,
    cache: Path,
    *,
    tabshell: Sequence[str] | None,
    options: Sequence[str] = (),
    first: Sequence[str] = (),
) -> Run:
    """One run in ``base``. ``tabshell``: the words of ``tabshell run …`` without the agent, None: without it.
    ``first``: what is called in the same environment before it."""
    home, workspace = base / "home", base / "workspace"
    home.mkdir(parents=True)
    make_workspace(workspace)
    script, log = base / "script.json", base / "requests.jsonl"
    script.write_text(json.dumps(steps(agent, workspace)))
    serve = [sys.executable, str(HERE / "fake_model.py"), str(script), str(log)]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            place = Place(cache, home, workspace, f"http://127.0.0.1:{server.stdout.readline().strip()}")
            command = AGENTS[agent](place)
            before = hashes(home)
            sidecars = base / "sidecars"
            env = environment(place, {**command.env, "TABSHELL_HOME": str(sidecars)})
            if first:
                subprocess.run(first, cwd=workspace, env=env, stdin=subprocess.DEVNULL, check=True)
            words = command.argv if tabshell is None else [*tabshell, *options, "--", *command.argv]
            done = subprocess.run(
                words, cwd=workspace, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=LIMIT_S, errors="replace", check=False,
            )  # fmt: skip
        finally:
            server.terminate()
    requests = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    sessions = sorted((sidecars / "sessions").glob("*")) if (sidecars / "sessions").exists() else []
    after = {name: digest for name, digest in hashes(home).items() if name in before}
    return Run(
        agent,
        base,
        done.returncode,
        done.stdout,
        done.stderr,
        requests,
        sessions[0] if sessions else None,
        before,
        after,
    )


def installed(agent: str, cache: Path) -> str | None:
    """Why this agent cannot be run here, or None."""
    marker = cache / f"{agent}.installed"
    if marker.exists():
        return None
    failed = cache / f"{agent}.failed"
    return (
        failed.read_text().strip()
        if failed.exists()
        else f"{agent} is not installed in {cache}; run tests/agents/run {agent}"
    )


__all__ = ["AGENTS", "Run", "installed", "os", "run"]
