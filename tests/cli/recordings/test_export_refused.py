"""``tabshell export --format otlp --endpoint``: what goes along with the trace, and what keeps it from being taken."""

from __future__ import annotations

import socket

import pytest

from tabshell.cli.tabshell import main

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra otlp is not installed")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse


def test_headers_go_along_and_are_never_shown(session, receiver, capfd):
    options = ("--header", "Authorization: Bearer a=b:c", "--header", "X-Tenant=blue", "--timeout", "5")
    assert receiver.export(session, *options) == 0
    headers = {name.lower(): value for name, value in receiver.requests[0][1].items()}
    assert (headers["authorization"], headers["x-tenant"]) == ("Bearer a=b:c", "blue")
    assert "Bearer" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((400, {}, b""), "status 400"),
        ((401, {}, b""), "header missing"),
        ((404, {}, b""), "path right"),
        ((302, {"Location": "http://elsewhere/"}, b""), "redirect (302) to http://elsewhere/"),
        ((200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>"), "web page"),
        (
            (200, {"Content-Type": "application/x-protobuf"},
             ExportTraceServiceResponse(partial_success={"rejected_spans": 2, "error_message": "too old"}).SerializeToString()),
            "refused 2 spans (too old)",
        ),
    ],
)  # fmt: skip
def test_a_receiver_that_does_not_take_the_trace_is_an_error_of_its_own(session, receiver, capfd, answer, said):
    receiver.answer = answer
    assert receiver.export(session, "--timeout", "3") == 7
    err = capfd.readouterr().err
    assert said in err
    assert "0 of 6 spans were sent" in err
    assert "Traceback" not in err
    assert len(err.splitlines()) == 1


def test_a_receiver_with_words_of_its_own_has_taken_it(session, receiver):
    receiver.answer = (202, {"Content-Type": "application/json"}, b"{}")
    assert receiver.export(session) == 0


def test_nobody_there_is_said_with_the_address_and_without_what_is_secret_in_it(session, capfd):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    endpoint = f"http://ada:hunter22@127.0.0.1:{port}/v1/traces?key=hidden"
    assert main(["export", str(session), "--format", "otlp", "--endpoint", endpoint, "--timeout", "1"]) == 7
    err = capfd.readouterr().err
    assert f"http://127.0.0.1:{port}/v1/traces did not take the trace: nothing listens there" in err
    assert "hunter22" not in err
    assert "hidden" not in err


def test_a_receiver_that_never_answers_ends_at_the_time_limit(session, receiver, capfd):
    receiver.answer = (None, {}, b"")
    assert receiver.export(session, "--timeout", "0.5") == 7
    assert "did not answer in time" in capfd.readouterr().err


@pytest.mark.parametrize("endpoint", ["localhost:4318", "ftp://x", "http://", "", "http://h:99999/", "http://[::1"])
def test_an_address_that_is_none_is_a_wrong_word(session, capfd, endpoint):
    assert main(["export", str(session), "--format", "otlp", "--endpoint", endpoint]) == 2
    assert "no address of a collector" in capfd.readouterr().err


@pytest.mark.parametrize("header", ["Authorization", ": x", "a b: c", "X: a\nB: c", "Ä: x", "X: ä"])
def test_a_header_that_is_none_is_a_wrong_word(session, receiver, capfd, header):
    assert receiver.export(session, "--header", header) == 2
    assert "--header" in capfd.readouterr().err
    assert receiver.requests == []


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "json", "--endpoint", "http://127.0.0.1:1"),
        ("--format", "json", "--with-text"),
        ("--format", "otlp", "--header", "A: b"),
        ("--format", "otlp", "--timeout", "3"),
        ("--format", "otlp", "--endpoint", "http://127.0.0.1:1", "-o", "x"),
        ("--format", "otlp", "--endpoint", "http://127.0.0.1:1", "--timeout", "0"),
    ],
)
def test_options_that_exclude_each_other_are_refused(session, options):
    assert main(["export", str(session), *options]) == 2


def test_without_the_sdk_a_person_is_told_what_to_install(session, capfd, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.trace.export", None)
    assert main(["export", str(session), "--format", "otlp", "--endpoint", "http://127.0.0.1:1"]) == 2
    assert "tabshell[otlp]" in capfd.readouterr().err
