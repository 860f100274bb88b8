"""The session's own ``tab`` program, called by a real bash."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess

import pytest

from tabshell.session import Session


@pytest.fixture
def bash(desk):
    """Runs a line of bash with the session's ``tab`` first on PATH; gives status, stdout, stderr as bytes."""

    def bash(line, **options):
        environment = {**os.environ, "PATH": f"{desk.directory / 'bin'}:{os.environ['PATH']}"}
        ran = subprocess.run(
            ["bash", "--norc", "-c", line],
            cwd=desk.workspace,
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            **options,
        )
        return ran.returncode, ran.stdout.decode(), ran.stderr.decode()

    return bash


@pytest.mark.parametrize(
    "line",
    [
        "tab add <<'EOF'\nfirst item\n\n  second item\nEOF",
        "tab add - <<'EOF'\nfirst item\nsecond item\nEOF",
        "printf '%s\\n' 'first item' 'second item' | tab add",
        "printf 'first item\\r\\nsecond item' | tab add -",
        "printf 'first item\\nsecond item\\n' > items.txt; tab add < items.txt",
        "tab add 'first item' 'second item'",
        "tab add $'first item\\nsecond item'",
        "tab add -- 'first item' 'second item'",
    ],
)
def test_every_way_to_add(bash, line):
    assert bash(line) == (0, "r1: first item\nr2: second item\n", "")


def test_an_unquoted_sentence_is_one_item(bash):
    assert bash("tab add total sales by region") == (0, "r1: total sales by region\n", "")


def test_without_input_add_does_not_wait(bash):
    assert bash("tab add")[0] == 2
    assert bash("tab add <&-")[0] == 2


def test_a_closed_pipe_ends_quietly(desk, bash):
    desk.command("ls", listed=[f"some/long/path/of/a/file/{n}.txt" for n in range(5000)])
    status, out, err = bash("set -o pipefail; tab list candidates --all | head -1")
    assert (status, err) == (0, "")
    assert out.startswith("Candidates: 5002 unopened")


def test_output_through_pipes_and_files_is_the_same(bash):
    plain = bash("tab list candidates")[1]
    assert bash("tab list candidates | cat")[1] == plain
    assert bash("tab list candidates > kept.txt; cat kept.txt")[1] == plain


def test_the_environment_of_the_caller_does_not_matter(bash):
    line = "LANG=C LC_ALL=C PYTHONPATH=/nonexistent PYTHONIOENCODING=ascii TABSHELL_SESSION=other tab add 'Büro – 経費'"
    assert bash(line) == (0, "r1: Büro – 経費\n", "")


def test_the_session_is_the_one_that_the_program_lies_in(desk, bash):
    bash("cd / && tab add 'one item'")
    assert desk.state().requirements[1].text == "one item"


def test_a_full_output_is_said(bash):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    status, _, err = bash("tab status > /dev/full")
    assert status == 1
    assert "tab: cannot write: No space left on device" in err


def test_calls_at_the_same_time_never_share_an_id(desk, bash):
    status, out, _ = bash('for n in {1..12}; do tab add "item $n" & done; wait')
    assert status == 0
    assert sorted(line.split(":")[0] for line in out.splitlines()) == sorted(f"r{n}" for n in range(1, 13))
    assert len(desk.state().requirements) == 12


def test_json_is_one_object(bash):
    status, out, _ = bash("tab resolve r9 done L1 --json")
    assert status == 1
    assert json.loads(out)["error"]["code"] == "unknown-requirement"


def test_exit_statuses_reach_the_shell(bash):
    assert bash("tab list; echo $?")[1].endswith("\n0\n")
    assert bash("tab show L9; echo $?")[1] == "1\n"
    assert bash("tab nonsense; echo $?")[1] == "2\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_sidecar_without_write_permission_is_readable(desk, bash):
    for folder, _, names in os.walk(desk.directory):
        for name in names:
            os.chmod(os.path.join(folder, name), 0o500)
        os.chmod(folder, 0o500)
    try:
        assert bash("tab list")[0] == 0
        status, _, err = bash("tab add 'one item'")
        assert status == 1
        assert "TABSHELL_HOME" in err
    finally:
        for folder, _, _ in os.walk(desk.directory):
            os.chmod(folder, 0o700)


def test_a_session_of_a_newer_version_is_refused_with_its_status(desk, bash):
    desk.session.close()
    connection = sqlite3.connect(desk.directory / "tab.db")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    status, out, err = bash("tab list")
    assert (status, out) == (4, "")
    assert err.startswith("tab: ")


def test_what_tab_printed_is_neither_read_nor_listed(desk, bash):
    """The access is stored before the first byte is printed."""
    bash("tab list candidates | head -1")
    with Session.open(desk.directory) as session:
        (access,) = session.tab().accesses
    assert set(access.shown) == {"hr/annex.txt", "menu.txt"}
    assert len(access.printed) == 3
