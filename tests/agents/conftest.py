"""Where the real agents lie, and what every test of this room shares."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

_DRIVING = Path(__file__).parent / "driving"
#: Looked up before any test moves HOME: the agents are installed once, outside the repository.
_CACHE = Path(os.environ.get("TABSHELL_AGENTS") or Path.home() / ".cache" / "tabshell-agents")
#: Also before a test: none sees a variable of ours.
_RESULTS = os.environ.get("TABSHELL_AGENTS_RESULTS")


def _load(name: str) -> ModuleType:
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, _DRIVING / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def driving() -> ModuleType:
    """The module that runs the scripted task (``driving/scripted_task.py``)."""
    _load("real_agents")
    _load("compare")
    return _load("scripted_task")


@pytest.fixture(scope="session")
def agents_cache() -> Path:
    """The folder that ``tests/agents/run`` installs into."""
    return _CACHE


def _note(name: str, outcome: str, detail: str, **more: object) -> None:
    if _RESULTS:
        with open(_RESULTS, "a", encoding="utf-8") as out:
            out.write(json.dumps({"agent": name, "outcome": outcome, "detail": detail, **more}) + "\n")


@pytest.fixture(scope="session")
def note() -> Callable[..., None]:
    """Writes a line for the table in the docs."""
    return _note


@pytest.fixture(autouse=True)
def _checked(request) -> Iterator[None]:
    """The outcome of each property of an agent (``pair``) or of a program that keeps a shell goes into the table."""
    failed = request.session.testsfailed
    yield
    driven = request.node.funcargs.get("pair") or request.node.funcargs.get("shell")
    if driven is not None:
        _note(driven.name, "failed" if request.session.testsfailed > failed else "passed", request.node.originalname)
