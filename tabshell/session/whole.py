"""A whole session as the audit and the exports need it: ranked candidates, integrity, the JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabshell.audit.as_json import Integrity, Object, session_export
from tabshell.audit.verify import ChainState, Finding, chain_findings, evidence_findings, gap_findings, source_findings
from tabshell.errors import StoreDamaged
from tabshell.model.facts import TurnShown
from tabshell.store.chain import check

if TYPE_CHECKING:
    from tabshell.model.files import Files
    from tabshell.model.state import RankedCandidate, Tab
    from tabshell.session.session import Session


def chain_state(session: Session) -> ChainState:
    """What the store says of its chain, recomputed now."""
    events, head = session.store.head()
    faults = tuple((fault.code, fault.seq, fault.message) for fault in check(session.store.stored()))
    return ChainState(faults, events, head, session.store.ended_at())


def integrity(chain: ChainState) -> Integrity:
    """Whether the chain holds."""
    return Integrity(not list(chain_findings(chain)), chain.events, chain.head)


def all_findings(session: Session, chain: ChainState, files: Files, head: str | None = None) -> list[Finding]:
    """Everything that ``tabshell verify`` looks at but signatures."""
    found = [*chain_findings(chain, head)]
    try:
        tab = session.tab(turns=True, catch_up=False)
        for findings in (source_findings(tab, files), evidence_findings(tab, session.entry_text), gap_findings(tab)):
            found += findings
    except StoreDamaged as error:  # rows that were overwritten and can no longer be read
        found.append(Finding("evidence-lost", str(error)))
    return found


def ranked(tab: Tab) -> list[RankedCandidate]:
    """The candidates in the order of ``tab list candidates``."""
    from tabshell.tab.candidates import ranked_candidates  # noqa: PLC0415 - numpy costs 75 ms

    return list(ranked_candidates(tab))


def export_object(session: Session) -> Object:
    """The object of ``tabshell export --format json``."""
    tab = session.tab(turns=True)
    whole = integrity(chain_state(session))
    return session_export(tab, session.entry_text, ranked(tab), whole, seen=seen_bytes(session))


def seen_bytes(session: Session) -> dict[int, int]:
    """Of the turns whose output an agent cut, how many bytes of it the model was shown."""
    facts = (event.fact for event in session.store.events(TurnShown))
    return {
        fact.turn: sum(span.end - span.start for span in fact.spans) for fact in facts if isinstance(fact, TurnShown)
    }
