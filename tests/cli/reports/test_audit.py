"""``tabshell audit`` and ``trace`` on bad deliverables, running sessions and stores of other versions."""

import contextlib
import json
import os
import sqlite3

import pytest

from tabshell.cli.tabshell import main
from tabshell.model.records import CommandRecord
from tabshell.session import Session, SessionOptions
from tabshell.store import connections, migrations

ENCRYPTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")


@pytest.fixture
def session(workspace, own_home, monkeypatch):
    """The directory of a session that runs still, in which a table was shown; the workspace is the current one."""
    monkeypatch.chdir(workspace)
    (workspace / "day.csv").write_text("hour,rate\nnoon,21750\n")
    with Session.create(SessionOptions(str(workspace), name="rates", task="Name the day rate."), os.environ) as made:
        made.recorder.record(
            CommandRecord("shim", "cat day.csv", "argument", str(workspace), b"hour,rate\nnoon,21750\n", 0)
        )
        made.catch_up()
        return made.directory


def said(capfd, *arguments):
    status = main(list(arguments))
    out, err = capfd.readouterr()
    return status, out, err


BROKEN = [
    ("r.docx", ENCRYPTED, "encrypted"),
    ("r.xlsx", ENCRYPTED, "encrypted"),
    ("r.docx", b"no zip at all", "broken"),
    ("r.xlsx", b"PK\x03\x04 cut off", "broken"),
    ("r.pdf", b"%PDF-1.4 nothing", "broken"),
]


@pytest.mark.parametrize(("name", "data", "word"), BROKEN)
def test_a_deliverable_that_cannot_be_read_is_named_in_the_audit_and_an_error_of_trace(
    session, workspace, capfd, name, data, word
):
    (workspace / name).write_bytes(data)
    status, out, _ = said(capfd, "audit", str(session), "--deliverable", name)
    assert status == 0
    assert "not audited" in out
    assert word in out
    for command in ("trace", "missing"):
        status, out, err = said(capfd, command, name, "--session", str(session))
        assert status not in (0, 1)
        assert word in err
        assert "Traceback" not in err


def test_an_empty_deliverable_is_said_to_be_empty(session, workspace, capfd):
    (workspace / "r.md").write_text("")
    status, out, _ = said(capfd, "audit", str(session), "--deliverable", "r.md")
    assert status == 0
    assert "r.md is empty" in out


def test_a_session_that_still_runs_is_audited_and_called_so(session, workspace, capfd):
    (workspace / "r.md").write_text("The noon rate is 21,750.\n")
    status, out, _ = said(capfd, "audit", str(session), "--deliverable", "r.md")
    assert status == 0
    assert "the session still runs" in out
    assert "1 sourced" in out


def version(session, number):
    with contextlib.closing(sqlite3.connect(session / "tab.db")) as raw, raw:
        raw.execute(f"PRAGMA user_version = {number}")


@pytest.mark.parametrize("command", [["audit"], ["verify"], ["export"], ["audit", "--format", "html"]])
def test_a_store_of_a_newer_version_is_refused_with_a_status_of_its_own(session, capfd, command):
    version(session, 99)
    status, out, err = said(capfd, *command, str(session))
    assert (status, out) == (4, "")
    assert "update tabshell" in err


def test_a_store_of_an_older_version_is_brought_up_to_date_and_audited(session, workspace, capfd, monkeypatch):
    def m002_remarks(connection):
        connection.execute("CREATE TABLE remarks (text TEXT)")

    steps = (*migrations.MIGRATIONS, m002_remarks)
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr(connections, "MIGRATIONS", steps)
    (workspace / "r.md").write_text("The noon rate is 21,750.\n")
    status, out, err = said(capfd, "trace", "r.md", "--session", str(session), "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["values"][0]["status"] == "sourced"
    with contextlib.closing(sqlite3.connect(session / "tab.db")) as raw:
        (kept,) = raw.execute("PRAGMA user_version").fetchone()
    with Session.open(session) as opened:  # whoever may write brings it up to date
        assert opened.tab().entries
    with contextlib.closing(sqlite3.connect(session / "tab.db")) as raw:
        assert kept <= len(steps) == raw.execute("PRAGMA user_version").fetchone()[0]
