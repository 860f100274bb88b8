"""What hostile programs, names and texts are tried on: a real ``tabshell`` on a terminal, and its commands."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location(
    "tabshell_tests_faults", Path(__file__).parents[1] / "faults" / "conftest.py"
)
_faults = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_faults)

terminal, record = _faults.terminal, _faults.record


@pytest.fixture
def tabshell(workspace):
    """Runs a ``tabshell`` command; gives what came of it, bytes."""

    def run(*words, status=None, timeout=60, **more):
        done = subprocess.run(
            [sys.executable, "-m", "tabshell", *words], cwd=workspace, capture_output=True, stdin=subprocess.DEVNULL,
            timeout=timeout, check=False, **more,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        if status is not None:
            assert done.returncode == status, (words, done)
        return done

    return run
