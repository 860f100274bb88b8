"""Many sessions in a folder: found, measured by several processes, and equal to a plain count."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from tabshell.audit.stats import SessionStats
from tabshell.audit.stats_tally import AMOUNTS, HABITS, Unmeasured, overview
from tabshell.session import fleet
from tabshell.session.summary import summarise

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "benchmarks")]

import fleet_reference  # noqa: E402
import fleet_sessions  # noqa: E402


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Forty sound sessions; their directories in order."""
    where = fleet_sessions.make_fleet(tmp_path_factory.mktemp("fleet"), 40, seed=3, spoiled=False, processes=1)
    return [str(path) for path in sorted(where.iterdir())]


@pytest.fixture
def one(sound, tmp_path):
    """A copy of one of them, in a folder of sessions of its own."""
    directory = tmp_path / "sessions" / "one"
    shutil.copytree(sound[0], directory)
    return directory


def test_the_measures_of_many_sessions_equal_a_plain_count(sound):
    found = list(fleet.measure_all(sound, 2))
    plain = [fleet_reference.measures(Path(directory)) for directory in sound]
    assert [{name: getattr(one, name) for name in row} for one, row in zip(found, plain, strict=True)] == plain
    over = overview(found)
    assert {"medians": over.medians, "shares": over.shares} == fleet_reference.overview(plain, AMOUNTS, HABITS)
    assert all(0 < one.seconds < 3600 for one in found)
    assert [one.directory for one in found] == sound


def test_one_process_and_several_give_the_same_in_the_same_order(sound):
    assert list(fleet.measure_all(sound, 1)) == list(fleet.measure_all(sound, 3))


def test_measuring_changes_nothing_in_a_session(one):
    before = {path: path.stat().st_mtime_ns for path in [one, *one.rglob("*")]}
    assert isinstance(fleet.measure(str(one)), SessionStats)
    assert {path: path.stat().st_mtime_ns for path in [one, *one.rglob("*")]} == before


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("damaged", "store-damaged"),
        ("newer", "store-too-new"),
        ("foreign", "store-foreign"),
        ("empty", "store-foreign"),
        ("bad body", "store-damaged"),
        ("no store", "unreadable"),
    ],
)
def test_what_cannot_be_measured_is_named_with_its_kind(one, how, code):
    fleet_sessions.spoil(one, how)
    found = fleet.measure(str(one))
    assert isinstance(found, Unmeasured)
    assert (found.code, found.directory) == (code, str(one))
    assert str(one) in found.message


@pytest.mark.parametrize("how", ["running", "cut off"])
def test_a_session_without_an_end_is_measured_and_marked(one, sound, how):
    fleet_sessions.spoil(one, how)
    found, whole = fleet.measure(str(one)), fleet.measure(sound[0])
    assert not found.ended
    assert found.turns == whole.turns + (how == "cut off")
    assert found.requirements == whole.requirements


def test_facts_of_wrong_types_are_damage_of_that_session_only(one, sound):
    fleet_sessions._execute(
        one / "tab.db",
        "DROP TRIGGER events_are_facts_u",
        'UPDATE events SET body = replace(body, \'"chars":\', \'"chars":"x","was":\') WHERE kind = \'EntryLogged\'',
    )
    broken, fine = fleet.measure_all([str(one), sound[1]], 1)
    assert (broken.code, type(fine)) == ("store-damaged", SessionStats)


def test_runs_that_nobody_took_in_are_pending(one):
    (one / "inbox" / "1").write_bytes(b"x")
    assert fleet.measure(str(one)).pending == 1


def test_the_lock_of_the_inbox_is_no_run_that_waits(one):
    (one / "inbox" / ".lock").touch()
    assert fleet.measure(str(one)).pending == 0


def test_a_store_that_is_no_file_ends_nothing(one):
    (one / "tab.db").unlink()
    os.mkfifo(one / "tab.db")
    assert fleet.measure(str(one)).code == "no-session"
    (one / "tab.db").unlink()
    (one / "tab.db").mkdir()
    assert fleet.measure(str(one)).code == "no-session"
    assert list(fleet.find_sessions(str(one.parent))) == [str(one)]


def test_a_session_that_ends_its_process_is_named_and_the_others_are_measured(sound, tmp_path, monkeypatch):
    deadly = str(tmp_path / "deadly")
    real = os.path.join

    def join(folder, *names):
        if folder == deadly:
            os.kill(os.getpid(), 9)
        return real(folder, *names)

    monkeypatch.setattr(os.path, "join", join)  # processes are forked, so they have it too
    if sys.version_info >= (3, 14):
        pytest.skip("processes are not forked here, so none can be made to die")
    directories = [*sound[:20], deadly, *sound[20:]]
    found = list(fleet.measure_all(directories, 2))
    assert [one.directory for one in found] == directories
    assert [one.code for one in found if isinstance(one, Unmeasured)] == ["died"]


def test_sessions_are_found_at_any_depth_and_neighbours_without_one_are_named(one, tmp_path):
    trial = tmp_path / "job" / "trial" / "agent"
    shutil.copytree(one, trial / "sessions" / "a")
    (trial / "sessions" / "stray").mkdir()
    (tmp_path / "job" / "notes").mkdir()
    (tmp_path / "job" / "round").symlink_to(tmp_path / "job")
    (trial / "sessions" / "linked").symlink_to(one)
    first, linked, stray, last = fleet.find_sessions(str(tmp_path))
    assert (first, last) == (str(trial / "sessions" / "a"), str(one))
    assert linked == str(trial / "sessions" / "linked")
    assert (stray.code, Path(stray.directory).name) == ("no-session", "stray")


def test_a_folder_that_cannot_be_listed_is_named(tmp_path):
    (found,) = fleet.find_sessions(str(tmp_path / "gone"))
    assert (found.code, found.directory) == ("unreadable", str(tmp_path / "gone"))


def test_a_bundle_among_sessions_gives_what_its_session_gives(one, tmp_path):
    from tabshell.session import Session  # noqa: PLC0415
    from tabshell.session.bundling import bundle  # noqa: PLC0415

    with Session.open(one, readonly=True) as session:
        (tmp_path / "kept.tab").write_bytes(bundle(session))
    (tmp_path / "table.tab").write_text("a\tb\n")
    packed, lying = (fleet.measure(path) for path in fleet.find_sessions(str(tmp_path)))
    assert packed.directory == str(tmp_path / "kept.tab")
    assert {n: getattr(packed, n) for n in (*AMOUNTS, *HABITS)} == {n: getattr(lying, n) for n in (*AMOUNTS, *HABITS)}
    broken = tmp_path / "broken.tab"
    broken.write_bytes((tmp_path / "kept.tab").read_bytes()[:-400])
    assert fleet.measure(str(broken)).code == "recording"


def test_bytes_flipped_anywhere_in_a_store_end_nothing(one):
    whole = (one / "tab.db").read_bytes()
    rng = random.Random(11)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 3, 40))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        (one / "tab.db").write_bytes(data[: rng.choice((len(data), rng.randrange(len(data))))])
        assert isinstance(fleet.measure(str(one)), SessionStats | Unmeasured)
        assert summarise(one).id
