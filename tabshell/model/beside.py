"""Work that several may share. Pure rooms say with it which pieces of work do not wait for each other; whoever calls
them decides whether another process takes some (``session.forked``) or nobody does (``alone``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Share(Protocol):
    """Begins some work; what it gives does what is left of it, and gives all results in order."""

    def __call__(self, work: Callable[[Item], Result], items: Sequence[Item], /) -> Callable[[], list[Result]]:
        """``work`` must change nothing that others see, and its results must be picklable."""


def alone(work: Callable[[Item], Result], items: Sequence[Item], /) -> Callable[[], list[Result]]:
    """Nobody else: the work is done when its results are asked for."""
    return lambda: [work(item) for item in items]
