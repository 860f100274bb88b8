"""Bytes that wait for one side to take them, in order. Bytes in, views of them out; the owner bounds its size. Pure."""

from __future__ import annotations


class Queue:
    """Bytes on their way to one side."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._front = memoryview(b"")
        #: How many there are.
        self.size = 0

    def put(self, data: bytes) -> None:
        """Behind what waits."""
        if data:
            self._pieces.append(data)
            self.size += len(data)

    def front(self) -> memoryview:
        """What to write next."""
        if not self._front:
            pieces = self._pieces
            try:
                whole = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            except MemoryError:  # then one after the other: they are all here
                whole = pieces.pop(0)
            else:
                pieces.clear()
            self._front = memoryview(whole)
        return self._front

    def took(self, count: int) -> None:
        """The first ``count`` bytes are written."""
        self.size -= count
        self._front = self._front[count:]

    def clear(self) -> None:
        """Nobody will read them."""
        self._pieces.clear()
        self._front = memoryview(b"")
        self.size = 0
