"""``tab`` in a sandbox without a Python of its own, and when it takes the one that lies beside."""

from __future__ import annotations

import array
import asyncio
import fcntl
import os
import shutil
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest

from tabshell.engines.homecoming import bring_home
from tabshell.engines.recorded import Options, record
from tabshell.session import Session

pytestmark = pytest.mark.slow


@pytest.fixture
def options(homes):
    return Options(workspace="workspace", homes=homes, task="the rent of the hall")


def without_python(recorded):
    """Whoever goes on to the program in Python says so."""
    beside = Path(recorded.session, "hatch", "tab")
    beside.unlink()
    beside.write_text("#!/bin/sh\necho PYTHON $# >&2\nexit 77\n")
    beside.chmod(0o700)
    return recorded


def requirements(path):
    with Session.open(path, readonly=True) as session:
        tab = session.tab(catch_up=False)
        return [(one.text, one.status) for one in tab.requirements.values()]


def test_the_tab_is_worked_without_python(place, options, tmp_path):
    async def go():
        recorded = without_python(await record(place, options))
        told = [
            await recorded.run(place, command, login=login, status=False)
            for login, command in (
                (False, "tab add 'the rent of the hall' 'höhe, 50 %'"),
                (True, "cat own.txt; tab list | head -1"),
                (False, "tab list 2>/dev/null | grep -c own.txt"),
                (False, "tab resolve r1 done own.txt; echo $?"),
                (False, "tab resolve r9 done L1; echo $?; tab nonsense; echo $?"),
                (False, "x=$(tab status); echo \"$x\"; bash -c 'tab show L1'; echo 'a thought' | xargs tab note"),
                (
                    False,
                    "cd / && tab status && mkdir /tmp/gone.$$ && cd /tmp/gone.$$ && rmdir ../gone.$$ && tab status",
                ),
            )
        ]
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert not [ran.stderr for ran in told if "PYTHON" in ran.stderr]
    assert told[0].stdout == "r1: the rent of the hall\nr2: höhe, 50 %\n"
    assert told[1].stdout.splitlines()[0] == "The rent of the hall is 1,150 EUR."
    assert len(told[1].stdout.splitlines()) == 2
    assert int(told[2].stdout) >= 1
    assert told[3].stdout.splitlines()[-1] == "0"
    assert [line for line in told[4].stdout.splitlines() if line.isdigit()] == ["1", "2"]
    assert "r9" in told[4].stderr
    assert "1,150 EUR" in told[5].stdout
    assert len(told[6].stdout.splitlines()) == 2
    assert requirements(came.path)[0] == ("the rent of the hall", "done")
    assert requirements(came.path)[1][0] == "höhe, 50 %"


@pytest.mark.parametrize(
    "command",
    [
        "tab add late > answer.txt; cat answer.txt",
        "printf before > answer.txt; tab add late >> answer.txt; cat answer.txt",
        "printf 'late\\n' | tab add -",
        "tab task - <<<'late'; tab add late",
        'ln -s "$(command -v tab)" here; ./here add late',
        "POSIXLY_CORRECT=1 tab add late",
        'bash "$(command -v tab)" add late',
        "tab add late >&-; true",
    ],
)
def test_what_cannot_be_asked_so_is_done_all_the_same_and_once(place, options, command, tmp_path):
    async def go():
        recorded = await record(place, options)
        ran = await recorded.run(place, command, login=False, status=False)
        return ran, await bring_home(place, recorded, tmp_path / "home")

    ran, came = asyncio.run(go())
    assert ran.stdout.endswith("r1: late\n") or command.endswith("true")
    assert "before" not in command or ran.stdout.startswith("beforer1")
    assert [text for text, _ in requirements(came.path)] == ["late"]


def test_the_program_of_a_copied_session_asks_its_own(place, options, tmp_path):
    async def go():
        recorded = await record(place, options)
        await recorded.run(place, "tab add first", login=False)
        copy = tmp_path / "copy"
        shutil.copytree(recorded.session, copy, ignore=shutil.ignore_patterns("*.sock", "[0-9]", "ask", "free"))
        subprocess.run([copy / "bin" / "tab", "add", "second"], check=True, capture_output=True)
        return copy, await bring_home(place, recorded, tmp_path / "home")

    copy, came = asyncio.run(go())
    assert [text for text, _ in requirements(copy)] == ["first", "second"]
    assert [text for text, _ in requirements(came.path)] == ["first"]


def test_without_a_clerk_the_call_is_done_alone(place, options, tmp_path):
    async def go():
        recorded = await record(place, options)
        served = int(Path(recorded.session, "hatch", "process").read_text())
        os.kill(served, signal.SIGKILL)
        told = await recorded.run(place, "tab add alone", login=False, status=False)
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert told.stdout == "r1: alone\n"
    assert requirements(came.path) == [("alone", "open")]


def test_a_clerk_that_dies_in_a_call_leaves_it_to_the_caller_to_look(place, options):
    async def go():
        recorded = without_python(await record(place, options))
        served = int(Path(recorded.session, "hatch", "process").read_text())
        os.kill(served, signal.SIGSTOP)
        free = Path(recorded.session, "hatch", "free")
        calling = asyncio.ensure_future(place.exec([f"{recorded.session}/bin/tab", "add", "late"], cwd="workspace"))
        await asyncio.to_thread(taken, free)
        os.kill(served, signal.SIGKILL)
        return await calling

    ran = asyncio.run(go())
    assert ran.returncode == 1
    assert "ended half-way" in ran.stderr


def taken(free, seconds=20.0):
    """Waits until a caller has taken a slot."""
    held = array.array("i", [8])
    end = time.monotonic() + seconds
    first = None
    while first is None or held[0] >= first:
        assert time.monotonic() < end
        descriptor = os.open(free, os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(descriptor, termios.FIONREAD, held)
        os.close(descriptor)
        first = held[0] if first is None else first
        time.sleep(0.01)


def test_many_calls_at_a_time_have_their_own_answers(place, options, tmp_path):
    async def go():
        recorded = await record(place, options)
        told = await asyncio.gather(
            *(recorded.run(place, f"tab add 'number {n}'", login=False, status=False) for n in range(24))
        )
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert [ran.stdout.partition(": ")[2] for ran in told] == [f"number {n}\n" for n in range(24)]
    assert len({ran.stdout.partition(":")[0] for ran in told}) == 24
    assert sorted(text for text, _ in requirements(came.path)) == sorted(f"number {n}" for n in range(24))
