"""A thread that nobody waits for: it runs, or it is told that none could be had."""

from __future__ import annotations

import threading

import pytest

from tabshell.model import aside as room
from tabshell.model.aside import aside


def test_it_is_done_in_another_thread():
    done, threads = threading.Event(), []

    def act():
        threads.append(threading.get_ident())
        done.set()

    assert aside(act)
    assert done.wait(10)
    assert threads != [threading.get_ident()]


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError()])
def test_without_a_thread_it_says_so(monkeypatch, error):
    def start(*_):
        raise error

    monkeypatch.setattr(room, "start_new_thread", start)
    assert not aside(lambda: pytest.fail("it was done"))


def test_a_thread_that_dies_before_it_runs_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(room, "start_new_thread", lambda *_: 1)
    assert aside(lambda: pytest.fail("it was done"))
