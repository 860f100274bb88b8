"""A process that asks one thing reads less, and gets what all facts add up to."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabshell.model.accesses import Write
from tabshell.model.facts import (
    EntryLogged,
    EntrySeen,
    FinishChecked,
    NoteAdded,
    RecordingGap,
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    TabAccessed,
    TaskSet,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.session import Session, SessionOptions, once
from tabshell.tab.fold import standing
from tabshell.tab.unopened import Unopened

PATHS = st.sampled_from(
    [
        "travel.csv",
        "travel/report.txt",
        "travel/rates.csv",
        "lib/a b.txt",
        "caf\udcff.txt",
        ".git/x",
        "out/done.md",
        "/etc/hosts",
    ]
)
SOME = st.lists(PATHS, max_size=4).map(tuple)
SMALL = st.integers(1, 4)
WRITES = st.builds(Write, PATHS, SOME, st.booleans(), st.booleans(), st.none() | PATHS | st.just("travel/"))
FACTS = st.one_of(
    st.builds(TurnStarted, st.just(0), st.just("pty"), st.just("ls"), st.just("history"), st.just("/ws")),
    st.builds(
        TurnClassified, st.just(None), SOME, SOME, SOME, st.lists(WRITES, max_size=2).map(tuple), SOME, SOME, st.just(())
    ),
    st.builds(
        EntryLogged, st.just(0), SMALL, st.sampled_from(["read", "search"]), SOME, SOME, st.just("cat x"), st.just(1),
        st.just(()), st.just(0), st.just("00"), derived_from=SOME,
    ),
    st.builds(EntrySeen, SMALL, SMALL),
    st.builds(RequirementAdded, st.just(0), SMALL, st.just("travel report")),
    st.builds(RequirementResolved, SMALL, SMALL, st.just("done"), st.just((1,)), st.none()),
    st.builds(RequirementReopened, SMALL, SMALL),
    st.builds(NoteAdded, st.just(0), SMALL, st.just("a note")),
    st.builds(TaskSet, st.sampled_from(["the travel report", "other rates of travel"])),
    st.builds(TabAccessed, SMALL, st.sampled_from(["list", "status", "prompt", "add"]), st.just(())),
    st.builds(FinishChecked, SMALL, st.just("exit"), st.just("open"), st.just(())),
    st.builds(RecordingGap, SMALL, st.just("why")),
)  # fmt: skip


def made(workspace, **options):
    return Session.create(SessionOptions(str(workspace), **options), os.environ)


def stored(session, facts):
    """Stores facts, a turn's classification once for each turn."""
    turn = session.store.last_number(TurnStarted)
    for fact in facts:
        if isinstance(fact, TurnClassified):
            turn += 1
            session.append(TurnStarted(turn, "pty", "ls", "history", "/ws"))
            session.append(TurnEnded(turn, 0, 0.1, 1, 0, 0, 0))
            values = {name: getattr(fact, name) for name in fact.__slots__}
            session.append(TurnClassified(**{**values, "turn": turn}))
        else:
            (given_back,) = session.append(fact)
            turn = given_back.turn if isinstance(fact, TurnStarted) else turn


def everything(tab):
    values = {name: getattr(tab, name) for name in tab.__slots__ if name not in ("turns", "accesses")}
    return {
        **values,
        "entries": list(tab.entries.items()),
        "candidates": list(tab.candidates.items()),
        "requirements": list(tab.requirements.items()),
    }


def same(session):
    """Whether both ways tell the same now."""
    all_facts = session.tab()
    folded = session.standing()
    with Session.open(session.directory) as other:
        other.once = True
        assert other.standing() == folded == standing(all_facts)
        assert everything(other.tab()) == everything(all_facts)
        brief = other.tab(files=False)
        assert (brief.candidates, brief.opened, brief.made) == ({}, frozenset(), {})
        numbers = list(all_facts.entries)
        assert (list(brief.entries), len(brief.entries)) == (numbers, len(numbers))
        assert [brief.entries[number] for number in numbers] == list(all_facts.entries.values())
        assert [number in brief.entries for number in (1, 99)] == [1 in numbers, False]
        assert brief.entries.get(99) is None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(FACTS, max_size=12), min_size=1, max_size=3), st.booleans(), st.booleans())
def test_what_is_read_once_is_what_all_facts_add_up_to(workspace, parts, keeping, with_task):
    task = "travel report of rates" if with_task else None
    before = once.WORTH
    once.WORTH = 1 if keeping else 1 << 30
    try:
        with made(workspace, task=task, out=str(workspace / "out")) as session:
            for facts in parts:
                stored(session, facts)
                same(session)
                same(session)
    finally:
        once.WORTH = before


def listing(count):
    paths = tuple(f"travel/report_{number}.csv" for number in range(count))
    return TurnClassified(1, (), (), paths, (), (), (), ())


@pytest.fixture
def session(workspace):
    """A session that has listed a thousand files."""
    with made(workspace, task="the travel report") as new:
        new.append(TurnStarted(0, "pty", "ls", "history", "/ws"), TurnEnded(1, 0, 0.1, 1, 0, 0, 0), listing(1000))
        yield new


def read_once(session):
    with Session.open(session.directory) as other:
        other.once = True
        return other.standing()


def test_files_that_were_kept_are_not_looked_at_again(session, monkeypatch):
    assert read_once(session).above == 1000
    assert (session.directory / once.NAME).stat().st_mode & 0o777 == 0o600
    right = session.standing()
    seen = []
    monkeypatch.setattr(Unopened, "classified", lambda _self, fact: seen.append(fact))
    assert read_once(session) == right
    assert seen == []


def test_few_new_facts_are_not_worth_writing_the_file_anew(session):
    read_once(session)
    written = (session.directory / once.NAME).stat().st_mtime_ns
    session.append(EntryLogged(0, 1, "read", ("travel/report_7.csv",), (), "cat", 1, (), 0, "00"))
    assert read_once(session) == session.standing()
    assert read_once(session).candidates == 999
    assert (session.directory / once.NAME).stat().st_mtime_ns == written


@pytest.mark.parametrize(
    "body", ["", "[]", "[[1]]", "{", '[[["a"]],{},[],null,[]]', "[[],1,[],null,[]]", "[[],[],[],null]"]
)
def test_a_file_that_makes_no_sense_is_made_again(session, body):
    right = read_once(session)
    path = session.directory / once.NAME
    head = path.read_text().split("\n", 1)[0]
    path.write_text(f"{head}\n{body}")
    assert read_once(session) == right
    assert len(path.read_text()) > 1000


def test_a_file_of_another_store_or_version_is_not_believed(session, workspace, monkeypatch):
    read_once(session)
    with made(workspace, task="the travel report") as other:
        other.append(TurnStarted(0, "pty", "ls", "history", "/ws"), TurnEnded(1, 0, 0.1, 1, 0, 0, 0), listing(3))
        (other.directory / once.NAME).write_bytes((session.directory / once.NAME).read_bytes())
        assert read_once(other).candidates == 3
    monkeypatch.setattr(once, "FORMAT", "files/0")
    assert read_once(session) == session.standing()


def test_a_session_that_can_only_be_read_keeps_nothing(session):
    with Session.open(session.directory, readonly=True) as other:
        other.once = True
        assert other.standing() == session.standing()
    assert not (session.directory / once.NAME).exists()
