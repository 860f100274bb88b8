"""The candidates, most relevant to the task first, as objects and as text (S14)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate, chain

from tabshell.model.light import overload
from tabshell.model.state import Candidate, RankedCandidate, Tab
from tabshell.tab.paging import LINES_PER_PAGE, Page, page_of
from tabshell.tab.rank import Corpus, Run, looked_for, path_documents
from tabshell.tab.threshold import SHARED_TERMS
from tabshell.tab.wording import ids
from tabshell.text.harmless import harmless
from tabshell.text.terms import query


def newest_first(tab: Tab) -> list[Candidate]:
    """The candidates of later turns first; those of one turn in the order in which they were shown."""
    return sorted(tab.candidates.values(), key=lambda candidate: -candidate.turn)


class Ranking(Sequence[RankedCandidate]):
    """Candidates in their order. There may be 100,000, of which a page is looked at: each is made when asked for."""

    def __init__(self, candidates: list[Candidate], runs: list[Run], marked: Collection[int] | None) -> None:
        """``runs`` hold places in ``candidates``, ``marked`` the places above the threshold (None: there is none)."""
        self._candidates = candidates
        self._order = list(chain.from_iterable(run.places for run in runs))
        self._ends = list(accumulate(len(run.places) for run in runs))
        self._scores = [run.score for run in runs]
        self._marked = marked

    @property
    def above(self) -> int | None:
        """How many are above the threshold."""
        return None if self._marked is None else len(self._marked)

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, at: int) -> RankedCandidate: ...
    @overload
    def __getitem__(self, at: slice) -> list[RankedCandidate]: ...
    def __getitem__(self, at: int | slice) -> RankedCandidate | list[RankedCandidate]:
        if isinstance(at, slice):
            return [self._at(number) for number in range(*at.indices(len(self)))]
        return self._at(range(len(self))[at])

    def _at(self, number: int) -> RankedCandidate:
        place = self._order[number]
        above = None if self._marked is None else place in self._marked
        return RankedCandidate(self._candidates[place], above, self._scores[bisect_right(self._ends, number)])


def ranked_candidates(tab: Tab) -> Ranking:
    """All candidates: those that share a term with the task by BM25, then the others, newest first."""
    candidates = newest_first(tab)
    if tab.task is None:
        return Ranking(candidates, [Run(0.0, list(range(len(candidates))))], None)
    asked = query(tab.task)
    wanted = looked_for([asked])
    corpus = Corpus(path_documents((candidate.path for candidate in candidates), wanted))
    marked: set[int] = set()
    rest: list[int] = []
    for document, places in corpus.different:
        if len({term.lstrip(".") for term in document.counts}) >= SHARED_TERMS:
            marked.update(places)
        if not document.counts:
            rest += places
    return Ranking(candidates, [*corpus.runs(asked), Run(0.0, sorted(rest))], marked)


def candidates_page(tab: Tab, number: int | None) -> tuple[str, Page[RankedCandidate]]:
    """The text of ``tab list candidates`` and the candidates on that page (None: all)."""
    ranked = ranked_candidates(tab)
    page = page_of(ranked, LINES_PER_PAGE, number)
    lines = [_header(ranked)]
    lines += [f"{page.first + place}. {candidate_line(each)}" for place, each in enumerate(page.items, start=1)]
    return "\n".join([*lines, *page.footer("tab list candidates")]), page


def candidate_line(ranked: RankedCandidate) -> str:
    """``path *`` with the entries of its search hits."""
    line = harmless(ranked.candidate.path) + (" *" if ranked.above else "")
    hits = ranked.candidate.search_hits
    return f"{line} (search hits only: {ids('L', hits)})" if hits else line


def _header(ranked: Ranking) -> str:
    if not ranked:
        return "Candidates: 0 unopened (every file listed so far was opened)"
    if ranked.above is None:
        return f"Candidates: {len(ranked)} unopened, newest first (set the task text to rank them: tab task TEXT)"
    return (
        f"Candidates: {len(ranked)} unopened, {ranked.above} above threshold (marked *), most relevant to the task "
        "first; opening a file removes it"
    )
