"""The relevance threshold of candidates: a path shares at least two distinct terms with the task text (S14)."""

from __future__ import annotations

from tabshell.text.terms import Query, path_terms, query, split_name

#: How many distinct terms a path must share with the task to stand above the threshold.
SHARED_TERMS = 2


class Threshold:
    """Tells for each path whether it is above. Remembers what the folders share, since listings repeat them."""

    def __init__(self, task: str) -> None:
        self.query: Query = query(task)
        self._wanted = frozenset(self.query.terms)
        self._folders: dict[str, frozenset[str]] = {}

    def above(self, path: str) -> bool:
        """Whether ``path`` (a key) is above the threshold."""
        directory, _, name = path.rpartition("/")
        shared = self._folders.get(directory)
        if shared is None:
            shared = self._wanted.intersection(path_terms(directory + "/", self.query))
            self._folders[directory] = shared
        if len(shared) >= SHARED_TERMS:
            return True
        names, extension = split_name(name)
        if extension in self.query.extensions:
            names.append(extension)
        return len(shared.union(self._wanted.intersection(names))) >= SHARED_TERMS
