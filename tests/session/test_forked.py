"""Work in a forked process: the same result, whatever happens to the child, and none left behind."""

from __future__ import annotations

import os

import pytest

from tabshell.model.beside import afterwards
from tabshell.session import forked
from tabshell.session.forked import WORTH, beside


@pytest.fixture
def alone(monkeypatch):
    """As in a command of its own, on two processors."""
    monkeypatch.setattr(forked, "_is_alone", lambda: True)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def no_child_is_left():
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.usefixtures("alone")
def test_a_child_does_the_work_and_gives_its_result():
    with beside(WORTH) as begin:
        waiting = begin(lambda: (os.getpid(), "x" * 3_000_000))
        pid, text = waiting()
    assert pid != os.getpid()
    assert len(text) == 3_000_000
    no_child_is_left()


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    "end", [lambda: os._exit(0), lambda: os._exit(3), lambda: os.kill(os.getpid(), 9), lambda: 1 / 0]
)
def test_what_a_child_could_not_do_is_done_here(end):
    here = os.getpid()

    def work():
        if os.getpid() != here:
            end()
        return "done"

    with beside(WORTH) as begin:
        assert begin(work)() == "done"
    no_child_is_left()


@pytest.mark.usefixtures("alone")
def test_a_child_that_nobody_waits_for_ends_with_the_block():
    def interrupted():
        with beside(WORTH) as begin:
            begin(lambda: os.read(os.pipe()[0], 1))  # for ever
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    no_child_is_left()


@pytest.mark.usefixtures("alone")
def test_little_work_and_a_single_processor_start_no_process(monkeypatch):
    with beside(WORTH - 1) as begin:
        assert begin is afterwards
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    with beside(WORTH) as begin:
        assert begin is afterwards


@pytest.mark.usefixtures("alone")
def test_where_no_process_can_be_had_the_work_is_done_here(monkeypatch):
    def refused():
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refused)
    before = len(os.listdir("/proc/self/fd"))
    with beside(WORTH) as begin:
        assert begin(lambda: 7)() == 7
    assert len(os.listdir("/proc/self/fd")) == before
