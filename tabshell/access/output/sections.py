"""Which directory a bare name is shown from, where a command lists several without saying so (``ls a; ls b``, a loop).

In: the acts that list, in their order, and row after row. Out: the directory in which the names of a row are to be
looked for first. A name that comes again comes from the next directory that holds it; a heading that the command prints
itself (``echo "== $d"``) leads to its directory at once. Names with a slash tell where they are and change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from tabshell.access.acts import Act
from tabshell.access.output.names import Names

#: Programs that list a directory a block, below headings where there are several.
LISTS = frozenset(("ls", "dir", "vdir", "gls", "exa", "eza", "lsd", "ll", "la"))
_COLUMNS = re.compile(r"\t+| {2,}")
_MARKS = " \t:=-#*>[]()'\""
#: Directories that are followed.
MOST = 120


class Sections:
    """The directories of one output in the order in which they are listed; ``headed`` are those that the command names
    itself before it lists them."""

    def __init__(self, names: Names, directories: Sequence[str], headed: frozenset[str]) -> None:
        self._names = names
        self._directories = directories
        self._headed = headed
        self._at = 0
        self._seen: set[str] = set()

    def of(self, text: str) -> str:
        """The directory in which the names of this row are looked for first. To be asked row after row."""
        stripped = text.strip()
        if self._headed and (place := self._heading(stripped)) is not None:
            self._at, self._seen = place, set()
        elif "/" not in stripped[:-1]:
            self._follow(stripped)
        return self._directories[self._at]

    def _heading(self, stripped: str) -> int | None:
        for word in (stripped, *stripped.split()) if len(stripped) < 400 else ():
            for path in self._names.whole(word.strip(_MARKS).rstrip("/")):
                if path in self._headed:
                    places = [n for n, directory in enumerate(self._directories) if directory == path]
                    return next((n for n in places if n >= self._at), places[0])
        return None

    def _follow(self, stripped: str) -> None:
        """On to the next directory that holds the row's names, if they are not in this one or were shown from it."""
        shown = [name.rstrip("/*@|=") for name in _COLUMNS.split(stripped)]
        known = [name for name in shown if name in self._places]
        if not known:
            last = stripped.rpartition(" ")[2].rstrip("/*@|=")  # long listings, counts
            known = [last] if last in self._places else []
        if not known:
            return
        if self._seen.isdisjoint(known) and any(self._at in self._places[name] for name in known):
            self._seen.update(known)
            return
        later = [{n for n in self._places[name] if n > self._at} for name in known]
        fitting = set.intersection(*later) or set.union(*later)
        if fitting:
            self._at, self._seen = min(fitting), set(known)

    @cached_property
    def _places(self) -> dict[str, set[int]]:
        """Name -> the directories that hold it, by their numbers."""
        found: dict[str, set[int]] = {}
        for number, directory in enumerate(self._directories):
            for name in self._names.folders.kinds(directory):
                found.setdefault(name, set()).add(number)
        return found


def sections(acts: Sequence[Act], names: Names) -> Sections | None:
    """Those of a command's acts; None where all names are shown from one place, or with their directories."""
    directories: list[str] = []
    printed: set[str] = set()
    lists = False
    for act in acts:
        if act.passage in ("counted", "nothing"):
            continue
        if act.verb == "print":
            printed.update(act.paths)
        elif act.verb in ("list", "compute"):
            here: Sequence[str] = (act.cwd,)
            if act.utility in LISTS and act.roots is not None and act.roots.depth == 1:
                lists = True
                here = act.roots.directories if act.looped or len(act.roots.directories) == 1 else ()
            directories += here[directories[-1:] == list(here[:1]) :]
    headed = frozenset(printed.intersection(directories))
    follow = len(directories) <= MOST and (len(directories) > 1 or (lists and headed))
    return Sections(names, directories, headed) if follow else None
