"""Results that go to a file: whole or not at all, and never in the place of a device."""

from __future__ import annotations

import os
import threading

import pytest

from tabshell.cli.output import write_out, written
from tabshell.errors import UsageError


def test_a_file_takes_its_name_when_all_of_it_is_there(tmp_path):
    target = tmp_path / "x"
    target.write_bytes(b"old")
    with written(target) as file:
        file.write(b"new ")
        assert target.read_bytes() == b"old"
        file.write(b"text")
    assert target.read_bytes() == b"new text"
    assert list(tmp_path.iterdir()) == [target]


def test_what_breaks_off_leaves_the_old_file(tmp_path):
    target = tmp_path / "x"
    target.write_bytes(b"old")

    def broken():
        with written(target) as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        broken()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_out(b"through", pipe)
    reader.join()
    assert got == [b"through"]
    assert pipe.is_fifo()


def test_a_device_is_written_to_and_stays_one(tmp_path):
    write_out(b"gone", tmp_path / os.devnull)
    assert (tmp_path / os.devnull).is_char_device()


def test_a_link_stays_one_and_its_file_is_written(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_out(b"text", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"text"


@pytest.mark.parametrize("where", ["none/x", "folder", "/dev/full"])
def test_what_cannot_be_written_is_named(tmp_path, where):
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match=r"cannot write .*name another file"):
        write_out(b"x" * 100_000, tmp_path / where)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
