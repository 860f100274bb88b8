"""``tabshell export --format otlp --endpoint``: a receiver on loopback gets the trace, and it keeps to the conventions."""

from __future__ import annotations

import json
import os
from enum import Enum

import pytest

from tabshell.cli.tabshell import main
from tabshell.model.records import CommandRecord
from tabshell.session import Session, SessionOptions

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra otlp is not installed")

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv._incubating.attributes import process_attributes as process
from opentelemetry.semconv.attributes import error_attributes, service_attributes

TOKEN = "hf_" + "aB3" * 12
BEGAN = 1_700_000_000.0
#: The names that the conventions' package knows.
REGISTERED = {
    value
    for module in (gen_ai, process, error_attributes, service_attributes)
    for name, value in vars(module).items()
    if name.isupper() and isinstance(value, str)
}
#: Of the conventions for agents' spans: operation -> what a span must have, and how it is named.
REQUIRED = {
    "invoke_agent": {"gen_ai.operation.name", "gen_ai.provider.name"},
    "execute_tool": {"gen_ai.operation.name", "gen_ai.tool.name"},
}
NAMED_BY = {"invoke_agent": "gen_ai.agent.name", "execute_tool": "gen_ai.tool.name"}
#: What the conventions let go out only where somebody asked for it.
OPT_IN = {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.input.messages", "gen_ai.output.messages"}


def attributes(holder):
    return {one["key"]: next(iter(one["value"].values()), "") for one in MessageToDict(holder).get("attributes", [])}


def test_a_receiver_gets_one_trace_with_a_span_for_each_turn_and_its_real_times(session, receiver, capfd):
    assert receiver.export(session) == 0
    (path, headers, _), = receiver.requests  # fmt: skip
    kinds = {name.lower(): value for name, value in headers.items()}
    assert (path, kinds["content-type"]) == ("/v1/traces", "application/x-protobuf")
    root, *turns = receiver.spans()
    assert len({span.trace_id for span in (root, *turns)}) == 1
    assert len({span.span_id for span in (root, *turns)}) == 6
    assert root.parent_span_id == b""
    assert {span.parent_span_id for span in turns} == {root.span_id}
    assert [span.start_time_unix_nano for span in turns] == [int(BEGAN + 10 * n) * 10**9 for n in range(5)]
    assert {span.end_time_unix_nano - span.start_time_unix_nano for span in turns} == {2_500_000_000}
    assert root.start_time_unix_nano == turns[0].start_time_unix_nano
    assert root.end_time_unix_nano >= turns[-1].end_time_unix_nano
    assert f"trace {root.trace_id.hex()}" in capfd.readouterr().err


def test_every_span_keeps_to_the_conventions_for_generative_ai(session, receiver):
    assert receiver.export(session) == 0
    operations = {one.value for one in gen_ai.GenAiOperationNameValues}
    providers = {one.value for one in gen_ai.GenAiProviderNameValues} | {"_OTHER"}
    for span in receiver.spans():
        found = attributes(span)
        operation = found["gen_ai.operation.name"]
        assert operation in operations
        assert REQUIRED[operation] <= found.keys()
        assert span.name == " ".join(filter(None, (operation, found.get(NAMED_BY[operation]))))
        assert span.kind == span.SPAN_KIND_INTERNAL
        assert found.get("gen_ai.provider.name", "_OTHER") in providers
        assert not OPT_IN & found.keys()
        foreign = {name for name in found if not name.startswith("tabshell.")}
        assert foreign <= REGISTERED
        assert (span.status.code == span.status.STATUS_CODE_ERROR) is ("error.type" in found)
        for event in span.events:
            assert event.name.startswith("tabshell.")
            assert span.start_time_unix_nano <= event.time_unix_nano <= span.end_time_unix_nano
    for name in (
        "OPERATION_NAME",
        "AGENT_NAME",
        "CONVERSATION_ID",
        "REQUEST_MODEL",
        "TOOL_NAME",
        "TOOL_TYPE",
        "TOOL_CALL_ID",
    ):
        assert getattr(gen_ai, f"GEN_AI_{name}") in {key for span in receiver.spans() for key in attributes(span)}
    assert issubclass(gen_ai.GenAiProviderNameValues, Enum)


def test_reads_and_resolutions_are_events_of_their_turns(session, receiver):
    assert receiver.export(session) == 0
    root, *turns = receiver.spans()
    events = [[(event.name, attributes(event)) for event in span.events] for span in turns]
    (name, read), = events[0]  # fmt: skip
    assert (name, read["tabshell.entry.id"], read["tabshell.entry.again"]) == ("tabshell.read", "L1", False)
    assert attributes(turns[0])["gen_ai.tool.call.id"] == "turn-1"
    assert [name for name, _ in events[1]] == ["tabshell.requirement.added"]
    assert [name for name, _ in events[2]] == []
    assert [name for name, _ in events[3]] == ["tabshell.requirement.resolved"]
    assert events[3][0][1]["tabshell.requirement.status"] == "done"
    assert [name for name, _ in events[4]] == [
        "tabshell.read",
        "tabshell.requirement.reopened",
        "tabshell.finish_check",
    ]
    assert events[4][0][1]["tabshell.entry.again"] is True
    about = attributes(root)
    assert (about["gen_ai.provider.name"], about["gen_ai.request.model"]) == ("openai", "openai/gpt-5.4")
    assert (about["error.type"], about["tabshell.requirements.open"]) == ("4", "1")


def test_no_text_leaves_unless_it_is_asked_for(session, receiver):
    assert receiver.export(session) == 0
    body = receiver.requests[0][2]
    for text in (b"0:00,21", b"the rate at midnight", b"secret body", TOKEN.encode()):
        assert text not in body
    receiver.requests.clear()
    assert receiver.export(session, "--with-text") == 0
    body = receiver.requests[0][2]
    for text in (b"0:00,21", b"the rate at midnight", b"secret body", b"[redacted]"):
        assert text in body
    assert TOKEN.encode() not in body
    found = attributes(receiver.spans()[1])
    assert json.loads(found["gen_ai.tool.call.arguments"]) == {"command": "cat day.csv"}
    assert found["gen_ai.tool.call.result"] == "hour,rate\n0:00,21"
    assert found.keys() - {name for name in found if name.startswith("tabshell.")} <= REGISTERED


def test_without_the_tab_its_turns_and_events_stay_home(session, receiver):
    assert receiver.export(session, "--strip-tab") == 0
    root, *turns = receiver.spans()
    assert len(turns) == 4
    assert {event.name for span in (root, *turns) for event in span.events} == {"tabshell.read"}
    assert not any("requirement" in name for name in attributes(root))


@pytest.mark.parametrize("options", [(), ("--with-text",), ("--strip-tab",), ("--redact", "day")])
def test_the_file_and_the_endpoint_say_the_same(session, receiver, tmp_path, options):
    from google.protobuf.json_format import Parse  # noqa: PLC0415

    file = tmp_path / "trace.json"
    assert main(["export", str(session), "--format", "otlp", "-o", str(file), *options]) == 0
    assert receiver.export(session, *options) == 0
    document = json.loads(file.read_text())
    for one in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for key in ("traceId", "spanId", "parentSpanId"):  # OTLP's JSON has hex here, protobuf's has base64
            if key in one:
                import base64  # noqa: PLC0415

                one[key] = base64.b64encode(bytes.fromhex(one[key])).decode()
    written = Parse(json.dumps(document), ExportTraceServiceRequest()).resource_spans[0].scope_spans[0].spans
    assert list(map(_comparable, written)) == list(map(_comparable, receiver.spans()))


def _comparable(span):
    found = MessageToDict(span)
    found.pop("flags", None)
    found["status"] = {key: value for key, value in found.get("status", {}).items() if value}
    for holder in (found, *found.get("events", [])):
        holder["attributes"] = sorted(holder.get("attributes", []), key=lambda one: one["key"])
    return found


def test_a_session_that_goes_on_is_sent_as_far_as_it_is(session, receiver, workspace):
    with Session.create(SessionOptions(str(workspace)), os.environ) as made:
        assert receiver.export(made.directory) == 0
    (root,) = receiver.spans()
    assert root.name == "invoke_agent"
    assert attributes(root)["tabshell.session.ended"] is False
    assert attributes(root)["gen_ai.provider.name"] == "_OTHER"


def test_many_turns_go_in_several_requests(workspace, receiver):
    with Session.create(SessionOptions(str(workspace)), os.environ) as made:
        for number in range(300):
            made.recorder.record(
                CommandRecord("shim", f"true {number}", "argument", str(workspace), b"", 0, started_at=BEGAN + number)
            )
        assert receiver.export(made.directory) == 0
    assert len(receiver.requests) == 2
    assert len({span.span_id for span in receiver.spans()}) == 301


def test_long_texts_go_in_requests_that_a_collector_takes(workspace, receiver):
    shown = b"x" * 60_000
    with Session.create(SessionOptions(str(workspace)), os.environ) as made:
        for number in range(80):
            made.recorder.record(
                CommandRecord("shim", f"make {number}", "argument", str(workspace), shown, 0, started_at=BEGAN + number)
            )
        assert receiver.export(made.directory, "--with-text") == 0
    assert len(receiver.requests) >= 3
    assert max(len(body) for _, _, body in receiver.requests) < 3 << 20
    assert len({span.span_id for span in receiver.spans()}) == 81


def test_names_that_are_no_text_go_out_as_what_text_can_hold(workspace, receiver):
    with Session.create(SessionOptions(str(workspace), name="a\udcff"), os.environ) as made:
        made.recorder.record(
            CommandRecord("shim", "cat a\udcff", "argument", str(workspace), b"\xff", 0, started_at=BEGAN)
        )
        assert receiver.export(made.directory, "--with-text") == 0
    root, turn = receiver.spans()
    assert "\ufffd" in attributes(root)["tabshell.session.name"]
    assert "\ufffd" in attributes(turn)["process.command_line"]
