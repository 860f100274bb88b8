"""Facts <-> one SQLite file per session, insert-only, hash-chained."""
