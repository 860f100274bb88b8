"""One pass over the log: which of the wanted digits, dates and words each excerpt holds. Pure.

Each excerpt is looked at by itself, so that several processes may share the pass (``scanned``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tabshell.audit.excerpt import Excerpt
from tabshell.audit.surroundings import words
from tabshell.audit.value import Date, Value
from tabshell.model.beside import Share, alone
from tabshell.model.state import Entry

#: Zeros behind the digits of a number by how many stand before them: 633,000,000; 0.062300000000000; 0.000123.
MAX_ZEROS = (12, 16, 15, 14, 2, 2, 2)


@dataclass(slots=True)
class Wanted:
    """What the pass over the log looks for. ``words`` are small letters."""

    cores: set[str] = field(default_factory=set)
    days: set[Date] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, value: Value) -> None:
        """Takes up the digits or dates of a value."""
        self.days.update(value.dates)
        if value.readings:
            self.cores.add(core(value.shown))


def core(digits: str) -> str:
    """Digits without zeros around them (``0`` for zero)."""
    return digits.strip("0") or "0"


def forms(digits: str) -> Iterator[str]:
    """How a number with these digits may be written once its separators are gone: with zeros around them."""
    for before, most in enumerate(MAX_ZEROS):
        for after in range(most + 1):
            yield "0" * before + digits + "0" * after


class Held(NamedTuple):
    """What one excerpt holds of what is wanted: runs of digits, words, and all its numeric dates if days are."""

    runs: tuple[str, ...]
    words: tuple[str, ...]
    dates: tuple[str, ...]


class Sought:
    """The wanted things as they are compared with a text."""

    def __init__(self, wanted: Wanted) -> None:
        self._runs = frozenset(form.encode() for digits in wanted.cores for form in forms(digits))
        self._words = frozenset(word.encode() for word in wanted.words)
        self._names = frozenset(wanted.words)
        self._dates = bool(wanted.days)

    def within(self, excerpt: Excerpt) -> Held:
        """What an excerpt, or the path of its file, holds of them."""
        runs = {run for found in excerpt.runs() for run in self._runs.intersection(found)}
        said = self._words & set(excerpt.words())
        return Held(
            tuple(run.decode() for run in runs),
            tuple({word.decode() for word in said} | (excerpt.names & self._names)),
            tuple(excerpt.dated()) if self._dates else (),
        )


def scanned(
    entries: Sequence[Entry], entry_text: Callable[[Entry], str], wanted: Wanted, share: Share = alone
) -> Callable[[], list[tuple[Excerpt, Held]]]:
    """Begins the pass, shared with whoever takes part; what it gives ends it."""
    sought = Sought(wanted)

    def of(entry: Entry) -> tuple[Excerpt, Held]:
        excerpt = Excerpt(entry.id, entry_text(entry), names_of(entry))
        return excerpt, sought.within(excerpt)

    return share(of, entries)


def path_of(entry: Entry) -> str:
    """The file that an entry is of; of derived text the file behind it."""
    logged = entry.logged
    return logged.derived_from[0] if logged.derived_from else logged.paths[0] if logged.paths else ""


def names_of(entry: Entry) -> frozenset[str]:
    """The words of an entry's path."""
    return words(path_of(entry))
