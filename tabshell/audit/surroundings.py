"""The words around a place of a text: those of its sentence. Pure.

Neighbours share their sentence, so its words are found once. Bounded: of a sentence longer than ``LONGEST`` a place
is given the words of the piece that it stands in, so that a text of a megabyte without a full stop costs what its
length says and not its square.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from tabshell.text.terms import matching_terms

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"(])|(?<=[。！？；;])\s*|\n")
SPOKEN = re.compile(r"[^\W\d_]+")
#: Characters of a sentence that is taken whole; of a piece of a longer one, and how far a piece reaches beyond itself.
LONGEST = 4_000
PIECE = 1_000
BEYOND = 300

Words = tuple[frozenset[str], frozenset[str]]


class Surroundings:
    """A text of which places are asked for."""

    def __init__(self, text: str, whole: bool = False) -> None:
        """``whole``: a cell, whose words all belong together."""
        self.text = text
        matches = [] if whole else list(SENTENCE_END.finditer(text))
        self._ends = [match.end() for match in matches]
        self._starts = [match.start() for match in matches]
        self._words: dict[tuple[int, int], Words] = {}

    def of(self, start: int, end: int) -> Words:
        """The terms around a place, and all words around it, function words too ("not competent")."""
        span = self._span(start, end)
        if span not in self._words:
            text = self.text[slice(*span)]
            self._words[span] = words(text), spoken_words(text)
        return self._words[span]

    def _span(self, start: int, end: int) -> tuple[int, int]:
        sentence = bisect_right(self._starts, start)
        begin = self._ends[sentence - 1] if sentence else 0
        following = bisect_left(self._starts, end, lo=sentence)
        finish = self._starts[following] if following < len(self._starts) else len(self.text)
        if finish - begin <= LONGEST:
            return begin, finish
        first = start - (start - begin) % PIECE
        return self._border(max(begin, first - BEYOND)), self._border(min(finish, first + PIECE + BEYOND))

    def _border(self, place: int) -> int:
        """The next border of words, where there is one near."""
        space = self.text.find(" ", place, place + BEYOND)
        return space if 0 < place < len(self.text) and space >= 0 else place


def spoken_words(text: str) -> frozenset[str]:
    """All words of a text in small letters."""
    return frozenset(SPOKEN.findall(text.lower()))


def words(text: str) -> frozenset[str]:
    """The terms of a text that tell what it speaks of: no numbers but years."""
    return frozenset(term for term in matching_terms(text) if not is_number(term))


def is_number(term: str) -> bool:
    """Whether a term is a number and no year."""
    return term[0].isdigit() and not (len(term) == 4 and term.isdigit() and "1800" <= term <= "2100")
