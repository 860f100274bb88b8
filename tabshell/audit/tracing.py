"""The whole way of one trace: documents and a tab in, a ``Trace`` for each document out. Pure.

The log is indexed once for all documents; then each value is sourced, spreadsheet formulas are followed, and what
is left is tried as computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tabshell.audit.computed import Computer, sheet_formula
from tabshell.audit.index import LogIndex
from tabshell.audit.log import Log, evidence
from tabshell.audit.mentions import Mention, find_mentions
from tabshell.audit.operands import Tables
from tabshell.audit.scan import scanned
from tabshell.audit.trace import Tracer, wanted_by
from tabshell.audit.traced import Trace, Traced
from tabshell.documents.document import Document
from tabshell.model.beside import Share, alone
from tabshell.model.collection import no_collection
from tabshell.model.state import Entry, Tab
from tabshell.text.terms import matching_terms


@dataclass(frozen=True, slots=True)
class Evidence:
    """A log made ready for a set of documents: what ``trace`` and ``missing`` share. ``found`` keeps the lines that
    match a requirement, which several parts of an audit ask for."""

    log: Log
    index: LogIndex
    mentions: tuple[tuple[Mention, ...], ...]
    found: dict[int, list[tuple[int, int, float]]] = field(default_factory=dict)


def prepare(
    tab: Tab,
    entry_text: Callable[[Entry], str],
    documents: Sequence[Document],
    keys: Iterable[str] = (),
) -> Evidence:
    """Reads the log once for ``documents`` and the requirements; ``keys`` are the documents' paths in the
    workspace, where they lie in it."""
    return begin(tab, entry_text, [find_mentions(document) for document in documents], keys)()


def begin(
    tab: Tab,
    entry_text: Callable[[Entry], str],
    mentions: Sequence[Sequence[Mention]],
    keys: Iterable[str] = (),
    share: Share = alone,
) -> Callable[[], Evidence]:
    """Begins what ``prepare`` does for documents with these values, shared with whoever takes part; what it gives ends
    it."""
    with no_collection():
        terms = {term for requirement in tab.requirements.values() for term in matching_terms(requirement.text)}
        wanted = wanted_by((mention for found in mentions for mention in found), terms)
        waiting = scanned(evidence(tab, keys), entry_text, wanted, share)

    def finish() -> Evidence:
        with no_collection():
            found = waiting()
            excerpts = [excerpt for excerpt, _ in found]
            index = LogIndex(excerpts, (held for _, held in found))
            return Evidence(Log(tab, excerpts), index, tuple(map(tuple, mentions)))

    return finish


def trace(found: Evidence, documents: Sequence[Document]) -> list[Trace]:
    """Each document's values with their sources; ``documents`` as given to ``prepare``."""
    return begin_trace(found, documents)()


def begin_trace(found: Evidence, documents: Sequence[Document], share: Share = alone) -> Callable[[], list[Trace]]:
    """Begins what ``trace`` does, shared with whoever takes part; what it gives ends it."""
    tracer = Tracer(found.log, found.index)
    with no_collection():
        mentions = [[mention for mention in some if not _is_silent(mention)] for some in found.mentions]
        waiting = tracer.look_up((mention for some in mentions for mention in some), share)

    def finish() -> list[Trace]:
        with no_collection():
            waiting()
            tables = Tables(found.log)
            return [_traced(*one, tracer, tables) for one in zip(documents, mentions, strict=True)]

    return finish


def _traced(document: Document, mentions: Sequence[Mention], tracer: Tracer, tables: Tables) -> Trace:
    traced = _follow_formulas([_first_look(tracer, mention) for mention in mentions])
    complete = Computer(document, tracer.index, tables).complete(traced)
    return Trace(document, tuple(item for item in complete if not _is_own_prose(item)))


def _first_look(tracer: Tracer, mention: Mention) -> Traced:
    sources = tracer.sources(mention)
    if not sources:
        return Traced(mention, "no source")
    best = sources[0]
    remark = None
    if not best.stated:
        remark = "the scale is not stated where it was shown"
    elif best.agreement == "rounded":
        remark = "rounded"
    return Traced(mention, "sourced", sources, sure=best.stated, remark=remark)


def _follow_formulas(traced: list[Traced]) -> list[Traced]:
    """Spreadsheet formulas, twice, so that a total of totals finds its parts."""
    for _ in range(2):
        by_cell = {item.mention.place: item for item in traced if item.mention.place is not None}
        traced = [sheet_formula(item, by_cell) if item.mention.formula else item for item in traced]
    return traced


def _is_silent(mention: Mention) -> bool:
    """List numbers, page numbers and the like are no values of the document."""
    return mention.value.label and mention.value.kind != "quote"


def _is_own_prose(item: Traced) -> bool:
    """A long sentence that nobody quoted and no file holds is simply the author's."""
    return item.mention.value.kind == "quote" and item.mention.value.label and item.status == "no source"
