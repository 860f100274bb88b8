"""Disks that are full, gone, read-only or locked: the shell goes on, one line says what is not recorded, and the audit
names the gap. Then, where the fault is over, the record goes on."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time

import pytest

from tabshell.model.facts import RecordingGap

NOTE = b"[tab] not recorded: "


def mounted(*words):
    return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(own_home):
    """The sidecars lie on a disk of two megabytes."""
    place = own_home / "sidecars"
    place.mkdir()
    if os.geteuid() != 0 or not mounted("-t", "tmpfs", "-o", "size=2m", "none", str(place)):
        pytest.skip("this container may not mount")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_and_one_that_has_room_again(terminal, record, small_disk, tabshell):
    shell = terminal()
    assert NOTE not in shell.run("echo before")
    (small_disk / "filler").write_bytes(b"x" * (1 << 20))
    with open(small_disk / "filler", "ab", buffering=0) as filler:
        try:
            while filler.write(b"x" * 4096):
                pass
        except OSError:
            pass
    shown = b"".join(shell.run(f"head -c 300000 /dev/urandom | base64; echo full{n}") for n in range(4))
    assert shown.count(NOTE) == 1
    assert all(f"full{n}\r\n".encode() in shown for n in range(4))
    assert shell.took < 10
    (small_disk / "filler").unlink()
    assert b"after" in shell.run("echo after")
    assert NOTE not in shell.run("echo last")
    assert shell.leave("exit 6") == 6
    found = record()
    assert found.sound()
    assert "echo before" in found.commands()
    assert [command for command in found.commands() if "exit" not in command][-2:] == ["echo after", "echo last"]
    assert b"last\r\n" in found.output("echo last")
    findings = tabshell("verify", "last", "--json")["findings"]
    complete = all(
        f"full{n}".encode() in found.output(f"head -c 300000 /dev/urandom | base64; echo full{n}") for n in range(4)
    )
    assert complete or any(finding["code"] == "recording-gap" for finding in findings)


def test_a_full_place_of_the_hooks_files_disturbs_no_command(terminal, small_disk):
    """The reports of the hooks cannot be written."""
    shell = terminal(environment={"XDG_RUNTIME_DIR": str(small_disk), "TABSHELL_HOME": str(small_disk.parent / "else")})
    shell.run("echo before")
    with open(small_disk / "filler", "ab", buffering=0) as filler, contextlib.suppress(OSError):
        while filler.write(b"x" * 4096):
            pass
    for number in range(4):
        assert f"full{number}\r\n7\r\n".encode() in shell.run(f"echo full{number}; (exit 7); echo $?")
        assert shell.took < 10
    (small_disk / "filler").unlink()
    assert b"after\r\n" in shell.run("echo after")
    assert shell.leave("exit 6") == 6


def test_a_disk_that_is_full_from_the_beginning_is_said_before_anything_starts(terminal, small_disk):
    (small_disk / "filler").write_bytes(b"")
    with open(small_disk / "filler", "ab", buffering=0) as filler:
        try:
            while filler.write(b"x" * 4096):
                pass
        except OSError:
            pass
    done = subprocess.run(
        [sys.executable, "-m", "tabshell", "-c", "echo ran"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "set TABSHELL_HOME" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_size_limit_works_like_a_full_disk(terminal, record):
    """RLIMIT_FSIZE: what a quota is to a process; needs no right to mount."""
    shell = terminal(prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY)))
    shell.run("echo before")
    shown = b"".join(shell.run(f"head -c 400000 /dev/urandom | base64; echo full{n}") for n in range(4))
    assert shown.count(NOTE) == 1
    assert all(f"full{n}\r\n".encode() in shown for n in range(4))
    assert shell.leave("exit 7") == 7
    found = record()
    assert found.sound()
    assert "echo before" in found.commands()


@pytest.fixture
def read_only(own_home):
    """Makes the sidecars read-only, and writable again."""
    place = own_home / "sidecars"
    place.mkdir()
    if os.geteuid() != 0 or not mounted("--bind", str(place), str(place)):
        pytest.skip("this container may not mount")

    def switch(how):
        # busy where a file is open for writing: then the whole file system is made so
        return mounted("-o", f"remount,{how},bind", str(place))

    yield switch
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_sidecar_that_is_read_only_is_read_and_takes_nothing(terminal, read_only, own_home, workspace):
    (workspace / "a.txt").write_text("alpha 42\n")
    shell = terminal("--task", "alpha")
    shell.run("cat a.txt")
    shell.run("tab add 'alpha value'")
    shell.leave()
    assert read_only("ro")
    (directory,) = (own_home / "sidecars" / "sessions").iterdir()
    for words, status, text in (
        (["list"], 0, "alpha value"),
        (["show", "L1"], 0, "alpha 42"),
        (["status"], 0, "[tab] requirements: 1 open"),
        (["add", "beta"], 1, "Nothing was changed"),
        (["resolve", "r1", "done", "L1"], 1, "TABSHELL_HOME"),
    ):
        done = subprocess.run(
            [directory / "bin" / "tab", *words], capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, text in done.stdout + done.stderr) == (status, True), (words, done)
    ran = subprocess.run([directory / "bin" / "bash", "-c", "echo ran; exit 3"], capture_output=True, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == (b"ran\n", b"", 3)
    for command in ("audit", "verify", "stats", "sessions"):
        done = subprocess.run(
            [sys.executable, "-m", "tabshell", command, *(["last"] if command in ("audit", "verify") else [])],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    resumed = subprocess.run(
        [sys.executable, "-m", "tabshell", "run", "--resume", "last", "-c", "true"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert resumed.returncode == 2
    assert "cannot be written" in resumed.stderr


def test_a_sidecar_deleted_while_the_shell_runs(terminal, own_home):
    shell = terminal()
    shell.run("echo before")
    shutil.rmtree(own_home / "sidecars")
    shown = b"".join(shell.run(f"echo gone{n}; seq 2000") for n in range(5))
    assert shown.count(b"gone4\r\n") == 1
    assert shown.count(b"\r\n2000\r\n") == 5
    assert shell.leave("exit 8") == 8
    assert b"Traceback" not in shown + shell.rest
    assert not (own_home / "sidecars").exists()


@pytest.mark.slow
def test_a_store_locked_for_half_a_minute_does_not_hold_the_prompt(terminal, record, own_home):
    shell = terminal()
    shell.run("echo before")
    (directory,) = (own_home / "sidecars" / "sessions").iterdir()
    locker = sqlite3.connect(directory / "tab.db", isolation_level=None)
    locker.execute("BEGIN EXCLUSIVE")
    began, shown, waits = time.monotonic(), b"", []
    number = 0
    while time.monotonic() - began < 30:
        number += 1
        shown += shell.run(f"echo locked{number}; sleep 0.3")
        waits.append(shell.took)
    locker.execute("ROLLBACK")
    locker.close()
    assert max(waits) < 5, waits
    assert sorted(waits)[len(waits) // 2] < 1.5, waits
    assert shown.count(NOTE) == 1
    shell.run("echo after")
    shell.leave()
    found = record()
    assert found.sound()
    assert [command for command in found.commands() if command != "exit"] == [
        "echo before",
        *(f"echo locked{n}; sleep 0.3" for n in range(1, number + 1)),
        "echo after",
    ]
    assert not found.facts(RecordingGap)


@pytest.mark.slow
def test_a_tab_call_beside_a_long_lock_says_so_in_seconds(terminal, own_home):
    shell = terminal()
    shell.run("tab add one")
    (directory,) = (own_home / "sidecars" / "sessions").iterdir()
    locker = sqlite3.connect(directory / "tab.db", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    try:
        done = subprocess.run(
            [directory / "bin" / "tab", "add", "two"], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 1
        assert "locked" in done.stderr
        assert "Nothing was changed" in done.stderr
        listed = subprocess.run(
            [directory / "bin" / "tab", "list"], capture_output=True, text=True, timeout=60, check=False
        )
        assert listed.returncode == 0
        assert "one" in listed.stdout
    finally:
        locker.execute("ROLLBACK")
        locker.close()


@pytest.fixture
def tabshell(workspace):
    def call(*words):
        done = subprocess.run(
            [sys.executable, "-m", "tabshell", *words],
            cwd=workspace,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    return call


def test_files_are_private_whatever_the_umask(terminal, own_home, workspace, tmp_path):
    (workspace / "a.txt").write_text("alpha\n")
    memory = tmp_path / "memory"
    memory.mkdir()
    shell = terminal(prepare=lambda: os.umask(0), environment={"XDG_RUNTIME_DIR": str(memory)})
    shell.run("cat a.txt")
    shell.run("tab list")
    (directory,) = (own_home / "sidecars" / "sessions").iterdir()
    shell.run(f"{directory}/bin/bash -c 'cat a.txt'")
    shell.run("tab status")
    shell.run("echo | tabshell --version")
    modes = {
        path: path.lstat().st_mode & 0o777 for path in [own_home / "sidecars", *(own_home / "sidecars").rglob("*")]
    }
    for path, mode in modes.items():
        if not path.is_symlink():
            assert mode & 0o077 == 0, (path, oct(mode))
    (side,) = memory.glob("tabshell-door-*")
    for path in [side, *side.iterdir()]:
        assert path.lstat().st_mode & 0o077 == 0, path
    shell.leave()
