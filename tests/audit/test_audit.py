"""The audit finds what a reviewer should know, and says it as text, JSON and HTML."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tabshell.audit.as_html import Played, audit_html
from tabshell.audit.as_json import Integrity, dumps, session_export
from tabshell.audit.as_text import audit_text, missing_text, trace_text
from tabshell.audit.audit import Deliverable, audit
from tabshell.audit.audit_json import MAX_LINE, audit_object, missing_object, trace_object
from tabshell.audit.missing import find_missing
from tabshell.audit.summary import headlines, verdict
from tabshell.audit.tracing import prepare, trace
from tabshell.audit.verify import Finding
from tabshell.documents import extract
from tabshell.model.accesses import Reason
from tabshell.model.state import Candidate, RankedCandidate

HOSTILE = "<script>alert(1)</script> \x1b[31mred \u202eevil 88,002 & <b>"


@pytest.fixture
def audited(maker):
    maker.shown("staff.csv", "metric,value\nheadcount,128\nsites,44\n", lines=(1, 3), line_count=900)
    maker.shown("draft.md", "margin 57.31\n", own=True)
    maker.shown("hostile.txt", f"{HOSTILE}\n")
    maker.requires("headcount of the company", 1)
    maker.requires("number of sites", 1)
    maker.requires("revenue 2024")
    maker.requires("conclusion", reason="authored")
    maker.turn("make", dropped=10, output_bytes=500)
    text = f"# Report\nThe headcount is 128 and margin 57.31.\nBeta: {HOSTILE}\n"
    documents = [
        Deliverable("r.md", "r.md", extract(text.encode(), "r.md")),
        Deliverable("x.pdf", None, None, "x.pdf: broken"),
    ]
    candidates = [
        RankedCandidate(Candidate("old/staff.xlsx", 1), True, 2.5),
        RankedCandidate(Candidate("b.png", 1), False, 0.0),
    ]
    drift = [Finding("source-changed", "staff.csv changed since it was read; r1 rests on L1", 1, 1)]
    return audit(maker.tab, maker.text_of, candidates, Integrity(True, 42, "ab" * 32), documents, drift)


def test_it_finds_what_is_open_unsourced_missing_unread_partial_own_cut_and_changed(audited):
    assert [item.requirement.id for item in audited.open] == [3]
    assert [item.mention.value.text for item in audited.traces[0].alarming] == ["57.31"]
    assert {(item.requirement, item.value.text) for item in audited.missing} == {(2, "44")}
    assert [one.candidate.path for one in audited.unopened] == ["old/staff.xlsx"]
    assert [(read.path, read.shown, read.lines) for read in audited.partial] == [("staff.csv", 3, 900)]
    assert audited.own_reads == (2,)
    assert audited.uncited == (2, 3)
    assert [gap.turn for gap in audited.gaps] == [4]
    first = audited.requirements[0]
    assert [(line.path, line.line, line.text) for line in first.evidence] == [("staff.csv", 2, "headcount,128")]
    assert (first.delivered, len(first.drift), audited.requirements[1].delivered) == (True, 1, False)


def test_the_summary_fits_a_screen_and_names_the_worst_first(audited):
    lines = headlines(audited)
    assert len(lines) <= 14
    assert verdict(lines).mark == "alarm"
    first_screen = audit_text(audited).split("\n")[:24]
    for words in (
        "still open: r3",
        "1 without source",
        "x.pdf: broken",
        "3 of 900 lines",
        "changed or gone",
        "still runs",
    ):
        assert any(words in line for line in first_screen), words


def test_the_text_obeys_nothing_that_files_say(audited):
    for text in (audit_text(audited), trace_text(audited.traces), missing_text(audited.missing)):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_the_json_has_the_keys_of_the_contract(audited):
    found = json.loads(dumps(audit_object(audited)))
    assert found["schema"] == "tabshell/1"
    assert {
        "session",
        "turns",
        "requirements",
        "notes",
        "log",
        "candidates",
        "accesses",
        "finish_check",
        "integrity",
    } <= set(found)
    assert {"findings", "deliverables", "partial_reads", "gaps", "uncited", "drift"} <= set(found)
    traced = json.loads(dumps(trace_object("s", audited.traces)))
    assert set(traced) >= {"schema", "session", "deliverable", "values", "counts"}
    value = traced["values"][0]
    assert {"text", "value", "kind", "position", "status", "sources", "formula"} <= set(value)
    assert (value["text"], value["value"], value["position"]) == ("128", 128, {"line": 2})
    assert {"entry", "path", "line", "text"} <= set(value["sources"][0])
    assert set(traced["counts"]) >= {"sourced", "computed", "no source"}
    both = trace_object("s", audited.traces * 2)
    assert len(both["deliverables"]) == 2
    lacking = json.loads(dumps(missing_object("s", audited.missing)))["missing"][0]
    assert {"requirement", "text", "value", "entry", "path", "line"} <= set(lacking)


def test_the_export_keeps_undecodable_names_and_every_key(maker):
    maker.shown("bad\udcff.txt", "x \udcfe\n")
    maker.requires("a", 1)
    text = dumps(session_export(maker.tab, maker.text_of, [], Integrity(True, 1, "00")))
    assert "bad\\udcff.txt" in text
    entry = json.loads(text)["log"][0]
    assert set(entry) == {
        "id", "turn", "turns", "agent", "kind", "paths", "shown_as", "command", "chars", "truncated", "excerpt", "lines",
        "source_sha256", "derived_from", "own", "binary", "outside", "unconfirmed",
    }  # fmt: skip
    assert json.loads(text)["requirements"][0]["refs"] == ["L1"]


def test_the_html_links_values_to_excerpts_and_escapes_hostile_content(audited):
    page = audit_html(audited, [Played(1.0, HOSTILE.encode() + b"</script>", 1)])
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert re.search(r'<a class="v sourced" href="#L1-2"[^>]*>128</a>', page)
    assert 'id="L1-2"' in page
    assert re.search(r'<span class="v none"[^>]*>57.31</span>', page)
    assert page.count("</script>") == 2
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "default-src 'none'" in page


def test_every_link_of_the_html_leads_somewhere(audited):
    page = audit_html(audited)
    targets = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= targets


def test_a_session_without_anything_is_audited_too(maker):
    found = audit(maker.tab, maker.text_of, [], Integrity(False, 3, "00"))
    assert "no requirements were stated" in audit_text(found)
    assert "was altered" in audit_text(found)
    assert "None were stated" in audit_html(found)


def test_an_empty_deliverable_says_so(maker):
    found = audit(
        maker.tab, maker.text_of, [], Integrity(True, 3, "00"), [Deliverable("r.md", None, extract(b"", "r.md"))]
    )
    assert "r.md is empty" in audit_text(found)
    assert "This document is empty" in audit_html(found)


def test_long_lines_are_cut_around_their_value_and_say_so(maker):
    filler = "nothing of note " * 40
    maker.shown("a.txt", f"{filler}fares of 31,415.92 EUR {filler}\nshort 27,182.81 EUR\n")
    maker.requires("fares of nothing", 1)
    document = extract(b"We found 31,415.92 EUR and 27,182.81 EUR.", "r.md")
    evidence = prepare(maker.tab, maker.text_of, [document])
    values = trace_object("s", trace(evidence, [document]))["values"]
    long, short = (
        next(v["sources"][0] for v in values if v["text"] == text) for text in ("31,415.92 EUR", "27,182.81 EUR")
    )
    assert long["line_cut"]
    assert len(long["text"]) == MAX_LINE
    assert "fares of 31,415.92 EUR" in long["text"]
    assert (short["line_cut"], short["text"]) == (False, "short 27,182.81 EUR")
    empty = extract(b"", "r.md")
    lacking = find_missing(maker.tab, prepare(maker.tab, maker.text_of, [empty]), [empty])
    item = missing_object("s", lacking)["missing"][0]
    assert item["line_cut"]
    assert "fares of 31,415.92 EUR" in item["excerpt"]


def test_the_export_says_why_files_were_classified_so_and_what_the_model_was_shown(maker):
    maker.turn("cat a.txt | tail -1", read=("a.txt",), start=10, end=110)
    maker.turn("true")
    why = Reason("read", "shown", "3 of its lines stand in the output", ("a.txt",))
    maker.turns[1] = replace(maker.turns[1], files=replace(maker.turns[1].files, reasons=(why,)))
    first, second = session_export(maker.tab, maker.text_of, [], Integrity(True, 1, "00"), seen={1: 40})["turns"]
    assert first["reasons"] == [
        {"kind": "read", "rule": "shown", "evidence": "3 of its lines stand in the output", "paths": ["a.txt"]}
    ]
    assert (first["shown"], second["shown"], second["reasons"]) == ({"bytes": 40, "of": 100}, None, [])
