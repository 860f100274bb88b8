"""``tabshell stats`` and ``tabshell sessions`` as a person calls them."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click import Abort
from click.testing import CliRunner

from tabshell.cli.tabshell import tabshell
from tabshell.errors import SessionNotFound, UsageError
from tabshell.session import Session, SessionOptions

sys.path[:0] = [str(Path(__file__).resolve().parents[3] / "benchmarks")]

from fleet_sessions import make_fleet  # noqa: E402


@pytest.fixture
def started(workspace, own_home):
    """A session named ``bakery``, and its id."""
    environment = {"TABSHELL_HOME": str(own_home / "sidecars")}
    with Session.create(SessionOptions(str(workspace), name="bakery"), environment) as session:
        return session.directory.name


def call(*words):
    return CliRunner().invoke(tabshell, words, standalone_mode=False, catch_exceptions=False).stdout


def measured(*words):
    return [one["session"] for one in json.loads(call("stats", *words, "--format", "json"))["sessions"]]


def test_a_session_is_found_by_its_name_although_a_folder_has_the_same_name(started, tmp_path, monkeypatch):
    (tmp_path / "bakery").mkdir()
    monkeypatch.chdir(tmp_path)
    assert measured("bakery") == [started]


def test_a_state_directory_its_sessions_and_nothing_mean_the_same_sessions(started, own_home):
    home = own_home / "sidecars"
    assert measured() == measured(str(home)) == measured(str(home / "sessions")) == [started]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """A folder of 64 generated sessions, one of them damaged, and what they should give."""
    folder = tmp_path_factory.mktemp("fleet")
    make_fleet(folder, 64, seed=5, processes=1)
    return folder


def test_a_large_folder_gives_rows_groups_and_the_names_of_what_could_not_be_measured(fleet):
    found = json.loads(call("stats", str(fleet), "--format", "json", "--by", "variant", "--by", "agent"))
    assert len(found["sessions"]) == found["counts"]["sessions"] == 63
    assert [one["code"] for one in found["unmeasured"]] == ["store-damaged"]
    assert sum(group["sessions"] for group in found["groups"]) == 63
    assert {"variant", "agent", "medians", "shares"} < set(found["groups"][0])


def test_every_form_of_the_table_has_the_same_rows(fleet, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    rows = json.loads(call("stats", str(fleet), "--format", "json"))["sessions"]
    table = list(csv.DictReader(io.StringIO(call("stats", str(fleet), "--format", "csv"))))
    assert [row["session"] for row in table if row["directory"]] == [row["session"] for row in rows]
    file = tmp_path / "it's.parquet"
    call("stats", str(fleet), "--format", "parquet", "-o", str(file))
    with duckdb.connect() as engine:
        result = engine.execute("SELECT * FROM read_parquet(?)", [str(file)])
        names = [column[0] for column in result.description]
        assert [dict(zip(names, cells, strict=True)) for cells in result.fetchall()] == rows
        kinds = dict(engine.execute("SELECT name, type FROM parquet_schema(?)", [str(file)]).fetchall())
        about = engine.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(file)]).fetchall()
    assert (kinds["entries"], kinds["done_percent"], kinds["ended"]) == ("INT64", "DOUBLE", "BOOLEAN")
    assert ("schema", "tabshell/1") in about
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it's.parquet"]


def test_a_session_that_is_named_twice_counts_once(fleet):
    once = call("stats", str(fleet), "--format", "json")
    assert call("stats", str(fleet), str(fleet / "sessions"), "--format", "json") == once


def test_parquet_goes_to_a_file_and_holds_rows_only(fleet, tmp_path):
    pytest.importorskip("duckdb")
    for words in ((), ("-o", str(tmp_path / "x"), "--by", "agent")):
        with pytest.raises(UsageError, match="Parquet"):
            call("stats", str(fleet), "--format", "parquet", *words)
    with pytest.raises(UsageError, match="cannot write"):
        call("stats", str(fleet), "--format", "parquet", "-o", str(tmp_path / "none" / "x"))


def test_without_duckdb_a_person_is_told_what_to_install(fleet, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"tabshell\[parquet\]"):
        call("stats", str(fleet), "--format", "parquet", "-o", str(tmp_path / "x"))


def test_a_table_that_breaks_off_leaves_no_file(fleet, tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    from tabshell.session import fleet as measuring  # noqa: PLC0415

    def broken(directory):
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "measure", broken)
    for format_ in ("json", "csv", "text", "parquet"):
        with pytest.raises((KeyboardInterrupt, Abort)):
            call("stats", str(fleet), "-j", "1", "--format", format_, "-o", str(tmp_path / "x"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [("stats", "{fleet}", "--format", "csv"), ("sessions",), ("sessions", "--json")])
def test_a_reader_that_goes_away_ends_it_quietly(fleet, words):
    command = [sys.executable, "-m", "tabshell", *(word.format(fleet=fleet) for word in words)]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, env={**os.environ, "TABSHELL_HOME": str(fleet)}
    )
    os.close(write)
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr
    assert b"Broken" not in done.stderr


def test_progress_is_drawn_on_a_terminal_only(fleet):
    import pexpect  # noqa: PLC0415

    command = [sys.executable, "-m", "tabshell", "stats", str(fleet), "--format", "csv", "-o", os.devnull]
    quiet = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [line.split(":")[0] for line in quiet.stderr.splitlines()] == ["tabshell"]
    assert Path(os.devnull).is_char_device()
    shown = pexpect.spawn(command[0], command[1:], timeout=60, encoding="utf-8", dimensions=(24, 300))
    shown.expect("sessions.*64/64")
    shown.expect(pexpect.EOF)
    shown.close()
    assert shown.exitstatus == 0


def test_a_folder_without_sessions_is_no_session(started, tmp_path):
    with pytest.raises(SessionNotFound):
        call("stats", str(tmp_path))


def test_the_list_of_sessions_gives_times_as_every_other_json_does(started):
    (one,) = json.loads(call("sessions", "--json"))["sessions"]
    assert one["id"] == started
    assert one["started_at"].endswith("Z")
    assert one["ended_at"] is None


@pytest.mark.parametrize("words", [(), ("-n", "5"), ("-n", "0"), ("-n", "40")])
def test_the_list_of_sessions_is_the_same_by_one_process_and_by_several(fleet, monkeypatch, words):
    monkeypatch.setenv("TABSHELL_HOME", str(fleet))
    rows, objects = call("sessions", *words), call("sessions", "--json", *words)
    monkeypatch.setattr("tabshell.cli.reports.sessions.processes_for", lambda count: 1)
    assert call("sessions", *words) == rows
    assert call("sessions", "--json", *words) == objects
    found = json.loads(objects)["sessions"]
    assert len(found) == (int(words[1]) if words else 64)
    assert [one["id"] for one in found] == sorted((one["id"] for one in found), reverse=True)
    assert len(rows.splitlines()) == (len(found) + 1 if found else 1)


def test_sessions_that_cannot_be_read_are_rows_that_say_so(fleet, monkeypatch):
    monkeypatch.setenv("TABSHELL_HOME", str(fleet))
    faults = [one["fault"] for one in json.loads(call("sessions", "--json"))["sessions"] if one["fault"]]
    assert len(faults) == 1
    assert "damaged" in faults[0]
    assert call("sessions").count("cannot be read") == 1


def test_no_session_is_a_list_of_none(own_home):
    assert json.loads(call("sessions", "--json")) == {"schema": "tabshell/1", "sessions": []}
    assert call("sessions").startswith("No sessions in")


def test_expected_values_are_looked_for_in_a_bundle_as_in_its_session(fleet, tmp_path, monkeypatch):
    monkeypatch.setenv("TABSHELL_HOME", str(tmp_path / "home"))
    session = str(fleet / "sessions" / "20260601-000000-000000")
    (tmp_path / "values.txt").write_text("4711\n")
    (tmp_path / "r.md").write_text("nothing\n")
    call("export", session, "--format", "bundle", "-o", str(tmp_path / "s.tab"))
    words = ("--expected", str(tmp_path / "values.txt"), "-d", str(tmp_path / "r.md"), "--format", "json")
    here, packed = (json.loads(call("stats", one, *words)) for one in (session, str(tmp_path / "s.tab")))
    assert here["expected"] == packed["expected"] == [{"text": "4711", "outcome": "not shown", "held": False}]
    assert here["medians"] == packed["medians"]
