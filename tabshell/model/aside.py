"""Something done in a thread that nobody waits for, not even for its start.

``threading.Thread.start`` waits until the new thread has said that it runs; one that finds no memory to say so is
waited for without end, and a shell with it. In: what is to be done. Out: whether a thread was made for it; it may still
never get to run. The thread does not keep the process alive.
"""

from __future__ import annotations

import time
from _thread import start_new_thread
from collections.abc import Callable


def aside(act: Callable[[], object], *, after_s: float = 0.0) -> bool:
    """Does ``act`` in a thread of its own, ``after_s`` seconds later; False where none can be had."""
    try:
        start_new_thread(_later, (act, after_s))
    except (RuntimeError, MemoryError):
        return False
    return True


def _later(act: Callable[[], object], after_s: float) -> None:
    if after_s:
        time.sleep(after_s)
    act()
