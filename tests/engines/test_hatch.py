"""The hatch: a command and a question without a Python of their own, and who is served when nobody is behind it."""

from __future__ import annotations

import array
import asyncio
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tabshell.engines import recorded as engine
from tabshell.engines.carried import core_name
from tabshell.engines.hatch import Hatch
from tabshell.engines.homecoming import bring_home
from tabshell.engines.recorded import Options, record
from tabshell.session import Session

pytestmark = pytest.mark.slow
ENVIRONMENT = {
    "LANG": "C.UTF-8", "n": "5", "SHLVL": "4", "BASH_FUNC_greet%%": "() {  echo hello $1\n}", "UNKNOWN-NAME": "x",
    "__tab": "kept", "PATH": os.environ["PATH"],
}  # fmt: skip


@pytest.fixture
def options(homes):
    return Options(workspace="workspace", homes=homes, task="the rent of the hall")


@pytest.fixture
def fresh(tmp_path):
    """A state directory of its own; the processes that wait there go with it."""
    home = tmp_path / "fresh"
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def no_python(monkeypatch):
    """Whatever is run without the hatch says so."""

    def forbid(recorded):
        Path(recorded.session, "bin", "bash").write_text("#!/bin/sh\necho SHIM >&2\nexit 77\n")
        return recorded

    return forbid


def turns(path):
    with Session.open(path, readonly=True) as session:
        tab = session.tab(turns=True, catch_up=False)
        return [
            (one.started.command, one.ended and one.ended.exit_code, session.output(number))
            for number, one in tab.turns.items()
        ]


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_commands_are_recorded_without_the_shim(place, options, no_python, tmp_path):
    async def go():
        recorded = no_python(await record(place, options))
        told = [
            await recorded.run(place, command, login=login, status=status)
            for command, login, status in (
                ("cat own.txt", True, True),
                ("echo out; echo err >&2; exit 3", False, False),
                ("printf 'no line break'", False, True),
                ("head -c 1000000 /dev/zero | tr '\\0' x", False, False),
                ("kill -9 $$", False, False),
                ("echo x > /dev/stdout; echo y > /dev/stderr", False, False),
            )
        ]
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert told[0].stdout.startswith("The rent of the hall is 1,150 EUR.\n[tab] ")
    assert (told[1].returncode, told[1].stdout, told[1].stderr) == (3, "out\n", "err\n")
    assert told[2].stdout.startswith("no line break\n[tab] ")
    assert told[3].stdout == "x" * 1_000_000
    assert told[4].returncode == 137
    assert (told[5].stdout, told[5].stderr) == ("x\n", "y\n")
    kept = turns(came.path)
    assert [code for _, code, _ in kept] == [0, 3, 0, 0, 137, 0]
    assert kept[0][2] == b"The rent of the hall is 1,150 EUR.\n"
    assert sorted(kept[1][2].splitlines()) == [b"err", b"out"]
    assert len(kept[3][2]) == 1_000_000


def test_a_command_finds_what_it_would_find_without_us(place, options, no_python):
    command = (
        "env -0 | sort -z | tr '\\0' '\\n'; greet you; echo $0 $# $SHLVL $-; set -- /proc/self/fd/*; echo ${@##*/}; umask; "
        "readlink /proc/self/fd/0 | cut -d: -f1; nosuchcommand; shopt -p expand_aliases; echo $BASH_EXECUTION_STRING"
    )

    async def go():
        recorded = no_python(await record(place, options))
        place.environment = {**ENVIRONMENT, "HOME": os.environ["HOME"]}
        ours = await recorded.run(place, command, login=False, status=False)
        plain = await place.exec(["bash", "-c", command], cwd="workspace", env=recorded.environment(status=False))
        return recorded.session, ours, plain

    session, ours, plain = asyncio.run(go())
    added = ("TABSHELL_SHIM=", "BASH_ENV=")
    lines = [line for line in ours.stdout.splitlines() if not line.startswith(added)]
    assert [line.replace(f"{session}/bin:", "") for line in lines] == plain.stdout.splitlines()
    assert "hello you" in lines
    assert ours.stderr == plain.stderr


def test_a_child_in_the_background_keeps_its_pipe(place, options, no_python, tmp_path):
    async def go():
        recorded = no_python(await record(place, options))
        told = await recorded.run(place, "(sleep 0.5; echo late) & echo early", login=False, status=False)
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, _ = asyncio.run(go())
    assert told.stdout == "early\nlate\n"


def test_the_caller_killed_takes_its_bash_along_and_what_was_shown_is_kept(place, options, no_python, tmp_path):
    async def go():
        recorded = no_python(await record(place, options))
        mark = f"600.{os.getpid()}"
        running = asyncio.ensure_future(recorded.run(place, f"cat own.txt; exec sleep {mark}", login=False))
        found: list[str] = []

        def sleeps():
            found[:] = subprocess.run(["pgrep", "-f", f"^sleep {mark}"], capture_output=True, text=True).stdout.split()
            return bool(found)

        await asyncio.to_thread(until, sleeps)
        parent = int(Path(f"/proc/{found[0]}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent, signal.SIGKILL)
        await running
        await asyncio.to_thread(until, lambda: not sleeps())
        after = await recorded.run(place, "echo after", login=False, status=False)
        return mark, after, await bring_home(place, recorded, tmp_path / "home")

    mark, after, came = asyncio.run(go())
    assert after.stdout == "after\n"
    kept = turns(came.path)
    assert kept[0] == (f"cat own.txt; exec sleep {mark}", 137, b"The rent of the hall is 1,150 EUR.\n")
    assert kept[1][0] == "echo after"


def test_many_commands_at_a_time_have_their_own_output(place, options, tmp_path):
    async def go():
        recorded = await record(place, options)
        told = await asyncio.gather(
            *(recorded.run(place, f"echo {n}; sleep 0.1; echo {n} >&2", login=False, status=False) for n in range(24))
        )
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert [(ran.stdout, ran.stderr) for ran in told] == [(f"{n}\n", f"{n}\n") for n in range(24)]
    assert sorted(output for _, _, output in turns(came.path)) == sorted(f"{n}\n{n}\n".encode() for n in range(24))


def test_where_nobody_is_behind_the_hatch_the_shim_records(place, options, tmp_path):
    async def go():
        recorded = await record(place, options)
        served = int(Path(recorded.session, "hatch", "process").read_text())
        os.kill(served, signal.SIGKILL)
        await asyncio.to_thread(until, lambda: _ended(served))
        told = await recorded.run(place, "cat own.txt", login=False)
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert told.stdout.startswith("The rent of the hall is 1,150 EUR.\n[tab] ")
    assert came.problem is None
    assert [command for command, _, _ in turns(came.path)] == ["cat own.txt"]


def _ended(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_clerk_that_dies_while_a_question_waits_is_not_waited_for(place, options, tmp_path):
    async def go():
        recorded = await record(place, options)
        await recorded.run(place, "cat own.txt", login=False, status=False)
        served = int(Path(recorded.session, "hatch", "process").read_text())
        os.kill(served, signal.SIGSTOP)  # it will not answer
        asking = asyncio.ensure_future(recorded.finish_check(place))
        free = Path(recorded.session, "hatch", "free")
        await asyncio.to_thread(until, lambda: _waits(free))
        os.kill(served, signal.SIGKILL)
        return await asking

    assert "Finish check" in asyncio.run(go())


def _waits(free):
    """Whether a caller has taken a slot."""
    held = array.array("i", [0])
    descriptor = os.open(free, os.O_RDWR | os.O_NONBLOCK)
    try:
        fcntl.ioctl(descriptor, termios.FIONREAD, held)
    finally:
        os.close(descriptor)
    return held[0] < 8


def test_where_no_pipes_can_be_made_the_shim_records(tmp_path, monkeypatch):
    shim = tmp_path / "bin" / "bash"
    shim.parent.mkdir()
    shim.write_text('#!/bin/sh\necho SHIM "$@"\n')
    shim.chmod(0o700)

    def fail(*_words):
        raise PermissionError

    monkeypatch.setattr(os, "mkfifo", fail)
    with pytest.raises(PermissionError):
        Hatch(str(tmp_path))
    words = engine.run_words(str(tmp_path), "bash", ["-c", "true"], status=True, most=0)
    assert subprocess.run(words, capture_output=True, text=True).stdout == "SHIM -c true\n"


def test_output_that_is_no_pipe_goes_by_the_shim(place, options, tmp_path):
    async def go():
        recorded = await record(place, options)
        place.folder.joinpath("out").write_text("")
        words = engine.run_words(recorded.session, recorded.bash, ["-c", "cat own.txt"], status=False, most=0)
        with open(place.folder / "out", "ab") as out:
            code = subprocess.run(words, stdout=out, cwd=recorded.workspace, env={**os.environ}).returncode
        return code, await bring_home(place, recorded, tmp_path / "home")

    code, came = asyncio.run(go())
    assert code == 0
    assert (place.folder / "out").read_text() == "The rent of the hall is 1,150 EUR.\n"
    assert turns(came.path) == [("cat own.txt", 0, b"The rent of the hall is 1,150 EUR.\n")]


def test_sessions_here_are_started_with_one_call_of_the_sandbox(place, options, tmp_path):
    async def go():
        await record(place, options)
        place.calls.clear()
        return [await record(place, options) for _ in range(20)]

    made = asyncio.run(go())
    assert len(place.calls) == 20
    assert len({one.session for one in made}) == 20
    assert {one.workspace for one in made} == {os.path.realpath(place.folder / "workspace")}


def test_the_first_of_many_samples_looks_at_the_machine_for_all(place, fresh):
    options = Options(workspace="workspace", homes=(str(fresh),))

    async def go():
        return await asyncio.gather(*(record(place, options) for _ in range(12)))

    made = asyncio.run(go())
    assert len({one.session for one in made}) == 12
    # two looks, the core, a start of the long way; then one call for each of the others
    assert len(place.calls) == 4 + 11


def test_a_tabshell_that_is_installed_here_is_found_the_short_way_too(place, fresh):
    options = Options(workspace="workspace", homes=(str(fresh),))
    folder = os.path.dirname(sys.executable)
    place.environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    async def go():
        await record(place, options)
        place.calls.clear()
        return await asyncio.gather(*(record(place, options) for _ in range(6)))

    made = asyncio.run(go())
    assert not list(fresh.glob("core-*"))
    assert len({one.session for one in made}) == len(place.calls) == 6


def test_a_warm_process_that_is_gone_is_started_anew_by_one_of_many_samples(place, options):
    async def go():
        await record(place, options)
        what = engine._here[options.user, options.homes]
        process = int(Path(what.home, core_name(), "hatch", "process").read_text())
        os.kill(process, signal.SIGKILL)
        await asyncio.to_thread(until, lambda: _ended(process))
        place.calls.clear()
        return await asyncio.gather(*(record(place, options) for _ in range(12)))

    made = asyncio.run(go())
    assert len({one.session for one in made}) == 12
    # each is turned away once; then one looks at the sandbox and starts the process, and eleven find it there
    assert len(place.calls) <= 12 + 3 + 11


def test_a_workspace_that_holds_the_sidecars_is_not_taken_by_the_short_way(place, options, homes):
    async def go():
        await record(place, options)
        outer = Path(homes[0]).parent
        return await record(type(place)(outer), Options(workspace=str(outer), homes=homes))

    recorded = asyncio.run(go())
    assert not recorded.session.startswith(homes[0])
    subprocess.run(["rm", "-rf", recorded.session], check=True)


@pytest.mark.parametrize("by", ["hatch", "shim"])
def test_what_the_model_was_not_shown_of_a_long_output_is_not_read(place, options, by, tmp_path):
    lines = [f"Item {n:04} costs {n * 7919 % 100_003:,} EUR in hall {n * 31 % 977}." for n in range(1000)]
    place.folder.joinpath("workspace", "prices.txt").write_text("\n".join(lines) + "\n")
    place.folder.joinpath("workspace", "middle.txt").write_text("\n".join(lines[480:520]) + "\n")

    async def go():
        recorded = await record(place, options)
        if by == "shim":
            place.environment = {**os.environ, "POSIXLY_CORRECT": "1"}  # the hatch's own bash must not be in that mode
        told = await recorded.run(place, "cat prices.txt; echo oh no >&2", login=False, most=2000)
        await recorded.run(place, "cat prices.txt | head -3", login=False, most=2000)
        return told, await bring_home(place, recorded, tmp_path / "home")

    told, came = asyncio.run(go())
    assert len(told.stdout) > 30_000
    with Session.open(came.path, readonly=True) as session:
        tab = session.tab(catch_up=False)
        read = [session.entry_text(entry) for entry in tab.entries.values()]
        assert next(entry.logged.paths for entry in tab.entries.values()) == ("prices.txt",)
    assert read[0].startswith(lines[0])
    assert read[0].endswith(lines[-1])
    assert lines[500] not in read[0]
    assert 1800 < len(read[0]) <= 2100
    assert tab.entries[1].logged.truncated
