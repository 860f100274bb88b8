"""The relay of a command at the hatch: whoever waits for its end is told, whatever became of it."""

from __future__ import annotations

import _socket
import os

import pytest

from tabshell.engines.hatch_run import _Relay


@pytest.fixture
def relay(tmp_path):
    """A relay without streams, the other end of its talk, and where its line goes."""
    ours, theirs = _socket.socketpair()
    said = tmp_path / "said"

    class Record:
        descriptor, failed = -1, None

        def end(self, status):
            said.write_text(f"{status}\n")

    to = os.open(tmp_path / "line", os.O_CREAT | os.O_WRONLY)
    yield _Relay([], theirs, Record(), None, to), ours, tmp_path / "line"
    ours.close()


def test_the_line_is_said_when_everything_was_handed_on_and_then_the_end(relay):
    made, ours, line = relay
    over = []
    made.then(lambda: "[tab] open: 1", lambda: over.append(line.read_text()))
    ours.send(b"E 0\n")
    ours.shutdown(_socket.SHUT_WR)
    made.work()
    assert over == ["[tab] open: 1\n"]


def test_a_line_that_cannot_be_told_keeps_nobody_waiting(relay):
    made, ours, _ = relay
    over = []

    def fail():
        raise RuntimeError("no line")

    made.then(fail, lambda: over.append(1))
    ours.send(b"E 0\n")
    with pytest.raises(RuntimeError):
        made.work()
    assert over == [1]


def test_a_relay_that_is_no_more_says_the_end_at_once(relay):
    made, ours, _ = relay
    over = []
    ours.shutdown(_socket.SHUT_WR)
    made.work()
    made.then(None, lambda: over.append(1))
    assert over == [1]
