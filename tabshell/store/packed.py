"""Stored output as it lies in the store, compressed, and as bytes again; apart from SQLite, so that a process without
the store can unpack what another has read."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from tabshell.errors import StoreDamaged
from tabshell.model.light import NamedTuple


@contextmanager
def sound(path: str) -> Iterator[None]:
    """Turns what a row raises that holds no fact (bytes flipped, a hand at it) into an error that says what to do."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        msg = f"{path} is damaged (a row that is no fact: {error}); copy it away and see 'tabshell verify'"
        raise StoreDamaged(msg) from error


class Packed(NamedTuple):
    """Bytes ``start`` to ``end`` of a stream in compressed chunks with their offsets; ``path`` is the store's."""

    path: str
    start: int
    end: int
    chunks: Iterable[tuple[int, bytes]]

    def data(self) -> bytes:
        """The bytes. Raises StoreDamaged."""
        found = io.BytesIO()  # gives its bytes away without a copy
        with sound(self.path):
            for offset, blob in self.chunks:
                data = memoryview(zlib.decompress(blob))
                found.write(data[max(0, self.start - offset) : self.end - offset])
        return found.getvalue()
