"""The digest of a file, asked for or begun before it is asked for."""

from __future__ import annotations

import hashlib
import os

from tabshell.access.disk.disk import Disk


def test_a_digest_begun_aside_is_the_one_of_the_file(tmp_path):
    path = tmp_path / "long.txt"
    path.write_bytes(b"a line of a long file\n" * 200_000)
    disk = Disk()
    disk.digest_aside(str(path))
    disk.digest_aside(str(path))
    assert disk.sha256(str(path)) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert disk.sha256(str(path)) == Disk().sha256(str(path))


def test_a_file_that_changes_after_its_digest_was_begun_is_digested_anew(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes(b"one\n")
    disk = Disk()
    disk.digest_aside(str(path))
    path.write_bytes(b"one\ntwo\n")
    assert disk.sha256(str(path)) == hashlib.sha256(b"one\ntwo\n").hexdigest()


def test_where_no_thread_can_be_had_it_is_computed_when_it_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("tabshell.access.disk.disk.aside", lambda _act: False)
    path = tmp_path / "a.txt"
    path.write_bytes(b"alpha\n")
    disk = Disk()
    disk.digest_aside(str(path))
    assert disk.sha256(str(path)) == hashlib.sha256(b"alpha\n").hexdigest()


def test_what_is_no_file_is_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    disk = Disk()
    for name in ("pipe", "missing", "."):
        disk.digest_aside(str(tmp_path / name))
        assert disk.sha256(str(tmp_path / name)) is None
