"""A collector on loopback, and a session with something of everything that is sent there."""

from __future__ import annotations

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tabshell.cli.tabshell import main
from tabshell.model.facts import (
    FinishChecked,
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    TabAccessed,
)
from tabshell.model.records import CommandRecord
from tabshell.session import Session, SessionOptions

TOKEN = "hf_" + "aB3" * 12
BEGAN = 1_700_000_000.0


class Receiver:
    """A collector on loopback: ``requests`` are (path, headers, body); ``answer`` is what it says."""

    def __init__(self):
        self.requests, self.answer = [], (200, {"Content-Type": "application/x-protobuf"}, b"")
        self.release = threading.Event()
        outer = self

        class Asked(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((self.path, dict(self.headers), body))
                status, headers, said = outer.answer
                if status is None:
                    outer.release.wait(20)
                    return
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(said))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(said)

            do_GET = do_POST  # noqa: N815 - a redirect would be followed so

            def log_message(self, *words):
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def export(self, session, *options):
        """The exit status of an export to here."""
        return main(["export", str(session), "--format", "otlp", "--endpoint", self.url, *options])

    def spans(self):
        """All spans that came."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: PLC0415

        found = []
        for _, _, body in self.requests:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    found += scope.spans
        return found


@pytest.fixture
def receiver():
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra otlp is not installed")
    one = Receiver()
    thread = threading.Thread(target=one.server.serve_forever, daemon=True)
    thread.start()
    yield one
    one.release.set()
    one.server.shutdown()
    one.server.server_close()
    thread.join()


@pytest.fixture
def session(workspace, own_home):
    """A session with reads, requirements, a failing command, a token, and a finish check."""
    (workspace / "day.csv").write_text("hour,rate\n0:00,21\n")
    options = SessionOptions(str(workspace), name="rates", agent="codex", model="openai/gpt-5.4", variant="full")
    commands = [
        ("cat day.csv", b"hour,rate\n0:00,21\n", 0),
        ("tab add rate", b"", 0),
        ("cat <<X\nsecret body\nX", b"", 3),
    ]
    commands += [("env", f"TOKEN={TOKEN}\n".encode(), 0), ("cat day.csv", b"hour,rate\n0:00,21\n", 0)]
    with Session.create(options, os.environ) as made:
        for number, (command, output, code) in enumerate(commands):
            made.recorder.record(
                CommandRecord(
                    "shim",
                    command,
                    "argument",
                    str(workspace),
                    output,
                    code,
                    started_at=BEGAN + 10 * number,
                    duration_s=2.5,
                )
            )
        made.catch_up()
        made.append(
            TabAccessed(2, "add", ("r1",)),
            RequirementAdded(1, 2, "the rate at midnight"),
            RequirementResolved(1, 4, "done", (1,), None, "0:00,21"),
            RequirementReopened(1, 5),
            FinishChecked(5, "hook", "open", (1,)),
        )
        made.end(4)
        return made.directory
