"""BM25 over terms, by the rank-bm25 library with an inverse document frequency that is always positive (S20).

In come documents (the query terms that each holds, and its length), newest first; out come their places, best
first, only of documents that share a term with the query; equal scores keep the given order.
The library is imported by importing this module (numpy: 75 ms), so only what ranks may import it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from rank_bm25 import BM25Okapi

from tabshell.text.terms import Query, TermCounts, split_name, split_path

_NOTHING: Mapping[str, int] = {}


class Document(NamedTuple):
    """How often each looked-for term stands in a text, and how many terms it has in all."""

    counts: Mapping[str, int]
    length: int


class Ranked(NamedTuple):
    """A document's place in the given order, and its score (above 0)."""

    place: int
    score: float


class _Bm25(BM25Okapi):  # type: ignore[misc]
    """The library's scoring over prepared documents, with ``ln(1 + (N - n + 0.5)/(n + 0.5))``.

    Its own formula is negative for a term in more than half of the documents: nothing would match a log of one.
    """

    def _initialize(self, corpus: Sequence[Document]) -> dict[str, int]:
        self.postings: dict[str, list[int]] = {}
        for place, document in enumerate(corpus):
            for term in document.counts:
                self.postings.setdefault(term, []).append(place)
        self.corpus_size = len(corpus)
        self.doc_freqs = [document.counts for document in corpus]
        self.doc_len = [document.length for document in corpus]
        self.avgdl = sum(self.doc_len) / len(corpus)
        return {term: len(places) for term, places in self.postings.items()}

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        size = self.corpus_size
        self.idf = {term: math.log(1 + (size - count + 0.5) / (count + 0.5)) for term, count in nd.items()}


class Corpus:
    """Documents, newest first, to be asked many times."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._bm25 = _Bm25(documents) if documents else None

    def rank(self, asked: Query) -> list[Ranked]:
        """The documents that share a term with ``asked``, best first, ties in the given order."""
        if self._bm25 is None:
            return []
        postings = self._bm25.postings
        wanted = [term for term in looked_for([asked]) if term in postings]
        places = sorted(set().union(*(postings[term] for term in wanted)))
        if not places:
            return []
        scores = self._bm25.get_batch_scores(wanted, places)
        order = sorted(range(len(places)), key=lambda at: -scores[at])
        return [Ranked(places[at], scores[at]) for at in order]


def looked_for(queries: Iterable[Query]) -> dict[str, None]:
    """The terms that documents must be counted for; extensions carry a dot, so that only paths hold them."""
    return dict.fromkeys(
        term for asked in queries for term in (*asked.terms, *(f".{name}" for name in sorted(asked.extensions)))
    )


def path_document(path: str, wanted: Collection[str]) -> Document:
    """A path (a key) as a document."""
    return path_documents([path], wanted)[0]


def path_documents(paths: Iterable[str], wanted: Collection[str]) -> list[Document]:
    """Paths (keys) as documents. Folders are looked at once: listings of 100,000 paths come through here."""
    folders: dict[str, tuple[list[str], int]] = {}
    documents = []
    for path in paths:
        directory, _, name = path.rpartition("/")
        folder = folders.get(directory)
        if folder is None:
            terms, _ = split_path(f"{directory}/")
            folder = folders[directory] = [term for term in terms if term in wanted], len(terms)
        names, extension = split_name(name)
        found = folder[0] + [term for term in names if term in wanted]
        if extension and f".{extension}" in wanted:
            found.append(f".{extension}")
        documents.append(Document(_count(found) if found else _NOTHING, folder[1] + len(names) + 1))
    return documents


def entry_document(paths: Iterable[str], excerpt: TermCounts, wanted: Collection[str]) -> Document:
    """An entry as a document: its paths and its excerpt."""
    counts: dict[str, int] = {term: number for term, number in excerpt.counts.items() if term in wanted}
    length = excerpt.length
    for path in paths:
        document = path_document(path, wanted)
        length += document.length
        for term, number in document.counts.items():
            counts[term] = counts.get(term, 0) + number
    return Document(counts, length)


def _count(terms: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return counts
