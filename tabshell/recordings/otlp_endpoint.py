"""A session's spans (``spans``) to an OpenTelemetry collector, by the SDK's exporter: OTLP over HTTP, in protobuf.

In: spans, an address, headers, seconds. Out: how many were sent. Raises EndpointError where they were not taken, all
or in part: nobody there, an error status, a redirect, a web page, spans that the receiver refused. The SDK reads its
usual environment besides (``OTEL_EXPORTER_OTLP_HEADERS``, ``…_CERTIFICATE``, proxies).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from tabshell.errors import EndpointError, UsageError
from tabshell.recordings.redact import Redactor
from tabshell.recordings.spans import SpanOf

if TYPE_CHECKING:
    import requests
    from opentelemetry.sdk.trace import ReadableSpan

#: Seconds that one request may take, with what is tried again.
TIMEOUT_S = 10.0
#: Spans in one request at most, and characters of texts in them (one span may have more): collectors set a limit.
BATCH, BATCH_TEXT = 256, 2 << 20
PATH = "/v1/traces"
_LOGGER = "opentelemetry.exporter"


def address(endpoint: str) -> str:
    """The full address: a base such as ``http://localhost:4318`` gets the usual path. Raises UsageError."""
    try:
        parts = urlsplit(endpoint)
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port)
    except ValueError:
        sound = None
    if not sound:
        msg = f"--endpoint {endpoint!r} is no address of a collector; give one such as http://localhost:4318"
        raise UsageError(msg)
    return urlunsplit(parts._replace(path=PATH)) if parts.path in ("", "/") else endpoint


def header(text: str) -> tuple[str, str]:
    """``NAME: VALUE`` or ``NAME=VALUE`` as a pair. Raises UsageError."""
    at = min((place for mark in ":=" if (place := text.find(mark)) > 0), default=-1)
    name, value = text[:at].strip(), text[at + 1 :].strip()
    if at < 0 or not name.isascii() or not all(sign.isalnum() or sign in "!#$%&'*+-.^_`|~" for sign in name):
        msg = f"--header {text.split(':', maxsplit=1)[0].split('=', maxsplit=1)[0]!r} is not of the form NAME: VALUE"
        raise UsageError(msg)
    if any(ord(sign) < 32 for sign in value) or not value.isascii():
        msg = f"the value of --header {name} has characters that a header cannot hold"
        raise UsageError(msg)
    return name, value


def send(
    spans: Sequence[SpanOf],
    endpoint: str,
    headers: Mapping[str, str],
    redactor: Redactor,
    version: str,
    timeout_s: float = TIMEOUT_S,
) -> int:
    """Sends all; gives their number. Raises EndpointError, UsageError where the SDK is missing."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.trace.export import SpanExportResult  # noqa: PLC0415
    except ImportError as error:
        msg = "an endpoint needs the OpenTelemetry SDK: pip install 'tabshell[otlp]', or leave --endpoint and use -o"
        raise UsageError(msg) from error
    where, shown = address(endpoint), _shown(endpoint)
    answers = _Answers()
    with _session(answers) as session, _listening() as said:
        exporter = OTLPSpanExporter(endpoint=where, headers=dict(headers), timeout=timeout_s, session=session)
        sent = 0
        for part in batches(spans):
            try:
                result = exporter.export([_readable(span, redactor, version) for span in part])
            except OSError as error:  # what requests raises is one
                said.append(str(error))
                result = SpanExportResult.FAILURE
            fault = answers.fault
            if fault is None and result is not SpanExportResult.SUCCESS:
                fault = answers.last or _reason(answers.failed or said)
            if fault is not None:
                msg = f"{shown} did not take the trace: {fault}; {sent} of {len(spans)} spans were sent"
                raise EndpointError(msg)
            sent += len(part)
        exporter.shutdown()  # type: ignore[no-untyped-call]
    return sent


def batches(spans: Sequence[SpanOf]) -> Iterator[list[SpanOf]]:
    """The spans in parts that a request can hold."""
    part: list[SpanOf] = []
    held = 0
    for span in spans:
        size = sum(map(_size, (span.attributes, *(event.attributes for event in span.events))))
        if part and (len(part) == BATCH or held + size > BATCH_TEXT):
            yield part
            part, held = [], 0
        part.append(span)
        held += size
    if part:
        yield part


def _size(attributes: Mapping[str, Any]) -> int:
    values = (value if isinstance(value, (list, tuple)) else [value] for value in attributes.values())
    return sum(len(item) for value in values for item in value if isinstance(item, str))


def _session(answers: _Answers) -> requests.Session:
    """What sends; ``answers`` learns how each request went, which the exporter keeps to itself."""
    import requests  # noqa: PLC0415 - comes with the exporter
    from requests.adapters import HTTPAdapter  # noqa: PLC0415

    class Noting(HTTPAdapter):
        def send(self, *words: Any, **options: Any) -> requests.Response:  # noqa: ANN401
            try:
                return super().send(*words, **options)
            except requests.RequestException as error:
                answers.failed.append(str(error))
                raise

    session = requests.Session()
    session.hooks["response"].append(answers.take)
    for scheme in ("http://", "https://"):
        session.mount(scheme, Noting())
    return session


class _Answers:
    """What the receiver said: ``fault`` is final, ``last`` the newest error status, ``failed`` requests without one."""

    def __init__(self) -> None:
        self.fault: str | None = None
        self.last: str | None = None
        self.failed: list[str] = []

    def take(self, response: requests.Response, *_words: Any, **_options: Any) -> None:  # noqa: ANN401
        """Looks at one answer."""
        status = response.status_code
        if 300 <= status < 400:
            self.fault = f"it answers with a redirect ({status}) to {response.headers.get('Location', 'nowhere')}"
        elif status >= 400:
            hints = {401: ": is a header missing?", 403: ": is a header missing?", 404: ": is its path right?"}
            self.last = f"it answers with status {status} {response.reason or ''}".rstrip() + hints.get(status, "")
        elif "text/html" in response.headers.get("Content-Type", ""):
            self.fault = "it answers with a web page, so it is no collector"
        else:
            self.last = None
            self.fault = self.fault or _refused(response.content)


def _refused(data: bytes) -> str | None:
    """What a receiver that took the request did not take of it."""
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - comes with the exporter
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse  # noqa: PLC0415

    try:
        partial = ExportTraceServiceResponse.FromString(data).partial_success
    except DecodeError:
        return None  # it took the request, and says so in words of its own
    if not partial.rejected_spans:
        return None
    return f"it refused {partial.rejected_spans} spans ({partial.error_message or 'no reason given'})"


@contextmanager
def _listening() -> Iterator[list[str]]:
    """What the SDK would write to a log is its only word on why it failed: it is kept, and not printed."""
    said: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger, keep = logging.getLogger(_LOGGER), Keep()
    before = logger.propagate
    logger.addHandler(keep)
    logger.propagate = False
    try:
        yield said
    finally:
        logger.removeHandler(keep)
        logger.propagate = before


def _reason(said: Sequence[str]) -> str:
    text = " ".join(said) or "no reason is known"
    for sign, words in (
        ("NameResolution", "its name is not known"),
        ("Name or service not known", "its name is not known"),
        ("refused", "nothing listens there (connection refused)"),
        ("timed out", "it did not answer in time; --timeout gives it more"),
        ("CERTIFICATE", "its certificate is not trusted"),
    ):
        if sign.lower() in text.lower():
            return words
    return " ".join(text.split())[:300]


def _shown(endpoint: str) -> str:
    """The address without what may be secret in it."""
    parts = urlsplit(endpoint)
    host = parts.hostname or ""
    return urlunsplit((parts.scheme, f"{host}:{parts.port}" if parts.port else host, parts.path, "", ""))


def _readable(span: SpanOf, redactor: Redactor, version: str) -> ReadableSpan:
    """The span as the SDK has it."""
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import Event, ReadableSpan  # noqa: PLC0415
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope  # noqa: PLC0415
    from opentelemetry.trace import SpanContext, SpanKind, TraceFlags  # noqa: PLC0415
    from opentelemetry.trace.status import Status, StatusCode  # noqa: PLC0415

    def context(number: int) -> SpanContext:
        return SpanContext(span.trace, number, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))

    def clean(values: Mapping[str, Any]) -> dict[str, Any]:
        found = redactor.value(dict(values))
        assert isinstance(found, dict)  # noqa: S101 - what the redactor makes of one
        return found

    return ReadableSpan(
        name=redactor.text(span.name),
        context=context(span.id),
        parent=None if span.parent is None else context(span.parent),
        resource=Resource({"service.name": "tabshell", "service.version": version}),
        attributes=clean(span.attributes),
        events=[Event(event.name, clean(event.attributes), event.at) for event in span.events],
        kind=SpanKind.INTERNAL,
        status=Status(StatusCode.UNSET) if span.error is None else Status(StatusCode.ERROR, span.error),
        start_time=span.start,
        end_time=span.end,
        instrumentation_scope=InstrumentationScope("tabshell", version),
    )
