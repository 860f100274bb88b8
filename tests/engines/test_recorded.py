"""A session in a sandbox: put there, worked through, brought home; by three operations of the sandbox alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tabshell.engines import homecoming
from tabshell.engines.homecoming import bring_home
from tabshell.engines.recorded import Options, record
from tabshell.model.facts import TurnStarted
from tabshell.session import Session
from tabshell.session.fleet import measure
from tabshell.store.database import Store

pytestmark = pytest.mark.slow


def options(homes, **more):
    return Options(workspace="workspace", homes=homes, task="the rent of the hall", **more)


def commands(path):
    with Store.open(Path(path) / "tab.db", readonly=True) as store:
        return [event.fact.command for event in store.events(TurnStarted)]


def test_a_session_is_worked_through_and_comes_home(place, homes, tmp_path):
    async def go():
        recorded = await record(place, options(homes, name="s1", variant="tabshell"))
        first = await recorded.run(place, "tab add 'the rent of the hall'; cat own.txt", login=False)
        second = await recorded.run(place, "exit 3", login=False, status=False)
        review = await recorded.tab(place, "list")
        done = await recorded.tab(place, "resolve", "r1", "done", "L1")
        checks = [await recorded.finish_check(place) for _ in range(2)]
        return recorded, first, second, review, done, checks, await bring_home(place, recorded, tmp_path / "home")

    recorded, first, second, review, done, checks, came = asyncio.run(go())
    assert "1,150 EUR" in first.stdout
    assert first.stdout.splitlines()[-1].startswith("[tab] requirements: 1 open (r1), 0 resolved")
    assert (second.returncode, second.stdout) == (3, "")
    assert "read: L1 own.txt" in review.stdout
    assert "r1 done (L1). Open: 0." in done.stdout
    assert "All" in checks[0] or "The one requirement is resolved" in checks[0]
    assert checks[1] is None
    assert came.problem is None
    assert commands(came.path) == [
        "tab add 'the rent of the hall'; cat own.txt", "exit 3", "tab list", "tab resolve r1 done L1",
    ]  # fmt: skip
    assert came.stats["done_percent"] == 100
    again = asdict(measure(came.path))
    assert {k: v for k, v in came.stats.items() if k != "directory"} == {
        k: v for k, v in again.items() if k != "directory"
    }
    assert not os.path.exists(recorded.session)
    with Session.open(came.path, readonly=True) as session:
        assert session.tab(catch_up=False).session.name == "s1"
        assert session.store.ended_at() is not None


def test_what_the_agent_does_after_the_check_counts_as_after_it(place, homes, tmp_path):
    async def go():
        recorded = await record(place, options(homes, out="model_output"))
        await recorded.run(place, "mkdir model_output; cat own.txt", login=False)
        await recorded.finish_check(place)
        await recorded.run(place, "tab add late; echo '1,150 EUR' > model_output/a.md", login=False)
        return await bring_home(place, recorded, tmp_path / "home")

    came = asyncio.run(go())
    assert came.stats["edits_after_check"]
    assert came.stats["operates_after_check"]
    assert not came.stats["states_before_check"]


def test_sessions_at_the_same_time_share_a_core_and_nothing_else(homes, tmp_path, place):
    async def one(number):
        folder = tmp_path / f"p{number}"
        (folder / "workspace").mkdir(parents=True)
        (folder / "workspace" / "own.txt").write_text(f"word{number}\n")
        there = type(place)(folder)
        recorded = await record(there, options(homes, name=str(number)))
        told = [await recorded.run(there, "cat own.txt", login=False) for _ in range(2)]
        return number, told, await bring_home(there, recorded, tmp_path / "home")

    async def go():
        return await asyncio.gather(*(one(number) for number in range(6)))

    found = asyncio.run(go())
    assert len({came.path for _, _, came in found}) == 6
    for number, told, came in found:
        assert all(ran.stdout.startswith(f"word{number}\n[tab] ") for ran in told)
        with Session.open(came.path, readonly=True) as session:
            tab = session.tab(catch_up=False)
            assert tab.session.name == str(number)
            assert [session.entry_text(entry) for entry in tab.entries.values()] == [f"word{number}"]
    cores = [name for name in os.listdir(homes[0]) if name.startswith("core-")]
    assert len(cores) == 1


def test_without_its_clerk_a_session_is_closed_all_the_same(place, homes, tmp_path):
    async def go():
        recorded = await record(place, options(homes))
        await recorded.run(place, "cat own.txt", login=False)
        for name in ("engine.sock", "clerk.sock"):
            os.unlink(f"{recorded.session}/{name}")  # nobody answers there any more
        told = await recorded.run(place, "tab status", login=False)
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert "read log: 1 entry" in told.stdout
    assert came.problem is None
    assert commands(came.path) == ["cat own.txt", "tab status"]


def test_a_sidecar_above_the_limit_is_left_and_its_measures_come_home(place, homes, tmp_path):
    async def go():
        recorded = await record(place, options(homes))
        await recorded.run(place, "cat own.txt", login=False)
        came = await bring_home(place, recorded, tmp_path / "home", limit=1000)
        subprocess.run(["rm", "-rf", recorded.session], check=True)
        return came

    came = asyncio.run(go())
    assert came.path is None
    assert "at most 1,000 are fetched" in came.problem
    assert came.size > 1000
    assert came.stats["entries"] == 1
    assert not (tmp_path / "home").exists()


def test_a_large_sidecar_is_read_as_a_file(place, homes, tmp_path, monkeypatch):
    monkeypatch.setattr(homecoming, "INLINE", 100)

    async def go():
        recorded = await record(place, options(homes))
        await recorded.run(place, "head -c 300000 /dev/urandom | base64", login=False)
        return recorded, await bring_home(place, recorded, tmp_path / "home")

    recorded, came = asyncio.run(go())
    assert came.problem is None
    assert os.path.getsize(Path(came.path) / "tab.db") == came.size > 200_000
    assert not os.path.exists(recorded.session)


def test_a_command_ended_at_its_time_limit_keeps_what_it_had_shown(place, homes, tmp_path):
    async def go():
        recorded = await record(place, options(homes))
        with pytest.raises(TimeoutError):
            await recorded.run(place, "cat own.txt; sleep 600", login=False, timeout=3)
        return await bring_home(place, recorded, tmp_path / "home", exit_code=None)

    came = asyncio.run(go())
    assert commands(came.path) == ["cat own.txt; sleep 600"]
    with Session.open(came.path, readonly=True) as session:
        assert b"1,150 EUR" in session.output(1)


def test_a_sandbox_that_cannot_close_its_session_gives_the_files_as_they_lie(place, homes, tmp_path):
    async def go():
        recorded = await record(place, options(homes))
        await recorded.run(place, "cat own.txt", login=False, status=False)
        lost = replace(recorded, program=("/nowhere/python3", "-c", "pass"), bash="/nowhere/bash")
        return await bring_home(place, lost, tmp_path / "home")

    came = asyncio.run(go())
    assert "copied as they lay" in came.problem
    assert commands(came.path) == ["cat own.txt"]
    with Session.open(came.path, readonly=True) as session:
        assert b"1,150 EUR" in session.output(1)


def test_a_sandbox_that_is_gone_costs_the_sidecar_and_raises_nothing(place, homes, tmp_path):
    async def go():
        recorded = await record(place, options(homes))
        place.broken = True
        return await bring_home(place, recorded, tmp_path / "home")

    came = asyncio.run(go())
    assert came.path is None
    assert "could not be fetched: the sandbox is gone" in came.problem


def test_two_sandboxes_with_one_clock_keep_their_sidecars_apart(tmp_path):
    first = homecoming._keep(tmp_path, "20260101-000000-000000", {"tab.db": b"one"})
    second = homecoming._keep(tmp_path, "20260101-000000-000000", {"tab.db": b"two"})
    assert first != second
    assert [(path / "tab.db").read_bytes() for path in (first, second)] == [b"one", b"two"]


def test_the_shell_of_a_session_goes_on_where_the_record_cannot_be_written(place, homes, tmp_path):
    async def go():
        recorded = await record(place, options(homes))
        subprocess.run(["rm", "-rf", f"{recorded.session}/inbox", f"{recorded.session}/tab.db"], check=True)
        Path(recorded.session, "inbox").write_text("")
        told = await recorded.run(place, "cat own.txt; exit 4", login=False)
        came = await bring_home(place, recorded, tmp_path / "home")
        return told, came

    told, came = asyncio.run(go())
    assert told.returncode == 4
    assert told.stdout.startswith("The rent of the hall")
    assert came.path is None
    assert came.problem
