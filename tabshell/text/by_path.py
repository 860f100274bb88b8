"""What follows from the looked-for terms of a path, for very many paths.

A listing of 100,000 paths holds a few thousand different folders and names, and most of those differ in numbers
alone. So what one path gives is remembered for all that are alike in what counts; what comes of it is made once for
equal terms and is then one and the same object.

In: the terms that are looked for (those of extensions with a dot, as ``rank.looked_for`` gives them) and what to make
of the ones that a path holds and of the number of all its terms. Pure; the memory lives as long as the object.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from tabshell.model.light import Generic, TypeVar
from tabshell.text.terms import split_name, split_path

Made = TypeVar("Made")
#: Every digit as a 1: for telling paths apart by all but their numbers.
_ONE = bytes.maketrans(b"023456789", b"111111111")


class ByPath(Generic[Made]):
    """``of(path)`` is what ``make`` makes of the terms that ``path`` holds of ``wanted`` (in their order, as often as
    they stand there) and of the number of its terms, an extension counting as one."""

    def __init__(self, wanted: Collection[str], make: Callable[[tuple[str, ...], int], Made]) -> None:
        self._wanted = wanted
        self._make = make
        #: With a digit in it: a path that may hold one is told apart by its numbers, too.
        self._numbers = [term for term in wanted if any(map(str.isdigit, term))]
        self._seen: dict[str | bytes, Made] = {}
        self._folders: dict[str, tuple[tuple[str, ...], int]] = {}
        self._names: dict[str | bytes, tuple[tuple[str, ...], int]] = {}
        self._made: dict[tuple[tuple[str, ...], int], Made] = {}

    def of(self, path: str) -> Made:
        """What comes of one path."""
        shape = self._shape(path)
        if shape in self._seen:
            return self._seen[shape]
        found = self._seen[shape] = self._new(path)
        return found

    def of_all(self, paths: Iterable[str]) -> list[Made]:
        """What comes of each."""
        return list(map(self.of, paths))

    def _shape(self, text: str) -> str | bytes:
        """Equal for texts that are alike in what counts. A comma could make two numbers one."""
        if not text.isascii() or "," in text:
            return text
        if self._numbers:
            folded = text.lower()
            for number in self._numbers:
                if number in folded:
                    return text
        return text.encode().translate(_ONE)

    def _new(self, path: str) -> Made:
        directory, _, name = path.rpartition("/")
        folder = self._folders.get(directory)
        if folder is None:
            terms, _ = split_path(f"{directory}/")
            folder = self._folders[directory] = self._looked_for(terms), len(terms)
        shape = self._shape(name)
        last = self._names.get(shape)
        if last is None:
            names, extension = split_name(name)
            last = self._names[shape] = self._looked_for([*names, f".{extension}"]), len(names) + 1
        found = folder[0] + last[0], folder[1] + last[1]
        if found not in self._made:
            self._made[found] = self._make(*found)
        return self._made[found]

    def _looked_for(self, terms: Iterable[str]) -> tuple[str, ...]:
        return tuple(term for term in terms if term in self._wanted)
