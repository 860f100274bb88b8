"""Terminal bytes become the lines that a reader saw, each with its byte range."""

from __future__ import annotations

import hashlib
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from tabshell.model.accesses import Span
from tabshell.text import measure as of_excerpts
from tabshell.text.measure import measure
from tabshell.text.observation import _raw_lines, excerpt_text, observe, plain
from tabshell.text.plaintext import seen

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


def test_colours_titles_and_charsets_vanish() -> None:
    assert plain(b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b(B\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\") == "red xlink"


def test_carriage_return_and_backspace_are_replayed() -> None:
    assert plain(b" 10%\r 50%\r100%\x1b[K done\r\n") == "100% done"
    assert plain(b"abcdef\rxy\n") == "xycdef"
    assert plain(b"N\bNA\bAME\n") == "NAME"


def test_cursor_moves_within_a_line_are_replayed() -> None:
    assert plain(b"ab\x1b[3Cx") == "ab   x"
    assert plain(b"abcdef\x1b[4Dz") == "abzdef"
    assert plain(b"abcdef\x1b[2Gz\x1b[K") == "az"
    assert plain(b"abc\x1b[1G\x1b[2Pz") == "z"


def test_invalid_bytes_can_be_given_back() -> None:
    (line,) = observe(b"caf\xe9 \xff\n").lines
    assert line.encode("utf-8", "surrogateescape") == b"caf\xe9 \xff"


def test_each_line_knows_its_bytes() -> None:
    seen = observe(b"one\r\ntwo\nthree")
    assert seen.lines == ("one", "two", "three")
    assert (seen.starts, seen.ends) == ((0, 5, 9), (5, 9, 14))


def test_carriage_returns_alone_end_the_lines_of_an_old_macs_file() -> None:
    seen = observe(b"Item;Price\rChairs;120\rTables of oak;480\rLamps;35\r\nnext\r\n")
    assert seen.lines == ("Item;Price", "Chairs;120", "Tables of oak;480", "Lamps;35", "next")
    assert seen.starts[1] == seen.ends[0] == 11


def test_a_progress_line_is_one_line_however_often_it_was_drawn() -> None:
    steps = b"\r".join(b"Receiving objects: %d%% (%d/90)" % (n, n) for n in range(0, 100, 10))
    assert plain(steps + b", done.\n") == "Receiving objects: 90% (90/90), done."


def test_a_gap_ends_a_line_and_is_told() -> None:
    seen = observe(b"one\ntwothree\nfour\n", gap_at=7)
    assert seen.lines == ("one", "two", "three", "four")
    assert seen.broken == 2
    assert observe(b"one\n", gap_at=4).broken == 1


def test_a_full_screen_program_gives_the_union_of_what_stood_there() -> None:
    page = b"\x1b[?1049h\x1b[H\x1b[2Jone\r\ntwo\r\n\x1b[H\x1b[2Jthree\r\nfour\r\n\x1b[?1049l"
    seen = observe(b"before\r\n" + page + b"after\r\n", columns=20)
    assert seen.lines == ("before", "one", "two", "three", "four", "after")
    ((first, last),) = seen.screens
    assert (first, last) == (1, 5)
    assert {(seen.starts[i], seen.ends[i]) for i in range(first, last)} == {(8, 8 + len(page))}


def test_an_excerpt_is_its_spans_in_order() -> None:
    output = b"head\r\n\x1b[32mone\x1b[0m\r\nskip\r\ntwo\r\n"
    start, end = output.index(b"\x1b"), output.index(b"skip")
    spans = (Span(start, end), Span(output.index(b"two"), len(output)))
    assert excerpt_text(output, spans, screen=False) == "one\ntwo"


@given(FRAGMENTS, st.integers(0, 120), st.one_of(st.none(), st.integers(0, 60)))
def test_spans_tile_any_output(output: bytes, columns: int, gap_at: int | None) -> None:
    seen = observe(output, columns, gap_at)
    assert len(seen.lines) == len(seen.starts) == len(seen.ends)
    ranges = list(dict.fromkeys(zip(seen.starts, seen.ends, strict=True)))
    assert [start for start, _ in ranges] == [0, *(end for _, end in ranges[:-1])][: len(ranges)]
    assert (ranges[-1][1] if ranges else 0) == len(output)


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
        st.sampled_from([b"a", b"\xff", b"\t", b"\n", b"\r\n", b"\r", b"\x1b[31m", b"\xc3\xa9", b"\xc3"]), max_size=30
    )
)
def test_the_quick_way_over_simple_lines_gives_what_the_careful_one_gives(pieces: list[bytes]) -> None:
    output = b"".join(pieces)
    quick = observe(output)
    careful = [(seen(output[a:b]), a, b) for a, b in _raw_lines(output, 0, len(output), None)]
    assert list(zip(quick.lines, quick.starts, quick.ends, strict=True)) == careful


@given(
    st.lists(
        st.sampled_from([b"a", b"\xff", b"\t", b"\n", b"\r\n", b"\r", b"\x1b[31m", b"\xc3\xa9", b"\x07"]), max_size=30
    )
)
def test_an_excerpt_of_everything_is_what_was_observed(pieces: list[bytes]) -> None:
    output = b"".join(pieces)
    assert excerpt_text(output, (Span(0, len(output)),), False) == "\n".join(observe(output).lines)
