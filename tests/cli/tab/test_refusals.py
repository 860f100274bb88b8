"""Every refusal of ``tab``, as text and as JSON; wrong usage."""

from __future__ import annotations

import re

import pytest

from tabshell.model.accesses import Write


@pytest.fixture
def desk(desk):
    """With one open requirement, and one entry of each kind that cannot close it."""
    desk.tab("add", "reimbursement standards")
    desk.read("menu.txt", "soup")
    desk.command("cat > draft.md", wrote=[Write("draft.md", (), True, False)])
    desk.read("draft.md", "reimbursement standards", own=True)
    desk.read("hr/logo.png", "reimbursement standards", binary=True)
    return desk


REFUSALS = [
    (("resolve", "r9", "done", "L1"), "tab: no requirement r9; open: r1\n"),
    (
        ("resolve", "r1", "done", "L7"),
        "tab: r1 stays open: L7 is neither a read-log entry nor a file (known entries: L1 to L4)",
    ),
    (("resolve", "r1", "done"), "tab: r1 stays open: done needs the read-log entry"),
    (("resolve", "r1", "done", "out/guide.md"), "tab: r1 stays open: out/guide.md lies in the output folder and"),
    (("resolve", "r1", "done", "hr/annex.txt"), "tab: r1 stays open: hr/annex.txt is not in the read log. Open the"),
    (("resolve", "r1", "done", "hr"), "tab: r1 stays open: hr is neither a read-log entry nor a file"),
    (("resolve", "r1", "done", "L2"), "tab: r1 stays open: neither the path nor the text of L2 (menu.txt) has a word"),
    (("resolve", "r1", "done", "L1,L2"), "tab: r1 stays open: neither the path nor the text of L2 (menu.txt) has"),
    (("resolve", "r1", "done", "L3"), "tab: r1 stays open: L3 (draft.md) is what you wrote yourself and does not"),
    (("resolve", "r1", "done", "draft.md"), "tab: r1 stays open: L3 (draft.md) is what you wrote yourself and does"),
    (("resolve", "r1", "done", "L4"), "tab: r1 stays open: L4 (hr/logo.png) is binary and shows no readable content"),
    (("resolve", "r1", "unavailable"), "tab: r1 stays open: unavailable needs a reason after it: computed, authored"),
    (("resolve", "r1", "unavailable", " "), "tab: r1 stays open: unavailable needs a reason after it"),
    (("reopen", "r1"), "tab: r1 is open already; nothing to reopen\n"),
    (("reopen", "r4"), "tab: no requirement r4; open: r1\n"),
    (("show", "L9"), "tab: no entry L9; known: L1 to L4\n"),
]


@pytest.mark.parametrize(("words", "message"), REFUSALS)
def test_refusals_say_what_to_do_exit_1_and_change_nothing(desk, words, message):
    before = dict(desk.state().requirements)
    status, out, err = desk.tab(*words)
    assert (status, out) == (1, "")
    assert err.startswith(message)
    assert desk.state().requirements == before


@pytest.mark.parametrize(("words", "message"), REFUSALS)
def test_refusals_are_objects_in_json(desk, words, message):
    status, answer = desk.json(*words)
    assert status == 1
    assert set(answer) == {"schema", "ok", "error"}
    assert (answer["schema"], answer["ok"]) == ("tabshell/1", False)
    assert set(answer["error"]) == {"code", "message"}
    assert f"tab: {answer['error']['message']}".startswith(message.rstrip("\n"))
    assert re.fullmatch(r"[a-z-]+", answer["error"]["code"])


USAGE = [
    ("frobnicate",),
    ("resolve",),
    ("resolve", "r1"),
    ("resolve", "r1", "finished", "L1"),
    ("resolve", "r1", "unavailable", "x", "--quote", "y"),
    ("list", "everything"),
    ("list", "log", "notes"),
    ("status", "now"),
    ("finish", "please"),
    ("finish", "--stop", "lunch"),
    ("reopen",),
    ("prompt", "x"),
]


@pytest.mark.parametrize("words", USAGE)
def test_wrong_usage_exits_2_and_points_to_the_help(desk, words):
    status, out, err = desk.tab(*words)
    assert (status, out) == (2, "")
    assert err.startswith("tab: ")
    assert err.endswith('(see "tab help")\n')
    status, answer = desk.json(*words)
    assert (status, answer["ok"], answer["error"]["code"]) == (2, False, "usage")
