"""The steps that bring a store from one schema version to the next, in order; never edited once released.

``PRAGMA user_version`` holds the version, ``PRAGMA application_id`` the letters ``TABS``.
"""

from __future__ import annotations

from collections.abc import Callable

from tabshell.errors import StoreForeign, StoreTooNew
from tabshell.store import sqlite

APPLICATION_ID = 0x54414253


def m001_events(connection: sqlite.Connection) -> None:
    """The event chain, and where it stood when the session ended."""
    connection.executescript(
        """
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            number INTEGER,
            at REAL NOT NULL,
            body TEXT NOT NULL,
            blob BLOB,
            hash BLOB NOT NULL,
            stream INTEGER,
            offset INTEGER,
            length INTEGER
        );
        CREATE UNIQUE INDEX event_number ON events (kind, number) WHERE number IS NOT NULL;
        CREATE INDEX event_kind ON events (kind, seq);
        CREATE INDEX event_output ON events (stream, offset) WHERE stream IS NOT NULL;
        CREATE TRIGGER events_are_facts_u BEFORE UPDATE ON events
            BEGIN SELECT RAISE(ABORT, 'facts are only ever inserted'); END;
        CREATE TRIGGER events_are_facts_d BEFORE DELETE ON events
            BEGIN SELECT RAISE(ABORT, 'facts are only ever inserted'); END;
        CREATE TABLE ended (seq INTEGER NOT NULL, head BLOB NOT NULL);
        """
    )


MIGRATIONS: tuple[Callable[[sqlite.Connection], None], ...] = (m001_events,)


def version_of(connection: sqlite.Connection, path: str) -> int:
    """The store's schema version. Raises StoreForeign for a foreign database, StoreTooNew for a later one."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        msg = f"{path} is not a tabshell store (application id {application:#x}); choose another session"
        raise StoreForeign(msg)
    if version > len(MIGRATIONS):
        msg = (
            f"{path} has schema version {version}; this tabshell knows up to {len(MIGRATIONS)}: "
            "update tabshell to read it"
        )
        raise StoreTooNew(msg)
    return version


def migrate(connection: sqlite.Connection, version: int) -> None:
    """Takes the store from ``version`` to the newest one, a step a transaction."""
    for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
        step(connection)
        connection.execute(f"PRAGMA user_version = {number}")
