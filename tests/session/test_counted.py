"""The terms of entries are counted once: the next process finds them beside the facts, and the review says the same."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from tabshell.model.accesses import Span
from tabshell.model.facts import EntryLogged, OutputChunk, RequirementAdded, StreamOpened, TurnStarted
from tabshell.model.light import replace
from tabshell.session import Session, SessionOptions
from tabshell.session.counted import NAME, CountedTerms
from tabshell.store.database import Store
from tabshell.tab.review import review
from tabshell.text.terms import count_terms

TEXT = "Travel expenses 1,234 in Köln, 経費 \udcff policies\n"


@pytest.fixture
def session(workspace):
    """A session that has read three long texts and looks for one thing."""
    with Session.create(SessionOptions(str(workspace), task="report travel"), os.environ) as made:
        made.append(StreamOpened(0, "pty", True, 24, 80))
        at = 0
        for number in range(3):
            data = (TEXT + f"line {number} of station{number}\n").encode("utf-8", "surrogateescape") * 600
            span = Span(at, at + len(data))
            made.append(
                OutputChunk(1, at, ((0.0, len(data), "tty"),), data),
                TurnStarted(0, "pty", f"cat {number}", "history", str(workspace)),
                EntryLogged(0, 0, "read", (f"{number}.txt",), (), "cat", 1, (span,), len(data), str(number)),
            )
            at = span.end
        made.append(RequirementAdded(0, 1, "travel expenses of station1"))
        yield made


def entries(session):
    return list(session.tab().entries.values())


def refuse(_entry):
    raise AssertionError("counted again")


def test_the_next_process_counts_nothing_again(session):
    counted = [session.entry_terms(entry) for entry in entries(session)]
    session.keep_terms()
    again = CountedTerms(session.store, refuse)
    assert [again.of(entry) for entry in entries(session)] == counted
    assert counted == [count_terms(session.entry_text(entry)) for entry in entries(session)]


def test_the_review_says_the_same_with_and_without(session):
    tab = session.tab()
    items = list(tab.requirements.values())
    plainly = review(tab, items, session.entry_text)
    assert review(tab, items, session.entry_text, session.entry_terms) == plainly
    session.keep_terms()
    again = CountedTerms(session.store, refuse)
    assert review(tab, items, session.entry_text, again.of) == plainly


def test_a_part_of_an_entry_is_counted_for_itself(session):
    entry = entries(session)[0]
    session.entry_terms(entry)
    session.keep_terms()
    part = replace(entry, logged=replace(entry.logged, spans=(Span(0, 7),)))
    again = CountedTerms(session.store, session.entry_text)
    assert again.of(part).counts == {"travel": 1}


def test_little_is_not_worth_a_file(session):
    session.entry_terms(replace(entries(session)[0], logged=replace(entries(session)[0].logged, spans=(Span(0, 7),))))
    session.keep_terms()
    assert not (session.directory / NAME).exists()


def test_a_store_that_cannot_be_written_gets_no_file(session):
    with Store.open(session.store.path, readonly=True) as store:
        counted = CountedTerms(store, session.entry_text)
        for entry in entries(session):
            counted.of(entry)
        counted.keep()
    assert not (session.directory / NAME).exists()


@pytest.mark.parametrize(
    "body", ["", "[]", "{", '{"1": 3}', '{"1 0-7": [1, {"a": "x"}]}', '{"1 0-7": ["1", {}]}', '{"1 0-7": [1, []]}']
)
def test_a_file_that_holds_no_counts_is_as_good_as_none(session, body):
    for entry in entries(session):
        session.entry_terms(entry)
    session.keep_terms()
    path = session.directory / NAME
    header = path.read_text().partition("\n")[0]
    path.write_text(f"{header}\n{body}")
    entry = entries(session)[0]
    assert CountedTerms(session.store, session.entry_text).of(entry) == count_terms(session.entry_text(entry))


def test_the_format_changes_with_what_counts_as_a_term():
    """If this fails, terms are no longer what kept files hold: give ``FORMAT`` another number, and this test too."""
    sample = (
        "Travel-expenses of Q3, 1,234.50 € (camelCase HTTPServer) don't policies; 経費レポート naïve_word 2024-11,128"
    )
    digest = hashlib.sha256(json.dumps(count_terms(sample).counts, sort_keys=True).encode()).hexdigest()
    assert digest[:16] == "bb2733ff794ee763"
