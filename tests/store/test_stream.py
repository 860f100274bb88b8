"""Chunks of a stream: nothing lost under the bound, head and tail beyond it."""

from hypothesis import given
from hypothesis import strategies as st

from tabshell.store.stream import CHUNK, StreamWriter


def joined(chunks):
    return b"".join(chunk.data for chunk in chunks)


@given(st.lists(st.binary(max_size=50), max_size=20), st.integers(0, 20))
def test_what_fits_the_bound_is_kept_byte_for_byte(parts, turn_at):
    writer = StreamWriter(1, bound=10_000)
    for number, part in enumerate(parts):
        if number == turn_at:
            writer.begin_turn()
        writer.write(part, float(number))
    cut = writer.end_turn()
    chunks = writer.take(whole=True)
    assert joined(chunks) == b"".join(parts)
    assert cut.dropped == 0
    assert sum(size for chunk in chunks for _, size, _ in chunk.pieces) == len(b"".join(parts))


@given(st.lists(st.binary(min_size=1, max_size=60), min_size=1, max_size=40), st.integers(2, 100))
def test_beyond_the_bound_head_and_tail_stay_and_the_cut_is_told(parts, half):
    whole = b"".join(parts)
    writer = StreamWriter(1, bound=2 * half)
    writer.write(b"$ ", 0.0)
    start = writer.begin_turn()
    for part in parts:
        writer.write(part, 1.0)
    cut = writer.end_turn()
    end = writer.position
    writer.write(b"$ ", 2.0)
    chunks = writer.take(whole=True)
    kept = joined(chunks)[start:end]
    if len(whole) <= 2 * half:
        assert kept == whole
        assert cut.dropped == 0
    else:
        assert kept == whole[:half] + whole[-half:]
        assert cut.dropped == len(whole) - 2 * half
        assert cut.at == start + half
        assert [(chunk.offset, chunk.dropped) for chunk in chunks if chunk.dropped] == [(cut.at, cut.dropped)]


def test_chunks_are_due_when_they_are_full():
    writer = StreamWriter(1)
    writer.write(b"x" * (CHUNK - 1), 0.0)
    assert writer.take() == []
    writer.write(b"y" * 2, 0.0)
    (chunk,) = writer.take()
    assert len(chunk.data) == CHUNK + 1
    assert writer.waiting == 0
