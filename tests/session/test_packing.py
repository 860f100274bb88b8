"""Chunks packed aside come back whole and in order, whatever becomes of the threads."""

from __future__ import annotations

import threading
import zlib

import pytest

from tabshell.model.facts import OutputChunk
from tabshell.session import packing
from tabshell.session.packing import Packers


def no_memory(data):
    if threading.current_thread() is not threading.main_thread():
        raise MemoryError
    return zlib.compress(data)


@pytest.fixture
def packers():
    made = Packers()
    yield made
    made.close()


def chunks(many: int) -> list[OutputChunk]:
    return [OutputChunk(1, 1000 * number, (), bytes([number % 256]) * 1000) for number in range(many)]


def whole(packers: Packers, many: int = 100) -> bool:
    """Hands chunks in, takes them all out, and compares."""
    given = chunks(many)
    packers.put(given)
    taken = [*packers.done(whole=False), *packers.done(whole=True)]
    assert not packers.busy
    assert [chunk.offset for chunk in taken] == [chunk.offset for chunk in given]
    return [zlib.decompress(chunk.packed) if chunk.packed else chunk.data for chunk in taken] == [c.data for c in given]


def test_all_come_back_packed_and_without_their_data(packers):
    assert whole(packers)
    packers.put(chunks(3))
    assert all(chunk.packed and not chunk.data for chunk in packers.done(whole=True))


@pytest.mark.parametrize("made", [False, True], ids=["none can be had", "none gets to run"])
def test_nothing_waits_for_a_thread_that_is_not_there(packers, monkeypatch, made):
    monkeypatch.setattr(packing, "aside", lambda _act: made)
    assert whole(packers)


def test_what_a_thread_had_no_memory_for_is_packed_by_who_needs_it(packers, monkeypatch):
    monkeypatch.setattr(packing, "pack", no_memory)
    assert whole(packers)


def test_what_nobody_has_memory_for_comes_back_as_it_was(packers, monkeypatch):
    def none(_data):
        raise MemoryError

    monkeypatch.setattr(packing, "pack", none)
    assert whole(packers)
    assert whole(packers)
