"""One session's facts in one SQLite file (WAL). See ``docs/reference/store.md`` for the schema.

Facts in, facts out; each becomes one event of the hash chain, inserted in one transaction with those given in
the same call. Many processes may append at once: numbers and the chain's head are read inside the
transaction. What SQLite raises comes out as StoreUnwritable (locked, full, read-only) or StoreDamaged.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType

from tabshell.errors import SidecarError, StoreDamaged, StoreUnwritable
from tabshell.model.facts import Event, Fact, SessionEnded, StreamOpened, TurnStarted
from tabshell.model.light import TYPE_CHECKING, Any, NamedTuple, replace
from tabshell.store import sqlite
from tabshell.store.chain import GENESIS, StoredEvent, link
from tabshell.store.codec import NUMBERED, decode, encode, kind_names
from tabshell.store.connections import keep_open, make, readable, unchanging, waits_for_disk, writable
from tabshell.store.packed import Packed, sound

#: The store's name in a session's directory.
DATABASE = "tab.db"
#: Seconds that a writer waits for another one (S9); the pty door sets less, its prompt must not hang.
BUSY_S = 5.0
_INSERT = (
    "INSERT INTO events (kind, number, body, blob, stream, offset, length, seq, at, hash) VALUES (?,?,?,?,?,?,?,?,?,?)"
)


if TYPE_CHECKING:
    from pathlib import Path


class Store:
    """The facts of one session. Use as a context manager; safe for many processes at once."""

    def __init__(self, connection: sqlite.Connection, path: str, *, readonly: bool, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._path = path
        self.readonly = readonly
        #: The number and time of the event that this object inserted last.
        self.last_seq, self.last_at = 0, 0.0
        self._head, self._numbers, self._seen = 0, dict[str, int](), -1
        #: Every turn that ended up to this event is known to be classified.
        self.settled = 0
        self._clock = clock

    @classmethod
    def create(cls, path: Path | str, *, clock: Callable[[], float] = time.time) -> Store:
        """Makes ``path`` under a temporary name and moves it into place; mode 0600."""
        where = os.fspath(path)
        made = os.path.join(os.path.dirname(where), f".{os.path.basename(where)}.{os.getpid()}")
        with _translated(where):
            descriptor = os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            try:
                make(made)
                if waits_for_disk():
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.replace(made, where)
        return cls.open(where, clock=clock)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        readonly: bool = False,
        still: bool = False,
        busy_s: float = BUSY_S,
        clock: Callable[[], float] = time.time,
    ) -> Store:
        """Opens an existing store. ``readonly`` never writes (``immutable`` where WAL files cannot be had).

        ``still`` says that nobody writes it (see ``store.still``): it is read without locks and files of its own.
        """
        where = os.fspath(path)
        if not os.path.exists(where):
            msg = f"no store at {where}; see 'tabshell sessions'"
            raise SidecarError(msg)
        with _translated(where):
            connection = unchanging(where) if still else readable(where) if readonly else writable(where, busy_s)
        return cls(connection, where, readonly=readonly or still, clock=clock)

    @property
    def path(self) -> Path:
        """The file."""
        from pathlib import Path  # noqa: PLC0415 - 12 ms that a call of ``tab`` need not pay

        return Path(self._path)

    @property
    def directory(self) -> str:
        """The session's directory."""
        return os.path.dirname(self._path)

    def append(self, facts: Sequence[Fact]) -> list[Fact]:
        """Inserts all of ``facts`` in one transaction, numbers those whose number is 0, gives them back.

        A ``turn`` or ``stream`` of 0 in a fact after a TurnStarted or StreamOpened of the same call takes its
        number. Raises StoreUnwritable; then nothing was inserted.
        """
        if self.readonly:
            msg = f"{self._path} is open read-only; nothing was recorded"
            raise StoreUnwritable(msg)
        with _translated(self._path), self._transaction():
            return self._insert(facts, None)

    def plan(self, facts: Sequence[Fact]) -> Planned:
        """Numbers ``facts`` as ``append`` would now, and stores nothing: for ``carry_out``, when there is time."""
        foreign = self.foreign()
        if foreign != self._seen:
            self._head, self._numbers, self._seen = self.head()[0], {}, foreign
        batch = _Batch(self._remembered_number)
        return Planned(self._head, tuple(facts), [batch.number(fact) for fact in facts])

    def carry_out(self, planned: Planned) -> list[Fact]:
        """Stores what was planned; numbered anew (then it is not the list of the plan that comes back) where somebody
        else has stored something in between. Raises StoreUnwritable; then nothing was inserted."""
        with _translated(self._path), self._transaction():
            return self._insert(planned.facts, planned)

    def _insert(self, facts: Sequence[Fact], planned: Planned | None) -> list[Fact]:
        execute = self._connection.execute
        seq, previous = execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone() or (
            0,
            GENESIS,
        )
        at, batch, given = self._clock(), _Batch(self._last_number), list[Fact]()
        if planned is not None and planned.after == seq:
            facts = planned.numbered
        for fact in facts:
            numbered = batch.number(fact)
            row = encode(numbered)
            seq += 1
            previous = link(previous, seq, row.kind, row.number, at, row.body, row.blob)
            execute(_INSERT, (*row, seq, at, previous))
            given.append(numbered)
            if isinstance(fact, SessionEnded):
                execute("DELETE FROM ended")
                execute("INSERT INTO ended VALUES (?, ?)", (seq, previous))
        self._head = self.last_seq = seq
        self.last_at = at
        for kind in self._numbers.keys() & batch.greatest.keys():
            self._numbers[kind] = max(self._numbers[kind], batch.greatest[kind])
        return planned.numbered if planned is not None and facts is planned.numbered else given

    def _remembered_number(self, kind: str) -> int:
        if kind not in self._numbers:
            self._numbers[kind] = self._last_number(kind)
        return self._numbers[kind]

    def foreign(self) -> int:
        """A number that changes whenever another process has added facts."""
        with _translated(self._path):
            number: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        return number

    def _last_number(self, kind: str) -> int:
        sql = "SELECT max(number) FROM events WHERE kind = ? AND number IS NOT NULL"
        return self._connection.execute(sql, (kind,)).fetchone()[0] or 0

    def events(self, *kinds: type[Any], after: int = 0) -> Iterator[Event]:
        """The events of these kinds (all without any), oldest first. Chunks come without their data."""
        where = f"AND kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        sql = (
            "SELECT seq, at, kind, body, CASE WHEN stream IS NULL THEN blob END FROM events "  # noqa: S608 - no input
            f"WHERE seq > ? {where} ORDER BY seq"
        )
        with _translated(self._path), sound(self._path):
            for seq, at, kind, body, blob in self._connection.execute(sql, (after, *kind_names(kinds))):
                fact = decode(kind, body, blob)
                if fact is not None:
                    yield Event(seq, at, fact)

    def newest(self, kind: type[Any]) -> Iterator[Event]:
        """The events of one kind, newest first; who has found what it looks for reads no further."""
        sql = "SELECT seq, at, kind, body, blob FROM events WHERE kind = ? ORDER BY seq DESC"
        with _translated(self._path), sound(self._path):
            for seq, at, name, body, blob in self._connection.execute(sql, (kind.__name__,)):
                fact = decode(name, body, blob)
                if fact is not None:
                    yield Event(seq, at, fact)

    def count(self, kind: type[Any]) -> int:
        """How many facts of ``kind`` there are."""
        with _translated(self._path):
            sql = "SELECT count(*) FROM events WHERE kind = ?"
            number: int = self._connection.execute(sql, (kind.__name__,)).fetchone()[0]
        return number

    def output(self, stream: int, start: int, end: int) -> bytes:
        """Stored bytes ``start`` to ``end`` of a stream."""
        with _translated(self._path):
            return Packed(self._path, start, end, self._chunks(stream, start, end)).data()

    def packed(self, stream: int, start: int, end: int) -> Packed:
        """The same bytes as they lie there, to be unpacked later, without the store."""
        with _translated(self._path):
            return Packed(self._path, start, end, list(self._chunks(stream, start, end)))

    def _chunks(self, stream: int, start: int, end: int) -> Iterable[tuple[int, bytes]]:
        # from the chunk that holds ``start`` on, found in the index: a condition on the length would read every blob
        sql = (
            "SELECT offset, blob FROM events WHERE stream = :stream AND offset < :end AND offset >= ifnull("
            "(SELECT max(offset) FROM events WHERE stream = :stream AND offset <= :start), 0) ORDER BY offset"
        )
        return self._connection.execute(sql, {"stream": stream, "start": start, "end": end})

    def stored(self) -> Iterator[StoredEvent]:
        """Every row as it stands, for checking the chain."""
        with _translated(self._path):
            rows = self._connection.execute("SELECT seq, kind, number, at, body, blob, hash FROM events ORDER BY seq")
            for row in rows:
                yield StoredEvent(*row)

    def head(self) -> tuple[int, str]:
        """The last event's number and the chain's hash, (0, zeros) before the first."""
        with _translated(self._path):
            row = self._connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        seq, digest = row or (0, GENESIS)
        return seq, digest.hex()

    def ended_at(self) -> tuple[int, str] | None:
        """Where the chain stood when the session last ended, or None."""
        with _translated(self._path):
            row = self._connection.execute("SELECT seq, head FROM ended").fetchone()
        return (row[0], row[1].hex()) if row else None

    def pending(self) -> list[int]:
        """The turns that ended and are not classified yet, in order. What lies before ``settled`` is not looked at."""
        last = self.head()[0]
        with _translated(self._path):
            if self.settled == 0:
                sql = (
                    "SELECT number, 0 FROM events WHERE kind = 'TurnEnded' AND number > 0 "
                    "EXCEPT SELECT number, 0 FROM events WHERE kind = 'TurnClassified' AND number > 0 ORDER BY number"
                )
                rows = list(self._connection.execute(sql))
                if len(rows) < 50:  # more are an import, which asks twice only
                    rows = [(number, self._seq("TurnEnded", number)) for number, _ in rows]
            else:
                sql = (
                    "SELECT number, seq FROM events ended WHERE kind = 'TurnEnded' AND seq > ? AND NOT EXISTS "
                    "(SELECT 1 FROM events WHERE kind = 'TurnClassified' AND number = ended.number) ORDER BY number"
                )
                rows = list(self._connection.execute(sql, (self.settled,)))
        self.settled = max(0, min((seq for _, seq in rows), default=last + 1) - 1)
        return [number for number, _ in rows]

    def _seq(self, kind: str, number: int) -> int:
        sql = "SELECT seq FROM events WHERE kind = ? AND number = ?"
        row = self._connection.execute(sql, (kind, number)).fetchone()
        return row[0] if row else 0

    def numbers(self, kind: type[Any], after: int) -> list[tuple[int, int]]:
        """Event and own number of every fact of ``kind`` behind event ``after``, oldest first, without its body."""
        sql = "SELECT seq, number FROM events WHERE kind = ? AND seq > ? ORDER BY seq"
        with _translated(self._path):
            return list(self._connection.execute(sql, (kind.__name__, after)))

    def link_at(self, seq: int) -> str:
        """The chain's hash at an event, empty where there is none."""
        with _translated(self._path):
            row = self._connection.execute("SELECT hash FROM events WHERE seq = ?", (seq,)).fetchone()
        return row[0].hex() if row else ""

    def numbered(self, kind: type[Any], number: int) -> Event | None:
        """The one event of ``kind`` with this number (turn, entry, requirement, note, stream), or None."""
        sql = "SELECT seq, at, kind, body, blob FROM events WHERE kind = ? AND number = ?"
        with _translated(self._path):
            row = self._connection.execute(sql, (kind.__name__, number)).fetchone()
        with sound(self._path):
            fact = decode(*row[2:]) if row else None
        return Event(row[0], row[1], fact) if fact else None

    def last_number(self, kind: type[Any]) -> int:
        """The greatest number given to a fact of ``kind``, 0 before the first."""
        with _translated(self._path):
            return self._last_number(kind.__name__)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def leave(self) -> None:
        """For a process that is about to end: leaves the files as they are where the session goes on."""
        if not self.readonly and self.ended_at() is None:
            keep_open(self._connection)
        else:
            self.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Planned(NamedTuple):
    """Facts that are to be stored after event ``after``, as they were given and as they are numbered there."""

    after: int
    facts: tuple[Fact, ...]
    numbered: list[Fact]


class _Batch:
    """Numbers the facts of one append."""

    def __init__(self, last: Callable[[str], int]) -> None:
        self._last = last
        #: The greatest number of each kind so far, where the facts have any.
        self.greatest: dict[str, int] = {}
        self._turn = 0
        self._stream = 0

    def number(self, fact: Fact) -> Fact:
        """``fact`` with its own number, and that of the turn and stream before it, where it has none."""
        kind = type(fact).__name__
        field = NUMBERED.get(kind)
        changes: dict[str, Any] = {}
        if self._turn and getattr(fact, "turn", None) == 0:
            changes["turn"] = self._turn
        if self._stream and getattr(fact, "stream", None) == 0:
            changes["stream"] = self._stream
        if field is not None:
            own = getattr(fact, field)
            if own == 0:
                own = changes[field] = (self.greatest.get(kind) or self._last(kind)) + 1
            self.greatest[kind] = max(own, self.greatest.get(kind, 0))
        given: Fact = replace(fact, **changes) if changes else fact
        if isinstance(given, TurnStarted):
            self._turn = given.turn
        elif isinstance(given, StreamOpened):
            self._stream = given.stream
        return given


@contextmanager
def _translated(path: str) -> Iterator[None]:
    """Turns what SQLite and the file system raise into errors that say what to do."""
    try:
        yield
    except sqlite.OperationalError as error:
        if "no such table" in str(error) or "malformed" in str(error):
            msg = f"{path} is damaged ({error}); what other sessions hold is not touched"
            raise StoreDamaged(msg) from error
        msg = f"cannot write {path}: {error}; free or unlock it, or set TABSHELL_HOME to a writable directory"
        raise StoreUnwritable(msg) from error
    except sqlite.DatabaseError as error:
        msg = f"{path} is damaged ({error}); copy it away and see 'tabshell verify'"
        raise StoreDamaged(msg) from error
    except OSError as error:
        msg = f"cannot write {path}: {error.strerror}; set TABSHELL_HOME to a writable directory"
        raise StoreUnwritable(msg) from error
