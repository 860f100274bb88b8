"""The finish check in its three states, the prompt block and the digest."""

from __future__ import annotations

import pytest

from tabshell.tab.digest import digest
from tabshell.tab.finish import finish_state, finish_text
from tabshell.tab.prompt import prompt_block


def lines(told, stop="exit"):
    return finish_text(told.tab(), stop).split("\n")


def test_state_a_asks_to_state_requirements(story):
    told = story(task="travel guide")
    told.listing("travel_guide.txt", "menu.txt")
    assert finish_state(told.tab()) == ("none", ())
    text = lines(told)
    assert text[0] == "[tab] Finish check: you are about to leave the shell."
    assert text[1].startswith("No requirement was stated")
    assert text[2:5] == [
        "Files listed but never opened: 2 (1 above threshold, marked *). Most relevant to the task:",
        "  travel_guide.txt *",
        "  menu.txt",
    ]
    assert text[5] == "Read log: 0 entries."
    assert text[6].startswith("Now: state one requirement for each fact")
    assert text[7] == 'This is said once: the next "exit" ends the shell.'


def test_state_b_names_the_open_ones_and_counts_the_rest(story):
    told = story(task="x")
    told.add("revenue", "headcount", "layout", "sites")
    told.reading("a.txt", text="revenue 1")
    told.done(1, 1)
    told.unavailable(3, "authored")
    assert finish_state(told.tab()) == ("open", (2, 4))
    text = lines(told, "hook")
    assert text[1:5] == [
        "2 requirements are still open:",
        "  r2 headcount",
        "  r4 sites",
        "Resolved: 1 done, 1 unavailable.",
    ]
    assert text[5] == "Files listed but never opened: 0."
    assert text[6] == "Read log: 1 entry (L1); tab show L1 shows one again, tab list log all of them."
    assert "tab resolve ID done L<n>" in text[7]
    assert "tab resolve ID unavailable REASON (computed, authored, or not in the workspace)" in text[7]


def test_state_c_asks_to_check_the_deliverable(story):
    told = story(task="x")
    told.add("revenue", "layout")
    told.reading("a.txt", text="revenue 1")
    told.done(1, 1)
    told.unavailable(2, "authored")
    assert finish_state(told.tab()) == ("resolved", ())
    text = lines(told, "ctrl-d")
    assert text[1] == "All 2 requirements are resolved: 1 done, 1 unavailable."
    assert "check that each resolved requirement is in your deliverable" in text[4]


def test_ten_files_are_named_and_the_rest_counted(story):
    told = story(task="budget")
    told.listing(*(f"budget{n:02}.txt" for n in range(14)))
    text = lines(told)
    assert [line.strip() for line in text[3:13]] == [f"budget{n:02}.txt" for n in range(10)]
    assert text[13] == "  4 more: tab list candidates"


def test_without_a_task_nothing_is_said_of_the_threshold(story):
    told = story()
    told.listing("a.txt")
    assert lines(told)[2] == "Files listed but never opened: 1. Most relevant to the task:"


def test_without_capture_files_and_log_are_left_out(story):
    told = story(task="x", capture=False)
    told.add("a")
    assert not any("Files listed" in line or "Read log" in line for line in lines(told))


@pytest.mark.parametrize("stop", ["exit", "ctrl-d", "finish", "hook", "end"])
def test_each_stop_has_its_words(story, stop):
    told = story()
    told.idle()
    assert lines(told, stop)[0].startswith("[tab] Finish check: ")


def test_the_prompt_block_has_operations_kinds_steps_and_granularity():
    block = prompt_block()
    for operation in ("add", "list", "show", "resolve", "note", "reopen", "status", "finish"):
        assert f"tab {operation}" in block
    for kind in ("Requirements (r1", "Read log (L1", "Candidates:"):
        assert kind in block
    for step in ("1. First split", "2. Then work", "3. When you have explored", "4. Before you finish"):
        assert f"\n{step}" in block
    assert block.count("are three requirements") == 2


def test_the_prompt_block_can_name_the_program_by_its_path():
    block = prompt_block("/side/car/bin/tab")
    assert "- /side/car/bin/tab add TEXT" in block
    assert " tab add" not in block


def test_the_digest_tells_an_agent_without_context_where_it_stands(story):
    told = story(task="travel guide\nin two chapters")
    told.add("revenue", "headcount")
    told.reading("a.txt", text="revenue 1")
    told.listing("b.txt")
    told.done(1, 1)
    told.note("north first")
    assert digest(told.tab()).split("\n") == [
        "[tab] This session keeps a running account of the task outside your context.",
        "Task: travel guide\u240ain two chapters",
        "Requirements: 1 open, 1 resolved",
        "  r2 [open] headcount",
        "  r1 [done: L1] revenue",
        "Read log: 1 entry, newest first:",
        "  L1: a.txt (turn 2, 9 chars)",
        "Files listed but never opened: 1 (tab list candidates)",
        "Notes:",
        "  n1 north first",
        "tab list reviews the open requirements, tab show L<n> reads an entry again, tab help says the rest.",
    ]


def test_the_digest_can_name_the_program_by_its_path(story):
    told = story()
    told.add(*(f"item {n}" for n in range(30)))
    told.reading("a.txt", text="x")
    text = digest(told.tab(), "/side/car/bin/tab")
    assert "  10 more: /side/car/bin/tab list\n" in text
    assert text.count(" tab ") == 0


def test_the_digest_stays_short(story):
    told = story(task="x " * 5000, workspace="/ws")
    told.add(*(f"requirement {n} " + "y" * 1000 for n in range(100)))
    for number in range(100):
        told.reading(f"f{number}.txt", text="x")
    text = digest(told.tab())
    assert len(text) < 12_000
    assert "  80 more: tab list" in text
