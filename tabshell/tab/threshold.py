"""The relevance threshold of candidates: a path shares at least two distinct terms with the task text (S14)."""

from __future__ import annotations

from tabshell.text.by_path import ByPath
from tabshell.text.terms import Query, query

#: How many distinct terms a path must share with the task to stand above the threshold.
SHARED_TERMS = 2


class Threshold:
    """Tells for each path whether it is above. Remembers what it saw, since listings repeat it."""

    def __init__(self, task: str) -> None:
        self.query: Query = query(task)
        self._wanted = frozenset(self.query.terms)
        extensions = (f".{name}" for name in self.query.extensions & self._wanted)
        self._by_path = ByPath(self._wanted.union(extensions), self._enough)

    def above(self, path: str) -> bool:
        """Whether ``path`` (a key) is above the threshold."""
        return self._by_path.of(path)

    @staticmethod
    def _enough(terms: tuple[str, ...], _length: int) -> bool:
        return len({term.lstrip(".") for term in terms}) >= SHARED_TERMS
