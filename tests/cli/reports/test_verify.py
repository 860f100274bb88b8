"""``tabshell verify`` as a person calls it."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from click.testing import CliRunner

from tabshell.cli.tabshell import tabshell
from tabshell.model.facts import NoteAdded
from tabshell.session import Session, SessionOptions


@pytest.fixture
def key(tmp_path):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def verify(*words):
    return CliRunner().invoke(tabshell, ["verify", "last", *words], standalone_mode=False)


def test_signing_again_after_more_was_recorded_ends_well_and_says_that_it_replaced(workspace, own_home, key):
    with Session.create(SessionOptions(str(workspace)), {"TABSHELL_HOME": str(own_home / "sidecars")}) as session:
        assert verify("--sign", str(key)).return_value == 0
        session.append(NoteAdded(0, 1, "more"))
    stale = verify()
    assert stale.return_value == 1
    assert "1 finding (" in stale.output
    again = verify("--sign", str(key))
    assert again.return_value == 0
    assert "replaced: the signature does not hold" in again.stderr
    assert verify().return_value == 0
