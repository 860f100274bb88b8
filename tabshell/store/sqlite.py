"""SQLite as the module ``sqlite3`` has it, without what that adds for dates: two milliseconds of every ``tab``."""

from __future__ import annotations

from tabshell.model.light import TYPE_CHECKING

__all__ = ["Connection", "DatabaseError", "OperationalError", "connect"]

if TYPE_CHECKING:
    from sqlite3 import Connection, DatabaseError, OperationalError, connect
else:
    try:
        from _sqlite3 import Connection, DatabaseError, OperationalError, connect
    except ImportError:  # another Python than the usual one
        from sqlite3 import Connection, DatabaseError, OperationalError, connect
