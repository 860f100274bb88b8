"""``tab`` on a real session: what each operation prints and records."""

from __future__ import annotations

import pytest

from tabshell.cli.tab.call import main
from tabshell.session import Session
from tabshell.text.digests import line_digest

# -- add, note, task ------------------------------------------------------------------------------------------


def test_add_prints_the_ids_with_the_text(desk):
    assert desk.tab("add", "reimbursement standards", "the layout") == (
        0,
        "r1: reimbursement standards\nr2: the layout\n",
        "",
    )
    assert [item.text for item in desk.state().requirements.values()] == ["reimbursement standards", "the layout"]


def test_add_takes_an_unquoted_sentence_as_one(desk):
    assert desk.tab("add", "reimbursement", "standards") == (0, "r1: reimbursement standards\n", "")


def test_add_takes_duplicates(desk):
    assert desk.tab("add", "a b", "a b")[1] == "r1: a b\nr2: a b\n"


@pytest.mark.parametrize("kind", ["pipe", "file"])
@pytest.mark.parametrize("words", [("add",), ("add", "-")])
def test_add_reads_a_pipe_or_a_file(desk, piped, kind, words):
    piped("one item\n\n  another \n", kind)
    assert desk.tab(*words)[1] == "r1: one item\nr2: another\n"


def test_add_without_words_reads_nothing_else(desk, piped):
    piped(kind="device")
    status, out, err = desk.tab("add")
    assert (status, out) == (2, "")
    assert err.startswith("tab: nothing to add; give text (tab add")
    assert desk.state().requirements == {}


@pytest.mark.parametrize("words", [("add", ""), ("add", " \n "), ("add", "-")])
def test_add_of_nothing_is_wrong_usage(desk, piped, words):
    piped("\n \n")
    assert desk.tab(*words)[0] == 2
    assert desk.state().requirements == {}


def test_add_keeps_undecodable_bytes(desk, piped):
    piped(b"caf\xe9\n".decode("utf-8", "surrogateescape"))
    assert desk.tab("add")[1] == "r1: caf\\xe9\n"
    assert desk.state().requirements[1].text == "caf\udce9"


def test_add_takes_text_that_looks_like_an_option_after_two_dashes(desk):
    assert desk.tab("add", "--", "--json")[1] == "r1: --json\n"
    assert desk.tab("add", "-5 % change")[1] == "r2: -5 % change\n"


def test_note_prints_its_id(desk):
    assert desk.tab("note", "ask", "finance") == (0, "n1\n", "")
    assert desk.tab("list", "notes")[1] == "Notes: 1\nn1 (turn 3): ask finance\n"
    assert desk.tab("show", "n1")[1] == "n1 (turn 3): ask finance\n"


def test_an_empty_note_is_wrong_usage(desk, piped):
    piped(kind="device")
    assert desk.tab("note")[0] == 2


def test_task_shows_and_sets_the_text(desk, piped):
    assert desk.tab("task")[1] == "travel guide with standards\n"
    assert desk.tab("task", "water", "manual")[1].startswith("Task text set (12 chars).")
    assert desk.tab("task")[1] == "water manual\n"
    piped("from a file\nof two lines\n")
    desk.tab("task", "-")
    assert desk.state().task == "from a file\nof two lines"


def test_task_without_words_never_reads(desk, piped):
    piped("not this")
    assert desk.tab("task")[1] == "travel guide with standards\n"


def test_no_task_is_said(make_desk):
    assert make_desk().tab("task")[1] == "No task text is set; set it with: tab task TEXT\n"


# -- list, show, status ---------------------------------------------------------------------------------------


def test_the_review_is_the_default_list(desk):
    desk.tab("add", "reimbursement standards")
    expected = (
        "Requirements: 1 open, 0 resolved\n"
        "r1 [open] reimbursement standards\n"
        "    read: L1 hr/travel_standards.txt: Reimbursement standards: 220\n"
        "2 files never opened in all: tab list candidates\n"
    )
    assert desk.tab("list")[1] == expected
    assert desk.tab("list", "requirements")[1] == expected


def test_the_lists_have_their_heads(desk):
    assert desk.tab("list")[1].startswith("Requirements: none added yet")
    assert desk.tab("list", "candidates")[1].startswith("Candidates: 2 unopened, 0 above threshold")
    assert desk.tab("list", "log")[1].startswith("Read log: 1 entry, newest first")
    assert desk.tab("list", "notes")[1].startswith("Notes: none yet")


def test_pages_and_all(desk):
    desk.tab("add", "\n".join(f"item {n}" for n in range(23)))
    assert desk.tab("list", "--page", "3")[1].count("\nr") == 3
    assert desk.tab("list", "--all")[1].count("\nr") == 23
    status, out, err = desk.tab("list", "--page", "4")
    assert (status, out, err) == (1, "", "tab: no page 4; there are 3 pages\n")


def test_show_gives_the_excerpt_as_it_was_seen(desk):
    assert desk.tab("show", "l1")[1] == (
        "L1: hr/travel_standards.txt (turn 2, 39 chars)\ncommand: cat hr/travel_standards.txt\n---\n"
        "Article 7\nReimbursement standards: 220\n"
    )


def test_show_refuses_unknown_ids_with_the_known_ones(desk):
    assert desk.tab("show", "L2") == (1, "", "tab: no entry L2; known: L1\n")
    assert desk.tab("show") == (2, "", 'tab: which id? tab show L2, tab show r3 or tab show n1 (see "tab help")\n')
    assert desk.tab("show", "L1", "L2")[0] == 2


def test_status_is_the_status_line(desk):
    assert desk.tab("status") == (
        0,
        "[tab] requirements: none added yet | candidates: 2 unopened, 0 above threshold | read log: 1 entry | "
        "last tab access: never | ops: tab add list show resolve\n",
        "",
    )
    assert "last tab access: never" in desk.tab("status")[1]
    desk.tab("list")
    assert "last tab access: this turn" in desk.tab("status")[1]


@pytest.mark.parametrize("words", [(), ("help",), ("--help",), ("list", "-h")])
def test_help_has_the_state_on_top_and_fits_a_screen(desk, words):
    status, out, _ = desk.tab(*words)
    assert status == 0
    assert out.startswith("[tab] requirements: none added yet | ")
    assert len(out.splitlines()) <= 30
    assert max(len(line) for line in out.splitlines()[1:]) <= 120
    for operation in ("add", "list", "show", "resolve", "reopen", "note", "task", "status", "finish", "prompt"):
        assert f"tab {operation}" in out


def test_prompt_prints_the_block(desk):
    assert "How to use it:" in desk.tab("prompt")[1]


# -- resolve, reopen ------------------------------------------------------------------------------------------


def test_resolve_accepts_evidence(desk):
    desk.tab("add", "reimbursement standards", "the layout")
    assert desk.tab("resolve", "R1", "done", "l1") == (0, "r1 done (L1). Open: 1.\n", "")
    assert desk.tab("resolve", "r2", "unavailable", "not", "in", "the", "workspace") == (
        0,
        "r2 unavailable (not in the workspace). Open: 0.\n",
        "",
    )


def test_resolve_accepts_a_path_from_any_directory(desk, monkeypatch):
    (desk.workspace / "hr" / "travel_standards.txt").write_text("x")
    desk.tab("add", "reimbursement standards", "standards again", "standards once more")
    assert desk.tab("resolve", "r1", "done", "hr/travel_standards.txt")[1] == "r1 done (L1). Open: 2.\n"
    monkeypatch.chdir("hr")
    assert desk.tab("resolve", "r2", "done", "travel_standards.txt")[1] == "r2 done (L1). Open: 1.\n"
    assert desk.tab("resolve", "r3", "done", str(desk.workspace / "hr/travel_standards.txt"))[0] == 0


def test_resolve_with_a_quote(desk):
    desk.tab("add", "reimbursement standards")
    status, _, err = desk.tab("resolve", "r1", "done", "L1", "--quote", "standards: 221")
    assert (status, err) == (1, "tab: r1 stays open: the quote does not stand in L1; copy it from: tab show L1\n")
    assert desk.tab("resolve", "r1", "done", "L1", "--quote", "standards:  220")[0] == 0
    assert desk.state().requirements[1].resolution.quote == "standards:  220"


def test_resolving_again_is_allowed_and_kept(desk):
    desk.tab("add", "reimbursement standards")
    desk.tab("resolve", "r1", "done", "L1")
    assert desk.tab("resolve", "r1", "unavailable", "computed")[1] == "r1 unavailable (computed). Open: 0.\n"
    assert desk.tab("reopen", "r1") == (0, "r1 open. Open: 1.\n", "")
    assert len(desk.state().requirements[1].history) == 3


# -- accesses -------------------------------------------------------------------------------------------------


def test_every_call_is_an_access_with_what_it_showed(desk):
    desk.tab("add", "reimbursement standards")
    desk.tab("list")
    desk.tab("list", "candidates")
    desk.tab("show", "L1")
    desk.tab("resolve", "r1", "done", "L1")
    desk.tab("resolve", "r1", "done", "L9")
    assert desk.accesses() == [
        ("add", ("r1",)),
        ("list", ("r1", "L1")),
        ("list", ("hr/annex.txt", "menu.txt")),
        ("show", ("L1",)),
        ("resolve", ("r1", "L1")),
        ("resolve", ()),
    ]


@pytest.mark.parametrize(
    "words", [("list",), ("show", "L1"), ("status",), ("help",), ("prompt",), ("list", "log", "--json"), ("show", "L9")]
)
def test_all_that_is_printed_is_known_by_its_digests(desk, words):
    desk.tab("add", "reimbursement standards")
    _, out, err = desk.tab(*words)
    digests = set(desk.state().accesses[-1].printed)
    assert all(line_digest(line) in digests for line in (out + err).splitlines() if line.strip())


def test_stored_text_does_not_act_on_the_terminal(desk):
    desk.read("evil\x1b]0;x\x07.txt", "standards \x1b[2J\u202egnp\r0\n")
    desk.tab("add", "standards \x1b[31m")
    for words in (("list",), ("list", "log"), ("show", "L2"), ("show", "r1"), ("finish",), ("list", "candidates")):
        _, out, err = desk.tab(*words)
        assert not set("\x1b\x07\r\u202e") & set(out + err)


# -- without a session, with one that cannot be written ---------------------------------------------------------


def test_without_a_session_help_and_prompt_still_answer(capfd):
    assert main([], None) == 0
    assert capfd.readouterr().out.startswith("[tab] no session\n")
    assert main(["prompt"], None) == 0
    assert main(["list"], None) == 3
    assert "no session here" in capfd.readouterr().err


def test_an_ended_session_still_answers(desk):
    desk.session.end(0)
    assert desk.tab("add", "late item")[0] == 0
    assert desk.tab("list")[0] == 0


def test_a_session_that_cannot_be_written_can_be_read(desk, monkeypatch):
    desk.tab("add", "reimbursement standards")
    opened = Session.open
    monkeypatch.setattr(Session, "open", lambda directory: opened(directory, readonly=True))
    for words in (("list",), ("list", "log"), ("list", "candidates"), ("show", "L1"), ("status",), ("help",)):
        status, out, err = desk.tab(*words)
        assert (status, err) == (0, "")
        assert out
    for words in (
        ("add", "more things"),
        ("resolve", "r1", "done", "L1"),
        ("note", "x"),
        ("task", "y"),
        ("reopen", "r1"),
    ):
        status, out, err = desk.tab(*words)
        assert (status, out) == (1, "")
    status, _, err = desk.tab("add", "more things")
    assert "Nothing was changed" in err
    assert "TABSHELL_HOME" in err
    assert desk.json("add", "x")[1]["error"]["code"] == "store-unwritable"


def test_a_late_recorder_is_said(desk, monkeypatch):
    monkeypatch.setattr(Session, "synchronise", lambda _self: False)
    status, _out, err = desk.tab("list")
    assert status == 0
    assert err.startswith("[tab] warning: the recorder did not answer within 300 ms")
    assert "warning" not in desk.tab("add", "x")[2]
