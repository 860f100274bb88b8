"""Work that may be done beside other work. Pure rooms say with it which stretches do not wait for each other; whoever
calls them decides whether another process does them (``session.forked``) or nobody but the caller (``afterwards``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Beside(Protocol):
    """Begins some work; what it gives waits for the result."""

    def __call__(self, work: Callable[[], Result], /) -> Callable[[], Result]:
        """``work`` must not change anything that others see, and its result must be picklable."""


def afterwards(work: Callable[[], Result], /) -> Callable[[], Result]:
    """No work beside: it is done when its result is asked for."""
    return work
