"""One session's facts in one SQLite file (WAL). See ``docs/reference/store.md`` for the schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from tabshell.model.facts import Event, Fact

F = TypeVar("F")


class Store:
    """The facts of one session. Use as a context manager; safe for many processes at once."""

    @classmethod
    def create(cls, path: Path) -> Store:
        """Makes ``path`` under a temporary name and moves it into place."""
        raise NotImplementedError

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False) -> Store:
        """Opens an existing store. ``readonly`` never writes (``immutable`` where WAL files cannot be had)."""
        raise NotImplementedError

    def append(self, facts: Sequence[Fact]) -> list[Fact]:
        """Inserts all of ``facts`` in one transaction, numbers those whose number is 0, gives them back."""
        raise NotImplementedError

    def events(self, *kinds: type[Fact], after: int = 0) -> Iterator[Event]:
        """The events of these kinds (all without any), oldest first. Chunks come without their data."""
        raise NotImplementedError

    def output(self, stream: int, start: int, end: int) -> bytes:
        """Stored bytes ``start`` to ``end`` of a stream."""
        raise NotImplementedError

    def head(self) -> tuple[int, str]:
        """The last event's number and the chain's hash."""
        raise NotImplementedError

    def close(self) -> None:
        """Closes the file."""
        raise NotImplementedError
