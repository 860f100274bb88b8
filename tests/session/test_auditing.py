"""An audit shared by two processes says what one alone says."""

from __future__ import annotations

import importlib
import os
import sys
from functools import partial
from pathlib import Path

import pytest

from tabshell.access.disk.disk import Disk
from tabshell.audit.as_json import dumps
from tabshell.audit.audit_json import audit_object, missing_object, trace_object
from tabshell.model.accesses import Span
from tabshell.model.facts import TurnEnded, TurnShown
from tabshell.session import Session, forked
from tabshell.session.auditing import audit_session, missing_from, trace_deliverables
from tabshell.session.deliverables import reading
from tabshell.session.whole import export_object

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A session on disk with a deliverable: (directory, path)."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    monkeypatch.setenv("TABSHELL_HOME", "")  # the benchmark sets it
    cost = importlib.import_module("audit_cost")
    directory, kept = cost.make_session(tmp_path, 40, 20, 120_000)
    report = tmp_path / "report.docx"
    report.write_bytes(cost.make_deliverable(kept, 6, "docx"))
    return directory, str(report)


def all_said(directory, report):
    with Session.open(directory, readonly=True) as session:
        return (
            dumps(audit_object(said(session, report, partial(audit_session, files=Disk())))),
            dumps(trace_object("s", said(session, report, trace_deliverables))),
            dumps(missing_object("s", said(session, report, missing_from))),
        )


def said(session, report, by):
    with reading(session, [report]) as begun:
        return by(session, begun)


def test_two_processes_say_what_one_says(made, monkeypatch):
    alone = all_said(*made)
    begun = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: begun.append(1) or fork())
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(forked, "_is_single", lambda: True)
    monkeypatch.setattr(forked, "WORTH", 1)
    assert all_said(*made) == alone
    assert len(begun) == 8  # deliverable and log are shared thrice, values twice
    assert '"sourced"' in alone[1]


def test_the_export_tells_of_output_that_an_agent_cut(made):
    with Session.open(made[0]) as session:
        ended = session.store.numbered(TurnEnded, 2).fact
        session.append(TurnShown(2, (Span(ended.start, ended.start + 7),)))
        turns = {turn["turn"]: turn["shown"] for turn in export_object(session)["turns"]}
    assert turns[2] == {"bytes": 7, "of": ended.end - ended.start}
    assert turns[4] is None
