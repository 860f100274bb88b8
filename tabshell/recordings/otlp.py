"""A session's spans (``spans``) in OTLP's JSON form: what a file exporter of OpenTelemetry writes, without its SDK."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tabshell.recordings.redact import Redactor
from tabshell.recordings.spans import Happened, SpanOf, Value

Object = dict[str, object]


def to_otlp(spans: Sequence[SpanOf], version: str, redactor: Redactor) -> str:
    """An ``ExportTraceServiceRequest`` as JSON text."""
    resource = {"attributes": _attributes({"service.name": "tabshell", "service.version": version})}
    scope = {"scope": {"name": "tabshell", "version": version}, "spans": [_span(span) for span in spans]}
    return json.dumps(redactor.value({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}), indent=1)


def _span(span: SpanOf) -> Object:
    found: Object = {
        "traceId": f"{span.trace:032x}",
        "spanId": f"{span.id:016x}",
        "name": span.name,
        "kind": 1,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _attributes(span.attributes),
        "events": [_event(event) for event in span.events],
        "status": {} if span.error is None else {"code": 2, "message": span.error},
    }
    if span.parent is not None:
        found["parentSpanId"] = f"{span.parent:016x}"
    return found


def _event(event: Happened) -> Object:
    return {"timeUnixNano": str(event.at), "name": event.name, "attributes": _attributes(event.attributes)}


def _attributes(values: Mapping[str, Value]) -> list[Object]:
    return [{"key": key, "value": _value(value)} for key, value in values.items()]


def _value(value: Value) -> Object:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    return {"arrayValue": {"values": [_value(item) for item in value]}}
