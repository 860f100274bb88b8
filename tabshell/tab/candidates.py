"""The candidates, most relevant to the task first, as objects and as text (S14)."""

from __future__ import annotations

from tabshell.model.light import dataclass
from tabshell.model.state import Candidate, Tab
from tabshell.tab.paging import LINES_PER_PAGE, Page, page_of
from tabshell.tab.rank import Corpus, looked_for, path_documents
from tabshell.tab.threshold import SHARED_TERMS
from tabshell.tab.wording import ids
from tabshell.text.harmless import harmless
from tabshell.text.terms import query


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate in its place: ``above`` the threshold or not (None without a task), BM25 ``score`` or 0."""

    candidate: Candidate
    above: bool | None
    score: float


def newest_first(tab: Tab) -> list[Candidate]:
    """The candidates of later turns first; those of one turn in the order in which they were shown."""
    return sorted(tab.candidates.values(), key=lambda candidate: -candidate.turn)


def ranked_candidates(tab: Tab) -> list[RankedCandidate]:
    """All candidates: those that share a term with the task by BM25, then the others, newest first."""
    candidates = newest_first(tab)
    if tab.task is None:
        return [RankedCandidate(candidate, None, 0.0) for candidate in candidates]
    asked = query(tab.task)
    wanted = looked_for([asked])
    documents = path_documents((candidate.path for candidate in candidates), wanted)
    above = [len({term.lstrip(".") for term in document.counts}) >= SHARED_TERMS for document in documents]
    ranked = Corpus(documents).rank(asked)
    found = [RankedCandidate(candidates[place], above[place], score) for place, score in ranked]
    rest = set(range(len(candidates))).difference(place for place, _ in ranked)
    return found + [RankedCandidate(candidates[place], above[place], 0.0) for place in sorted(rest)]


def candidates_page(tab: Tab, number: int | None) -> tuple[str, Page[RankedCandidate]]:
    """The text of ``tab list candidates`` and the candidates on that page (None: all)."""
    ranked = ranked_candidates(tab)
    page = page_of(ranked, LINES_PER_PAGE, number)
    lines = [_header(ranked, with_task=tab.task is not None)]
    lines += [f"{page.first + place}. {candidate_line(each)}" for place, each in enumerate(page.items, start=1)]
    return "\n".join([*lines, *page.footer("tab list candidates")]), page


def candidate_line(ranked: RankedCandidate) -> str:
    """``path *`` with the entries of its search hits."""
    line = harmless(ranked.candidate.path) + (" *" if ranked.above else "")
    hits = ranked.candidate.search_hits
    return f"{line} (search hits only: {ids('L', hits)})" if hits else line


def _header(ranked: list[RankedCandidate], *, with_task: bool) -> str:
    if not ranked:
        return "Candidates: 0 unopened (every file listed so far was opened)"
    if not with_task:
        return f"Candidates: {len(ranked)} unopened, newest first (set the task text to rank them: tab task TEXT)"
    above = sum(1 for each in ranked if each.above)
    return (
        f"Candidates: {len(ranked)} unopened, {above} above threshold (marked *), most relevant to the task first; "
        "opening a file removes it"
    )
