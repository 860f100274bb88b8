"""Text and paths -> terms, the units that ranking, the threshold and the evidence check compare (S19).

A term is a word after NFKC and casefolding. Words end at anything that is no letter or digit, at ``_``, and at
camelCase borders. ``1,234`` is ``1234`` unless it stands among comma-separated cells; plurals of Latin words
are folded lightly; runs of Han, kana and Hangul become character bigrams. English function words are terms
but never *match*: ``matching_terms`` and ``query`` leave them out. A file's extension is a term of its path
only for a query that names it as a word (``all csv exports``, ``*.csv``), not by another file's name.

Limits: no stemming beyond plurals, no word lists of other languages, accents count.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from tabshell.model.light import dataclass
from tabshell.text.late import late

# Python's \w knows no combining marks; Indic and South-East Asian words would fall apart at vowel signs.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u0900-\u0963\u0966-\u0df3\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff"
    "\u0f18\u0f19\u0f71-\u0f84\u1000-\u1049\u1050-\u109f\u1780-\u17d3"
)
_PLAIN_WORD = rf"(?:[^\W_]|[{_MARKS}])+"
# Digit groups that are one number: "1,234". Cells of a table are none: "north,128,633", "2024-11,128", "01,128".
_GROUPED = r"[1-9](?<![\w.,]\d)(?<!\d-\d)\d{0,2}(?:,\d{2,3})*,\d{3}(?!\w)(?!,\S)"
_WORD = late(_PLAIN_WORD)
_WORD_OR_GROUPED = late(f"{_GROUPED}|{_PLAIN_WORD}")
_ASCII_WORD = late(r"[A-Za-z0-9]+")
_ASCII_WORD_OR_GROUPED = late(f"(?a){_GROUPED}|[A-Za-z0-9]+")
_APART = late("(?<=\\d)['\u2019\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_CONTRACTION = late("(?i)(?<=\\w)['\u2019](?:s|t|re|ve|ll|d|m)\\b")
_CAMEL = late(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9])(?=[A-Z][a-z])")
_DIGITS = frozenset("0123456789")
_DENSE = late(
    "[\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uac00-\ud7a3\u1100-\u11ff\U00020000-\U000323af]+"
)

#: English function words. "may" and "us" are missing on purpose: a month and a country.
STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each either few for from further had has
    have having he her here hers him his how i if in into is it its itself let me more most my no nor
    not of off on once only or other our ours out over own per same shall she should so some such than
    that the their theirs them then there these they this those through to too under until up upon very
    via was we were what when where whether which while who whom whose why will with within without
    would you your yours
    """.split()  # noqa: SIM905 - a list of 120 quoted words reads worse
)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: distinct terms in order, and those of them that may stand for an extension."""

    terms: tuple[str, ...]
    extensions: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.terms)


@dataclass(frozen=True, slots=True)
class TermCounts:
    """A text's terms that match: how often each stands in it, and how many there are in all."""

    counts: dict[str, int]
    length: int


def terms(text: str) -> list[str]:
    """All terms of ``text`` in order, stop words and repetitions included."""
    return [term for word in _words(text) for term in _terms_of(word)]


def matching_terms(text: str) -> frozenset[str]:
    """The distinct terms of ``text`` that may match: all but the stop words."""
    found: set[str] = set()
    for word in _words(text):
        found.update(_matching_of(word))
    return frozenset(found)


def query(text: str) -> Query:
    """``text`` (a task, a requirement) as a query."""
    found = dict.fromkeys(term for word in _words(text) for term in _matching_of(word))
    named = {word.lower() for word in _bare_words(text)} - STOP_WORDS
    return Query(tuple(found), frozenset(named))


def path_terms(path: str, asked: Query) -> list[str]:
    """The matching terms of a path (relative to the workspace); its extension only if ``asked`` names it."""
    found, extension = split_path(path)
    if extension in asked.extensions:
        found.append(extension)
    return found


def split_path(path: str) -> tuple[list[str], str]:
    """The matching terms of a path without its extension, and the extension in small letters (or nothing)."""
    directory, _, name = path.rpartition("/")
    found, extension = split_name(name)
    return [*_directory_terms(directory), *found] if directory else found, extension


def split_name(name: str) -> tuple[list[str], str]:
    """As ``split_path``, for the last part of a path alone."""
    stem, extension = split_extension(name)
    found: list[str] = []
    for word in _words(stem):
        # Names are mostly new words with numbers, which would only flush the cache: they go past it.
        if word[-1] in "0123456789" and (word.islower() or word.isdigit()) and word.isascii():
            found.append(word)
        else:
            found += _matching_of(word)
    return found, extension


def split_extension(name: str) -> tuple[str, str]:
    """``report.PDF`` -> (``report``, ``pdf``); an extension is 1 to 8 letters and digits, not digits alone."""
    stem, _, extension = name.rpartition(".")
    if not stem or len(extension) > 8 or extension.isdigit() or not (extension.isalnum() and extension.isascii()):
        return name, ""
    return stem, extension.lower()


def count_terms(text: str) -> TermCounts:
    """The terms of ``text`` that match, counted."""
    counts: dict[str, int] = {}
    for word, times in Counter(_words(text)).items():
        if word[0] in _DIGITS and (number := word.replace(",", "")).isdigit() and number.isascii():
            counts[number] = counts.get(number, 0) + times  # mostly new ones, which would only flush the cache
            continue
        for term in _matching_of(word):
            counts[term] = counts.get(term, 0) + times
    return TermCounts(counts, sum(counts.values()))


def first_shared_line(text: str, wanted: Iterable[str]) -> tuple[int, str] | None:
    """The first line of ``text`` with one of the terms ``wanted``: its index and the line; None if none has."""
    looked_for = frozenset(wanted)
    for number, line in enumerate(text.split("\n")):
        if any(term in looked_for for word in _words(line) for term in _matching_of(word)):
            return number, line
    return None


def fold_white(text: str) -> str:
    """Runs of white space as one space, none at the ends: how quotes are compared."""
    return " ".join(text.split())


def _words(text: str) -> list[str]:
    """Words as they stand, before splitting at camelCase and folding."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _APART.sub("", text))
    if "'" in text or "\u2019" in text:
        text = _CONTRACTION.sub("", _APART.sub("", text))
    if "," in text:  # the digit groups keep their commas until the word is split
        return (_ASCII_WORD_OR_GROUPED if text.isascii() else _WORD_OR_GROUPED).findall(text)
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def _bare_words(text: str) -> Iterator[str]:
    """Words that are no suffix of a file's name: ``csv`` and ``*.csv``, not ``policy.csv``."""
    for match in _ASCII_WORD.finditer(text):
        start = match.start()
        if not (start > 1 and text[start - 1] == "." and (text[start - 2].isalnum() or text[start - 2] in "_-)]}")):
            yield match[0]


@lru_cache(maxsize=1 << 16)
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(term for term, _ in _split(word))


@lru_cache(maxsize=1 << 16)
def _matching_of(word: str) -> tuple[str, ...]:
    if word.isascii():
        if word.islower():
            return () if word in STOP_WORDS else (_singular(word),)
        if word.isdigit():
            return (word,)
    return tuple(term for term, stop in _split(word) if not stop)


@lru_cache(maxsize=1 << 14)
def _directory_terms(directory: str) -> tuple[str, ...]:
    return tuple(term for word in _words(directory) for term in _matching_of(word))


def _split(word: str) -> Iterator[tuple[str, bool]]:
    """The terms of one word, each with whether it is a stop word."""
    word = word.replace(",", "")
    if word.isascii():
        pieces: Iterable[str] = (word,) if word.islower() or word.isupper() else _CAMEL.split(word)
        for piece in pieces:
            folded = piece.lower()
            yield _singular(folded), folded in STOP_WORDS
        return
    for dense, run in _runs(word):
        if dense:
            yield from ((gram, False) for gram in _bigrams(run))
            continue
        for piece in _camel_pieces(run):
            folded = piece.casefold()
            yield _singular(folded), folded in STOP_WORDS


def _runs(word: str) -> Iterator[tuple[bool, str]]:
    """The word cut where a script without spaces begins or ends."""
    position = 0
    for match in _DENSE.finditer(word):
        if match.start() > position:
            yield False, word[position : match.start()]
        yield True, match[0]
        position = match.end()
    if position < len(word):
        yield False, word[position:]


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]


def _camel_pieces(word: str) -> list[str]:
    """camelCase for any alphabet: a border before a capital that follows a small letter or begins a word."""
    borders = [0]
    for at in range(1, len(word)):
        before, here = word[at - 1], word[at]
        starts_word = at + 1 < len(word) and word[at + 1].islower()
        if here.isupper() and (before.islower() or (starts_word and (before.isupper() or before.isdigit()))):
            borders.append(at)
    return [word[start:end] for start, end in zip(borders, [*borders[1:], len(word)], strict=True)]


_LATIN_LETTERS = late("[a-z\u00df-\u00f6\u00f8-\u024f]+")
#: (endings, letters to cut, what comes instead): the first that fits folds the word. Both numbers of a word must
#: meet, so some singulars are cut too (``movie`` and ``movies`` become ``movy``).
_FOLDS: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("ies",), 3, "y"),
    (("ie",), 2, "y"),
    (("sses", "shes", "ches", "xes", "zzes", "uses"), 2, ""),
    (("sse", "she", "che", "xe", "zze", "use"), 1, ""),
    (("ss", "us", "is"), 0, ""),
    (("s",), 1, ""),
)


def _singular(word: str) -> str:
    """A light plural fold: policies, boxes, expenses -> policy, box, expense; Latin words of 4 letters and more."""
    if len(word) < 4 or word[-1] not in "se" or not _LATIN_LETTERS.fullmatch(word):
        return word
    if len(word) == 4:  # ties, uses, axes, ache: too short to tell more than the last letter
        return word[:-1] if word[-1] == "s" and word[-2] not in "sui" else word
    for endings, cut, instead in _FOLDS:
        if word.endswith(endings):
            return word[: len(word) - cut] + instead
    return word
