"""Links, foreign files and variables that an agent may put in the way: nothing outside the sidecar is touched, the command
runs, and ``verify`` finds what was edited within the limits that the docs name."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

from tabshell.model.facts import RequirementAdded, TurnStarted
from tabshell.session import Session, SessionOptions
from tabshell.store.chain import GENESIS, link


@pytest.fixture
def directory(workspace):
    (workspace / "a.txt").write_text("alpha 42\n")
    with Session.create(SessionOptions(str(workspace), task="alpha"), os.environ) as made:
        return made.directory


def run(directory, workspace, *words, program="tab", **more):
    done = subprocess.run(
        [directory / "bin" / program, *words], cwd=workspace, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        timeout=60, check=False, env={**os.environ, **more},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def victim(tmp_path):
    """Somebody else's files: a text, a database, a folder."""
    folder = tmp_path / "victim"
    (folder / "inside").mkdir(parents=True)
    (folder / "text").write_text("precious\n")
    (folder / "inside" / "00000000000000000001-77.rec").write_text("precious, too\n")
    with sqlite3.connect(folder / "base.db") as base:
        base.execute("create table t (x)")
    base.close()
    return folder


@pytest.mark.parametrize("target", ["text", "base.db", "nothing", "inside"])
def test_a_store_replaced_by_a_link_touches_nothing_behind_it(directory, workspace, victim, target):
    for suffix in ("", "-wal", "-shm"):
        (directory / f"tab.db{suffix}").unlink(missing_ok=True)
    (directory / "tab.db").symlink_to(victim / target)
    before = contents(victim)
    for words in (["add", "x"], ["list"], ["status"]):
        assert run(directory, workspace, *words).returncode in (1, 4)
    ran = run(directory, workspace, "-c", "cat a.txt; exit 3", program="bash", TABSHELL_STATUS="stderr")
    assert (ran.stdout, ran.returncode) == ("alpha 42\n", 3)
    assert contents(victim) == before


@pytest.mark.parametrize(
    "name", ["inbox", "door.sock", "clerk.sock", "classify.lock", "inbox/.lock", "path", "login.bash"]
)
@pytest.mark.parametrize("target", ["text", "inside"])
def test_other_files_replaced_by_links_touch_nothing_behind_them(directory, workspace, victim, terminal, name, target):
    place = directory / name
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.symlink_to(victim / target)
    before = contents(victim)
    ran = run(directory, workspace, "-c", "cat a.txt; exit 3", program="bash")
    assert (ran.stdout, ran.returncode) == ("alpha 42\n", 3)
    run(directory, workspace, "add", "alpha")
    run(directory, workspace, "list")
    shell = terminal("--resume", str(directory))
    assert b"alpha 42" in shell.run("cat a.txt")
    shell.leave("exit 0")
    after = contents(victim)
    assert {path: after.get(path) for path in before} == before


def test_a_home_of_somebody_else_is_refused(tmp_path, workspace):
    if os.geteuid() != 0:
        pytest.skip("needs another user")
    foreign = tmp_path / "foreign"
    (foreign / "sessions").mkdir(parents=True)
    os.chown(foreign, 65534, 65534)
    os.chown(foreign / "sessions", 65534, 65534)
    done = subprocess.run(
        [sys.executable, "-m", "tabshell", "-c", "echo ran"], cwd=workspace, capture_output=True, text=True, check=False,
        env={**os.environ, "TABSHELL_HOME": str(foreign)},
    )  # fmt: skip
    assert done.returncode == 1
    assert "belongs to another user" in done.stderr
    assert list((foreign / "sessions").iterdir()) == []


@pytest.mark.parametrize(
    "variables",
    [
        {"TABSHELL_SESSION": "/nowhere"},
        {"TABSHELL_SESSION": "relative\n../x"},
        {"TABSHELL_HOME": "/dev/null"},
        {"TABSHELL_STATUS": "\x1b[2J"},
        {"TABSHELL_STATUS": "stdout; rm -rf /"},
        {"TABSHELL_ARGV0": "x" * 100_000},
        {"TABSHELL_BASH_ENV": "/dev/zero/nothing"},
        {"TABSHELL_REEXEC": "1", "TABSHELL_REEXECED": "1"},
        {"TABSHELL_SHIM": "/nowhere"},
        {"TABSHELL_UNKNOWN": "\udcff"},
    ],
)
def test_variables_that_an_agent_sets_disturb_no_command(directory, workspace, variables):
    ran = run(directory, workspace, "-c", "cat a.txt; exit 3", program="bash", **variables)
    assert (ran.stdout, ran.returncode) == ("alpha 42\n", 3)
    assert run(directory, workspace, "add", "alpha value", **variables).returncode == 0
    with Session.open(directory) as session:
        session.catch_up()
        assert [event.fact.text for event in session.store.events(RequirementAdded)] == ["alpha value"]
        assert [event.fact.command for event in session.store.events(TurnStarted)] == ["cat a.txt; exit 3"]


def test_a_session_named_by_a_variable_does_not_get_what_belongs_to_this_one(directory, workspace):
    with Session.create(SessionOptions(str(workspace)), os.environ) as other:
        away = str(other.directory)
    run(directory, workspace, "add", "mine", TABSHELL_SESSION=away)
    run(directory, workspace, "-c", "echo mine", program="bash", TABSHELL_SESSION=away)
    with Session.open(away) as session:
        session.catch_up()
        assert not list(session.store.events(RequirementAdded, TurnStarted))


EDITS = {
    "a row changed": "UPDATE events SET body = replace(body, 'alpha', 'omega') WHERE kind = 'RequirementAdded'",
    "a row removed": "DELETE FROM events WHERE kind = 'RequirementAdded' AND number = 1",
    "rows swapped": "UPDATE events SET seq = CASE seq WHEN 4 THEN -5 WHEN 5 THEN -4 END WHERE seq IN (4, 5)",
    "output changed": "UPDATE events SET blob = zeroblob(length(blob)) WHERE kind = 'OutputChunk'",
    "the time changed": "UPDATE events SET at = at + 3600 WHERE kind = 'TurnEnded'",
    "the end cut off": "DELETE FROM events WHERE seq > 6",
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_agent_that_edits_the_store_is_found(directory, workspace, edit, tabshell):
    run(directory, workspace, "-c", "cat a.txt", program="bash")
    run(directory, workspace, "add", "alpha value", "second alpha")
    run(directory, workspace, "resolve", "r1", "done", "L1")
    with Session.open(directory) as session:
        session.catch_up()
        session.end(0)
    assert tabshell("verify", str(directory)).returncode == 0
    with sqlite3.connect(directory / "tab.db") as raw:
        raw.execute("DROP TRIGGER events_are_facts_u")
        raw.execute("DROP TRIGGER events_are_facts_d")
        raw.execute(EDITS[edit])
        if edit == "rows swapped":
            raw.execute("UPDATE events SET seq = -seq WHERE seq < 0")
    raw.close()
    done = tabshell("verify", str(directory))
    assert done.returncode == 1
    assert b"chain-broken" in done.stdout or b"event-missing" in done.stdout


def test_a_chain_that_was_recomputed_is_found_against_a_head_kept_elsewhere(directory, workspace, tabshell):
    """The limit that docs/explanation/security.md names: without a head or a signature this is not found."""
    run(directory, workspace, "add", "alpha value")
    with Session.open(directory) as session:
        session.end(0)
        head = session.store.head()[1]
    with sqlite3.connect(directory / "tab.db") as raw:
        raw.execute("DROP TRIGGER events_are_facts_u")
        raw.execute("UPDATE events SET body = replace(body, 'alpha', 'omega') WHERE kind = 'RequirementAdded'")
        previous = GENESIS
        for row in raw.execute("SELECT seq, kind, number, at, body, blob FROM events ORDER BY seq").fetchall():
            previous = link(previous, *row)
            raw.execute("UPDATE events SET hash = ? WHERE seq = ?", (previous, row[0]))
        raw.execute("UPDATE ended SET head = ?", (previous,))
    raw.close()
    assert tabshell("verify", str(directory)).returncode == 0
    done = tabshell("verify", str(directory), "--head", head)
    assert done.returncode == 1
    assert b"head-differs" in done.stdout


def test_pipes_and_links_in_the_inbox_are_passed_by(directory, workspace, tmp_path):
    os.mkfifo(directory / "inbox" / f"{1:020d}-77.rec")
    (directory / "inbox" / f"{2:020d}-77.rec").symlink_to("/dev/zero")
    assert run(directory, workspace, "-c", "cat a.txt", program="bash").stdout == "alpha 42\n"
    assert "L1" in run(directory, workspace, "list", "log").stdout


def test_a_classifier_that_was_stopped_half_way_holds_up_nobody_for_ever(directory, workspace, monkeypatch):
    monkeypatch.setattr("tabshell.recorder.LOCK_S", 0.2)
    run(directory, workspace, "-c", "cat a.txt", program="bash")
    with open(directory / "classify.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with Session.open(directory) as session:
            assert not session.tab().entries
    with Session.open(directory) as session:
        assert len(session.tab().entries) == 1
