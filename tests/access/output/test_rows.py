"""Very large outputs are looked at in windows: by their bytes, and by their lines."""

from __future__ import annotations

import pytest

from tabshell.access.output import rows
from tabshell.access.output.rows import Rows, rows_of


def cut(output: bytes, *, sampled: bool = True) -> Rows:
    return rows_of(output, 80, None, (), sampled)


def holds_together(found: Rows, output: bytes) -> bool:
    """Whether the rows' ranges follow one another from the first byte to the last."""
    return found.starts[0] == 0 and found.ends[-1] == len(output) and found.starts[1:] == found.ends[:-1]


def test_an_output_of_very_many_short_lines_is_looked_at_in_few_of_them() -> None:
    output = b"y\r\n" * (rows.LINES + 1)
    found = cut(output)
    assert len(found) < rows.LINES // 10
    assert holds_together(found, output)
    assert set(found.texts) == {"y"}


def test_windows_are_as_large_as_ever_where_lines_are_of_usual_length() -> None:
    line = b"2026-01-01,some office line with a few figures,1234.56\r\n"
    output = line * (rows.WHOLE // len(line) + 1)
    found = cut(output)
    assert holds_together(found, output)
    assert len(found) > 2 * rows.EDGE // len(line)


def test_of_a_very_large_output_samples_tell_how_long_its_lines_are() -> None:
    short = b"y\r\n" * (rows.WHOLE // 3 + 1)
    found = cut(short)
    assert holds_together(found, short)
    assert len(found) < rows.LINES // 10
    assert rows._line_length(short) == pytest.approx(3, rel=0.01)
    one = b"y" * (rows.WHOLE + 1)
    assert rows._line_length(one) >= rows.USUAL
    assert holds_together(cut(one), one)


@pytest.mark.parametrize("sampled", [True, False])
def test_all_lines_are_rows_up_to_the_bounds_and_where_paths_may_be_listed(sampled: bool) -> None:
    output = b"y\r\n" * (rows.LINES if sampled else rows.LINES + 1)
    assert len(cut(output, sampled=sampled)) == output.count(b"\n")
