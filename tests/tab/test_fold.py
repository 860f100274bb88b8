"""Folding: facts add up to the tab, in one go or in any two halves."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabshell.errors import StoreDamaged
from tabshell.model.accesses import Write
from tabshell.model.facts import (
    Event,
    OutputChunk,
    RecordingGap,
    SessionEnded,
    SessionResumed,
    TaskSet,
    TurnClassified,
    TurnStarted,
)
from tabshell.tab.fold import Folder, fold, standing


def test_a_session_without_anything_is_an_empty_tab(story):
    tab = story(task="Report").tab()
    assert (tab.task, tab.turn, tab.requirements, tab.entries, tab.candidates) == ("Report", 0, {}, {}, {})
    assert tab.check is None
    assert tab.ended is None


def test_a_store_without_a_start_is_refused():
    with pytest.raises(StoreDamaged, match="session start"):
        fold([])


def test_requirements_keep_their_history(story):
    told = story()
    told.add("revenue")
    entry = told.reading("a.csv", text="revenue,1")
    told.done(1, entry)
    told.reopen(1)
    told.unavailable(1, "computed")
    item = told.tab().requirements[1]
    assert item.status == "unavailable"
    assert item.resolution.reason == "computed"
    assert [type(step).__name__ for step in item.history] == [
        "RequirementResolved",
        "RequirementReopened",
        "RequirementResolved",
    ]


def test_a_reopened_requirement_is_open_without_a_resolution(story):
    told = story()
    told.add("revenue")
    told.unavailable(1, "authored")
    told.reopen(1)
    assert told.tab().requirements[1].status == "open"
    assert told.tab().requirements[1].resolution is None


def test_an_entry_shown_again_keeps_its_number_and_gains_a_turn(story):
    told = story()
    entry = told.reading("a.txt", text="x")
    told.seen_again(entry)
    tab = told.tab()
    assert tab.entries[entry].turns == (1, 2)
    assert tab.turns[2].entries == (entry,)


def test_turns_hold_their_end_their_files_and_their_entries(story):
    told = story()
    told.reading("a.txt", text="x")
    turn = told.tab().turns[1]
    assert turn.ended.exit_code == 0
    assert turn.files.read == ("a.txt",)
    assert turn.entries == (1,)


def test_turns_can_be_left_out(story):
    told = story()
    told.idle(3)
    tab = told.tab(turns=False)
    assert tab.turns == {}
    assert tab.turn == 3


def test_a_new_task_rearms_the_finish_check_and_the_same_one_does_not(story):
    told = story(task="Report on travel")
    told.idle()
    told.check()
    told.say(TaskSet("Report on travel"))
    assert told.tab().check is not None
    told.say(TaskSet("Report on water"))
    tab = told.tab()
    assert tab.check is None
    assert len(tab.checks) == 1


def test_a_resumed_session_has_not_ended(story):
    told = story()
    told.say(SessionEnded(0))
    assert told.tab().ended.exit_code == 0
    told.say(SessionResumed("0"))
    assert told.tab().ended is None


def test_gaps_are_kept_and_facts_of_other_rooms_pass(story):
    told = story()
    told.say(RecordingGap(1, "disk full"))
    told.say(OutputChunk(1, 0, (), b""))
    assert [gap.reason for gap in told.tab().gaps] == ["disk full"]


def test_the_tab_that_one_goes_on_from_stays_as_it_is(story):
    told = story(task="travel policy")
    told.listing("travel_policy.txt", "b.txt")
    half = told.tab()
    told.reading("b.txt", text="x")
    told.add("one")
    whole = fold(told.events[len(told.events) - 6 :], half)
    assert list(half.candidates) == ["travel_policy.txt", "b.txt"]
    assert half.requirements == {}
    assert "b.txt" not in whole.candidates


def test_standing_tells_what_the_status_line_needs(story):
    told = story(task="travel policy of the firm")
    told.listing("travel/policy.txt", "menu.txt")
    told.add("a", "b")
    told.unavailable(1, "authored")
    told.access("resolve")
    told.idle(3)
    now = standing(told.tab())
    assert now.open == (2,)
    assert (now.resolved, now.candidates, now.above, now.entries, now.since_access) == (1, 2, 1, 0, 3)


def test_status_and_help_are_no_access(story):
    told = story()
    told.idle()
    told.access("status")
    told.access("help")
    assert standing(told.tab()).since_access is None


PATHS = st.sampled_from(["a.txt", "b/travel.txt", "b/policy.csv", "out/x.md", "/etc/hosts", ".git/config"])
FILES = st.lists(PATHS, max_size=3, unique=True)
WRITES = st.builds(
    Write, PATHS, st.lists(PATHS, max_size=1).map(tuple), st.booleans(), st.booleans(), st.none() | PATHS
)


@st.composite
def sessions(draw, make):
    """A session of arbitrary turns and tab calls."""
    told = make(task=draw(st.none() | st.just("travel policy")), out=draw(st.none() | st.just("/ws/out")))
    for step in draw(st.lists(st.sampled_from("tllrssawwmmvvodqgkce"), min_size=4, max_size=24)):
        if step == "t":
            told.say(TaskSet(draw(st.sampled_from(["travel policy", "water"]))))
        elif step == "l":
            told.listing(*draw(FILES))
        elif step == "r":
            told.reading(draw(PATHS), text="x", own=draw(st.booleans()))
        elif step == "s":
            told.searching(*draw(FILES.filter(bool)), text="y")
        elif step == "a":
            told.add("one", "two")
        elif step == "w":
            told.start("mv")
            told.end(listed=draw(FILES), wrote=draw(st.lists(WRITES, min_size=1, max_size=2)), read=draw(FILES))
        elif step == "m":
            told.writing(draw(PATHS))
        elif step == "v":
            told.writing(draw(PATHS), own=False, moved_from=draw(PATHS))
        elif step == "o":
            told.reopen(1)
        elif step == "d":
            told.done(1, 1)
        elif step == "q":
            told.check()
        elif step == "g":
            told.note("n")
        elif step == "k":
            told.seen_again(1)
        elif step == "c":
            told.access("list", "r1")
        else:
            told.start("cut off")
    return told


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_folding_in_halves_is_folding_at_once(story, data):
    told = data.draw(sessions(story))
    cut = data.draw(st.integers(1, len(told.events)))
    at_once = told.tab()
    halves = fold(told.events[cut:], fold(told.events[:cut]))
    assert halves == at_once
    assert list(halves.candidates) == list(at_once.candidates)
    folder = Folder()
    for event in told.events:
        folder.apply(event)
        folder.standing()
    assert folder.tab() == at_once
    assert folder.standing() == standing(at_once)


def test_ten_thousand_turns_fold_in_time_that_grows_with_the_turns(story):
    """The proxy folds after each turn: the last thousand turns cost what the first thousand did."""
    told = story(task="travel policy")
    folder = Folder(turns=False)
    for event in told.events:
        folder.apply(event)
    seconds = []
    for block in range(10):
        began = time.process_time()
        for number in range(block * 1000 + 1, block * 1000 + 1001):
            folder.apply(Event(number, 0.0, TurnStarted(number, "pty", "ls", "history", "/ws")))
            listed = (f"travel/policy{number}.txt", f"b{number}.txt")
            folder.apply(
                Event(number, 0.0, TurnClassified(number, (f"b{number - 1}.txt",), (), listed, (), (), (), ()))
            )
            folder.standing()
        seconds.append(time.process_time() - began)
    assert folder.standing().candidates == 10_001
    assert min(seconds[-3:]) < 5 * max(min(seconds[:3]), 0.002)


def test_a_long_listing_folds_in_time_that_grows_with_it(story):
    """A hundred thousand paths in one turn cost ten times what ten thousand do, not a hundred times."""
    seconds = []
    for size in (10_000, 100_000):
        folder = Folder(turns=False)
        for event in story(task="travel policy 2024 reports").events:
            folder.apply(event)
        listed = tuple(f"department{n // 500}/reports/{n % 12}/travel_policy_{n}.pdf" for n in range(size))
        began = time.process_time()
        folder.apply(Event(9, 0.0, TurnClassified(1, (), (), listed, (), (), (), ())))
        assert folder.standing().above == size
        seconds.append(time.process_time() - began)
        folder.apply(Event(10, 0.0, TurnClassified(2, listed[:5], (), (), (), (), (), ())))
        assert folder.standing().candidates == size - 5
    assert seconds[1] < 40 * max(seconds[0], 0.01)
