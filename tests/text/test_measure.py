"""An excerpt is measured without making its text, in pieces and while it comes in."""

from __future__ import annotations

import hashlib
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from tabshell.model.accesses import Span
from tabshell.text import measure as of_excerpts
from tabshell.text.measure import Beginning, measure
from tabshell.text.observation import excerpt_text, observe

FRAGMENTS = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from(
            [
                b"\r\n",
                b"\n",
                b"\x1b[31m",
                b"\x1b[K",
                b"\x1b[?1049h",
                b"\x1b[?1049l",
                b"\x1b[H",
                b"\x1b]0;t\x07",
                b"\r",
                b"\b",
            ]
        ),
        st.text(max_size=8).map(lambda t: t.encode("utf-8", "surrogatepass")),
    ),
    max_size=20,
).map(b"".join)


@given(FRAGMENTS)
def test_measuring_equals_making_the_text(output: bytes) -> None:
    seen = observe(output)
    half = len(seen.ends) // 2
    cut = seen.ends[half - 1] if half else 0
    if any(a <= half < b for a, b in seen.screens):
        cut = 0
    spans = tuple(span for span in (Span(0, cut), Span(cut, len(output))) if span.end > span.start)
    text = excerpt_text(output, spans, screen=False)
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    assert measure(output, spans, screen=False) == (len(text), digest)


@given(
    st.lists(
        st.sampled_from(
            [b"a", b"word and word", b"\xff", b"\t", b"\n", b"\r\n", b"\r\r\n", b"\r", b"\x1b[31m", b"\xc3\xa9"]
        ),
        max_size=60,
    ),
    st.integers(4, 40),
)
def test_measuring_in_pieces_of_any_size_gives_the_same(pieces: list[bytes], size: int) -> None:
    output = b"".join(pieces)
    spans = (Span(0, len(output)),) if output else ()
    whole = measure(output, spans, screen=False)
    with mock.patch.object(of_excerpts, "PIECE", size):
        assert measure(output, spans, screen=False) == whole


@given(
    st.lists(
        st.sampled_from(
            [b"a", b"word and word", b"\xff", b"\t", b"\n", b"\r\n", b"\r\n\r\n", b"\r", b"\x1b[31m", b"\xc3\xa9"]
        ),
        max_size=60,
    ),
    st.integers(1, 40),
    st.integers(0, 100),
)
def test_what_was_measured_ahead_changes_nothing(pieces: list[bytes], size: int, left: int) -> None:
    output = b"".join(pieces)
    beginning = Beginning()
    for at in range(0, len(output) - left, size):
        beginning.feed(memoryview(output)[at : min(at + size, len(output) - left)])
    ahead = beginning.measured
    assert ahead is None or ahead.size <= len(output)
    for spans in ((Span(0, len(output)),), (Span(0, len(output) // 2),), (Span(len(output) // 2, len(output)),)):
        assert measure(output, spans, screen=False, ahead=ahead) == measure(output, spans, screen=False)


def test_all_whole_lines_are_measured_ahead() -> None:
    beginning = Beginning()
    for _ in range(3):
        beginning.feed("naïve\r\nlines\r\n".encode())
    beginning.feed(b"and a half")
    measured = beginning.measured
    assert measured is not None
    text = "\n".join(["naïve", "lines"] * 3)
    assert (measured.size, measured.chars) == (3 * 15, len(text))
    assert measured.digest.hexdigest() == hashlib.sha256(text.encode()).hexdigest()


def test_a_line_that_is_drawn_ends_what_is_measured_ahead() -> None:
    beginning = Beginning()
    beginning.feed(b"plain\r\n")
    beginning.feed(b"\x1b[1mdrawn\x1b[m\r\n")
    beginning.feed(b"plain\r\n")
    measured = beginning.measured
    assert measured is not None
    assert measured.size == len(b"plain\r\n")
