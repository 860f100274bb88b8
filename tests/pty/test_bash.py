"""Which bash is taken."""

from __future__ import annotations

import os

import pytest

from tabshell.errors import ShellUnavailable
from tabshell.shell.bash import bash_version, find_bash


def test_the_bash_of_a_session_around_is_not_taken_for_the_real_one(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bash").symlink_to("/bin/bash")
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    assert find_bash(None, {"PATH": path}).path == f"{tmp_path}/bin/bash"
    (tmp_path / "tab.db").touch()
    assert find_bash(None, {"PATH": path}).path == "/usr/bin/bash"


def test_a_missing_or_old_or_foreign_bash_is_refused(tmp_path):
    with pytest.raises(ShellUnavailable, match="no bash found on PATH"):
        find_bash(None, {"PATH": str(tmp_path)})
    with pytest.raises(ShellUnavailable, match="cannot start"):
        find_bash(str(tmp_path / "none"), {})
    for version, message in (("4.3", "needs 4.4 or newer"), ("nonsense", "is no bash")):
        fake = tmp_path / "bash"
        fake.write_text(f"#!/bin/sh\necho {version}\n")
        fake.chmod(0o755)
        with pytest.raises(ShellUnavailable, match=message):
            find_bash(str(fake), {})


def test_the_installed_bash_has_a_version():
    found = find_bash(None, os.environ)
    assert bash_version(found.path) == found.version >= (4, 4)
