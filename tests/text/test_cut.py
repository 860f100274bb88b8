"""A long output as a model is shown it, and which of its bytes these are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabshell.text import cut as room
from tabshell.text.cut import cut, joined, shown_ranges

TEXT = st.text("abcdefghij\n", max_size=60)


def text_of(errors, output):
    return joined(errors.decode("utf-8", "replace"), output.decode("utf-8", "replace"))


def test_what_fits_is_shown_whole():
    assert cut("a\nb", 3) == "a\nb"
    assert shown_ranges(b"", b"a\nb\n", 3) is None
    assert shown_ranges(b"x" * 9, b"y" * 9, 0) is None


def test_of_a_long_output_both_ends_are_shown_and_what_is_missing_is_counted():
    text = "".join(f"line {n:04}\n" for n in range(1000))
    told = cut(text, 100)
    assert told.startswith("line 0000\nline 0001\n")
    assert told.endswith("line 0999\n")
    assert "[... 9,900 bytes of the output are not shown here ...]" in told
    assert shown_ranges(b"", text.encode(), 100) == ((), ((0, 50), (len(text) - 51, len(text) - 1)))


def test_error_messages_stand_first_and_may_take_all_the_room_there():
    errors, output = shown_ranges(b"e" * 1000, b"o" * 1000, 100)
    assert errors == ((0, 50),)
    assert output == ((950, 1000),)
    errors, output = shown_ranges(b"e" * 1000, b"o" * 10, 100)
    assert errors == ((0, 50), (961, 1000))
    assert output == ((0, 10),)


def test_broken_bytes_take_the_room_of_the_sign_that_stands_for_them():
    ((first, last),) = shown_ranges(b"", b"\xff" * 100 + b"a" * 1000, 60)[1][:1]
    assert (first, last) == (0, 10)  # three bytes each


def test_of_an_output_that_the_engine_did_not_take_over_whole_its_end_is_shown(monkeypatch):
    monkeypatch.setattr(room, "KEPT", 100)
    assert shown_ranges(b"", b"a" * 900 + b"b" * 100, 200) == ((), ((900, 1000),))
    assert shown_ranges(b"", b"a" * 900 + b"b" * 100, 20)[1] == ((900, 910), (990, 1000))


@given(TEXT, TEXT, st.integers(2, 100))
def test_the_ranges_are_the_bytes_of_the_text_that_is_shown(errors, output, most):
    text = joined(errors, output)
    ranges = shown_ranges(errors.encode(), output.encode(), most)
    if ranges is None:
        assert cut(text, most) == text
        return
    told = text[: most // 2] + text[len(text) - (most - most // 2) :]
    assert told in cut(text, most).replace(
        f"\n[... {len(text) - most:,} bytes of the output are not shown here ...]\n", ""
    )
    held = "".join(one[s:e] for one, spans in zip((errors, output), ranges, strict=True) for s, e in spans)
    assert sorted(held.replace("\n", "")) == sorted(told.replace("\n", ""))


@given(st.binary(max_size=80), st.binary(max_size=80), st.integers(4, 100))
def test_bytes_that_are_no_text_raise_nothing_and_no_more_is_shown_than_there_is_room_for(errors, output, most):
    ranges = shown_ranges(errors, output, most)
    if ranges is None:
        assert cut(text_of(errors, output), most) == text_of(errors, output)
    else:
        assert sum(end - start for spans in ranges for start, end in spans) <= most
