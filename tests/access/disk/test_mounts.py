"""Mounts that do not answer are told apart without waiting for them."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from tabshell.access.disk.disk import Disk
from tabshell.access.disk.mounts import Mounts, _doubtful

TABLE = (
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 0:40 / /mnt/my\\040share rw,relatime shared:1 - nfs4 server:/x rw\n"
    "31 22 0:41 / /mnt/s rw - fuse.sshfs host: rw\n"
    "32 22 0:42 / /sys/fs/fuse/connections rw - fusectl fusectl rw\n"
    "33 22 0:43 / /proc rw - proc proc rw\n"
)


def test_only_mounts_that_can_hang_are_doubtful():
    assert _doubtful(TABLE) == ["/mnt/my share", "/mnt/s"]


@pytest.fixture
def hung(mount_that_hangs, tmp_path):
    return mount_that_hangs(tmp_path / "silent")


def test_nothing_is_asked_of_a_mount_that_does_not_answer(hung, tmp_path):
    (tmp_path / "a.txt").write_text("alpha")
    (tmp_path / "link").symlink_to("silent/below")
    (tmp_path / "round").symlink_to("round")
    before = time.monotonic()
    disk = Disk()
    for path in (hung, hung / "x", tmp_path / "link", tmp_path / "link" / "y", tmp_path / "z" / ".." / "silent"):
        assert disk.info(str(path)) is None
        assert disk.names(str(path)) == ()
        assert disk.texts(str(path)) == ()
        assert disk.sha256(str(path)) is None
        assert disk.holds(str(path), [b"x"]) == [False]
    assert disk.text(str(tmp_path / "a.txt")) == "alpha"
    assert disk.info(str(tmp_path / "round")) is None
    disk.refresh()
    assert time.monotonic() - before < 3


def test_a_mount_that_answers_again_is_asked_again(hung):
    mounts = Mounts()
    mounts.look()
    assert str(hung) in mounts.hung
    subprocess.run(["umount", "-l", str(hung)], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", str(hung)], check=True)  # the fixture takes this one away
    mounts.look()
    assert str(hung) not in mounts.hung
    mounts.close()


def test_many_looks_leave_no_descriptor_open():
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        Mounts().look()
    assert len(os.listdir("/proc/self/fd")) == before


def test_mounts_are_asked_at_the_first_question_of_a_turn(hung):
    before = len(os.listdir("/proc/self/fd"))
    mounts = Mounts()
    mounts.look()
    assert len(os.listdir("/proc/self/fd")) == before  # not even the mount table was opened
    assert mounts.behind(str(hung / "x"))
    mounts.close()
