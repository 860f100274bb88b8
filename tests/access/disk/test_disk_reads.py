"""Bytes of files: all of them, whatever their size says, and no more room than they need."""

import os
import tracemalloc

import pytest

from tabshell.access.disk import disk
from tabshell.access.disk.disk import Disk


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 70_000, disk.PIECE + 1])
def test_a_file_is_read_whole(tmp_path, size):
    file = tmp_path / "f"
    file.write_bytes(os.urandom(size))
    assert Disk(60).content(str(file)) == file.read_bytes()


def test_a_file_that_grew_since_it_was_asked_about_is_read_to_its_end(tmp_path):
    file = tmp_path / "f"
    file.write_bytes(b"first\n")
    looking = Disk(60)
    looking.info(str(file))
    file.write_bytes(b"first\n" + b"second\n" * disk.PIECE)
    assert looking.content(str(file)) == file.read_bytes()


@pytest.mark.skipif(not os.path.exists("/proc/version"), reason="a file that tells no size")
def test_a_file_that_tells_no_size_is_read_to_its_end():
    with open("/proc/version", "rb") as stream:
        assert Disk(60).content("/proc/version") == stream.read() != b""


def test_beyond_the_bound_nothing_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "CONTENT", 1000)
    file = tmp_path / "f"
    file.write_bytes(b"x" * 1001)
    assert Disk(60).content(str(file)) is None
    file.write_bytes(b"x" * 10)
    looking = Disk(60)
    looking.info(str(file))
    file.write_bytes(b"x" * 5000)
    assert looking.content(str(file)) == b"x" * 1000


def test_a_page_takes_no_more_room_than_a_page(tmp_path):
    file = tmp_path / "f"
    file.write_bytes(b"x" * 5000)
    looking = Disk(60)
    looking.info(str(file))
    tracemalloc.start()
    try:
        looking.content(str(file))
        assert tracemalloc.get_traced_memory()[1] < 1 << 16
    finally:
        tracemalloc.stop()
