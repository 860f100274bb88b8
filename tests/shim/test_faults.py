"""Whatever goes wrong with the recording, the command runs and looks the same."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

SCRIPT = "echo out; echo err >&2; cat a.txt; exit 7"


@pytest.fixture
def seen(bash, shim_env, workspace):
    """Runs one script with the session's bash; gives what came out."""
    (workspace / "a.txt").write_text("alpha\n")

    def call(script=SCRIPT, **extra):
        done = subprocess.run(
            [bash, "-c", script], env={**shim_env, **extra}, capture_output=True, timeout=30, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.stdout, done.stderr, done.returncode

    return call


EXPECTED = (b"out\nalpha\n", b"err\n", 7)


def test_without_an_inbox_one_is_made(session, seen):
    shutil.rmtree(session.directory / "inbox")
    assert seen() == EXPECTED
    assert len(list((session.directory / "inbox").iterdir())) == 1


def test_an_inbox_that_is_a_file_is_passed_by(session, seen):
    shutil.rmtree(session.directory / "inbox")
    (session.directory / "inbox").write_text("in the way")
    assert seen() == EXPECTED


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the right to mount")
def test_a_read_only_sidecar_is_passed_by(session, seen):
    folder = str(session.directory)
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        pytest.skip("this container may not mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        assert seen() == EXPECTED
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the right to mount")
def test_a_full_disk_ends_the_record_and_not_the_command(session, seen):
    inbox = str(session.directory / "inbox")
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", inbox], capture_output=True, check=False
    ).returncode:
        pytest.skip("this container may not mount")
    try:
        told = seen("head -c 300000 /dev/zero; exit 3", TABSHELL_STATUS="stderr")
        assert told[1].startswith(b"[tab] not recorded: ")
        assert told[1].count(b"[tab]") == 1
        assert (len(told[0]), told[2]) == (300000, 3)
        out, err, status = seen("head -c 300000 /dev/zero; exit 3")  # not even its beginning can be written now
        assert (len(out), err, status) == (300000, b"", 3)
    finally:
        subprocess.run(["umount", "-l", inbox], check=True)


def test_a_sidecar_that_vanishes_while_the_command_runs(session, seen):
    script = f"echo out; rm -rf '{session.directory}'; echo err >&2; cat a.txt; exit 7"
    assert seen(script) == EXPECTED


def test_a_locked_store_does_not_matter(session, seen):
    locker = sqlite3.connect(session.directory / "tab.db", isolation_level=None)
    locker.execute("BEGIN EXCLUSIVE")
    try:
        assert seen() == EXPECTED
    finally:
        locker.execute("ROLLBACK")
        locker.close()


def test_a_damaged_store_does_not_matter_and_owes_no_line(session, seen):
    (session.directory / "tab.db").write_bytes(b"no database at all")
    assert seen() == EXPECTED
    assert seen(TABSHELL_STATUS="stdout") == EXPECTED


@pytest.mark.parametrize("descriptors", range(4, 16))
def test_few_descriptors(seen, bash, shim_env, descriptors):
    """Too few to record: then bash runs alone."""
    script = f'ulimit -n {descriptors}; exec "{bash}" -c "echo ran; exit 4"'
    done = subprocess.run(
        ["/bin/bash", "-c", script], env=shim_env, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    assert (done.stdout, done.returncode) == (b"ran\n", 4), done.stderr
    assert done.stderr == b""


@pytest.mark.parametrize("kilobytes", [60_000, 120_000, 500_000])
def test_little_memory(seen, bash, shim_env, kilobytes):
    script = f'ulimit -v {kilobytes}; exec "{bash}" -c "echo ran; exit 4"'
    done = subprocess.run(
        ["/bin/bash", "-c", script], env=shim_env, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    assert (done.stdout, done.stderr, done.returncode) == (b"ran\n", b"", 4)


@pytest.mark.skipif(os.geteuid() != 0, reason="the limit needs a user without processes")
def test_no_more_processes(bash, shim_env):
    """The shim needs two of its own; where the limit denies them bash still runs what needs none."""
    script = f'ulimit -u 1; exec "{bash}" -c "echo ran; exit 4"'
    done = subprocess.run(
        ["/bin/bash", "-c", script], env=shim_env, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    assert (done.stdout, done.returncode) == (b"ran\n", 4)


def test_without_proc_nothing_is_lost(seen, bash, shim_env, workspace):
    probe = ["unshare", "-m", "sh", "-c", "umount -l /proc"]
    if shutil.which("unshare") is None or subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("this container may not unmount /proc")
    inner = f"umount -l /proc; exec '{bash}' -c '{SCRIPT}'"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", inner], env=shim_env, capture_output=True, check=False, stdin=subprocess.DEVNULL,
        timeout=30,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == EXPECTED


def test_no_bash_at_all_is_told_with_125(tmp_path, session):
    program = (
        "import sys; from tabshell.cli import bash; from tabshell.shim import environment as env\n"
        f"env._USUAL = (); sys.exit(bash.main(['/x/bash', '-c', 'echo'], {str(session.directory)!r}, '/no/bash'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 125
    assert "no bash found" in done.stderr


def test_a_launcher_is_never_taken_for_the_real_bash(session, bash, shim_env):
    text = (session.directory / "bin" / "bash").read_text().replace(repr(shutil.which("bash")), "'" + bash + "'")
    (session.directory / "bin" / "bash").write_text(text)
    done = subprocess.run([bash, "-c", "echo ran"], env=shim_env, capture_output=True, check=False, timeout=20)
    assert done.stdout == b"ran\n"
