"""The first screen: what a reviewer must know in ten seconds, as lines with a mark. Pure.

``ok`` needs no look, ``look`` wants one, ``alarm`` first; ``info`` only tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from tabshell.audit.audit import Audit
from tabshell.audit.traced import Trace

Mark = Literal["alarm", "look", "ok", "info"]


class Headline(NamedTuple):
    """One line of the summary. ``anchor`` names the part of the report that tells more."""

    mark: Mark
    text: str
    anchor: str


def headlines(audit: Audit) -> list[Headline]:
    """All lines, in the order of the report."""
    return [
        *_requirements(audit),
        *(line for trace in audit.traces for line in _trace(trace)),
        *_unreadable(audit),
        *_missing(audit),
        *_sources(audit),
        *_unread(audit),
        *_record(audit),
    ]


def verdict(lines: list[Headline]) -> Headline:
    """All lines in one."""
    alarms = sum(line.mark == "alarm" for line in lines)
    looks = sum(line.mark == "look" for line in lines)
    if alarms:
        more = f", {looks} to look at" if looks else ""
        return Headline("alarm", f"{alarms} {'problem' if alarms == 1 else 'problems'}{more}", "summary")
    if looks:
        return Headline("look", f"{looks} {'thing' if looks == 1 else 'things'} to look at", "summary")
    return Headline("ok", "nothing to object to", "summary")


def _requirements(audit: Audit) -> Iterator[Headline]:
    total = len(audit.requirements)
    if not total:
        yield Headline("look", "no requirements were stated", "requirements")
        return
    done = sum(item.requirement.status == "done" for item in audit.requirements)
    unavailable = sum(item.requirement.status == "unavailable" for item in audit.requirements)
    text = f"{done + unavailable} of {total} requirements resolved: {done} done, {unavailable} unavailable"
    yield Headline("ok" if not audit.open else "look", text, "requirements")
    if audit.open:
        ids = ", ".join(f"r{item.requirement.id}" for item in audit.open[:8])
        more = f" and {len(audit.open) - 8} more" if len(audit.open) > 8 else ""
        yield Headline("alarm", f"{len(audit.open)} still open: {ids}{more}", "requirements")


def _trace(trace: Trace) -> Iterator[Headline]:
    name = trace.document.name
    if not trace.document.blocks:
        yield Headline("alarm", f"{name} is empty", "deliverables")
        return
    alarming = len(trace.alarming)
    weak = trace.count("no source") - alarming
    values = f"{len(trace.traced)} value{'' if len(trace.traced) == 1 else 's'}"
    sourced, computed = trace.count("sourced"), trace.count("computed")
    text = f"{name}: {values}: {sourced} sourced, {computed} computed, {alarming} without source"
    if weak:
        text += f" (and {weak} small number{'s or years' if weak > 1 else ' or year'} without)"
    yield Headline("alarm" if alarming else "ok", text, "deliverables")
    for remark in trace.document.remarks:
        yield Headline("look", f"{name}: {remark}", "deliverables")


def _unreadable(audit: Audit) -> Iterator[Headline]:
    for deliverable in audit.deliverables:
        if deliverable.problem is not None:
            yield Headline("alarm", f"not audited: {deliverable.problem}", "deliverables")
    if not audit.deliverables:
        yield Headline("info", "no deliverable was given (--deliverable F): its values are not traced", "deliverables")


def _missing(audit: Audit) -> Iterator[Headline]:
    if audit.missing:
        count = len({item.requirement for item in audit.missing})
        values = f"{len(audit.missing)} value{'s' if len(audit.missing) > 1 else ''}"
        requirements = "1 requirement" if count == 1 else f"{count} requirements"
        be = "is" if len(audit.missing) == 1 else "are"
        yield Headline("look", f"{values} shown for {requirements} {be} not in the deliverable", "missing")
    elif audit.traces and audit.requirements:
        yield Headline("ok", "every value that the requirements point at is delivered", "missing")


def _sources(audit: Audit) -> Iterator[Headline]:
    if audit.drift:
        changed = len({finding.entry for finding in audit.drift})
        yield Headline(
            "alarm", f"{changed} cited source{'s' if changed > 1 else ''} changed or gone since read", "drift"
        )
    if audit.own_reads:
        text = "1 entry is" if len(audit.own_reads) == 1 else f"{len(audit.own_reads)} entries are"
        yield Headline("info", f"{text} the agent's own text, which proves nothing", "own")


def _unread(audit: Audit) -> Iterator[Headline]:
    never = f"{len(audit.candidates)} file{'' if len(audit.candidates) == 1 else 's'} listed and never opened"
    if audit.unopened:
        text = f"{len(audit.unopened)} of {never} sound like the task"
        yield Headline("look", text, "candidates")
    elif audit.candidates:
        yield Headline("info", never, "candidates")
    if audit.partial:
        worst = audit.partial[0]
        files = f"{len(audit.partial)} file{'' if len(audit.partial) == 1 else 's'}"
        text = f"{files} read in part (most left: {worst.path}, {worst.shown} of {worst.lines} lines)"
        yield Headline("look", text, "partial")


def _record(audit: Audit) -> Iterator[Headline]:
    integrity = audit.integrity
    if not integrity.ok:
        yield Headline("alarm", "the record was altered: its hash chain does not hold", "integrity")
    if audit.gaps:
        text = "1 gap" if len(audit.gaps) == 1 else f"{len(audit.gaps)} gaps"
        yield Headline("look", f"{text} in the recording", "gaps")
    state = "the session still runs" if audit.tab.ended is None else "the session ended"
    if integrity.ok:
        mark: Mark = "info" if audit.tab.ended is None else "ok"
        yield Headline(mark, f"{state}; record of {integrity.events:,} events intact", "integrity")
