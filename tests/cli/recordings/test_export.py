"""``tabshell export``: every format, without the tab, redacted; and a bundle that opens like a session."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import zipfile

import pytest

from tabshell.cli.recordings.export import FORMATS
from tabshell.cli.tabshell import main
from tabshell.model.records import CommandRecord
from tabshell.session import Session, SessionOptions

TOKEN = "hf_" + "aB3" * 12


@pytest.fixture
def session(workspace, own_home):
    """The directory of a session with two commands, one of which showed a token, and a requirement."""
    (workspace / "day.csv").write_text("hour,rate\n0:00,21\n")
    with Session.create(SessionOptions(str(workspace), name="rates", task="Name the day rate."), os.environ) as made:
        for command, output in (("cat day.csv", b"hour,rate\n0:00,21\n"), ("env", f"TOKEN={TOKEN}\n".encode())):
            made.recorder.record(
                CommandRecord("shim", command, "argument", str(workspace), output, 0, started_at=1_700_000_000.0)
            )
        made.catch_up()
        made.end(0)
        return made.directory


def exported(session, capfdbinary, *options):
    status = main(["export", str(session), *options])
    said = capfdbinary.readouterr()
    assert status == 0, said.err
    return said.out, said.err


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "bundle"])
def test_every_format_is_written_and_holds_no_token(name, session, capfdbinary, tmp_path):
    out, err = exported(session, capfdbinary, "--format", name)
    assert out.endswith(b"\n")
    assert b"cat day.csv" in out
    assert TOKEN.encode() not in out
    if name != "prov":
        assert b"redacted: Hugging Face token, 1 time" in err or name in ("json", "jsonl", "otlp")
    path = tmp_path / "out"
    exported(session, capfdbinary, "--format", name, "-o", str(path))
    assert path.read_bytes() == out


def test_what_one_wants_gone_is_gone_and_the_scan_can_be_switched_off(session, capfdbinary):
    out, err = exported(session, capfdbinary, "--format", "atif", "--redact", "0:00", "--no-secret-scan")
    assert b"0:00" not in out
    assert TOKEN.encode() in out
    assert err == b"redacted: pattern 0:00, 1 time\n"
    assert main(["export", str(session), "--redact", "("]) == 2


def test_without_the_tab_the_json_has_the_turns_and_none_of_its_parts(session, capfdbinary):
    with Session.open(session) as opened:
        from tabshell.model.facts import RequirementAdded  # noqa: PLC0415

        opened.append(RequirementAdded(0, 3, "the day rate"))
    plain = json.loads(exported(session, capfdbinary)[0])
    stripped = json.loads(exported(session, capfdbinary, "--strip-tab")[0])
    assert [one["text"] for one in plain["requirements"]] == ["the day rate"]
    assert stripped["requirements"] == []
    assert [turn["command"] for turn in stripped["turns"]] == ["cat day.csv", "env"]


def test_an_output_that_cannot_be_written_is_one_error(session, tmp_path, capsys):
    assert main(["export", str(session), "-o", str(tmp_path / "no" / "x")]) == 1
    assert "cannot write" in capsys.readouterr().err


@pytest.fixture
def bundle(session, tmp_path):
    """A bundle of the session."""
    path = tmp_path / "rates.tab"
    assert main(["export", str(session), "--format", "bundle", "-o", str(path)]) == 0
    return path


def test_a_bundle_opens_like_a_session_also_where_the_session_is_not(
    bundle, session, own_home, monkeypatch, capfdbinary
):
    before, _ = exported(session, capfdbinary)
    monkeypatch.setenv("TABSHELL_HOME", str(own_home / "another"))
    after, _ = exported(bundle, capfdbinary)
    assert json.loads(after) == json.loads(before)
    assert main(["verify", str(bundle)]) == 0
    unpacked = list((own_home / "another").glob("bundle-*/*/tab.db"))
    assert len(unpacked) == 1
    assert unpacked[0].stat().st_mode & 0o077 == 0


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_signed_bundle_is_checked_with_the_keys_of_its_reader(session, own_home, tmp_path, monkeypatch, capsys):
    key, path, reader = tmp_path / "key", tmp_path / "signed.tab", own_home / "reader"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    assert main(["verify", str(session), "--sign", str(key)]) == 0
    assert main(["export", str(session), "--format", "bundle", "-o", str(path)]) == 0
    monkeypatch.setenv("TABSHELL_HOME", str(reader))
    capsys.readouterr()
    assert main(["verify", str(path)]) == 1
    assert "no key is trusted here" in capsys.readouterr().out
    shutil.copy(own_home / "sidecars" / "signers", reader / "signers")
    assert main(["verify", str(path)]) == 0


def test_a_bundle_of_a_session_that_is_written_to_is_whole(session, tmp_path):
    with Session.open(session) as opened:
        opened.recorder.record(CommandRecord("shim", "ls", "argument", "/", b"day.csv\n", 0))
        path = tmp_path / "x.tab"
        assert main(["export", str(session), "--format", "bundle", "-o", str(path)]) == 0
    with zipfile.ZipFile(path) as archive:
        archive.extract("tab.db", tmp_path)
    with contextlib.closing(sqlite3.connect(tmp_path / "tab.db")) as connection, connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM events WHERE kind = 'TurnEnded'").fetchone() == (3,)


@pytest.mark.parametrize("member", ["tab.db", "session.json", "manifest.json"])
def test_a_bundle_that_was_changed_is_refused(member, bundle, tmp_path, capsys):
    changed = tmp_path / "changed.tab"
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b'"sha256": "', b'"sha256": "0') + b" " if name == member else data)
    assert main(["verify", str(changed)]) == 6
    assert "is not what its manifest says" in capsys.readouterr().err


def test_a_bundle_needs_a_file_and_takes_no_pattern(session, tmp_path, capsys):
    assert main(["export", str(session), "--format", "bundle"]) == 2
    assert main(["export", str(session), "--format", "bundle", "-o", str(tmp_path / "x"), "--redact", "a"]) == 2
    assert main(["export", str(session), "--format", "bundle", "-o", str(tmp_path / "x"), "--strip-tab"]) == 2
    assert not (tmp_path / "x").exists()
