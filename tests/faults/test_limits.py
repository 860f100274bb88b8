"""Descriptors, memory, processes and the clock: what runs out or jumps takes the record, never the shell."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tabshell.model.facts import RecordingGap, TurnEnded
from tabshell.session import Session, SessionOptions


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.parametrize("spare", [0, 1, 2, 3, 5])
def test_a_proxy_without_descriptors_lets_the_shell_go_on(terminal, record, workspace, spare):
    (workspace / "a.txt").write_text("alpha 42\n")
    shell = terminal()
    shell.run("echo before")
    limits = resource.prlimit(shell.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, (descriptors(shell.pid) + spare, limits[1]))
    for number in range(6):
        shown = shell.run(f"cat a.txt; echo few{number}")
        assert f"few{number}\r\n".encode() in shown
        assert shell.took < 20
    resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, limits)
    assert b"alpha 42" in shell.run("cat a.txt; echo after")
    assert shell.leave("exit 9") == 9
    found = record()
    assert found.sound()
    assert {"echo before", "cat a.txt; echo after"} <= set(found.commands())
    assert b"few5\r\n" in found.output("cat a.txt; echo few5")


def test_a_shell_with_few_descriptors_is_a_shell(terminal, record):
    shell = terminal()
    shell.run("ulimit -n 5")
    assert b"few" in shell.run("echo few")
    assert shell.leave("exit 4") == 4
    assert record().sound()


# most of them lie around what starting takes: at some the first prompt is shown, and the next byte read has no place
@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [*range(40, 70, 2), 120, 200, 400])
def test_little_memory_starts_a_shell_or_says_what_failed(terminal, megabytes):
    """Too little to start at all is a message and a status; else the shell works, recorded or not."""
    limit = megabytes << 20
    shell = terminal(prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), first=None)
    shell.rest = b""
    try:
        shell.until()
    except pytest.fail.Exception:
        assert os.waitstatus_to_exitcode(os.waitpid(shell.pid, 0)[1]) != 0
        shell.status = 1
        return
    assert b"ran\r\n" in shell.run("echo ran")
    assert b"\r\n50000\r\n" in shell.run("seq 50000")
    assert shell.leave("exit 3") == 3


@pytest.mark.slow
def test_a_proxy_that_gets_no_more_memory_lets_the_shell_go_on(terminal, record, workspace):
    (workspace / "big.txt").write_text("".join(f"line {n} of a large file\n" for n in range(200_000)))
    shell = terminal()
    shell.run("echo before; cat big.txt | head -c 1000; cat /etc/passwd")
    used = int(Path(f"/proc/{shell.pid}/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.prlimit(shell.pid, resource.RLIMIT_AS)
    resource.prlimit(shell.pid, resource.RLIMIT_AS, (used + (1 << 20), limits[1]))
    for number in range(3):
        assert f"tight{number}\r\n".encode() in shell.run(f"cat big.txt; echo tight{number}")
    resource.prlimit(shell.pid, resource.RLIMIT_AS, limits)
    assert b"after" in shell.run("echo after")
    assert shell.leave("exit 5") == 5
    assert record().sound()


@pytest.fixture
def faketime():
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("libfaketime is not installed")
    return library


@pytest.mark.slow
def test_a_clock_that_jumps_back_and_forth_keeps_order_and_chain(terminal, record, tmp_path, tabshell):
    clock = tmp_path / "clock"
    clock.write_text("0")
    (tmp_path / "sitecustomize.py").write_text(
        f"import time\nreal = time.time\ntime.time = lambda: real() + float(open({str(clock)!r}).read())\n"
    )
    shell = terminal(environment={"PYTHONPATH": str(tmp_path)})
    jumps = ("0", "-315000000", "315000000", "-260000", "0")
    for jump in jumps:
        clock.write_text(jump)
        assert b"there" in shell.run(f"echo there {jump}")
        assert b"r" in shell.run(f"tab add 'at {jump}'")
        assert shell.took < 20
    assert shell.leave("exit 2") == 2
    found = record()
    assert found.sound()
    assert [c for c in found.commands() if c.startswith("echo")] == [f"echo there {jump}" for jump in jumps]
    assert all(fact.duration_s >= 0 for fact in found.facts(TurnEnded))
    for words in (("audit", "last"), ("verify", "last"), ("export", "last"), ("sessions",), ("stats", "last")):
        assert tabshell(*words).returncode == 0, words
    assert tabshell("export", "last", "--format", "asciicast2").returncode == 0
    assert tabshell("replay", "last", "--speed", "1000").returncode == 0


def test_a_clock_that_jumps_does_not_disorder_the_shims_inbox(own_home, workspace, faketime, tmp_path):
    with Session.create(SessionOptions(str(workspace)), os.environ) as session:
        for number, jump in enumerate(("+0", "-2d", "+2d", "-1h")):
            subprocess.run(
                [session.directory / "bin" / "bash", "-c", f"echo n{number}"], check=True, capture_output=True,
                env={**os.environ, "LD_PRELOAD": str(faketime), "FAKETIME": jump},
            )  # fmt: skip
            session.catch_up()
        tab = session.tab(turns=True)
        assert [turn.started.command for turn in tab.turns.values()] == [f"echo n{n}" for n in range(4)]


@pytest.fixture
def tabshell(workspace):
    return lambda *words: subprocess.run(
        [sys.executable, "-m", "tabshell", *words], cwd=workspace, capture_output=True, text=True, timeout=60,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", ["S*", "E*", "gate*", "bell", "lock", "line", "rc", "*", ""])
def test_a_shell_whose_side_files_are_removed_goes_on(terminal, record, tmp_path, what):
    memory = tmp_path / "memory"
    memory.mkdir()
    shell = terminal(environment={"XDG_RUNTIME_DIR": str(memory)})
    shell.run("echo before")
    (side,) = memory.glob("tabshell-door-*")
    if what:
        for path in side.glob(what):
            path.unlink()
    else:
        shutil.rmtree(side)
    shown = b""
    for number in range(4):
        os.write(shell.fd, f"echo on$((40 + {number}))\r".encode())
        shown += shell.see(f"on{40 + number}\r\n".encode())
    assert shell.leave("exit 6") == 6
    shown += shell.rest
    found = record()
    assert found.sound()
    if shown.count(b"[tab] not recorded from here on: the private files") == 1:
        assert [gap.reason for gap in found.facts(RecordingGap)] == [
            "the recording broke off: the private files of this shell's hooks were removed"
        ]
    else:
        assert what in ("S*", "E*", "lock", "rc", "line")
        assert "echo on$((40 + 3))" in found.commands()
