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
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tabshell.audit.numbers import fold
from tabshell.audit.value import Date, Value

#: One number with its separators; groups of three may turn out to be cells of their own (``120,633``).
TOKEN = re.compile("[0-9]+(?:[.,'\u2019 \u00a0\u202f\u2009][0-9]{3}(?![0-9]))*(?:\\.[0-9]+|,[0-9]{1,2}(?![0-9.]))?")
#: Numeric dates: digits joined by what dates are joined with.
DATED = re.compile("[0-9]{1,4}[-/.年][0-9]{1,2}[-/.月][0-9]{1,4}|[0-9]{4}[-/年][0-9]{1,2}(?![0-9])")
ATOM = re.compile("[0-9]+")
WORD = re.compile("[^\\W\\d_]{3,}")
DENSE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
WIDE = re.compile("[\uff10-\uff19]")
NO_SIGNS = dict.fromkeys(map(ord, ".,'\u2019 \u00a0\u202f\u2009-/年月"))
#: All ASCII but letters as spaces.
LETTERS_ONLY = {code: " " for code in range(128) if not chr(code).isalpha()}
#: Longer numbers are filed by so many first digits.
LEAD = 3
#: What may stand between two numbers of one run: cells, columns.
PIECES = re.compile("[^0-9.]+")
#: A source is looked for by its first digits only if at least this many are shown, and in so many excerpts.
ROUNDED_FROM = 2
ROUNDED_TO = 9
#: Places of one run of digits in one excerpt that are looked at.
MAX_PLACES = 300
#: Digits in more excerpts than this are looked up only where the words around agree.
COMMON = 40
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(slots=True)
class Excerpt:
    """One log entry's text, ready to be searched. ``number`` is the entry's (L<number>);
    ``names`` are the words of its path."""

    number: int
    text: str
    names: frozenset[str] = frozenset()
    starts: list[int] | None = None

    def folded(self) -> str:
        """The text with full-width digits as ASCII ones."""
        return fold(self.text) if not self.text.isascii() and WIDE.search(self.text) else self.text

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


class LogIndex:
    """Where wanted things stand in the excerpts."""

    def __init__(self, excerpts: Sequence[Excerpt], wanted: Wanted) -> None:
        self.excerpts = excerpts
        self.words: dict[str, list[int]] = {}
        self._exact: dict[str, list[str]] = {}
        self._dated: list[str] = []
        self._postings: dict[str, list[int]] = {}
        self._leads: dict[str, list[str]] | None = None
        self._places: dict[tuple[int, str], list[int]] = {}
        self._month_places: dict[int, list[tuple[int, int]]] = {}
        self._held: dict[str, frozenset[int]] = {}
        self._scan(wanted)

    def _scan(self, wanted: Wanted) -> None:
        dated: set[str] = set()
        postings = self._postings
        for number, excerpt in enumerate(self.excerpts):
            text = excerpt.folded()
            for token in set(TOKEN.findall(text)):
                if token in postings:
                    postings[token].append(number)
                else:
                    postings[token] = [number]
            if wanted.days:
                for token in set(DATED.findall(text)):
                    dated.add(token)
                    postings.setdefault(token, []).append(number)
            for word in _words_of(excerpt, wanted):
                self.words.setdefault(word, []).append(number)
        self._dated = sorted(dated)
        self._file(wanted.cores)

    def _file(self, cores: set[str]) -> None:
        """Files each number under the wanted digits that it may be. Runs once for every number of the log."""
        exact = self._exact
        for token in self._postings:
            stripped = token.translate(NO_SIGNS).strip("0")
            if stripped in cores:
                exact.setdefault(stripped, []).append(token)
            if "," in token or not token.isascii() or " " in token:  # groups may be cells of their own
                for piece in PIECES.split(token):
                    stripped = piece.replace(".", "").strip("0")
                    if stripped in cores:
                        exact.setdefault(stripped, []).append(token)

    def places(self, value: Value, within: Container[int]) -> Iterator[tuple[int, str]]:
        """(excerpt, token) pairs with the digits of ``value``, or a numeric date like it. Digits that stand nearly
        everywhere are given in the excerpts ``within`` only."""
        tokens = list(self._exact.get(core(value.shown), ())) if value.readings else []
        if value.dates:
            tokens += self._dated_tokens(value)
        for token in dict.fromkeys(tokens):
            numbers = self._postings.get(token, ())
            for number in dict.fromkeys(numbers):
                if len(numbers) <= COMMON or number in within:
                    yield number, token

    def rounded_places(self, value: Value, within: Container[int]) -> Iterator[tuple[int, str]]:
        """(excerpt, token) pairs whose digits go on after those of ``value`` or round to them, in some excerpts."""
        length = len(value.shown)
        if not ROUNDED_FROM <= length <= ROUNDED_TO:
            return
        if self._leads is None:
            self._leads = {}
            for token in self._postings:
                self._leads.setdefault(token.translate(NO_SIGNS).lstrip("0")[:LEAD], []).append(token)
        below = str(int(value.shown) - 1)
        for prefix in (value.shown, below if len(below) == length else "9" * length):
            keys = [prefix[:LEAD]] if length >= LEAD else [f"{prefix}{n}" for n in range(10)]
            for token in (token for key in keys for token in self._leads.get(key, ())):
                led = token.translate(NO_SIGNS).lstrip("0")
                if len(led) > length and led.startswith(prefix):
                    for number in self._postings[token]:
                        if number in within:
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

    def shared(self, number: int, terms: Iterable[str]) -> int:
        """How many of ``terms`` an excerpt holds."""
        return sum(number in self._holding(term) for term in terms)

    def _holding(self, term: str) -> frozenset[int]:
        if term not in self._held:
            self._held[term] = frozenset(n for word in spellings(term) for n in self.words.get(word, ()))
        return self._held[term]

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
    text = excerpt.text
    found = text.translate(LETTERS_ONLY).split() if text.isascii() else WORD.findall(text)
    return wanted.words.intersection(found) | (wanted.words & excerpt.names)


def spellings(term: str) -> tuple[str, ...]:
    """How a folded term may be written as a word of its own in an excerpt."""
    return (term, term.capitalize(), term.upper(), term + "s", term.capitalize() + "s")


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
