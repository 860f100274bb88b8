"""Cuts the bytes of one stream (a terminal, a shim call, a hook's result) into chunks to be stored. Pure.

Offsets count stored bytes. Of one turn's output at most ``bound`` bytes are kept, the first and the last half;
what lies between is dropped and told (S7). Memory stays under half the bound plus what was not taken yet.
"""

from __future__ import annotations

from collections import deque

from tabshell.model.facts import Channel, OutputChunk
from tabshell.model.light import NamedTuple

#: The most of one output that is stored (capture policy: head and tail beyond it).
BOUND = 64 * 1024 * 1024
#: A chunk is cut at this many bytes, so that reading a range unpacks little else.
CHUNK = 256 * 1024


class Cut(NamedTuple):
    """What the bound did to a turn's output: bytes left out, and the stored offset before which they are
    missing (None: nothing is missing)."""

    dropped: int
    at: int | None


class _Piece(NamedTuple):
    at: float
    data: bytes
    channel: Channel


class StreamWriter:
    """Collects the bytes of one stream and gives back the chunks that are due."""

    def __init__(self, stream: int, offset: int = 0, bound: int = BOUND) -> None:
        self.stream = stream
        self._half = bound // 2
        self._offset = offset
        self._pieces: list[_Piece] = []
        self._size = 0
        self._chunks: list[OutputChunk] = []
        self._head_left: int | None = None
        self._tail: deque[_Piece] = deque()
        self._tail_size = 0
        self._dropped = 0

    @property
    def position(self) -> int:
        """The stored offset of the next byte."""
        return self._offset + self._size

    @property
    def waiting(self) -> int:
        """Bytes that no chunk holds yet."""
        return self._size

    @property
    def full(self) -> bool:
        """Whether there are chunks that need not wait for more."""
        return bool(self._chunks)

    def begin_turn(self) -> int:
        """From here on the bound counts; gives the stored offset at which the turn's output starts."""
        self._head_left, self._dropped = self._half, 0
        return self.position

    def write(self, data: bytes, at: float, channel: Channel = "tty") -> None:
        """Takes bytes that were shown at time ``at``."""
        if self._head_left is None:
            self._keep(_Piece(at, data, channel))
            return
        head, tail = data[: self._head_left], data[self._head_left :]
        if head:
            self._head_left -= len(head)
            self._keep(_Piece(at, head, channel))
        if tail:
            self._tail.append(_Piece(at, tail, channel))
            self._tail_size += len(tail)
            self._trim_tail()

    def end_turn(self) -> Cut:
        """The turn's output is complete: the tail that was kept joins the stream."""
        cut = Cut(self._dropped, self.position if self._dropped else None)
        if self._dropped:
            self._cut_chunk()
        self._head_left = None
        while self._tail:
            self._keep(self._tail.popleft())
        self._tail_size = 0
        if cut.dropped:
            self._cut_chunk()
        return cut

    def take(self, *, whole: bool = False) -> list[OutputChunk]:
        """The chunks that are full, and with ``whole`` what waits as well."""
        if whole and self._size:
            self._cut_chunk()
        ready, self._chunks = self._chunks, []
        return ready

    def _keep(self, piece: _Piece) -> None:
        self._pieces.append(piece)
        self._size += len(piece.data)
        if self._size >= CHUNK:
            self._cut_chunk()

    def _trim_tail(self) -> None:
        excess = self._tail_size - self._half
        while excess > 0:
            first = self._tail.popleft()
            gone = min(excess, len(first.data))
            if gone < len(first.data):
                self._tail.appendleft(first._replace(data=first.data[gone:]))
            self._tail_size -= gone
            self._dropped += gone
            excess -= gone

    def _cut_chunk(self) -> None:
        if self._pieces:
            pieces = tuple((piece.at, len(piece.data), piece.channel) for piece in self._pieces)
            data = b"".join(piece.data for piece in self._pieces)
            # the drop stands before the first chunk of the tail, the one cut once the head is over
            dropped = self._dropped if self._head_left is None else 0
            self._chunks.append(OutputChunk(self.stream, self._offset, pieces, data, dropped))
            if dropped:
                self._dropped = 0
            self._offset += self._size
            self._pieces, self._size = [], 0
