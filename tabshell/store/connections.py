"""How a store's file is opened, and how a process that ends leaves it. Raises what SQLite raises."""

from __future__ import annotations

import os

from tabshell.store import sqlite
from tabshell.store.migrations import APPLICATION_ID, MIGRATIONS, migrate, version_of

#: What SQLite's log is named behind the store's name.
LOG = "-wal"
#: Whether this process waits until the disk has what it stores.
_WAITS = [True]
_LEFT: list[sqlite.Connection] = []
#: A store without any fact, where this process has made one.
_EMPTY: list[bytes] = []


def wait_for_no_disk() -> None:
    """For a process whose stores need not outlive the machine (those of a sandbox, which come home): SQLite leaves it
    to the kernel when the disk has them. The end of any process loses nothing."""
    _WAITS[0] = False


def waits_for_disk() -> bool:
    """Whether nobody said that this process need not."""
    return _WAITS[0]


def keep_open(connection: sqlite.Connection) -> None:
    """Keeps a connection open until the process ends without clearing up.

    Whoever closes a store last moves SQLite's log into it, removes the log, and waits for the disk three times; the
    next call of ``tab`` begins a new log and waits again. What was stored is as safe in the log as in the file.
    """
    _LEFT.append(connection)


def make(path: str) -> None:
    """Makes the tables in an empty file that has not got its name yet: who needs it whole waits for the disk once,
    behind this, not at each step. A process that makes many stores writes the first one's bytes again."""
    if _EMPTY:
        with open(path, "wb") as file:
            file.write(_EMPTY[0])
        return
    _make_tables(path)
    with open(path, "rb") as file:
        _EMPTY.append(file.read())


def _make_tables(path: str) -> None:
    connection = sqlite.connect(path, isolation_level=None)
    for pragma in ("synchronous = OFF", "journal_mode = MEMORY", f"application_id = {APPLICATION_ID}"):
        connection.execute(f"PRAGMA {pragma}")
    migrate(connection, 0)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def writable(path: str, busy_s: float) -> sqlite.Connection:
    """For adding facts; waits up to ``busy_s`` seconds for another writer."""
    # mode=rw: a store that vanished must not come back empty
    connection = sqlite.connect(_uri(path, "mode=rw"), uri=True, isolation_level=None, timeout=busy_s)
    try:
        version = version_of(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'NORMAL' if waits_for_disk() else 'OFF'}")
        if version < len(MIGRATIONS):
            migrate(connection, version)
    except BaseException:
        connection.close()
        raise
    return connection


def readable(path: str) -> sqlite.Connection:
    """For reading beside writers, wherever the store lies."""
    try:
        return _seen(_uri(path, "mode=ro"), path, "SELECT seq FROM events LIMIT 1")
    except sqlite.OperationalError:
        # a WAL store in a directory that cannot be written: its -shm file cannot be made
        return copied(path) if _has_log(path) else unchanging(path)


def copied(path: str) -> sqlite.Connection:
    """A copy of a store and of what stands in its log only, for a directory that cannot be written. The copy's files
    have no name any more: they are gone with the connection."""
    import shutil  # noqa: PLC0415 - rare
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="tabshell-") as folder:
        name = os.path.basename(path)
        for ending in ("", LOG):
            shutil.copyfile(path + ending, os.path.join(folder, name + ending))
        copy = _uri(os.path.join(folder, name), "mode=rw")
        return _seen(copy, path, "PRAGMA query_only = ON", "SELECT seq FROM events LIMIT 1")


def _has_log(path: str) -> bool:
    try:
        return os.stat(path + LOG).st_size > 0
    except OSError:
        return False


def unchanging(path: str) -> sqlite.Connection:
    """For reading a store that nobody writes, as it stands in its one file."""
    return _seen(_uri(path, "immutable=1"), path)


def _seen(uri: str, path: str, *statements: str) -> sqlite.Connection:
    """A connection on which the store that is called ``path`` was seen to be one; it is closed where it is none."""
    connection = sqlite.connect(uri, uri=True, isolation_level=None)
    try:
        version_of(connection, path)
        for statement in statements:
            connection.execute(statement).fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _uri(path: str, mode: str) -> str:
    # what means something in a URI is escaped; SQLite takes all other bytes as they are
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{name}?{mode}"
