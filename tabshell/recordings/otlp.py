"""A session as an OpenTelemetry trace in OTLP's JSON form: one trace, a root span, a span for each turn.

Attributes follow the conventions for generative AI where there is one (``gen_ai.*``), else ``tabshell.*``. Ids are
made of the session's id, so that the same session gives the same trace.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from tabshell.model.state import Tab, Turn
from tabshell.recordings.redact import Redactor
from tabshell.recordings.times import nanoseconds

Object = dict[str, object]


def to_otlp(tab: Tab, version: str, redactor: Redactor, without: frozenset[int] = frozenset()) -> str:
    """An ``ExportTraceServiceRequest`` as JSON text."""
    session = tab.session
    trace, root = _id(session.id, 32), _id(session.id + "/", 16)
    turns = [turn for number, turn in tab.turns.items() if number not in without]
    ends = [turn.started_at + (turn.ended.duration_s if turn.ended else 0.0) for turn in turns]
    end = tab.ended_at or max(ends, default=tab.started_at)
    whole = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": session.agent or "unknown"}
    about = {**whole, "gen_ai.request.model": session.model, "tabshell.workspace": session.workspace}
    first = _span(trace, root, "invoke_agent", tab.started_at, end, about)
    spans = [first, *(_turn(trace, root, turn, session.id) for turn in turns)]
    resource = {"attributes": _attributes({"service.name": "tabshell", "service.version": version})}
    scope = {"scope": {"name": "tabshell", "version": version}, "spans": spans}
    return json.dumps(redactor.value({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}), indent=1)


def _turn(trace: str, root: str, turn: Turn, session: str) -> Object:
    started, ended, files = turn.started, turn.ended, turn.files
    tool = started.tool or "bash"
    span = _span(
        trace,
        _id(f"{session}/{started.turn}", 16),
        f"execute_tool {tool}",
        turn.started_at,
        turn.started_at + (ended.duration_s if ended else 0.0),
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": f"turn-{started.turn}",
            "process.command_line": started.command,
            "process.working_directory": started.cwd,
            "process.exit.code": ended.exit_code if ended else None,
            "tabshell.read": list(files.read) if files else [],
            "tabshell.listed": list(files.listed) if files else [],
            "tabshell.entries": [f"L{number}" for number in turn.entries],
        },
    )
    span["parentSpanId"] = root
    if ended is not None and ended.exit_code:
        span["status"] = {"code": 2, "message": f"exit status {ended.exit_code}"}
    return span


def _span(trace: str, span: str, name: str, start: float, end: float, attributes: Mapping[str, object]) -> Object:
    return {
        "traceId": trace,
        "spanId": span,
        "name": name,
        "kind": 1,
        "startTimeUnixNano": nanoseconds(start),
        "endTimeUnixNano": nanoseconds(max(start, end)),
        "attributes": _attributes(attributes),
        "status": {},
    }


def _attributes(values: Mapping[str, object]) -> list[Object]:
    return [{"key": key, "value": _value(value)} for key, value in values.items() if value is not None]


def _value(value: object) -> Object:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": str(value)}


def _id(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
