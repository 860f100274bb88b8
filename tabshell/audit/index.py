"""The read log, searched once for everything that the deliverables hold. Pure.

One pass over all excerpts notes where the wanted digits, dates and words stand (``LogIndex``); after that each
value asks only the few lines that can hold it. The pass costs time with the size of the log, each value with
the number of its places: never their product.

Digits are compared without separators and zeros around them: ``$633M``, ``633,000,000`` and ``6.33亿`` all wait
for ``633``. A source with more digits is found by its first ones (rounding).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tabshell.audit.numbers import fold
from tabshell.audit.value import Date, Value

#: Runs of digits with what may stand inside a number or a numeric date.
TOKEN = re.compile(
    "[0-9\uff10-\uff19](?:[0-9\uff10-\uff19.,'\u2019/\\-\u2013:年月]|[ \u00a0\u202f\u2009](?=\\d{3}(?!\\d)))*"
)
ATOM = re.compile(r"[0-9]+")
GROUPED = re.compile(
    r"\d{1,3}(?:([,.' \u00a0\u202f\u2009])\d{3})(?:\1\d{3})*(?:[.,]\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?|\d+[.,]\d+"
)
WORD = re.compile("[^\\W\\d_]{3,}")
DENSE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
#: What may stand between two numbers of one run: cells, ranges, dates, columns.
PIECES = re.compile("[^0-9.]+")
NO_DIGIT = re.compile("[^0-9]+")
#: A source is looked for by its first digits only if at least this many are shown.
ROUNDED_FROM = 2
ROUNDED_TO = 9
#: Places of one run of digits in one excerpt that are looked at.
MAX_PLACES = 300
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(slots=True)
class Excerpt:
    """One log entry's text, ready to be searched. ``number`` is the entry's (L<number>);
    ``names`` are the words of its path."""

    number: int
    text: str
    names: frozenset[str] = frozenset()
    starts: list[int] | None = None

    def line_at(self, offset: int) -> int:
        """The 0-based line that holds a place of the text."""
        return bisect_right(self.line_starts(), offset) - 1

    def line(self, index: int) -> str:
        """A line without its line break; nothing beyond the end."""
        starts = self.line_starts()
        if not 0 <= index < len(starts):
            return ""
        end = starts[index + 1] - 1 if index + 1 < len(starts) else len(self.text)
        return self.text[starts[index] : end].rstrip("\r")

    def line_starts(self) -> list[int]:
        """Where each line begins."""
        if self.starts is None:
            self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return self.starts


@dataclass(slots=True)
class Wanted:
    """What the pass over the log looks for."""

    cores: set[str] = field(default_factory=set)
    prefixes: dict[int, set[str]] = field(default_factory=dict)
    days: set[Date] = field(default_factory=set)
    months: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, value: Value) -> None:
        """Takes up the digits or dates of a value."""
        for date in value.dates:
            self.days.add(date)
            if date.month is not None:
                self.months.add(date.month)
        if not value.readings:
            return
        self.cores.add(core(value.shown))
        for length, prefix in roundings(value):
            self.prefixes.setdefault(length, set()).add(prefix)


def core(digits: str) -> str:
    """Digits without zeros around them (``0`` for zero)."""
    return digits.strip("0") or "0"


def roundings(value: Value) -> Iterator[tuple[int, str]]:
    """The first digits of sources that round to ``value``, with their number: 633 and 632 for 633."""
    length = len(value.shown)
    if not ROUNDED_FROM <= length <= ROUNDED_TO:
        return
    yield length, value.shown
    below = str(int(value.shown) - 1)
    yield (length, below) if len(below) == length else (length, "9" * length)


class LogIndex:
    """Where wanted things stand in the excerpts."""

    def __init__(self, excerpts: Sequence[Excerpt], wanted: Wanted) -> None:
        self.excerpts = excerpts
        self.words: dict[str, list[int]] = {}
        self._exact: dict[str, list[str]] = {}
        self._longer: dict[tuple[int, str], list[str]] = {}
        self._dated: list[str] = []
        self._postings: dict[str, list[int]] = {}
        self._places: dict[tuple[int, str], list[int]] = {}
        self._month_places: dict[int, list[tuple[int, int]]] = {}
        self._scan(wanted)

    def _scan(self, wanted: Wanted) -> None:
        seen: set[str] = set()
        found: set[str] = set()
        years = {str(date.year) for date in wanted.days if date.year is not None}
        for number, excerpt in enumerate(self.excerpts):
            tokens = set(TOKEN.findall(excerpt.text))
            for token in tokens - seen:
                if self._note(token, wanted, years):
                    found.add(token)
            seen |= tokens
            for token in tokens & found:
                self._postings.setdefault(token, []).append(number)
            for word in _words_of(excerpt, wanted):
                self.words.setdefault(word, []).append(number)

    def _note(self, token: str, wanted: Wanted, years: set[str]) -> bool:
        """Files a run of digits under what it may be; False if nothing wants it."""
        useful = False
        for digits in variants(fold(token)):
            stripped = digits.strip("0") or "0"
            if stripped in wanted.cores:
                self._exact.setdefault(stripped, []).append(token)
                useful = True
            led = digits.lstrip("0")
            for length, prefixes in wanted.prefixes.items():
                if len(led) > length and led[:length] in prefixes:
                    self._longer.setdefault((length, led[:length]), []).append(token)
                    useful = True
        if years and not token.isdigit() and any(map(_has_date_shape, token.split(","))):
            self._dated.append(token)
            useful = True
        return useful

    def places(self, value: Value) -> Iterator[tuple[int, str]]:
        """(excerpt, token) pairs that may hold ``value``: equal digits first, then longer ones."""
        given: set[tuple[int, str]] = set()
        tokens = list(self._exact.get(core(value.shown), ())) if value.readings else []
        for key in roundings(value) if value.readings else ():
            tokens += self._longer.get(key, ())
        if value.dates:
            tokens += self._dated_tokens(value)
        for token in tokens:
            for number in self._postings.get(token, ()):
                if (number, token) not in given:
                    given.add((number, token))
                    yield number, token

    def lines(self, number: int, token: str) -> list[int]:
        """The lines of an excerpt on which a token stands by itself, up to a bound."""
        key = (number, token)
        if key not in self._places:
            excerpt = self.excerpts[number]
            self._places[key] = list(dict.fromkeys(_occurrences(excerpt, token)))
        return self._places[key]

    def _dated_tokens(self, value: Value) -> Iterable[str]:
        days = {f"{date.day:02d}" for date in value.dates if date.day is not None}
        days |= {day.lstrip("0") for day in days}
        years = {str(date.year)[-2:] for date in value.dates if date.year is not None}
        for token in self._dated:
            atoms = ATOM.findall(fold(token))
            right_year = not years or any(atom[-2:] in years for atom in atoms)
            if right_year and (not days or any(atom in days for atom in atoms)):
                yield token

    def near(self, terms: Iterable[str], enough: int = 24) -> list[int]:
        """Excerpts that hold some of ``terms``, those with the rarest first, about ``enough`` of them."""
        lists = [hits for term in terms for word in spellings(term) if (hits := self.words.get(word))]
        lists += [hits for term in terms if DENSE.match(term) and (hits := self._dense(term))]
        lists.sort(key=len)
        found: dict[int, None] = {}
        for hits in lists:
            found.update(dict.fromkeys(hits))
            if len(found) >= enough:
                break
        return list(found)

    def _dense(self, term: str) -> list[int]:
        """Excerpts with a pair of characters of a script without spaces."""
        if term not in self.words:
            self.words[term] = [n for n, excerpt in enumerate(self.excerpts) if term in excerpt.text]
        return self.words[term]

    def month_lines(self, value: Value) -> Iterator[tuple[int, int]]:
        """(excerpt, line) pairs with the name of the month of a date beside a fitting day or year."""
        for month in dict.fromkeys(date.month for date in value.dates if date.month is not None):
            for number, offset in self._named_month(month):
                excerpt = self.excerpts[number]
                window = fold(excerpt.text[max(0, offset - 8) : offset + 24])
                atoms = {atom.lstrip("0") for atom in ATOM.findall(window)}
                if any(_fits(date, atoms) for date in value.dates):
                    yield number, excerpt.line_at(offset)

    def _named_month(self, month: int) -> list[tuple[int, int]]:
        if month not in self._month_places:
            names = {MONTHS[month - 1], MONTHS[month - 1].upper()}
            self._month_places[month] = [
                (number, offset)
                for number, excerpt in enumerate(self.excerpts)
                for name in names
                for offset in _find_all(excerpt.text, name)
            ]
        return self._month_places[month]


def _words_of(excerpt: Excerpt, wanted: Wanted) -> set[str]:
    """The wanted words that stand in an excerpt or its path."""
    if not wanted.words:
        return set()
    return wanted.words.intersection(WORD.findall(excerpt.text)) | (wanted.words & excerpt.names)


def spellings(term: str) -> tuple[str, ...]:
    """How a folded term may be written as a word of its own in an excerpt."""
    return (term, term.capitalize(), term.upper(), term + "s", term.capitalize() + "s")


def variants(token: str) -> Iterator[str]:
    """The digit strings that a run of digits may stand for: its numbers one by one, and grouped together."""
    token = token.rstrip(" .,:/'-\u2013\u2019年月")
    if token.isdigit():
        yield token
        return
    pieces = PIECES.split(token)
    yield from (piece.replace(".", "") for piece in pieces)
    if len(pieces) > 1:
        for match in GROUPED.finditer(token):
            yield NO_DIGIT.sub("", match.group())


def _has_date_shape(piece: str) -> bool:
    return 6 <= len(piece) <= 12 and any(mark in piece for mark in "-/.年") and len(ATOM.findall(piece)) in (2, 3)


def _fits(date: Date, atoms: set[str]) -> bool:
    day = date.day is None or str(date.day) in atoms
    year = date.year is None or str(date.year) in atoms or f"{date.year % 100}" in atoms
    return (day and year) or (day and date.day is not None)


def _find_all(text: str, needle: str) -> Iterator[int]:
    place = text.find(needle)
    while place >= 0:
        yield place
        place = text.find(needle, place + len(needle))


def _occurrences(excerpt: Excerpt, token: str) -> Iterator[int]:
    text, count = excerpt.text, 0
    for place in _find_all(text, token):
        end = place + len(token)
        if (place and text[place - 1].isdigit()) or (end < len(text) and text[end].isdigit()):
            continue
        count += 1
        if count > MAX_PLACES:
            return
        yield excerpt.line_at(place)
