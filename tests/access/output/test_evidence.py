"""Terms are handled as bytes, all at once; character by character the same would come out."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tabshell.access.output.evidence import SEVERAL, casefolded, foreign, readings, terms, unescaped, words

TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("aZ09.,-_ \t\n\r\x01ßİΣςé\u0301\ud83d\udc80’Ⓐ²١漢")), max_size=60
)
#: More marks and capitals beyond ASCII than are replaced one by one.
MANY = "".join(map(chr, range(0x391, 0x3A2))) + "".join(map(chr, range(0x2500, 0x2500 + SEVERAL)))


def term_by_term(text: str) -> list[str]:
    """What ``terms`` means."""
    text = re.sub(r"(?<=[0-9])\.(?=[0-9])", "\x01", text.casefold().replace("\x01", " "))
    found = "".join(c if c.isalnum() else "." if c == "\x01" else " " for c in text).split()
    return [term.rstrip("0").rstrip(".") if term.count(".") == 1 else term for term in found]


@given(TEXTS)
@example("Straße 1.50 ΑΣ’Σ 200000.0 v1.2.30 x.0 .5 1. 2.0.")
@example("\x01 .")
@example(f"{MANY} Ünder {MANY}")
def test_terms_are_what_they_are_character_by_character(text: str) -> None:
    assert terms(text) == term_by_term(text)


@given(TEXTS)
@example(MANY)
def test_words_are_the_runs_of_letters_and_digits(text: str) -> None:
    lowered = text.casefold()
    runs = "".join(c if c.isalnum() else " " for c in lowered).split()
    assert {word.decode() for word in words(lowered)} == set(runs)


@given(TEXTS)
@example(MANY)
@example("ẞ Straße İstanbul Σίσυφος")
def test_texts_are_brought_to_lower_case_as_python_does(text: str) -> None:
    assert casefolded(text) == text.casefold()


@given(TEXTS)
def test_foreign_characters_are_those_beyond_ascii(text: str) -> None:
    assert foreign(text) == {c for c in text if not c.isascii()}


@pytest.mark.parametrize(
    ("shown", "meant"),
    [
        (r"b'\xef\xbb\xbfR\xc3\xa9f.;D\xc3\xa9signation'", "réf désignation"),
        (r"b'R\xe9f.;D\xe9signation'", "réf désignation"),
        (r"b'\xff\xfeR\x00e\x00f\x00'", "ref"),
        (r"'caf\u00e9\ntwo'", "café two"),
        (r"b'88231\x00\x00Acme'", "88231 acme"),
    ],
)
def test_a_literal_that_shows_bytes_is_read_as_the_text_that_they_are(shown, meant):
    assert set(meant.split()) <= set(terms(unescaped(shown)))


def test_a_literal_of_bytes_is_read_by_itself_too():
    assert ".. _WdUnder" in readings(
        r"utf16.txt 2670 b'\xfe\xff\x00.\x00.\x00 \x00_\x00W\x00d\x00U\x00n\x00d\x00e\x00r'"
    )
