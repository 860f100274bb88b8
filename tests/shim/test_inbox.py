"""What a shim writes is what a reader finds, at every moment and after every accident."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.shim import inbox
from tabshell.shim.inbox import MAGIC, InboxWriter
from tabshell.shim.intake import Stored, files, parse, waits

FIELDS = {"command": b"cat a\nb", "text_from": b"argument", "cwd": b"/w", "agent": b"pi", "pid": b"7"}


@pytest.fixture
def written(tmp_path):
    """A writer on a fresh inbox."""
    return InboxWriter(str(tmp_path), FIELDS, 1_700_000_000.25, 4242)


def _only(directory):
    (file,) = files(directory)
    return file


def test_a_whole_run_comes_back(written, tmp_path):
    written.output(b"o", b"one\n")
    written.output(b"e", b"\xff\x00two")
    written.end(3)
    run = _only(tmp_path).load()
    assert run.record.command == "cat a\nb"
    assert run.record.cwd == "/w"
    assert run.record.agent == "pi"
    assert run.record.door == "shim"
    assert run.record.output == b"one\n\xff\x00two"
    assert run.record.exit_code == 3
    assert run.record.started_at == pytest.approx(1_700_000_000.25)
    assert [(size, channel) for _, size, channel in run.pieces] == [(4, "out"), (5, "err")]
    assert run.complete


def test_a_run_is_running_as_long_as_its_writer_holds_it(written, tmp_path):
    assert _only(tmp_path).running
    assert waits(tmp_path)
    written.output(b"o", b"so far")
    assert _only(tmp_path).load().record.output == b"so far"
    written.end(0)
    assert not _only(tmp_path).running


def test_a_killed_run_keeps_what_it_showed(written, tmp_path):
    written.output(b"o", b"before the kill")
    os.close(written.descriptor)
    file = _only(tmp_path)
    assert not file.running
    run = file.load()
    assert run.record.output == b"before the kill"
    assert run.record.exit_code is None
    assert not run.complete


def test_a_reader_notes_what_it_stored(written, tmp_path):
    written.output(b"o", b"12345")
    _only(tmp_path).note(Stored(7, 3, 5))
    written.output(b"o", b"678")
    written.end(0)
    run = _only(tmp_path).load()
    assert run.stored == Stored(7, 3, 5)
    assert run.record.output == b"12345678"


def test_an_unknown_status_is_none(written, tmp_path):
    written.end(-1)
    run = _only(tmp_path).load()
    assert run.record.exit_code is None
    assert run.complete


def test_beyond_the_bound_head_and_tail_are_kept_and_the_gap_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(inbox, "HEAD", 1000)
    monkeypatch.setattr(inbox, "TAIL", 300)
    writer = InboxWriter(str(tmp_path), FIELDS, 1.0, 1)
    data = bytes(range(256)) * 40
    for at in range(0, len(data), 77):
        writer.output(b"o", data[at : at + 77])
    writer.end(0)
    record = _only(tmp_path).load().record
    assert record.output == data[:1000] + data[-300:]
    assert (record.gap.offset, record.gap.size) == (1000, len(data) - 1300)


def test_commands_sort_by_their_beginning(tmp_path):
    for at in (30.0, 10.0, 20.0):
        InboxWriter(str(tmp_path), {**FIELDS, "command": str(at).encode()}, at, 9).end(0)
    assert [file.load().record.command for file in files(tmp_path)] == ["10.0", "20.0", "30.0"]


def test_a_full_medium_ends_the_record_and_says_so(written, monkeypatch):
    def full(_descriptor, _data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inbox.posix, "write", full)
    written.output(b"o", b"x")
    assert written.failed == "No space left on device"


def test_nothing_in_the_inbox_is_nothing(tmp_path):
    assert not waits(tmp_path)
    assert list(files(tmp_path)) == []


@given(st.binary(max_size=300))
def test_no_bytes_make_the_reader_raise(data):
    name = f"{1:020d}-1.rec"
    parse(data, name)
    parse(inbox.MAGIC + data, name)
    parse(inbox.MAGIC + b".\n" + data, name)


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=8), st.integers(0, 600))
def test_whatever_is_cut_off_what_stands_before_it_is_read(pieces, cut):
    """A torn file gives a prefix of the output."""
    body = b"".join(b"o 1.5 %d\n%s\n" % (len(piece), piece) for piece in pieces)
    whole = inbox.MAGIC + b"command 1\nx\n.\n" + body
    run = parse(whole[: max(len(inbox.MAGIC) + 14, len(whole) - cut)], f"{1:020d}-1.rec")
    assert run is None or b"".join(pieces).startswith(run.record.output)


@pytest.mark.parametrize(
    "frame", [b"o inf 3\nabc\n", b"o 1.0 inf\n", b"t nan 1 1\n", b"x inf inf\n", b"d -9\n", b"g 1e999\n"]
)
def test_numbers_that_are_none_end_the_reading_and_nothing_else(frame):
    head = MAGIC + b"command 2\nls\ncwd 1\n/\ncolumns 3\n8x0\n.\n"
    run = parse(head + b"o 1.0 2\nab\n" + frame + b"o 2.0 2\ncd\n", f"{10**9:020d}-7.rec")
    assert run is not None
    assert run.record.output.startswith(b"ab")
    assert run.record.columns == 0
