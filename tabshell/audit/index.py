"""Where in the read log the things stand that the deliverables hold. Pure.

One pass over all excerpts has noted which of them hold the wanted digits, dates and words (``scan``); here each value
asks only the few lines that can hold it. The pass costs time with the size of the log, each value with the number of
its places: never their product.

Digits are compared without separators and zeros around them: ``$633M``, ``633,000,000`` and ``6.33亿`` all wait
for ``633``. A source with more digits is found by its first ones (rounding), in excerpts that speak of the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import merge

from tabshell.audit.excerpt import Excerpt
from tabshell.audit.numbers import fold
from tabshell.audit.scan import Held, core, forms
from tabshell.audit.value import Date, Value

ATOM = re.compile("[0-9]+")
DENSE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
#: A source is looked for by its first digits only if so many are shown.
ROUNDED_FROM = 2
ROUNDED_TO = 17
#: Powers of ten between a number and what it is shown as: tables in thousands, shares as percentages.
POWERS = (0, -2, 3, 6, 9, -3, -6, -9)
PERCENT_POWERS = (0, 2)
#: Digits in more excerpts than this are looked up only where the words around agree.
COMMON = 40
#: Of excerpts that share words with a value at most so many times as many as asked for are given.
TOO_MANY = 2
#: Lines with one month and one number beside it that are looked at.
MAX_MONTH_LINES = 300
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class LogIndex:
    """Where wanted things stand in the excerpts."""

    def __init__(self, excerpts: Sequence[Excerpt], held: Iterable[Held]) -> None:
        """``held``: of each excerpt, in the same order, what it holds of the wanted things."""
        self.excerpts = excerpts
        self.words: dict[str, list[int]] = {}
        self._dated: dict[tuple[str, str], list[str]] = {}
        self._postings: dict[str, list[int]] = {}
        self._common: dict[str, frozenset[int]] = {}
        self._lines: dict[tuple[int, str], list[int]] = {}
        self._month_places: dict[int, dict[str, list[tuple[int, int]]]] = {}
        self._held: dict[str, frozenset[int]] = {}
        self._near: dict[tuple[tuple[str, ...], int], list[int]] = {}
        self._post(held)

    def _post(self, held: Iterable[Held]) -> None:
        dated: dict[str, list[int]] = {}
        for number, found in enumerate(held):
            for run in found.runs:
                self._postings.setdefault(run, []).append(number)
            for word in found.words:
                self.words.setdefault(word, []).append(number)
            for date in found.dates:
                dated.setdefault(date, []).append(number)
        self._postings |= dated
        for token in sorted(dated):
            atoms = ATOM.findall(fold(token))
            for key in {(day, year) for day in ("", *atoms) for year in ("", *(atom[-2:] for atom in atoms))}:
                self._dated.setdefault(key, []).append(token)

    def places(self, value: Value, within: Collection[int]) -> Iterator[tuple[int, str]]:
        """(excerpt, token) pairs with the digits of ``value``, or a numeric date like it. Digits that stand nearly
        everywhere are given in the excerpts ``within`` only."""
        tokens: list[str] = []
        if value.readings:
            tokens = [form for form in forms(core(value.shown)) if form in self._postings]
        if value.dates:
            tokens += self._dated_tokens(value)
        for token in dict.fromkeys(tokens):
            numbers = self._postings[token]
            if len(numbers) > COMMON:
                if token not in self._common:
                    self._common[token] = frozenset(numbers)
                numbers = sorted(self._common[token].intersection(within))
            for number in numbers:
                yield number, token

    def rounded_places(self, value: Value, within: Iterable[int]) -> Iterator[tuple[int, str]]:
        """(excerpt, token) pairs whose digits round to those of ``value``, in some excerpts."""
        if not ROUNDED_FROM <= len(value.shown) <= ROUNDED_TO:
            return
        prefixes = list(_prefixes(value))
        for number in within:
            for prefix, zeros in prefixes:
                for token in self.excerpts[number].beginning(prefix.encode()):
                    if _may_round(token, prefix, prefix == value.shown, zeros):
                        yield number, token

    def lines(self, number: int, token: str) -> list[int]:
        """The lines of an excerpt on which a token stands by itself, up to a bound."""
        key = (number, token)
        if key not in self._lines:
            excerpt = self.excerpts[number]
            self._lines[key] = excerpt.lines_with(token) if token.isdigit() else excerpt.lines_dated(token)
        return self._lines[key]

    def _dated_tokens(self, value: Value) -> Iterable[str]:
        days = {f"{date.day:02d}" for date in value.dates if date.day is not None}
        days |= {day.lstrip("0") for day in days}
        years = {str(date.year)[-2:] for date in value.dates if date.year is not None}
        keys = [(day, year) for day in days or ("",) for year in years or ("",)]
        yield from sorted({token for key in keys for token in self._dated.get(key, ())})

    def near(self, terms: Iterable[str], enough: int = 24) -> list[int]:
        """Excerpts that hold some of ``terms``, those with the most and rarest first, about ``enough`` of them."""
        key = (tuple(terms), enough)
        if key not in self._near:
            self._near[key] = self._nearest(key[0], enough)
        return self._near[key]

    def _nearest(self, terms: Sequence[str], enough: int) -> list[int]:
        lists = [hits for term in terms for word in spellings(term) if (hits := self.words.get(word))]
        lists += [hits for term in terms if DENSE.match(term) and (hits := self._dense(term))]
        lists.sort(key=len)
        found: dict[int, None] = {}
        for hits in lists:
            found.update(dict.fromkeys(hits))
            if len(found) >= enough:
                break
        if len(found) > TOO_MANY * enough:
            counts: Counter[int] = Counter()  # words that stand nearly everywhere: the excerpts with most of them
            for hits in lists:
                if len(hits) < len(self.excerpts):
                    counts.update(hits)
            ordered = sorted(sorted(found), key=counts.__getitem__, reverse=True) if counts else sorted(found)
            found = dict.fromkeys(ordered[: TOO_MANY * enough])
        total = len(self.excerpts)
        weights = dict.fromkeys(found, 0.0)
        for holding in filter(None, map(self._holding, terms)):
            weight = math.log(1 + total / len(holding))
            for number in found:
                if number in holding:
                    weights[number] -= weight
        return sorted(found, key=weights.__getitem__)

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
            places = self._named_month(month)
            found = [places.get(atom, ()) for date in value.dates for atom in _beside_month(date)]
            yield from dict.fromkeys(merge(*found))

    def _named_month(self, month: int) -> dict[str, list[tuple[int, int]]]:
        """The lines with the name of a month, by each number beside it and (``""``) all of them, up to a bound."""
        if month not in self._month_places:
            found: dict[str, dict[tuple[int, int], None]] = {}
            for number, excerpt in enumerate(self.excerpts):
                for name in (MONTHS[month - 1], MONTHS[month - 1].upper()):
                    for offset in _find_all(excerpt.text, name):
                        window = fold(excerpt.text[max(0, offset - 8) : offset + 24])
                        for atom in {"", *(atom.lstrip("0") for atom in ATOM.findall(window))}:
                            lines = found.setdefault(atom, {})
                            if len(lines) < MAX_MONTH_LINES:
                                lines[number, excerpt.line_at(offset)] = None
            self._month_places[month] = {atom: sorted(lines) for atom, lines in found.items()}
        return self._month_places[month]


def spellings(term: str) -> tuple[str, ...]:
    """How a folded term may be written, in small letters, as a word of its own in an excerpt."""
    return (term, term + "s")


def _prefixes(value: Value) -> Iterator[tuple[str, frozenset[int]]]:
    """What the digits of a number that rounds to ``value`` begin with, from above and from below (12.3: 122, and 100:
    99), and how many zeros before them fit: 0.0123 has two, 12.3 none."""
    shown, below = value.shown, str(int(value.shown) - 1)
    powers = PERCENT_POWERS if value.unit == "%" else POWERS
    sizes = {math.floor(math.log10(abs(reading.number))) for reading in value.readings if reading.number}
    yield shown, frozenset(power - size for power in powers for size in sizes)
    fewer = len(shown) - len(below)
    yield below, frozenset(power - size + fewer for power in powers for size in sizes)


def _may_round(token: str, prefix: str, down: bool, zeros: Collection[int]) -> bool:
    """Whether the digits that a token has behind ``prefix`` round it down or up, and the zeros before it fit."""
    led = token.lstrip("0")
    before = len(token) - len(led)
    if before and before not in zeros:
        return False
    rest = led[len(prefix) :]
    return (rest < "5" or rest.rstrip("0") == "5") if down else rest >= "5"


def _beside_month(date: Date) -> tuple[str, ...]:
    """The numbers one of which stands beside the month of a date."""
    if date.day is not None:
        return (str(date.day),)
    return ("",) if date.year is None else (str(date.year), str(date.year % 100))


def _find_all(text: str, needle: str) -> Iterator[int]:
    place = text.find(needle)
    while place >= 0:
        yield place
        place = text.find(needle, place + len(needle))
