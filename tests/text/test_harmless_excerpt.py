"""An excerpt shown again does nothing to a terminal and is otherwise what it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabshell.text.harmless import harmless_excerpt


def test_escape_sequences_and_carriage_returns_are_shown():
    assert harmless_excerpt("a\x1b[31mred\rb") == "a\u241b[31mred\u240db"


def test_bidi_overrides_are_shown_and_directional_marks_stay():
    assert harmless_excerpt("x\u202ey\u2066z") == "x<U+202E>y<U+2066>z"
    assert harmless_excerpt("\u05d0\u200f \u200e1") == "\u05d0\u200f \u200e1"


def test_undecodable_bytes_stay_but_those_that_act():
    text = b"caf\xe9 \x9b31m".decode("utf-8", "surrogateescape")
    assert harmless_excerpt(text).encode("utf-8", "surrogateescape") == b"caf\xe9 \\x9b31m"


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cf", "Cs"), include_characters="\n\t")))
def test_plain_text_is_left_alone(text):
    assert harmless_excerpt(text) == text


@given(st.binary())
def test_whatever_was_shown_can_be_printed_without_controls(data):
    printed = harmless_excerpt(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    assert not any(byte < 32 and byte not in b"\n\t" for byte in printed)
    assert b"\x7f" not in printed
