"""The review: open requirements beside what may supply them, resolved ones beside what they were closed against."""

from __future__ import annotations

import pytest

from tabshell.tab.paging import page_of
from tabshell.tab.plain import plain_text
from tabshell.tab.review import review, review_text


def text_of(told, page=1):
    tab = told.tab()
    items = page_of(list(tab.requirements.values()), 10, page)
    return review_text(tab, items, review(tab, list(items.items), told.text_of)).split("\n")


@pytest.fixture
def told(story):
    told = story(task="travel guide with standards", out="/ws/out")
    told.add("reimbursement standards", "headcount", "layout of the guide")
    told.listing("travel_standards.docx", "menu.txt", "reimbursement_form.pdf", "headcount.xlsx", "hr/guide.txt")
    told.reading("policies/a.txt", text="Chapter 1\nStandards for reimbursement\nmeals")
    return told


def test_open_requirements_stand_beside_entries_and_unopened_files(told):
    assert text_of(told) == [
        "Requirements: 3 open, 0 resolved",
        "r1 [open] reimbursement standards",
        "    read: L1 policies/a.txt: Standards for reimbursement",
        "    unopened: travel_standards.docx * | reimbursement_form.pdf",
        "r2 [open] headcount",
        "    unopened: headcount.xlsx",
        "r3 [open] layout of the guide",
        "    unopened: hr/guide.txt",
        "5 files never opened in all: tab list candidates",
    ]


def test_resolved_requirements_stand_with_what_closed_them(told):
    told.done(1, 1)
    told.unavailable(3, "authored")
    lines = text_of(told)
    assert lines[0] == "Requirements: 1 open, 2 resolved"
    assert lines[1:3] == [
        "r1 [done: L1] reimbursement standards",
        "    closed against: L1 policies/a.txt: Standards for reimbursement",
    ]
    assert lines[5:] == [
        "r3 [unavailable: authored] layout of the guide",
        "5 files never opened in all: tab list candidates",
    ]


def test_best_entries_come_first_and_at_most_five(told):
    for number in range(7):
        told.reading(f"x{number}.txt", text="headcount is told here among many other words of no matter")
    told.reading("best.txt", text="headcount headcount")
    told.add("headcount")
    item = told.tab().requirements[2]
    (reviewed,) = review(told.tab(), [item], told.text_of)
    assert [line.entry for line in reviewed.entries] == [9, 8, 7, 6, 5]


def test_at_most_five_unopened_files(story):
    told = story()
    told.add("budget")
    told.listing(*(f"budget{n}/budget.txt" for n in range(9)))
    (reviewed,) = review(told.tab(), list(told.tab().requirements.values()), told.text_of)
    assert reviewed.unopened == tuple(f"budget{n}/budget.txt" for n in range(5))


def test_entries_that_can_close_nothing_are_not_proposed(told):
    told.reading("own.txt", text="headcount 1", own=True)
    told.reading("x.png", text="headcount 2", binary=True)
    told.reading("out/guide.doc", text="headcount 3")
    told.reading("out/tmp.txt", text="headcount 4", derived_from=("a.pdf",))
    (reviewed,) = review(told.tab(), [told.tab().requirements[2]], told.text_of)
    assert [line.entry for line in reviewed.entries] == [5]


def test_an_entry_that_matches_by_its_path_says_so(told):
    told.reading("headcount.xlsx", text="7")
    assert "    read: L2 headcount.xlsx (by its path)" in text_of(told)


def test_a_requirement_that_nothing_matches_says_so(told):
    told.add("dividend")
    assert text_of(told)[-2] == "    no entry and no unopened file has a word in common with it"


def test_the_review_comes_in_pages_of_ten(story):
    told = story()
    told.add(*(f"item {n}" for n in range(12)))
    first, second = text_of(told), text_of(told, 2)
    assert sum(line.startswith("r") for line in first) == 10
    assert first[-1] == "page 1 of 2; next: tab list --page 2"
    assert [line.split()[0] for line in second if line.startswith("r")] == ["r11", "r12"]


def test_long_lines_are_clipped_and_cannot_act(story):
    told = story()
    told.add("total")
    told.reading("a.csv", text="total\x1b[31m" + "x" * 500)
    line = text_of(told)[2]
    assert "\x1b" not in line
    assert len(line) < 200
    assert line.endswith("...")


def test_where_excerpts_are_many_megabytes_the_beginnings_of_the_newest_are_ranked(story, monkeypatch):
    monkeypatch.setattr("tabshell.tab.review.RANKED", 300)
    monkeypatch.setattr("tabshell.tab.review.HEAD", 100)
    told, asked = story(), []
    told.add("harbour fee")
    for number in range(1, 6):
        told.reading(f"log{number}.txt", text=f"harbour {number}\n" + "x" * 500 + " fee")

    def text_of(entry):
        asked.append([entry.id, *entry.logged.spans])
        return told.texts[entry.id][: entry.logged.spans[0].end]

    (reviewed,) = review(told.tab(), list(told.tab().requirements.values()), text_of)
    assert asked == [[5, (0, 100)], [4, (0, 100)], [3, (0, 100)]]
    assert {line.entry: line.line for line in reviewed.entries} == {5: "harbour 5", 4: "harbour 4", 3: "harbour 3"}


def test_excerpts_of_an_honest_session_are_ranked_whole(story):
    told = story()
    told.add("fee")
    told.reading("long.txt", text="x" * 200_000 + "\nfee 12")
    (reviewed,) = review(told.tab(), list(told.tab().requirements.values()), told.text_of)
    assert reviewed.entries[0].line == "fee 12"


def test_the_review_of_a_fresh_session_says_how_to_begin(story):
    assert text_of(story())[0] == (
        "Requirements: none added yet. Add one for each fact, figure or element that the task names: tab add TEXT"
    )


def test_without_the_review_only_the_status_is_shown(told):
    told.unavailable(2, "computed")
    tab = told.tab()
    assert plain_text(tab, page_of(list(tab.requirements.values()), 10, 1)).split("\n") == [
        "Requirements: 2 open, 1 resolved",
        "r1 [open] reimbursement standards",
        "r2 [unavailable: computed] headcount",
        "r3 [open] layout of the guide",
    ]


def test_requirements_in_chinese_find_their_entry(story):
    told = story(task="差旅 报销")
    told.add("差旅费报销标准")
    told.reading("制度.txt", text="第一章\n差旅费 标准\n220")
    assert text_of(told)[2] == "    read: L1 制度.txt: 差旅费 标准"
