"""The bytes of a SQLite database -> its schema and rows as lines, to compare an output with. sqlite3.Error: broken."""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import sys
import tempfile
from collections.abc import Iterator

from tabshell.documents.limit import LIMIT, limited

#: Steps of SQLite's machine that a database may take, in all and more for each byte; they are counted by thousands.
_STEPS, _STEPS_A_BYTE, _STEP = 100_000, 20, 1000


def text_of(data: bytes, most: int = -1) -> str:
    """The schema and the rows of each table (``most``: so many), cells apart by tabs."""
    return limited(_rows(data, most))


def _rows(data: bytes, most: int) -> Iterator[str]:
    if sys.version_info >= (3, 11):
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(data)
            yield from _tables(connection, len(data), most)
        return
    with tempfile.NamedTemporaryFile(prefix="tabshell-") as copy:  # Python 3.10 opens files alone
        copy.write(data)
        copy.flush()
        with contextlib.closing(sqlite3.connect(f"file:{copy.name}?immutable=1", uri=True)) as connection:
            yield from _tables(connection, len(data), most)


def _tables(connection: sqlite3.Connection, size: int, most: int) -> Iterator[str]:
    """The schema and the rows of what ``connection`` has open.

    A few pages that name each other can hold rows without end, a column made by an expression a gigabyte in each: the
    steps are counted by the file's size, and a value is no longer than all text may be.
    """
    steps = itertools.repeat(None, (_STEPS + _STEPS_A_BYTE * size) // _STEP)
    connection.set_progress_handler(lambda: next(steps, 1) or 0, _STEP)
    if sys.version_info >= (3, 11):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LIMIT)
    try:
        tables = []
        for name, sql in connection.execute("select name, sql from sqlite_master where sql is not null"):
            tables.append((str(name), str(sql)))
            yield str(sql)
        for name, sql in tables:
            if sql.lower().startswith("create table"):
                yield from _table(connection, name, most)
    except sqlite3.Error:
        return


def _table(connection: sqlite3.Connection, name: str, most: int) -> Iterator[str]:
    """Column names and rows of one table; text that is no UTF-8 with replacement characters."""
    bounded = sys.version_info >= (3, 11)  # before Python 3.11 what an expression makes cannot be bounded
    found = connection.execute("select name, hidden from pragma_table_xinfo(?)", (name,))
    columns = [str(column) for column, hidden in found if bounded or not hidden]
    yield "\t".join(columns)
    wanted = ", ".join(map(_quoted, columns))
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for row in connection.execute(f"select {wanted} from {_quoted(name)} limit {most:d}"):  # noqa: S608 - a copy
        yield "\t".join(map(str, row)).replace("None", "")


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
