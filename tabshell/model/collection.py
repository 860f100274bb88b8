"""Work without garbage collection: for stretches that make many objects, no cycles, and wait for an answer.

Python's collector walks all that lives again and again while a hundred thousand small objects are made, and finds
nothing: that costs a fifth to a third of such a stretch. What a stretch drops is freed at once by its count all the
same. Limit: cycles made meanwhile stay until the next collection, so it is for seconds, not for a process's life.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """No garbage collection meanwhile; afterwards as before."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
