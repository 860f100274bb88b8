"""An excerpt is measured without making its text, in pieces and while it comes in."""

from __future__ import annotations

import hashlib
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from tabshell.model.accesses import Span
from tabshell.text import measure as of_excerpts
from tabshell.text.measure import measure
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
