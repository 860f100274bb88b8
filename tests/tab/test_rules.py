"""What ``tab resolve`` accepts, and each refusal with its words and its code."""

from __future__ import annotations

import pytest

from tabshell.errors import Refused
from tabshell.tab import rules
from tabshell.tab.evidence import cited_lines, speaking_line, unfit
from tabshell.text.terms import query


def no_files(_word):
    return []


def files(*existing):
    return lambda word: [(word.removeprefix("./"), word.removeprefix("./") in existing)]


def cite(told, number, *words, quote=None, look=no_files):
    tab = told.tab()
    return rules.references(tab, tab.requirements[number], words, quote, look, told.text_of)


def refusal(told, number, *words, **options):
    with pytest.raises(Refused) as caught:
        cite(told, number, *words, **options)
    return caught.value.code, str(caught.value)


@pytest.fixture
def told(story):
    told = story(task="travel guide", out="/ws/model_output")
    told.add("reimbursement standards for managers", "headcount in 2024")
    told.reading("hr/standards.txt", text="Article 7\nReimbursement of meals: 50\nManagers: 220")
    told.reading("menu.txt", text="soup\nbread")
    return told


# -- accepted -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ref", ["L1", "l1", "hr/standards.txt", "./hr/standards.txt"])
def test_an_entry_is_cited_by_id_in_any_case_or_by_its_file(told, ref):
    assert cite(told, 1, ref, look=files("hr/standards.txt")) == (1,)


def test_a_shared_term_in_the_path_is_enough(told):
    told.reading("hr/managers.xlsx", text="1 2 3")
    assert cite(told, 1, "L3") == (3,)


def test_several_refs_by_commas_and_words(told):
    told.reading("hr/more_standards.txt", text="x")
    assert cite(told, 1, "L1,L3") == (1, 3)
    assert cite(told, 1, "L1", "L3") == (1, 3)
    assert cite(told, 1, "L1, ", "l3,") == (1, 3)
    assert cite(told, 1, "L1,L1") == (1,)


def test_a_logged_path_with_commas_and_spaces_wins_over_splitting(told):
    told.reading("hr/standards, L1, final.txt", text="x")
    assert cite(told, 1, "hr/standards, L1, final.txt") == (3,)
    assert cite(told, 1, "hr/standards,", "L1,", "final.txt") == (3,)


def test_a_path_means_its_newest_passing_entry(told):
    told.reading("hr/standards.txt", text="another range")
    assert cite(told, 1, "hr/standards.txt") == (3,)
    told.reading("data.txt", text="headcount 128")
    told.reading("data.txt", text="nothing of it")
    assert cite(told, 2, "data.txt") == (4,)


def test_a_path_with_a_quote_means_the_newest_entry_that_holds_it(told):
    told.reading("hr/standards.txt", text="another range")
    assert cite(told, 1, "hr/standards.txt", quote="meals: 50") == (1,)


def test_a_path_as_it_was_shown_names_its_entry(told):
    told.start("cd hr && cat ../hr/standards.txt")
    told.entry("hr/standards.txt", text="standards")
    assert cite(told, 1, "hr/standards.txt") == (3,)


def test_a_search_entry_is_evidence(told):
    told.searching("hr/list.txt", text="headcount: 128")
    assert cite(told, 2, "L3") == (3,)


def test_content_derived_from_a_source_is_evidence_even_under_out(told):
    told.reading("model_output/tmp.txt", text="headcount 128", derived_from=("a.pdf",))
    assert cite(told, 2, "L3") == (3,)


def test_a_source_read_before_the_agent_overwrote_it_stays_evidence(told):
    told.writing("hr/standards.txt")
    assert cite(told, 1, "L1") == (1,)


def test_a_requirement_without_any_term_passes(story):
    told = story()
    told.add("the of and", "???")
    told.reading("menu.txt", text="soup")
    assert cite(told, 1, "L1") == (1,)
    assert cite(told, 2, "L1") == (1,)


@pytest.mark.parametrize("quote", ["Reimbursement of meals: 50", "Article 7 Reimbursement", "  meals:\t50 "])
def test_a_quote_is_compared_with_white_space_folded(told, quote):
    assert cite(told, 1, "L1", quote=quote) == (1,)


def test_a_quote_may_stand_in_any_of_the_entries(told):
    told.reading("hr/more_standards.txt", text="Level: senior")
    assert cite(told, 1, "L1,L3", quote="Level: senior") == (1, 3)


# -- refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["r9", "L1", "x", "", "r", "r1x", "r0"])
def test_an_unknown_requirement_is_refused_with_the_open_ones(told, word):
    with pytest.raises(Refused) as caught:
        rules.requirement(told.tab(), word)
    assert caught.value.code == "unknown-requirement"
    assert str(caught.value) == f"no requirement {word}; open: r1, r2"


def test_an_unknown_requirement_where_none_is_open_or_stated(told, story):
    with pytest.raises(Refused, match="none was added yet; add them with: tab add TEXT"):
        rules.requirement(story().tab(), "r1")
    told.unavailable(1, "x")
    told.unavailable(2, "y")
    with pytest.raises(Refused, match="no requirement r7; none is open; all: r1, r2"):
        rules.requirement(told.tab(), "r7")


def test_requirement_ids_come_in_any_case(told):
    assert rules.requirement(told.tab(), "R2").id == 2


def test_neither_an_entry_nor_a_file_names_the_known_entries(told):
    code, message = refusal(told, 1, "L9")
    assert code == "unknown-ref"
    assert message == "r1 stays open: L9 is neither a read-log entry nor a file (known entries: L1, L2)"


def test_long_logs_are_named_by_their_range(told):
    for number in range(20):
        told.reading(f"f{number}.txt", text="x")
    assert "(known entries: L1 to L22)" in refusal(told, 1, "nope")[1]


def test_an_empty_log_knows_none(story):
    told = story()
    told.add("revenue")
    assert "(known entries: none)" in refusal(told, 1, "L1")[1]


def test_a_file_of_the_output_folder_does_not_close(told):
    code, message = refusal(told, 1, "model_output/guide.doc", look=files("model_output/guide.doc"))
    assert code == "output-file"
    assert message.startswith(
        "r1 stays open: model_output/guide.doc lies in the output folder and does not close an item."
    )
    assert "tab list log" in message
    assert "(computed, authored, or not in the workspace)" in message


def test_an_entry_of_the_output_folder_does_not_close(told):
    told.reading("model_output/guide.doc", text="reimbursement standards")
    assert refusal(told, 1, "L3")[0] == "output-file"
    assert refusal(told, 1, "model_output/guide.doc")[0] == "output-file"


def test_a_file_that_the_agent_made_does_not_close(told):
    told.writing("notes/standards.md")
    code, message = refusal(told, 1, "notes/standards.md", look=files("notes/standards.md"))
    assert code == "own-file"
    assert "notes/standards.md is what you wrote yourself and does not close an item" in message


def test_an_entry_of_ones_own_text_does_not_close_by_id_or_path(told):
    told.reading("notes/standards.md", text="reimbursement standards", own=True)
    assert refusal(told, 1, "L3")[0] == "own-file"
    assert refusal(told, 1, "notes/standards.md")[0] == "own-file"


def test_an_entry_read_after_the_agent_made_the_file_does_not_close(told):
    told.writing("notes/standards.md")
    told.reading("notes/standards.md", text="reimbursement standards")
    assert refusal(told, 1, "L3")[0] == "own-file"


def test_a_binary_entry_does_not_close(told):
    told.reading("hr/standards.png", text="\x89PNG", binary=True)
    code, message = refusal(told, 1, "L3")
    assert code == "binary-entry"
    assert "L3 (hr/standards.png) is binary" in message


def test_a_file_that_was_never_opened_has_to_be_opened_first(told):
    told.listing("hr/annex.txt")
    for look in (no_files, files("hr/annex.txt")):
        code, message = refusal(told, 1, "hr/annex.txt", look=lambda w, look=look: look(w) or [(w, False)])
        assert code == "not-opened"
        assert message.startswith("r1 stays open: hr/annex.txt is not in the read log. Open the file first")


def test_evidence_without_a_common_word_is_refused(told):
    code, message = refusal(told, 1, "L2")
    assert code == "no-shared-term"
    assert message.startswith(
        "r1 stays open: neither the path nor the text of L2 (menu.txt) has a word in common with the requirement."
    )
    assert "tab show L2" in message


def test_stop_words_are_no_common_words(story):
    told = story()
    told.add("the total of the year")
    told.reading("a.txt", text="of the and")
    assert refusal(told, 1, "L1")[0] == "no-shared-term"


def test_an_extension_is_no_common_word(story):
    told = story()
    told.add("Analyze water_policy.txt")
    told.reading("menu.txt", text="soup")
    assert refusal(told, 1, "L1")[0] == "no-shared-term"


def test_a_quote_that_is_not_there_is_refused(told):
    code, message = refusal(told, 1, "L1", quote="meals: 60")
    assert code == "quote-not-found"
    assert message == "r1 stays open: the quote does not stand in L1; copy it from: tab show L1"


def test_one_bad_ref_refuses_all(told):
    assert refusal(told, 1, "L1,L2")[0] == "no-shared-term"
    assert refusal(told, 1, "L1,nope")[0] == "unknown-ref"


@pytest.mark.parametrize("words", [(), ("",), (" ", "  ")])
def test_done_without_a_ref_asks_for_one(told, words):
    code, message = refusal(told, 1, *words)
    assert code == "no-ref"
    assert "known entries: L1, L2" in message


def test_commas_alone_are_no_ref(told):
    assert refusal(told, 1, ",,")[0] == "no-ref"


@pytest.mark.parametrize("words", [(), ("",), (" ", "")])
def test_unavailable_without_a_reason_asks_for_one(told, words):
    with pytest.raises(Refused) as caught:
        rules.reason(told.tab().requirements[1], words)
    assert caught.value.code == "no-reason"
    assert str(caught.value) == (
        "r1 stays open: unavailable needs a reason after it: computed, authored, or not in the workspace, "
        "or your own words"
    )


def test_a_reason_of_several_words_needs_no_quotes(told):
    assert rules.reason(told.tab().requirements[1], ("not", "in", "the", "workspace")) == "not in the workspace"


def test_a_refusal_of_what_is_closed_says_how_it_is(told):
    told.done(1, 1)
    assert refusal(told, 1, "L2")[1].startswith("r1 stays as it is (done: L1): ")


def test_what_is_open_cannot_be_reopened(told):
    with pytest.raises(Refused, match="r1 is open already") as caught:
        rules.reopenable(told.tab().requirements[1])
    assert caught.value.code == "already-open"


def test_a_refusal_cannot_act_on_the_terminal(told):
    assert "\x1b" not in refusal(told, 1, "\x1b]0;x\x07")[1]


# -- ablation -------------------------------------------------------------------------------------------------


def test_without_the_evidence_check_any_entry_closes_but_it_must_exist(story):
    told = story(evidence_check=False)
    told.add("revenue")
    told.reading("menu.txt", text="soup", own=True)
    assert cite(told, 1, "L1", quote="not there") == (1,)
    assert refusal(told, 1, "L2")[0] == "unknown-ref"


def test_without_capture_what_is_cited_is_taken_as_it_is(story):
    told = story(capture=False)
    told.add("revenue")
    assert rules.reference(told.tab().requirements[1], ("annual", "report.pdf")) == "annual report.pdf"
    with pytest.raises(Refused, match="done needs what its content came from"):
        rules.reference(told.tab().requirements[1], ())


# -- the line that speaks for a citation ------------------------------------------------------------------------


def test_the_line_is_the_first_with_a_shared_term(told):
    entry = told.tab().entries[1]
    line = speaking_line(query("meals"), entry, told.text_of(entry))
    assert (line.index, line.line) == (1, "Reimbursement of meals: 50")


def test_a_quote_decides_the_line(told):
    entry = told.tab().entries[1]
    assert speaking_line(query("reimbursement"), entry, told.text_of(entry), "Managers: 220").index == 2


def test_a_quote_over_several_lines_begins_on_its_first(told):
    entry = told.tab().entries[1]
    text = "zero\none two\nthree four\nfive two"
    assert speaking_line(query("zero"), entry, text, "two three  four five").index == 1


def test_without_a_line_the_path_speaks(told):
    entry = told.tab().entries[1]
    assert speaking_line(query("profit"), entry, told.text_of(entry)).index is None


def test_the_lines_of_a_closed_requirement(told):
    told.done(1, 1, 2)
    tab = told.tab()
    lines = cited_lines(tab, tab.requirements[1], query("standards for managers"), told.text_of)
    assert [(line.entry, line.line) for line in lines] == [(1, "Managers: 220"), (2, "")]


def test_an_entry_of_own_and_other_files_is_fit(told):
    told.writing("own.txt")
    told.reading("own.txt", "hr/other.txt", text="x")
    tab = told.tab()
    assert unfit(tab, tab.entries[3]) is None
