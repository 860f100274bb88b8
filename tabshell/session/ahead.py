"""The beginning of a long output, measured aside while the rest is still to come.

In: its bytes, in order. Out: ``Measured``, as far as that got. Nobody waits for the thread, which may have found no
memory to start or to go on.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque

from tabshell.model.aside import aside
from tabshell.model.light import TYPE_CHECKING

if TYPE_CHECKING:
    from tabshell.model.records import Measured
    from tabshell.text.measure import Beginning

#: Bytes that wait before a thread is worth it.
WORTH = 2 * 1024 * 1024


class Ahead:
    """Measures one output."""

    def __init__(self) -> None:
        self._waiting: deque[memoryview] = deque()
        self._size = 0
        self._beginning: Beginning | None = None
        self._works = self._broken = False
        self._held = allocate_lock()

    def put(self, data: memoryview) -> None:
        """The next bytes."""
        self._waiting.append(data)
        self._size += len(data)
        if self._size >= WORTH and not self._works:
            self._works = aside(self._work)

    def _work(self) -> None:
        with self._held:
            try:
                self._measure()
            except Exception:  # noqa: BLE001 - it is measured at the end, by who then says what is wrong
                self._beginning, self._broken = None, True
        self._works = False

    def _measure(self) -> None:
        from tabshell.text.measure import Beginning  # noqa: PLC0415 - OpenSSL comes with it, for long outputs only

        if self._beginning is None:
            self._beginning = Beginning()
        while not self._broken:
            try:
                data = self._waiting.popleft()
            except IndexError:
                return
            self._beginning.feed(data)

    @property
    def measured(self) -> Measured | None:
        """What is known, if anything. No more is measured."""
        self._waiting.clear()
        with self._held:
            return self._beginning.measured if self._beginning is not None else None
