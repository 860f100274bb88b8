"""Audits, traces and missing values as text for a terminal: the summary first, details below. Pure.

Everything that comes from files or from the agent passes ``harmless``: nothing in it can move a cursor, change a
colour or turn the direction of text.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from tabshell.audit.audit import Audit, RequirementAudit
from tabshell.audit.missing import Missing
from tabshell.audit.summary import Headline, headlines, verdict
from tabshell.audit.traced import Status, Trace, Traced
from tabshell.text.harmless import harmless

MARKS = {"alarm": "!!", "look": " ?", "ok": "ok", "info": "  "}
STATUSES: tuple[Status, ...] = ("sourced", "computed", "no source")
#: Lines of one list before "and N more".
MOST = 40
WIDTH = 100
#: Characters that are looked at for one such place: a line may be the whole file.
MOST_READ = 4_000


def audit_text(audit: Audit) -> str:
    """The whole report; its first screen is the summary."""
    lines = headlines(audit)
    parts = [
        _head(audit, verdict(lines)),
        [f"{MARKS[line.mark]} {harmless(line.text)}" for line in lines],
        _requirements(audit),
        *(_trace_part(trace) for trace in audit.traces),
        _section("Shown, pointed at, and not delivered", [_missing_line(item) for item in audit.missing]),
        _section("Cited sources that changed", [harmless(finding.message) for finding in audit.drift]),
        _section("Listed, never opened, and like the task", [harmless(one.candidate.path) for one in audit.unopened]),
        _section("Read in part", list(_partial(audit))),
        _section("The agent's own text, read back", [_entry_line(audit, number) for number in audit.own_reads]),
        _section("Entries that no requirement cites", [_entry_line(audit, number) for number in audit.uncited]),
        _section("Gaps in the recording", [f"turn {gap.turn}: {harmless(gap.reason)}" for gap in audit.gaps]),
        _integrity(audit),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def trace_text(traces: Sequence[Trace]) -> str:
    """``tabshell trace``: each value with its source, then the counts."""
    parts = []
    for trace in traces:
        lines = [f"{harmless(trace.document.name)}"]
        lines += [f"  ({harmless(remark)})" for remark in trace.document.remarks]
        lines += [_value_line(trace, item) for item in trace.traced] or ["  no values in it"]
        lines.append(_counts(trace))
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def missing_text(missing: Sequence[Missing]) -> str:
    """``tabshell missing``: one line for each value that a deliverable lacks."""
    if not missing:
        return "Nothing is missing: every value that the requirements point at is delivered.\n"
    count = len({item.requirement for item in missing})
    head = f"{_number(len(missing), 'value')} of {_number(count, 'requirement')} missing"
    return "\n".join([head, *(f"  {_missing_line(item)}" for item in missing)]) + "\n"


def _head(audit: Audit, line: Headline) -> list[str]:
    session = audit.tab.session
    name = f" {harmless(session.name)}" if session.name else ""
    when = dt.datetime.fromtimestamp(audit.tab.started_at, dt.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    lines = [
        f"Audit of session {session.id}{name}: {line.text}",
        f"{when}, {_number(audit.tab.turn, 'turn')}, {_number(len(audit.tab.entries), 'log entry', 'log entries')}, "
        f"workspace {harmless(session.workspace)}" + (f", agent {harmless(session.agent)}" if session.agent else ""),
    ]
    if audit.tab.task:
        lines.append(f"Task: {_short(audit.tab.task)}")
    return lines


def _section(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    shown = [f"  {line}" for line in lines[:MOST]]
    if len(lines) > MOST:
        shown.append(f"  … and {len(lines) - MOST} more (--format json or html shows all)")
    return [f"{title} ({len(lines)})", *shown]


def _requirements(audit: Audit) -> list[str]:
    if not audit.requirements:
        return []
    lines = [f"Requirements ({len(audit.requirements)})"]
    for item in audit.requirements:
        lines.extend(_requirement(item))
    return lines


def _requirement(item: RequirementAudit) -> Iterator[str]:
    requirement = item.requirement
    resolution = requirement.resolution
    state = requirement.status
    if state == "done" and resolution is not None:
        state = f"done by {', '.join(f'L{ref}' for ref in resolution.refs)}"  # type: ignore[assignment]
    elif state == "unavailable" and resolution is not None:
        state = f"unavailable: {harmless(resolution.reason or '')}"  # type: ignore[assignment]
    closed = f", turn {item.closed_turn}" if item.closed_turn is not None else ""
    yield f"  r{requirement.id} {_short(requirement.text)}"
    yield f"     [{state}{closed}]{_delivery(item)}"
    for line in item.evidence:
        yield f"     L{line.entry} {harmless(line.path)}:{line.line}: {_short(line.text)}"
    for finding in item.drift:
        yield f"     !! {harmless(finding.message)}"


def _delivery(item: RequirementAudit) -> str:
    if item.delivered is None:
        return ""
    return " value delivered" if item.delivered else " value NOT in the deliverable"


def _trace_part(trace: Trace) -> list[str]:
    alarming = [_value_line(trace, item) for item in trace.alarming]
    unsure = [_value_line(trace, item) for item in trace.traced if item.status == "sourced" and not item.sure]
    computed = [_value_line(trace, item) for item in trace.traced if item.status == "computed"]
    name = harmless(trace.document.name)
    parts = [
        _section(f"{name}: values without source", alarming),
        _section(f"{name}: values that may be computed", computed),
        _section(f"{name}: sourced, but not surely", unsure),
    ]
    whole = "every value" if not trace.count("no source") else "every value but small numbers and years"
    return [line for part in parts for line in part] or [f"{name}: {whole} has a source"]


def _value_line(trace: Trace, item: Traced) -> str:
    mention = item.mention
    place = trace.document.blocks[mention.block].position.label()
    head = f"  {_short(mention.value.text, 44):<16} {harmless(place)}: "
    if item.status == "sourced":
        source = item.sources[0]
        note = f" ({item.remark})" if item.remark else ""
        return f"{head}L{source.entry} {harmless(source.path)}:{source.line}{note}: {_short(source.text, 70)}"
    if item.status == "computed":
        return f"{head}computed? {harmless(item.formula or '')}"
    block = _around(trace.document.blocks[mention.block].text, mention.value.start)
    weak = " (small number or year)" if item.weak else ""
    remark = f" ({harmless(item.remark)})" if item.remark else ""
    return f"{head}no source{weak}{remark}: {block}"


def _around(text: str, place: int) -> str:
    start = max(0, place - 40)
    return ("…" if start else "") + _short(text[start : start + MOST_READ], 80)


def _counts(trace: Trace) -> str:
    alarming = len(trace.alarming)
    weak = trace.count("no source") - alarming
    note = (
        f", {weak} of them small numbers or years" if weak > 1 else ", 1 of them a small number or year" if weak else ""
    )
    counts = ", ".join(f"{trace.count(status)} {status}" for status in STATUSES)
    return f"  {_number(len(trace.traced), 'value')}: {counts}{note}"


def _missing_line(item: Missing) -> str:
    place = f"L{item.entry} {harmless(item.path)}:{item.line}"
    wanted = f"r{item.requirement} {_short(item.requirement_text, 40)}"
    return f"{wanted}: {harmless(item.value.text)} ({place}: {_short(item.text, 60)})"


def _partial(audit: Audit) -> Iterator[str]:
    for read in audit.partial:
        ranges = ", ".join(f"{first}-{last}" for first, last in read.ranges[:6])
        yield f"{harmless(read.path)}: {read.shown} of {read.lines} lines ({ranges})"


def _entry_line(audit: Audit, number: int) -> str:
    logged = audit.tab.entries[number].logged
    return f"L{number} {harmless(', '.join(logged.paths[:3]))} (turn {logged.turn}, {logged.chars} chars)"


def _integrity(audit: Audit) -> list[str]:
    state = "holds" if audit.integrity.ok else "DOES NOT HOLD (see tabshell verify)"
    return [f"Record: {audit.integrity.events:,} events, hash chain {state}", f"  head {audit.integrity.head}"]


def _number(count: int, thing: str, things: str | None = None) -> str:
    return f"{count} {thing if count == 1 else things or thing + 's'}"


def _short(text: str, width: int = WIDTH) -> str:
    folded = harmless(" ".join(text[:MOST_READ].split()))
    return folded if len(folded) <= width else folded[: width - 1] + "…"
