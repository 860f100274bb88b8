"""A stretch of work in a forked process, beside this one: its result comes back through a pipe.

The child shares what this process has in memory and gives back a pickle. It must not use the store (SQLite's
connections do not survive a fork), and it never returns into the caller's code. Whatever goes wrong with it (killed,
out of memory, a fault), the work is done here instead, so the result is the same in any case.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

from tabshell.model.beside import Beside, afterwards

Result = TypeVar("Result")

#: Characters of excerpts from which on a second process is worth its start (20 ms) and what it copies.
WORTH = 3_000_000
#: Bytes that a pipe holds: the child seldom waits for its reader.
PIPE = 1 << 20


@contextmanager
def beside(characters: int) -> Iterator[Beside]:
    """What begins work beside this process: by forks where so many characters are worth it and there is a processor
    for it. Children that nobody waited for end with the block."""
    if characters < WORTH or len(os.sched_getaffinity(0)) < 2 or not _is_alone():
        yield afterwards
        return
    children: list[_Child[object]] = []

    def begin(work: Callable[[], Result], /) -> Callable[[], Result]:
        try:
            child = _Child(work)
        except OSError:  # no process, no pipe to be had
            return work
        children.append(child)  # type: ignore[arg-type]
        return child.result

    try:
        yield begin
    finally:
        for child in children:
            child.end()


def _is_alone() -> bool:
    """Whether this process has one thread: a fork copies no other, but the locks that others hold."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class _Child(Generic[Result]):
    """A forked process that does one piece of work."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._pipe, writing = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:
            os.close(self._pipe)
            os.close(writing)
            raise
        if self._pid == 0:
            _run(work, writing)
        os.close(writing)
        with suppress(OSError):
            fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, PIPE)

    def result(self) -> Result:
        """Waits for the work; does it here if the child could not."""
        with os.fdopen(self._pipe, "rb", buffering=0) as stream:
            data = stream.read()
        if self._status() == 0 and data:
            found: Result = pickle.loads(data)  # noqa: S301 - our own child wrote it
            return found
        return self._work()

    def end(self) -> None:
        """Ends a child that nobody waited for."""
        if self._pid:
            os.close(self._pipe)
            os.kill(self._pid, signal.SIGKILL)  # not waited for, so the number is still its own
            self._status()

    def _status(self) -> int:
        pid, self._pid = self._pid, 0
        return os.waitpid(pid, 0)[1]


def _run(work: Callable[[], object], writing: int) -> None:
    """The child's life. Nothing of the caller's runs after it: no buffers are written, no handlers called."""
    status = 1
    try:
        with os.fdopen(writing, "wb") as stream:
            pickle.dump(work(), stream, pickle.HIGHEST_PROTOCOL)
        status = 0
    finally:
        os._exit(status)
