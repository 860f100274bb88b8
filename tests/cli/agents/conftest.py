"""An environment without a session, and a session."""

from __future__ import annotations

import pytest

from tabshell.session import Session, SessionOptions


@pytest.fixture
def environment(own_home) -> dict[str, str]:
    return {
        "HOME": str(own_home), "TABSHELL_HOME": str(own_home / "sidecars"), "PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"
    }  # fmt: skip


@pytest.fixture
def session(workspace, environment):
    with Session.create(SessionOptions(str(workspace)), environment) as made:
        yield made
