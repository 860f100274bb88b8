"""Audits, traces and missing values as JSON, with the keys of ``docs/reference/json.md``. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tabshell.audit.as_json import SCHEMA, Object, requirement_object, session_export, timestamp
from tabshell.audit.audit import Audit, RequirementAudit
from tabshell.audit.missing import Missing
from tabshell.audit.summary import headlines
from tabshell.audit.traced import Source, Trace, Traced
from tabshell.audit.verify import Finding
from tabshell.documents.document import Position

#: Characters of a line that is given beside a value; of a longer one the part around it.
MAX_LINE = 600


def audit_object(audit: Audit, seen: Mapping[int, int] | None = None) -> Object:
    """``audit --format json``: the export, and what the audit found. ``seen`` as the export takes it."""
    export = session_export(audit.tab, audit.entry_text, audit.candidates, audit.integrity, seen=seen)
    by_id = {f"r{item.requirement.id}": item for item in audit.requirements}
    export["requirements"] = [{**requirement_object(item.requirement), **_audited(item)} for item in by_id.values()]
    return {
        **export,
        "summary": [{"mark": line.mark, "text": line.text} for line in headlines(audit)],
        "findings": [finding_object(finding) for finding in audit.verified],
        "deliverables": [
            *(trace_body(trace) for trace in audit.traces),
            *({"deliverable": d.name, "error": d.problem} for d in audit.deliverables if d.problem is not None),
        ],
        "missing": [missing_item(item) for item in audit.missing],
        "partial_reads": [
            {
                "path": read.path, "shown": read.shown, "lines": read.lines,
                "ranges": [list(span) for span in read.ranges], "entries": [f"L{n}" for n in read.entries],
            }
            for read in audit.partial
        ],
        "gaps": [{"turn": gap.turn, "reason": gap.reason} for gap in audit.gaps],
        "uncited": [f"L{number}" for number in audit.uncited],
        "own_reads": [f"L{number}" for number in audit.own_reads],
        "drift": [finding_object(finding) for finding in audit.drift],
    }  # fmt: skip


def trace_object(session: str, traces: Sequence[Trace]) -> Object:
    """``trace F --json``; several documents stand in a list under ``deliverables``."""
    if len(traces) == 1:
        return {"schema": SCHEMA, "session": session, **trace_body(traces[0])}
    return {"schema": SCHEMA, "session": session, "deliverables": [trace_body(trace) for trace in traces]}


def missing_object(session: str, missing: Sequence[Missing]) -> Object:
    """``missing F --json``."""
    return {"schema": SCHEMA, "session": session, "missing": [missing_item(item) for item in missing]}


def finding_object(finding: Finding) -> Object:
    """A finding of ``verify``; the number that applies is there, the others are left out."""
    found: Object = {"code": finding.code, "message": finding.message}
    if finding.requirement is not None:
        found["requirement"] = f"r{finding.requirement}"
    if finding.entry is not None:
        found["entry"] = f"L{finding.entry}"
    if finding.event is not None:
        found["event"] = finding.event
    return found


def _audited(item: RequirementAudit) -> Object:
    return {
        "evidence": [
            {"entry": f"L{line.entry}", "path": line.path, "line": line.line, "excerpt_line": line.excerpt_line,
             **_cut("text", line.text)}
            for line in item.evidence
        ],
        "closed_turn": item.closed_turn,
        "closed_at": timestamp(item.closed_at),
        "source_changed": bool(item.drift),
        "delivered": item.delivered,
    }  # fmt: skip


def trace_body(trace: Trace) -> Object:
    """One traced document."""
    counts: Object = {status: trace.count(status) for status in ("sourced", "computed", "no source")}
    counts["weak"] = trace.count("no source") - len(trace.alarming)
    return {
        "deliverable": trace.document.name,
        "remarks": list(trace.document.remarks),
        "values": [_value(trace, item) for item in trace.traced],
        "counts": counts,
    }


def _value(trace: Trace, item: Traced) -> Object:
    value = item.mention.value
    return {
        "text": value.text,
        "value": _number(value.plain()),
        "kind": value.kind,
        "position": _position(trace.document.blocks[item.mention.block].position),
        "status": item.status,
        "sources": [_source(source) for source in item.sources],
        "formula": item.formula,
        "certain": item.status == "sourced" and item.sure,
        "weak": item.weak,
        "remark": item.remark,
    }


def _number(value: float | str) -> float | int | str:
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def _position(position: Position) -> Object:
    names = ("line", "paragraph", "page", "sheet", "cell", "slide", "table", "row", "part")
    return {name: getattr(position, name) for name in names if getattr(position, name) is not None}


def _source(source: Source) -> Object:
    return {
        "entry": f"L{source.entry}", "path": source.path, "line": source.line,
        **_cut("text", source.text, source.start, source.end, part=source.cut > 0),
        "excerpt_line": source.excerpt_line, "match": source.agreement,
    }  # fmt: skip


def _cut(key: str, line: str, start: int = 0, end: int = 0, *, part: bool = False) -> Object:
    """A line under ``key``, of a long one the part around a value, and whether it is only a part."""
    if len(line) <= MAX_LINE:
        return {key: line, "line_cut": part}
    first = max(0, min((start + end - MAX_LINE) // 2, len(line) - MAX_LINE, start))
    return {key: line[first : first + MAX_LINE], "line_cut": True}


def missing_item(item: Missing) -> Object:
    """One value that a deliverable lacks."""
    return {
        "requirement": f"r{item.requirement}",
        "text": item.value.text,
        "value": _number(item.value.plain()),
        "entry": f"L{item.entry}",
        "path": item.path,
        "line": item.line,
        "requirement_text": item.requirement_text,
        **_cut("excerpt", item.text, item.value.start, item.value.end),
    }
