"""Lines of a text that are wanted: looked up all at once, the same is found as by folding each line."""

from hypothesis import example, given
from hypothesis import strategies as st

from tabshell.access.output.wanted import Wanted

LINES = st.text(alphabet=st.sampled_from("ab \t\r\x0b\x0c\x1c\x1f\x85\xa0\u2003\u2028\u3000é\ud83d"), max_size=8)


def folded(line: str) -> str:
    return " ".join(line.split())


@given(st.lists(LINES, max_size=12), st.sets(LINES, max_size=6))
@example(["a b", "ab", " a\u2003b "], {"a b"})
def test_the_same_is_found_as_by_folding_each_line(lines: list[str], sought: set[str]) -> None:
    forms = {folded(line) for line in sought} - {""}
    expected = [(number, folded(line)) for number, line in enumerate(lines, 1) if folded(line) in forms]
    assert list(Wanted(forms).among("\n".join(lines))) == expected


def test_lines_that_differ_in_blanks_alone_are_told_apart() -> None:
    assert list(Wanted({"to day"}).among("today\nto  day\nto day\r\n")) == [(2, "to day"), (3, "to day")]
