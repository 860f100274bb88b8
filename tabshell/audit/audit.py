"""The audit of one session: everything that a reviewer should know, found and ordered. Pure.

In: the tab, the excerpts, the ranked candidates, what ``verify`` found, the deliverables (read or not). Out: an
``Audit``, which ``as_text``, ``as_json`` and ``as_html`` only write down. The order of work is that of a reviewer: is
each requirement met and by what; which values of the deliverable come from nowhere; what was shown and left out;
what was never looked at; can the record itself be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tabshell.audit.as_json import Integrity
from tabshell.audit.log import Log
from tabshell.audit.missing import Delivered, Match, Missing, find_missing, matching_lines, values_of
from tabshell.audit.partial import PartialRead, partial_reads
from tabshell.audit.traced import Trace
from tabshell.audit.tracing import Evidence, begin_trace, prepare
from tabshell.audit.verify import Finding
from tabshell.documents.document import Document
from tabshell.model.beside import Share, alone
from tabshell.model.state import Entry, RankedCandidate, Requirement, Tab
from tabshell.text.terms import matching_terms

#: Findings of ``verify`` that speak of sources, not of the record.
DRIFT = ("source-changed", "source-missing", "evidence-lost")


@dataclass(frozen=True, slots=True)
class Deliverable:
    """A document to be audited. ``key`` is its path in the workspace, if it lies there; ``problem`` says why it
    could not be read (then ``document`` is None)."""

    name: str
    key: str | None = None
    document: Document | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class CitedLine:
    """The line of an entry that matches a requirement best. ``excerpt_line`` counts in the excerpt."""

    entry: int
    path: str
    line: int
    excerpt_line: int
    text: str


@dataclass(frozen=True, slots=True)
class RequirementAudit:
    """One requirement beside its evidence. ``delivered``: whether its value stands in a deliverable (None: it has
    no value to look for, or there is no deliverable). ``drift`` are the findings about its sources."""

    requirement: Requirement
    evidence: tuple[CitedLine, ...]
    closed_turn: int | None
    closed_at: float | None
    delivered: bool | None
    missing: tuple[Missing, ...]
    drift: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch that was not recorded, or not whole."""

    turn: int
    reason: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found. ``unopened`` are the candidates above the threshold, ``uncited`` entries nothing rests on."""

    tab: Tab
    entry_text: Callable[[Entry], str]
    candidates: tuple[RankedCandidate, ...]
    integrity: Integrity
    deliverables: tuple[Deliverable, ...]
    requirements: tuple[RequirementAudit, ...]
    traces: tuple[Trace, ...]
    missing: tuple[Missing, ...]
    uncited: tuple[int, ...]
    unopened: tuple[RankedCandidate, ...]
    partial: tuple[PartialRead, ...]
    own_reads: tuple[int, ...]
    gaps: tuple[Gap, ...]
    verified: tuple[Finding, ...]

    @property
    def drift(self) -> tuple[Finding, ...]:
        """What changed under the evidence since it was read."""
        return tuple(finding for finding in self.verified if finding.code in DRIFT)

    @property
    def open(self) -> tuple[RequirementAudit, ...]:
        """The requirements that are still open."""
        return tuple(item for item in self.requirements if item.requirement.status == "open")


def audit(
    tab: Tab,
    entry_text: Callable[[Entry], str],
    candidates: Sequence[RankedCandidate],
    integrity: Integrity,
    deliverables: Sequence[Deliverable] = (),
    verified: Sequence[Finding] = (),
) -> Audit:
    """The audit of a session; works for a session that still runs."""
    evidence = prepare(tab, entry_text, *documents_of(deliverables))
    return judge(evidence, tab, entry_text, candidates, integrity, deliverables, verified)


def documents_of(deliverables: Sequence[Deliverable]) -> tuple[list[Document], list[str]]:
    """The documents that could be read, and the keys of all that lie in the workspace."""
    documents = [d.document for d in deliverables if d.document is not None]
    return documents, [d.key for d in deliverables if d.key is not None]


def judge(
    evidence: Evidence,
    tab: Tab,
    entry_text: Callable[[Entry], str],
    candidates: Sequence[RankedCandidate],
    integrity: Integrity,
    deliverables: Sequence[Deliverable],
    verified: Sequence[Finding],
    share: Share = alone,
) -> Audit:
    """The audit over a log that was made ready for the deliverables."""
    documents, _ = documents_of(deliverables)
    traces = begin_trace(evidence, documents, share)
    missing = find_missing(tab, evidence, documents) if documents else []
    cited = {ref for r in tab.requirements.values() if r.resolution is not None for ref in r.resolution.refs}

    def text_of(entry: Entry) -> str:
        known = evidence.log.text_of(entry.id)
        return entry_text(entry) if known is None else known

    return Audit(
        tab=tab,
        entry_text=text_of,
        candidates=tuple(candidates),
        integrity=integrity,
        deliverables=tuple(deliverables),
        requirements=tuple(_requirements(tab, evidence, missing, verified, bool(documents))),
        traces=tuple(traces()),
        missing=tuple(missing),
        uncited=tuple(number for number in tab.entries if number not in cited),
        unopened=tuple(candidate for candidate in candidates if candidate.above),
        partial=tuple(partial_reads(tab)),
        own_reads=tuple(number for number, entry in tab.entries.items() if entry.logged.own),
        gaps=tuple(_gaps(tab)),
        verified=tuple(verified),
    )


def _requirements(
    tab: Tab, evidence: Evidence, missing: Sequence[Missing], verified: Sequence[Finding], with_documents: bool
) -> list[RequirementAudit]:
    delivered = Delivered([mention for found in evidence.mentions for mention in found])
    audited = []
    for requirement in tab.requirements.values():
        resolution = requirement.resolution
        turn = tab.turns.get(resolution.turn) if resolution is not None else None
        lacking = tuple(item for item in missing if item.requirement == requirement.id)
        audited.append(
            RequirementAudit(
                requirement,
                tuple(_cited_line(evidence.log, match) for match in _evidence_of(requirement, evidence)),
                resolution.turn if resolution is not None else None,
                turn.started_at if turn is not None else None,
                _is_delivered(requirement, evidence, delivered) if with_documents else None,
                lacking,
                tuple(finding for finding in verified if finding.requirement == requirement.id),
            )
        )
    return audited


def _evidence_of(requirement: Requirement, evidence: Evidence) -> list[Match]:
    """The lines to show beside a requirement: the best of each cited entry, or of the log for an open one."""
    if requirement.status == "unavailable":
        return []
    matches = matching_lines(requirement, evidence)
    first: dict[int, Match] = {}
    for match in matches:
        first.setdefault(match.number, match)
    resolution = requirement.resolution
    for ref in resolution.refs if resolution is not None else ():
        number = evidence.log.numbers.get(ref)
        if number is not None and number not in first:
            first[number] = Match(number, 0, 0.0)
    return list(first.values())[:5]


def _cited_line(log: Log, match: Match) -> CitedLine:
    text = log.texts[match.number]
    return CitedLine(
        text.entry.id, log.path_of(match.number, match.index), log.source_line(match.number, match.index),
        text.excerpt.place(match.index)[0] + 1, text.excerpt.line(match.index),
    )  # fmt: skip


def _is_delivered(requirement: Requirement, evidence: Evidence, delivered: Delivered) -> bool | None:
    if requirement.status == "unavailable":
        return None
    values = values_of(requirement, evidence)
    if not values:
        return None
    near = matching_terms(requirement.text)
    return any(delivered.has(item.value, near) for item in values)


def _gaps(tab: Tab) -> list[Gap]:
    gaps = [Gap(gap.turn, gap.reason) for gap in tab.gaps]
    for number, turn in tab.turns.items():
        if turn.ended is None:
            if tab.ended is not None:
                gaps.append(Gap(number, "began, and its end was not recorded"))
            continue
        if turn.ended.dropped:
            gaps.append(Gap(number, f"{turn.ended.dropped:,} of {turn.ended.output_bytes:,} bytes of output left out"))
        if turn.ended.unobserved:
            gaps.append(Gap(number, turn.ended.unobserved))
    return sorted(gaps, key=lambda gap: gap.turn)
