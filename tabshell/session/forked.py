"""Work shared with a forked process: this one takes pieces from the front, the child from the back, until they meet.

The child shares what this process has in memory and leaves its results as pickles in a file in memory, each as soon
as it has it: at the end nobody waits for them to be written. It must not use the store (SQLite's connections do not
survive a fork), and it never returns into the caller's code. Whatever goes wrong with it (killed, out of memory, a
fault), its pieces are done here, so the results are the same in any case.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Generic, TypeVar

from tabshell.model.beside import Share, alone

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Bytes of a store from which on (about three million characters) a second process is worth its start (20 ms) and
#: what it copies.
WORTH = 1_200_000


@contextmanager
def shared(size: int) -> Iterator[Share]:
    """What shares work with a forked process, where a store of that size is worth it and there is a processor for it.
    Children whose results nobody asked for end with the block."""
    if size < WORTH or len(os.sched_getaffinity(0)) < 2 or not _is_single():
        yield alone
        return
    children: list[_Child[Any, Any]] = []

    def share(work: Callable[[Item], Result], items: Sequence[Item], /) -> Callable[[], list[Result]]:
        if not items:
            return alone(work, items)
        try:
            child = _Child(work, items)
        except OSError:  # no process, no file to be had
            return alone(work, items)
        children.append(child)
        return child.results

    try:
        yield share
    finally:
        for child in children:
            child.end()


def _is_single() -> bool:
    """Whether this process has one thread: a fork copies no other, but the locks that others hold."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class _Child(Generic[Item, Result]):
    """A forked process and the pieces of work that both take."""

    def __init__(self, work: Callable[[Item], Result], items: Sequence[Item]) -> None:
        self._work, self._items = work, items
        #: How many pieces each has taken: this process from the front, the child from the back. One that both take
        #: at the same moment is done twice and counts once.
        self._taken = memoryview(mmap.mmap(-1, 16)).cast("q")
        self._file = os.memfd_create("results")
        try:
            self._pid = os.fork()
        except OSError:
            os.close(self._file)
            raise
        if self._pid == 0:
            self._live()

    def results(self) -> list[Result]:
        """Takes pieces till all are taken, waits for the child's, and does those that it could not."""
        items, taken = self._items, self._taken
        found: dict[int, Result] = {}
        while len(found) < len(items) - taken[1]:
            place = taken[0]
            taken[0] = place + 1
            found[place] = self._work(items[place])
        found |= self._childs()
        return [found[place] if place in found else self._work(item) for place, item in enumerate(items)]

    def _childs(self) -> dict[int, Result]:
        """What the child has found, once it has ended as it should."""
        found: dict[int, Result] = {}
        with os.fdopen(self._file, "rb") as stream:
            if self._status() == 0:
                stream.seek(0)  # the place is the child's too
                with suppress(EOFError, pickle.UnpicklingError):  # the last may not be whole
                    while True:
                        place, result = pickle.load(stream)  # noqa: S301 - our own child wrote it
                        found[place] = result
        return found

    def _live(self) -> None:
        """The child's life. Nothing of the caller's runs after it: no buffers are written, no handlers called."""
        status = 1
        try:
            items, taken = self._items, self._taken
            with os.fdopen(self._file, "wb") as stream:
                while taken[1] < len(items) - taken[0]:
                    taken[1] += 1
                    place = len(items) - taken[1]
                    pickle.dump((place, self._work(items[place])), stream, pickle.HIGHEST_PROTOCOL)
            status = 0
        finally:
            os._exit(status)

    def end(self) -> None:
        """Ends a child whose results nobody asked for."""
        if self._pid:
            os.close(self._file)
            os.kill(self._pid, signal.SIGKILL)  # not waited for, so the number is still its own
            self._status()

    def _status(self) -> int:
        pid, self._pid = self._pid, 0
        return os.waitpid(pid, 0)[1]
