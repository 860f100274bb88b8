"""The same work on many things, by several processes: results in order, and never more held than what is asked.

A process that dies over one thing (killed for want of memory) ends nothing: those at work are done again, each in a
process of its own, and the one that is deadly gets what ``died`` says of it.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

#: From this many things on, processes share the work.
PARALLEL_FROM = 24
#: Things that a process is given at once.
_PART = 16
#: Parts that wait or are at work, for each process.
_AHEAD = 3

Result = TypeVar("Result")


def processes_for(count: int, asked: int | None = None) -> int:
    """How many processes so many things are worth; ``asked`` for where a person said."""
    return 1 if count < PARALLEL_FROM else asked or len(os.sched_getaffinity(0))


def each(
    work: Callable[[str], Result], things: Iterable[str], processes: int, died: Callable[[str], Result]
) -> Iterator[Result]:
    """What ``work`` (a function of a module) gives of each, in order. With one process, in this one."""
    if processes <= 1:
        yield from map(work, things)
        return
    rest = iter(things)
    parts = iter(lambda: list(islice(rest, _PART)), [])
    crew = _Crew(work, parts, processes)
    while (broken := (yield from crew.work())) is not None:
        for thing in broken:  # one of these ended a process: which, shows when each has one of its own
            yield _alone(work, thing, died)


class _Crew(Generic[Result]):
    """Processes that take part after part."""

    def __init__(self, work: Callable[[str], Result], parts: Iterator[list[str]], processes: int) -> None:
        self._work, self._parts, self._processes = work, parts, processes

    def work(self) -> Generator[Result, None, list[str] | None]:
        """Results as they come; gives the things that were at work when a process died, or None at the end."""
        from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415 - only for many

        waiting: deque[list[str]] = deque()
        futures: deque[Future[list[Result]]] = deque()
        pool = ProcessPoolExecutor(
            self._processes, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
        )  # Ctrl-C is this process's to answer

        def submit(count: int) -> None:
            for part in islice(self._parts, count):
                waiting.append(part)
                futures.append(pool.submit(_do, self._work, part))

        try:
            submit(self._processes * _AHEAD)
            while futures:
                found = futures.popleft().result()
                waiting.popleft()
                yield from found
                submit(1)
        except BrokenProcessPool:
            return [thing for part in waiting for thing in part]
        finally:
            pool.shutdown(cancel_futures=True)
        return None


def _alone(work: Callable[[str], Result], thing: str, died: Callable[[str], Result]) -> Result:
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(_do, work, [thing]).result()[0]
        except BrokenProcessPool:
            return died(thing)


def _do(work: Callable[[str], Result], things: Sequence[str]) -> list[Result]:
    return [work(thing) for thing in things]
