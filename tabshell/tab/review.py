"""The review (S13): each open requirement beside the entries and the unopened files that may supply it.

Both rankings are BM25 against the requirement, over what shares a term with it. Entries that cannot close
anything (own, binary, output) are not proposed. Resolved requirements stand with what they were closed against.
Bounded: where all excerpts together are longer than ``RANKED``, each is ranked by its first ``HEAD`` bytes, newest
first, and what comes after ``RANKED`` bytes by its paths alone; any entry can still be shown and cited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tabshell.model.accesses import Span
from tabshell.model.light import dataclass, replace
from tabshell.model.state import Candidate, Entry, Requirement, Tab
from tabshell.tab.candidates import newest_first
from tabshell.tab.evidence import CitedLine, TextOf, cited_lines, speaking_line, unfit
from tabshell.tab.paging import Page
from tabshell.tab.plain import header, requirement_line
from tabshell.tab.rank import Corpus, entry_document, looked_for, path_documents
from tabshell.tab.threshold import Threshold
from tabshell.tab.wording import clip, counted
from tabshell.text.harmless import harmless
from tabshell.text.terms import TermCounts, count_terms, query

TermsOf = Callable[[Entry], TermCounts]
#: How many entries and how many files each open requirement is shown with.
MOST = 5
#: Characters of a line that is shown beside a requirement.
LINE_WIDTH = 160
#: Bytes of excerpts that are read to rank them, and of one of them where there are more in all.
RANKED = 8 * 1024 * 1024
HEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A requirement with what speaks for it: proposals while it is open, its citations once it is done."""

    item: Requirement
    entries: tuple[CitedLine, ...]
    unopened: tuple[str, ...]


class _Review:
    """The two rankings, prepared for all requirements on a page."""

    def __init__(self, tab: Tab, items: list[Requirement], text_of: TextOf, terms_of: TermsOf | None) -> None:
        wanted = looked_for(query(item.text) for item in items)
        newest = sorted(tab.entries, reverse=True) if items else []
        self._entries = [entry for number in newest if unfit(tab, entry := tab.entries[number]) is None]
        self._heads = list(heads(self._entries))
        self._text_of = text_of
        self._texts: dict[int, str] = {}
        paths = list(dict.fromkeys(path for head in self._heads for path in head.logged.paths))
        by_path = dict(zip(paths, path_documents(paths, wanted), strict=True))
        self._by_entry = Corpus(
            [
                entry_document(map(by_path.__getitem__, head.logged.paths), self._terms(place, terms_of), wanted)
                for place, head in enumerate(self._heads)
            ]
        )
        self._files: list[Candidate] = newest_first(tab) if items else []
        self._by_file = Corpus(path_documents((candidate.path for candidate in self._files), wanted))

    def of(self, item: Requirement) -> Reviewed:
        """The best entries and files for one open requirement."""
        asked = query(item.text)
        best = self._by_entry.best(asked, MOST)
        lines = tuple(speaking_line(asked, self._entries[place], self._text(place)) for place in best)
        return Reviewed(item, lines, tuple(self._files[place].path for place in self._by_file.best(asked, MOST)))

    def _terms(self, place: int, terms_of: TermsOf | None) -> TermCounts:
        if terms_of is None or not self._heads[place].logged.spans:
            return count_terms(self._text(place))
        return terms_of(self._heads[place])

    def _text(self, place: int) -> str:
        """What is ranked of an entry."""
        if place not in self._texts:
            head = self._heads[place]
            self._texts[place] = self._text_of(head) if head.logged.spans else ""
        return self._texts[place]


def heads(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The same entries, each with the part of its excerpt that is read to rank it."""
    sizes = [sum(span.end - span.start for span in entry.logged.spans) for entry in entries]
    left = sum(sizes) if sum(sizes) <= RANKED else RANKED
    most = left if sum(sizes) <= RANKED else HEAD
    for entry, size in zip(entries, sizes, strict=True):
        room = min(most, left)
        left -= min(size, room)
        yield entry if size <= room else replace(entry, logged=replace(entry.logged, spans=_first(entry, room)))


def _first(entry: Entry, room: int) -> tuple[Span, ...]:
    kept = []
    for span in entry.logged.spans:
        if room > 0:
            kept.append(Span(span.start, min(span.end, span.start + room)))
            room -= span.end - span.start
    return tuple(kept)


def review(tab: Tab, items: list[Requirement], text_of: TextOf, terms_of: TermsOf | None = None) -> list[Reviewed]:
    """``items`` (one page of them) with what speaks for each. ``terms_of``: the terms of an entry's excerpt, for who
    has counted them before."""
    rankings = _Review(tab, [item for item in items if item.status == "open"], text_of, terms_of)
    return [
        rankings.of(item)
        if item.status == "open"
        else Reviewed(item, tuple(cited_lines(tab, item, query(item.text), text_of)), ())
        for item in items
    ]


def review_text(tab: Tab, page: Page[Requirement], reviewed: list[Reviewed]) -> str:
    """The text of ``tab list``."""
    threshold = Threshold(tab.task) if tab.task is not None else None
    lines = [header(tab)]
    for each in reviewed:
        lines.append(requirement_line(each.item))
        lines += [
            f"    {'closed against' if each.item.status == 'done' else 'read'}: {_cited(c)}" for c in each.entries
        ]
        if each.unopened:
            marked = [_marked(path, threshold) for path in each.unopened]
            lines.append(f"    unopened: {' | '.join(marked)}")
        elif each.item.status == "open" and not each.entries:
            lines.append("    no entry and no unopened file has a word in common with it")
    footer = f"{counted(len(tab.candidates), 'file')} never opened in all"
    footer += ": tab list candidates" if tab.candidates else ""
    return "\n".join([*lines, footer, *page.footer("tab list")])


def _cited(cited: CitedLine) -> str:
    line = f": {clip(harmless(cited.line), LINE_WIDTH)}" if cited.index is not None else " (by its path)"
    return f"L{cited.entry} {harmless(cited.path)}{line}"


def _marked(path: str, threshold: Threshold | None) -> str:
    return harmless(path) + (" *" if threshold is not None and threshold.above(path) else "")
