"""BM25 over terms, by the rank-bm25 library with an inverse document frequency that is always positive (S20).

In come documents (the query terms that each holds, and its length), newest first; out come their places, best
first, only of documents that share a term with the query; equal scores keep the given order.
Equal documents score alike, so each is scored once: of 100,000 listed paths a few hundred differ in what counts.
Limit: what is to be scored should be in the thousands, for the library's arrays are plain lists (``arrays``).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from tabshell.model.light import NamedTuple
from tabshell.tab.arrays import BM25Okapi
from tabshell.text.by_path import ByPath
from tabshell.text.terms import Query, TermCounts

_NOTHING: Mapping[str, int] = {}


class Document(NamedTuple):
    """How often each looked-for term stands in a text, and how many terms it has in all."""

    counts: Mapping[str, int]
    length: int


class Ranked(NamedTuple):
    """A document's place in the given order, and its score (above 0)."""

    place: int
    score: float


class Run(NamedTuple):
    """Documents of one score, by their places in the given order."""

    score: float
    places: list[int]


class _Bm25(BM25Okapi):  # type: ignore[misc]
    """The library's scoring over prepared documents, with ``ln(1 + (N - n + 0.5)/(n + 0.5))``.

    Its own formula is negative for a term in more than half of the documents: nothing would match a log of one.
    Each of the documents that it knows stands for as many as ``places`` tells.
    """

    def _initialize(self, corpus: Sequence[tuple[Document, list[int]]]) -> dict[str, int]:
        self.holding: dict[str, list[int]] = {}
        held: dict[str, int] = {}
        for number, (document, places) in enumerate(corpus):
            for term in document.counts:
                self.holding.setdefault(term, []).append(number)
                held[term] = held.get(term, 0) + len(places)
        self.corpus_size = sum(len(places) for _, places in corpus)
        self.doc_freqs = [document.counts for document, _ in corpus]
        self.doc_len = [document.length for document, _ in corpus]
        self.avgdl = sum(document.length * len(places) for document, places in corpus) / self.corpus_size
        return held

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        size = self.corpus_size
        self.idf = {term: math.log(1 + (size - count + 0.5) / (count + 0.5)) for term, count in nd.items()}


class Corpus:
    """Documents, newest first, to be asked many times. Equal ones should be one object."""

    def __init__(self, documents: Sequence[Document]) -> None:
        places: dict[int, list[int]] = {}
        for place, number in enumerate(map(id, documents)):
            if number in places:
                places[number].append(place)
            else:
                places[number] = [place]
        #: The different documents with the places where each stands.
        self.different = [(documents[found[0]], found) for found in places.values()]
        self._bm25 = _Bm25(self.different) if documents else None

    def rank(self, asked: Query) -> list[Ranked]:
        """The documents that share a term with ``asked``, best first, ties in the given order."""
        return [Ranked(place, run.score) for run in self.runs(asked) for place in run.places]

    def best(self, asked: Query, most: int) -> list[int]:
        """The places of the first ``most`` of them."""
        found: list[int] = []
        for run in self.runs(asked):
            found += run.places[: most - len(found)]
            if len(found) >= most:
                break
        return found

    def runs(self, asked: Query) -> list[Run]:
        """The same in runs of equal score, best first."""
        if self._bm25 is None:
            return []
        holding = self._bm25.holding
        wanted = [term for term in looked_for([asked]) if term in holding]
        numbers = sorted(set().union(*(holding[term] for term in wanted)))
        if not numbers:
            return []
        alike: dict[float, list[list[int]]] = {}
        for number, score in zip(numbers, self._bm25.get_batch_scores(wanted, numbers), strict=True):
            alike.setdefault(score, []).append(self.different[number][1])
        return [Run(score, sorted(chain(*alike[score]))) for score in sorted(alike, reverse=True)]


def looked_for(queries: Iterable[Query]) -> dict[str, None]:
    """The terms that documents must be counted for; extensions carry a dot, so that only paths hold them."""
    return dict.fromkeys(
        term for asked in queries for term in (*asked.terms, *(f".{name}" for name in sorted(asked.extensions)))
    )


def path_documents(paths: Iterable[str], wanted: Collection[str]) -> list[Document]:
    """Paths (keys) as documents; equal ones are one object."""
    return ByPath(wanted, lambda terms, length: Document(_count(terms) if terms else _NOTHING, length)).of_all(paths)


def entry_document(paths: Iterable[Document], excerpt: TermCounts, wanted: Collection[str]) -> Document:
    """An entry as a document: its paths (as documents) and its excerpt."""
    known = excerpt.counts
    counts: dict[str, int] = {term: known[term] for term in wanted if term in known}
    length = excerpt.length
    for document in paths:
        length += document.length
        for term, number in document.counts.items():
            counts[term] = counts.get(term, 0) + number
    return Document(counts, length)


def _count(terms: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return counts
