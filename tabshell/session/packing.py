"""The bytes of a running turn on their way to the store: compressed aside, and kept for the classifier meanwhile.

In: the chunks of a stream, in order. Out: the same, in order, packed. Those of a long output are compressed by two
threads while the terminal's loop goes on reading and, at the end, while the output is classified (zlib lets go of the
interpreter). Limits: at most ``PACKED_AT_ONCE`` chunks wait while an output runs.
"""

from __future__ import annotations

import io
from _thread import allocate_lock
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from tabshell.model.aside import aside
from tabshell.model.facts import OutputChunk
from tabshell.model.light import replace
from tabshell.store.codec import pack
from tabshell.store.stream import BOUND

if TYPE_CHECKING:
    from queue import SimpleQueue

#: Bytes of one output from which on its chunks are compressed aside, and how many of them may wait for that.
PACK_ASIDE = 2 * 1024 * 1024
PACKED_AT_ONCE = 48


class Packers:
    """Compresses chunks aside; gives them back in order, packed and without their data.

    Nobody waits for a thread that may have found no memory to start, to go on or to say that it failed: what no thread
    holds is packed by who needs it.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Parcel] = deque()
        self._todo: SimpleQueue[_Parcel | None] | None = None
        self._threads = 0

    @property
    def busy(self) -> bool:
        """Whether chunks were handed in that have not come back."""
        return bool(self._waiting)

    def put(self, chunks: list[OutputChunk]) -> None:
        """Hands in the next chunks."""
        if self._todo is None:
            from queue import SimpleQueue  # noqa: PLC0415 - only for long outputs

            self._todo = SimpleQueue()
        for chunk in chunks:
            parcel = _Parcel(chunk)
            self._waiting.append(parcel)
            self._todo.put(parcel)
            if self._threads < 2:
                self._threads += aside(partial(_work, self._todo))

    def done(self, *, whole: bool) -> Iterator[OutputChunk]:
        """Those that are packed, and as many more as are waited for; ``whole``: all that there are."""
        while self._waiting and (whole or len(self._waiting) > PACKED_AT_ONCE or self._waiting[0].packed):
            parcel = self._waiting[0]
            with suppress(MemoryError):  # it is stored unpacked, or the store says what was lost
                parcel.pack()
            self._waiting.popleft()
            yield parcel.chunk

    def close(self) -> None:
        """No more will come."""
        if self._todo is not None:
            for _ in range(self._threads):
                self._todo.put(None)
            self._todo, self._threads = None, 0


def _work(todo: SimpleQueue[_Parcel | None]) -> None:
    while (parcel := todo.get()) is not None:
        with suppress(Exception):  # who wants the parcel packs it again, and is told
            parcel.pack()


class _Parcel:
    """One chunk, packed by the first who gets to it; who comes second waits until that is over."""

    __slots__ = ("_held", "chunk", "packed")

    def __init__(self, chunk: OutputChunk) -> None:
        self.chunk = chunk
        self.packed = False
        self._held = allocate_lock()

    def pack(self) -> None:
        """Packs it, if that is not done."""
        with self._held:
            if not self.packed:
                self.chunk = replace(self.chunk, data=b"", packed=pack(self.chunk.data))
                self.packed = True


class InHand:
    """The stored output of one turn from offset ``start`` on, in memory.

    While the turn runs its first half ``BOUND`` comes as it is displayed, in time for a ``tab`` in the same command;
    the rest is known only at the end, in chunks.
    """

    def __init__(self, start: int) -> None:
        self._start = start
        self._data = io.BytesIO()  # gives its bytes away without a copy
        self._room = BOUND // 2

    def put(self, data: bytes) -> None:
        """These bytes were displayed."""
        if self._room > 0:
            self._room -= self._data.write(data[: self._room])

    def take(self, chunk: OutputChunk) -> None:
        """The same bytes, or those behind them, cut into chunks."""
        known = self._start + self._data.tell() - chunk.offset
        if 0 <= known < len(chunk.data):
            self._data.write(memoryview(chunk.data)[known:])

    def until(self, end: int) -> bytes | None:
        """The output up to stored offset ``end``; None where not all of it is here."""
        size = end - self._start
        if not 0 <= size <= self._data.tell():
            return None
        output = self._data.getvalue()
        return output if len(output) == size else output[:size]
