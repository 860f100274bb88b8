"""Reading a store that nobody writes: without locks, and without SQLite's own files beside it.

Opening a WAL store makes two files in its directory, for readers too. Over ten thousand stores that is most of the
time of a list, and evidence should not change by being looked at. A store without anything in its write-ahead log
is read as it stands; that it stood still is checked afterwards, and one that did not is read again the usual way.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from tabshell.errors import SidecarError
from tabshell.store.database import Store

if TYPE_CHECKING:
    from pathlib import Path

Result = TypeVar("Result")


def read_still(path: Path | str, read: Callable[[Store], Result]) -> Result:
    """What ``read`` gives of the store; it may be called twice, and must not keep the store. Raises SidecarError."""
    before = _stamp(path)
    if before is not None:
        try:
            with Store.open(path, still=True) as store:
                found = read(store)
        except SidecarError:
            if _stamp(path) == before:
                raise
        else:
            if _stamp(path) == before:
                return found
    with Store.open(path, readonly=True) as store:
        return read(store)


def _stamp(path: Path | str) -> tuple[int, int, int] | None:
    """What changes when the file does; None where something waits in a log, or there is no file."""
    where = os.fspath(path)
    try:
        now = os.stat(where)
    except OSError:
        return None
    if _size(where + "-wal") or _size(where + "-journal"):
        return None
    return now.st_ino, now.st_size, now.st_mtime_ns


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
