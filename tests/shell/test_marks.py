"""Marks are found however the stream is cut, and nothing else is touched."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from tabshell.shell.marks import LONGEST, Mark, MarkScanner, encode

MARKS = st.builds(Mark, st.sampled_from("SEY"), st.integers(0, 10**20).map(str))
#: Bytes that come near to a mark: pieces of it, other sequences, anything.
NEARLY = st.lists(
    st.one_of(
        st.binary(max_size=8),
        st.sampled_from(
            [b"\x1b", b"\x1b]", b"\x1b]7770;", b"\x1b]7770;S", b"\x1b]7770;S;", b"\x1b]7770;S;12", b"\x07"]
        ),
        st.sampled_from(
            [b"\x1b]133;A\x07", b"\x1b]7770;s;1\x07", b"\x1b]7770;S;\x07", b"\x1b]7770;S;1x\x07", b"\x1b[m"]
        ),
        MARKS.map(encode),
    ),
    max_size=12,
).map(b"".join)


def scan(*chunks: bytes) -> list[bytes | Mark]:
    """All pieces, neighbouring bytes joined."""
    scanner = MarkScanner()
    pieces = [piece for chunk in chunks for piece in scanner.feed(chunk)]
    pieces.append(scanner.flush())
    joined: list[bytes | Mark] = []
    for piece in pieces:
        if isinstance(piece, bytes) and joined and isinstance(joined[-1], bytes):
            joined[-1] += piece
        elif piece:
            joined.append(piece)
    return joined


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(NEARLY, st.lists(st.integers(0, 1000), max_size=8))
@example(encode(Mark("S", "1")) * 3, [3, 5, 14, 15])
def test_any_split_of_the_stream_gives_the_same_pieces(data, places):
    assert scan(*cut(data, places)) == scan(data)


@given(NEARLY)
def test_bytes_one_by_one_give_the_same_pieces(data):
    assert scan(*(data[at : at + 1] for at in range(len(data)))) == scan(data)


@given(NEARLY)
def test_nothing_is_lost_or_added(data):
    """Pieces, with the marks written out again, are the stream."""
    assert b"".join(piece if isinstance(piece, bytes) else encode(piece) for piece in scan(data)) == data


@given(st.lists(st.one_of(MARKS, st.binary(max_size=20).filter(lambda text: b"\x1b" not in text)), max_size=10))
def test_display_bytes_are_the_input_minus_the_marks(parts):
    stream = b"".join(part if isinstance(part, bytes) else encode(part) for part in parts)
    pieces = scan(stream)
    assert [piece for piece in pieces if isinstance(piece, Mark)] == [part for part in parts if isinstance(part, Mark)]
    shown = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    assert shown == b"".join(part for part in parts if isinstance(part, bytes))


@given(NEARLY)
def test_no_more_is_kept_back_than_a_mark_is_long(data):
    scanner = MarkScanner()
    scanner.feed(data)
    assert len(scanner.kept) < LONGEST
    assert not scanner.kept or scanner.kept.startswith(b"\x1b")


def test_a_chunk_without_marks_is_not_copied():
    """The usual case costs one search."""
    chunk = b"x" * 100_000
    assert MarkScanner().feed(chunk)[0] is chunk


def test_other_programs_marks_pass():
    foreign = b"\x1b]133;C\x07\x1b]633;E;ls\x07\x1b]7770;hello\x07\x1b]7770;S;12a\x07\x1b]7770;SS;1\x07"
    assert scan(foreign) == [foreign]


def test_a_number_of_forty_one_digits_is_no_mark():
    long = b"\x1b]7770;S;" + b"1" * 41 + b"\x07"
    assert scan(long) == [long]
