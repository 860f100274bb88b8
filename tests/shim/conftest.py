"""A session directory with its launchers, and a way to run one script with either bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tabshell.session import Session, SessionOptions
from tabshell.shim.launchers import write_launchers

REAL = shutil.which("bash") or "/bin/bash"


@dataclass(frozen=True)
class Outcome:
    """What a caller sees of a run."""

    out: bytes
    err: bytes
    status: int
    seconds: float


@pytest.fixture(scope="session")
def sidecar(tmp_path_factory) -> Path:
    """A session's directory, with the programs in it."""
    directory = tmp_path_factory.mktemp("side car") / "session"
    directory.mkdir()
    write_launchers(directory, REAL)
    return directory


@pytest.fixture
def fresh_sidecar(tmp_path) -> Path:
    """A session's directory of this test alone."""
    directory = tmp_path / "sidecar"
    directory.mkdir()
    write_launchers(directory, REAL)
    return directory


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """An environment without anything of tabshell's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TABSHELL", "PYTHON"))}
    kept.pop("BASH_ENV", None)
    kept["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return kept


@pytest.fixture(scope="session")
def run_script(environment):
    """Runs a script with the system's bash; ``tools`` comes first on its PATH."""

    def run(script: str, folder: Path, tools: Path | None) -> Outcome:
        path = environment["PATH"] if tools is None else f"{tools}:{environment['PATH']}"
        folder.mkdir()
        began = time.monotonic()
        done = subprocess.run(
            [REAL, "--norc", "--noprofile", "-c", script, "script"],
            cwd=folder, env={**environment, "PATH": path}, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=60, check=False,
        )  # fmt: skip
        return Outcome(done.stdout, done.stderr, done.returncode, time.monotonic() - began)

    return run


@pytest.fixture
def session(workspace, monkeypatch):
    """A real session on an empty workspace, which is the current directory."""
    monkeypatch.chdir(workspace)
    with Session.create(SessionOptions(str(workspace), task="the total of the year", bash=REAL), os.environ) as opened:
        yield opened


@pytest.fixture
def bash(session) -> str:
    """The session's bash."""
    return str(session.directory / "bin" / "bash")


@pytest.fixture
def shim_env(environment, session, own_home) -> dict[str, str]:
    """The environment of an agent in the session."""
    return {**environment, "HOME": str(own_home), "PATH": f"{session.directory / 'bin'}:{environment['PATH']}"}


def _until(condition, seconds: float = 10.0):
    """Waits for a condition; gives its value."""
    limit = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.01)
    return value


@pytest.fixture(scope="session")
def until():
    """Waits for a condition, ten seconds at most."""
    return _until
