"""``tabshell stats`` and ``tabshell sessions`` as a person calls them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tabshell.cli.tabshell import tabshell
from tabshell.errors import SessionNotFound
from tabshell.session import Session, SessionOptions


@pytest.fixture
def started(workspace, own_home):
    """A session named ``bakery``, and its id."""
    environment = {"TABSHELL_HOME": str(own_home / "sidecars")}
    with Session.create(SessionOptions(str(workspace), name="bakery"), environment) as session:
        return session.directory.name


def call(*words):
    return CliRunner().invoke(tabshell, words, standalone_mode=False, catch_exceptions=False).output


def measured(*words):
    return [one["session"] for one in json.loads(call("stats", *words, "--format", "json"))["sessions"]]


def test_a_session_is_found_by_its_name_although_a_folder_has_the_same_name(started, tmp_path, monkeypatch):
    (tmp_path / "bakery").mkdir()
    monkeypatch.chdir(tmp_path)
    assert measured("bakery") == [started]


def test_a_state_directory_its_sessions_and_nothing_mean_the_same_sessions(started, own_home):
    home = own_home / "sidecars"
    assert measured() == measured(str(home)) == measured(str(home / "sessions")) == [started]


def test_a_folder_without_sessions_is_no_session(started, tmp_path):
    with pytest.raises(SessionNotFound):
        call("stats", str(tmp_path))


def test_the_list_of_sessions_gives_times_as_every_other_json_does(started):
    (one,) = json.loads(call("sessions", "--json"))["sessions"]
    assert one["id"] == started
    assert one["started_at"].endswith("Z")
    assert one["ended_at"] is None
