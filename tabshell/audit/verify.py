"""Whether a record can be believed: the chain, what it was compared with, and the sources it cites. Pure.

In: the chain's faults, where it stood at the session's end, an expected head, the tab, the disk. Out: findings
with stable codes (S25). Whoever recomputes the whole chain is found only by ``--head`` or a signature.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tabshell.model.files import Files
from tabshell.model.state import Entry, Requirement, Tab


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold. ``requirement``, ``entry`` and ``event`` are numbers where they apply."""

    code: str
    message: str
    requirement: int | None = None
    entry: int | None = None
    event: int | None = None


#: Findings that say the record itself cannot be trusted; the others speak of the world around it.
INTEGRITY = frozenset({"chain-broken", "event-missing", "signature-bad", "head-differs"})


@dataclass(frozen=True, slots=True)
class ChainState:
    """What the store says of its chain: faults as (code, event, message), its head, and the head at the
    session's end (None: it did not end)."""

    faults: tuple[tuple[str, int, str], ...]
    events: int
    head: str
    ended: tuple[int, str] | None


def chain_findings(chain: ChainState, expected_head: str | None = None) -> Iterator[Finding]:
    """Edits, removals, reorderings, a cut tail, a head that differs from the one expected."""
    for code, event, message in chain.faults:
        yield Finding(code, message, event=event)
    if chain.ended is not None:
        seq, head = chain.ended
        if chain.events < seq:
            lost = seq - chain.events
            yield Finding("event-missing", f"the last {lost} events of the ended session are cut off", event=seq)
        elif chain.events == seq and head != chain.head:
            yield Finding("chain-broken", "the last event is not the one the session ended with", event=seq)
    if expected_head is not None and expected_head.lower() != chain.head:
        yield Finding("head-differs", f"the chain ends in {chain.head}, expected was {expected_head}")


def source_findings(tab: Tab, files: Files) -> Iterator[Finding]:
    """Cited sources that changed or are gone since they were read (drift)."""
    for requirement in tab.requirements.values():
        for entry in cited(tab, requirement):
            for path in entry.logged.paths:
                yield from _drift(tab, requirement, entry, path, files)


def _drift(tab: Tab, requirement: Requirement, entry: Entry, path: str, files: Files) -> Iterator[Finding]:
    absolute = path if path.startswith("/") else f"{tab.session.workspace}/{path}"
    about = f"r{requirement.id} rests on L{entry.id}"
    if files.info(absolute) is None:
        yield Finding("source-missing", f"{path} is gone since it was read; {about}", requirement.id, entry.id)
    elif entry.logged.source_sha256 is not None and len(entry.logged.paths) == 1:
        content = files.content(absolute)
        if content is not None and hashlib.sha256(content).hexdigest() != entry.logged.source_sha256:
            yield Finding("source-changed", f"{path} changed since it was read; {about}", requirement.id, entry.id)


def evidence_findings(tab: Tab, text_of: Callable[[Entry], str]) -> Iterator[Finding]:
    """Done items whose cited text is not what was recorded (lost or altered output)."""
    for requirement in tab.requirements.values():
        for entry in cited(tab, requirement):
            digest = hashlib.sha256(text_of(entry).encode("utf-8", "surrogateescape")).hexdigest()
            if digest != entry.logged.text_sha256:
                message = f"the excerpt of L{entry.id} is not the one recorded; r{requirement.id} rests on it"
                yield Finding("evidence-lost", message, requirement.id, entry.id)


def gap_findings(tab: Tab) -> Iterator[Finding]:
    """Stretches that were not recorded or not observed."""
    for gap in tab.gaps:
        yield Finding("recording-gap", f"from turn {gap.turn}: {gap.reason}")
    for turn in tab.turns.values():
        if turn.ended is None and tab.ended is not None:
            yield Finding("recording-gap", f"turn {turn.started.turn} began and its end was not recorded")
        elif turn.ended is not None and turn.ended.unobserved:
            yield Finding("recording-gap", f"turn {turn.started.turn}: {turn.ended.unobserved}")


def cited(tab: Tab, requirement: Requirement) -> Iterable[Entry]:
    """The entries that a done requirement was closed against."""
    resolution = requirement.resolution
    if requirement.status != "done" or resolution is None:
        return ()
    return [tab.entries[ref] for ref in resolution.refs if ref in tab.entries]
