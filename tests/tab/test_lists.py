"""The lists of the tab: candidates, log, pages, the status line."""

from __future__ import annotations

import pytest

from tabshell.errors import Refused
from tabshell.tab.candidates import candidates_page, ranked_candidates
from tabshell.tab.fold import Standing, standing
from tabshell.tab.log import log_page
from tabshell.tab.paging import page_of
from tabshell.tab.statusline import status_line
from tabshell.tab.threshold import Threshold


def line_of(told):
    return status_line(standing(told.tab()))


# -- candidates -----------------------------------------------------------------------------------------------


def test_candidates_are_ranked_by_their_paths_against_the_task(story):
    told = story(task="Compile a guide on travel reimbursement from the policies")
    told.listing("menu.txt", "hr/travel_policy.txt", "hr/travel_reimbursement_policy.pdf", "archive/policy.txt")
    text, page = candidates_page(told.tab(), 1)
    assert text.split("\n") == [
        "Candidates: 4 unopened, 2 above threshold (marked *), most relevant to the task first; "
        "opening a file removes it",
        "1. hr/travel_reimbursement_policy.pdf *",
        "2. hr/travel_policy.txt *",
        "3. archive/policy.txt",
        "4. menu.txt",
    ]
    assert page.items[0].candidate.path == "hr/travel_reimbursement_policy.pdf"


def test_the_list_and_the_status_line_agree_on_the_threshold(story):
    told = story(task="quarterly csv of water and power saving")
    told.listing("water/power.txt", "water.csv", "csv/csv.csv", "power/quarterly/x.md", "saving_water_a.doc", "x.csv")
    ranked = ranked_candidates(told.tab())
    assert sum(each.above for each in ranked) == standing(told.tab()).above == 4
    threshold = Threshold(told.tab().task)
    assert all(each.above == threshold.above(each.candidate.path) for each in ranked)


def test_one_term_twice_is_not_above_the_threshold():
    assert not Threshold("travel guide").above("travel/travel.txt")
    assert Threshold("travel guide").above("travel/guide.txt")


def test_candidates_that_share_nothing_come_last_newest_first(story):
    told = story(task="travel")
    told.listing("old1.txt", "old2.txt", "travel.txt")
    told.listing("new.txt")
    assert [each.candidate.path for each in ranked_candidates(told.tab())] == [
        "travel.txt",
        "new.txt",
        "old1.txt",
        "old2.txt",
    ]


def test_without_a_task_candidates_are_newest_first_and_unmarked(story):
    told = story()
    told.listing("a.txt")
    told.listing("b.txt")
    text, _ = candidates_page(told.tab(), 1)
    assert text.split("\n") == [
        "Candidates: 2 unopened, newest first (set the task text to rank them: tab task TEXT)",
        "1. b.txt",
        "2. a.txt",
    ]


def test_search_hits_are_named(story):
    told = story(task="x")
    told.searching("a.txt", text="one")
    told.searching("a.txt", text="two")
    assert "1. a.txt (search hits only: L1, L2)" in candidates_page(told.tab(), 1)[0]


def test_candidates_come_in_pages_of_twenty_numbered_on(story):
    told = story(task="x")
    told.listing(*(f"f{n:02}.txt" for n in range(45)))
    first, _ = candidates_page(told.tab(), 1)
    last, page = candidates_page(told.tab(), 3)
    assert first.split("\n")[-1] == "page 1 of 3; next: tab list candidates --page 2"
    assert last.split("\n")[1:] == [*(f"{n}. f{n - 1:02}.txt" for n in range(41, 46)), "page 3 of 3"]
    assert len(page.items) == 5
    assert len(candidates_page(told.tab(), None)[1].items) == 45


def test_no_candidates_is_said(story):
    assert candidates_page(story(task="x").tab(), 1)[0].startswith("Candidates: 0 unopened")


def test_names_cannot_break_the_list(story):
    told = story(task="x")
    told.listing("a\nb\x1b[31m.txt", b"caf\xe9.txt".decode("utf-8", "surrogateescape"))
    assert candidates_page(told.tab(), 1)[0].split("\n")[1:] == ["1. a\u240ab\u241b[31m.txt", "2. caf\\xe9.txt"]


# -- log ------------------------------------------------------------------------------------------------------


def test_the_log_is_newest_first_with_anchor_and_size(story):
    told = story()
    told.reading("hr/a.txt", text="12345", command="sed -n '1,5p' hr/a.txt")
    told.searching("b.txt", "c.txt", text="hit")
    told.reading("/tmp/x", text="y", derived_from=("a.pdf",), outside=True, truncated=True)
    assert log_page(told.tab(), 1)[0].split("\n") == [
        "Read log: 3 entries, newest first; tab show L3 shows one",
        "L3: /tmp/x (turn 3, 1 chars) [derived from a.pdf; outside the workspace; truncated]",
        "    command: cat /tmp/x",
        "L2: b.txt, c.txt (turn 2, 3 chars) [search hits]",
        "    command: grep -rn x .",
        "L1: hr/a.txt (turn 1, 5 chars)",
        "    command: sed -n '1,5p' hr/a.txt",
    ]


def test_a_command_of_many_lines_takes_one(story):
    told = story()
    told.reading("a", text="x", command="python3 - <<'E'\nprint(1)\nE\n", own=True, binary=True, unconfirmed=True)
    text = log_page(told.tab(), 1)[0]
    assert "    command: python3 - <<'E' (+2 lines)" in text
    assert "[written by the agent; binary; unconfirmed]" in text


def test_an_empty_log_is_said(story):
    assert log_page(story().tab(), 1)[0].startswith("Read log: no entries yet")


# -- pages ----------------------------------------------------------------------------------------------------


def test_a_page_that_is_not_there_is_refused_with_their_number():
    with pytest.raises(Refused, match="no page 3; there are 2 pages") as caught:
        page_of(range(11), 10, 3)
    assert caught.value.code == "no-such-page"
    with pytest.raises(Refused, match="there is 1 page"):
        page_of([], 10, 2)


def test_nothing_is_one_empty_page():
    page = page_of([], 10, 1)
    assert (list(page.items), page.footer("x")) == ([], [])


# -- status line ----------------------------------------------------------------------------------------------


def test_the_status_line_before_the_first_requirement(story):
    told = story(task="travel policy")
    assert line_of(told) == (
        "[tab] requirements: none added yet | candidates: 0 unopened, 0 above threshold | read log: 0 entries | "
        "last tab access: never | ops: tab add list show resolve"
    )


def test_the_status_line_as_specified():
    now = Standing((1, 3), 1, 94, 55, 4, 3, capture=True)
    assert status_line(now) == (
        "[tab] requirements: 2 open (r1, r3), 1 resolved | candidates: 94 unopened, 55 above threshold | "
        "read log: 4 entries | last tab access: 3 turns ago | ops: tab add list show resolve"
    )


@pytest.mark.parametrize(("turns", "said"), [(None, "never"), (0, "this turn"), (1, "1 turn ago"), (2, "2 turns ago")])
def test_how_long_the_tab_was_not_used(turns, said):
    assert f"| last tab access: {said} |" in status_line(Standing((), 1, 0, None, 1, turns, capture=True))


def test_at_most_twelve_open_ids_are_named():
    line = status_line(Standing(tuple(range(1, 21)), 0, 0, None, 0, 0, capture=True))
    assert "20 open (r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, +8), 0 resolved" in line


def test_without_a_task_the_threshold_is_left_out(story):
    told = story()
    told.listing("a.txt")
    assert "| candidates: 1 unopened | read log" in line_of(told)


def test_without_capture_candidates_and_log_are_left_out(story):
    told = story(task="x", capture=False)
    told.add("a")
    assert line_of(told) == (
        "[tab] requirements: 1 open (r1), 0 resolved | last tab access: this turn | ops: tab add list show resolve"
    )


def test_all_resolved_names_no_ids(story):
    told = story()
    told.add("a")
    told.unavailable(1, "computed")
    assert "requirements: 0 open, 1 resolved |" in line_of(told)


def test_the_status_line_is_one_line_of_ascii(story):
    told = story(task="経費 精算")
    told.listing("経費/精算.txt", "a\nb")
    told.add("経費")
    line = line_of(told)
    assert line.isascii()
    assert "\n" not in line
    assert "2 unopened, 1 above threshold" in line
