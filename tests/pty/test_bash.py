"""Which bash is taken."""

from __future__ import annotations

from tabshell.shell.bash import find_bash


def test_the_bash_of_a_session_around_is_not_taken_for_the_real_one(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bash").symlink_to("/bin/bash")
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    assert find_bash(None, {"PATH": path}).path == f"{tmp_path}/bin/bash"
    (tmp_path / "tab.db").touch()
    assert find_bash(None, {"PATH": path}).path == "/usr/bin/bash"
