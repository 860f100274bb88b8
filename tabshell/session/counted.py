"""The terms of entries' excerpts, counted once in a session's life.

Counting takes most of a review, and an entry never changes. What was counted is kept beside the facts
(``store.kept``), outside the chain: only the order in which a review names entries and files comes from it. In:
entries. Out: their terms. Limit: what a review ranks at most (``tab.review``).
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tabshell import __version__
from tabshell.model.light import TYPE_CHECKING
from tabshell.store import kept
from tabshell.text.terms import TermCounts, count_terms

if TYPE_CHECKING:
    from tabshell.model.state import Entry
    from tabshell.store.database import Store

#: The file and its format, which changes with what counts as a term.
NAME, FORMAT = "terms.json", f"terms/1 {__version__}"
#: Characters that were counted anew from which on it is worth writing the file.
WORTH = 64_000


class CountedTerms:
    """Counts the terms of a session's entries, each (or each part of one that its spans name) once."""

    def __init__(self, store: Store, text_of: Callable[[Entry], str]) -> None:
        self._store = store
        self._text_of = text_of
        self._counted: dict[str, TermCounts] | None = None
        self._asked: dict[str, TermCounts] = {}
        self._new = 0

    def of(self, entry: Entry) -> TermCounts:
        """The terms of an entry's excerpt."""
        if self._counted is None:
            self._counted = _read(self._store)
        key = " ".join((str(entry.id), *(f"{span.start}-{span.end}" for span in entry.logged.spans)))
        found = self._counted.get(key)
        if found is None:
            text = self._text_of(entry)
            found = self._counted[key] = count_terms(text)
            self._new += len(text)
        self._asked[key] = found
        return found

    def keep(self) -> None:
        """Keeps what was asked for, for the next process, if much of it was counted anew."""
        if self._new < WORTH or self._store.readonly:
            return
        body = json.dumps({key: [found.length, found.counts] for key, found in self._asked.items()})
        kept.write(self._store, NAME, FORMAT, kept.Kept(self._store.head()[0], 0, body))
        self._new = 0


def _read(store: Store) -> dict[str, TermCounts]:
    before = kept.read(store, NAME, FORMAT)
    if before is None:
        return {}
    try:
        return {key: _checked(length, counts) for key, (length, counts) in json.loads(before.body).items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _checked(length: int, counts: dict[str, int]) -> TermCounts:
    """Raises TypeError, AttributeError for what is none."""
    if {type(length), *map(type, counts.values())} != {int}:
        raise TypeError
    return TermCounts(counts, length)
