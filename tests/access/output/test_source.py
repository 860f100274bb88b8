"""A file prepared for comparing: folding as a whole equals folding line by line; partial sources say so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.access.output.source import DIRECT, Source
from tabshell.access.output.wanted import Wanted


def source(text, **more):
    return Source("f", lambda: (text,), len(text), **more)


def test_the_wanted_lines_are_found_with_their_numbers_whatever_their_blanks():
    found = source("one\n  two   words\n\none\r\n").matching(Wanted({"one", "two words", "three"}))
    assert list(found) == [(1, "one"), (2, "two words"), (4, "one")]


@pytest.mark.parametrize("filler", ["", "filler line\n" * (DIRECT // 10)])
def test_short_and_long_texts_answer_alike(filler):
    text = filler + "Harbour  fees,\t1,200.50 in March\nferry timetable\n"
    here = source(text)
    assert list(here.places("Harbour fees, 1,200.50 in March")) == [filler.count("\n") + 1]
    assert here.holds("harbour FEES, 1,200.50")
    assert not here.holds("harbour dues")
    assert here.has("ferry")
    assert not here.has("ferr")
    assert here.adjoins(["ferry", "timetable"])
    assert not here.adjoins(["harbour", "timetable"])


def test_a_line_is_found_behind_many_others_that_hold_its_longest_word():
    text = "".join(f"{n} harbourmaster gone\r\n" for n in range(200))
    assert list(source(text).places("199 harbourmaster gone")) == [200]
    assert list(source("a  harbourmaster\n" * 2).places("a harbourmaster")) == [1, 2]


def test_a_source_that_is_too_dear_gives_its_beginning_and_says_that_it_is_partial():
    dear = source("whole text", afford=lambda: False, glance=lambda: ("whole",))
    assert dear.texts == ("whole",)
    assert dear.partial
    left = source("whole text")
    left.leave()
    assert (left.texts, left.partial) == ((), True)


WORDS = ["berth", "tolls", "Straße", "42", "4200", "été", "x", "lock"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), st.sampled_from([" ", ", ", "_", "—", "\n", "-"]))
def test_a_long_text_knows_the_words_that_a_short_one_knows(words: list[str], mark: str) -> None:
    text = mark.join(words)
    short, long = source(text), source(text + " \n" * DIRECT)
    assert long.length > DIRECT
    for word in {*map(str.casefold, WORDS), "420", "ber"}:
        assert long.has(word) == short.has(word), word
