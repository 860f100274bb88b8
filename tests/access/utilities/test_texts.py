"""Patterns of filters, as far as Python reads them as the filters do."""

import pytest

from tabshell.access.bash.streams import Lines
from tabshell.access.utilities.texts import basic_pattern, each, matching


@pytest.mark.parametrize("pattern", ["[a&&b]", "[a||b]", "[+--]", "[~~]"])
def test_a_set_that_python_reads_as_an_operation_is_not_followed(pattern: str) -> None:
    assert basic_pattern(pattern, extended=True, fixed=False, ignore_case=False) is None


def test_marks_outside_of_sets_are_followed() -> None:
    assert basic_pattern("[ab]--x", extended=True, fixed=False, ignore_case=False) is not None


def test_a_table_of_long_lines_is_not_followed_as_a_list_of_names() -> None:
    names = Lines(tuple(f"docs/letter {n}.txt" for n in range(2000)))
    table = Lines(tuple("total  " * 30 for _ in range(2000)))
    found = each(str.strip)(names)
    assert found is not None
    assert len(found.values) == 2000
    assert each(str.strip)(table) is None
    pattern = basic_pattern(" *$", extended=False, fixed=False, ignore_case=False)
    kept = matching(pattern, invert=False)(table)
    assert kept is not None
    assert not kept.exact
