"""Work shared with a forked process: the same results, whatever happens to the child, and none left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tabshell.model.beside import alone
from tabshell.session import forked
from tabshell.session.forked import WORTH, shared


@pytest.fixture
def two(monkeypatch):
    """As in a command of its own, on two processors."""
    monkeypatch.setattr(forked, "_is_single", lambda: True)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    before = children()
    yield
    assert children() <= before  # other tests' children are theirs


def children() -> set[str]:
    """The processes that this one has started and not yet seen to their end."""
    return {child for table in Path("/proc/self/task").glob("*/children") for child in table.read_text().split()}


@pytest.mark.usefixtures("two")
def test_both_take_pieces_until_they_meet_and_the_results_are_in_order():
    with shared(WORTH) as share:
        found = share(lambda number: (number, os.getpid(), "x" * 40_000), range(300))()
    assert [number for number, _, _ in found] == list(range(300))
    assert len({pid for _, pid, _ in found} - {os.getpid()}) <= 1


@pytest.mark.usefixtures("two")
def test_a_child_takes_all_while_this_process_does_other_things():
    read, write = os.pipe()

    def work(number):
        if number == 0:
            os.write(write, b"0")
        return os.getpid()

    with shared(WORTH) as share:
        waiting = share(work, range(50))
        os.read(read, 1)  # the child has come to the first
        assert os.getpid() not in waiting()


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    "end", [lambda: os._exit(0), lambda: os._exit(3), lambda: os.kill(os.getpid(), 9), lambda: 1 / 0]
)
def test_what_a_child_could_not_do_is_done_here(end):
    here = os.getpid()

    def work(number):
        if os.getpid() != here:
            end()
        return number

    with shared(WORTH) as share:
        assert share(work, range(9))() == list(range(9))


@pytest.mark.usefixtures("two")
def test_a_child_that_nobody_waits_for_ends_with_the_block():
    def interrupted():
        with shared(WORTH) as share:
            share(lambda _: os.read(os.pipe()[0], 1), [1])  # for ever
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()


@pytest.mark.usefixtures("two")
def test_little_work_and_a_single_processor_start_no_process(monkeypatch):
    with shared(WORTH - 1) as share:
        assert share is alone
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    with shared(WORTH) as share:
        assert share is alone


@pytest.mark.usefixtures("two")
def test_where_no_process_can_be_had_the_work_is_done_here(monkeypatch):
    def refused():
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refused)
    before = len(os.listdir("/proc/self/fd"))
    with shared(WORTH) as share:
        assert share(lambda number: number + 1, [1, 2])() == [2, 3]
    assert len(os.listdir("/proc/self/fd")) == before
