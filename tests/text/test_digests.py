"""Digests by which printed lines are known again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabshell.text.digests import line_digest, line_digests
from tabshell.text.harmless import harmless


def test_a_printed_line_is_known_again_through_a_terminal():
    digests = set(line_digests("r1: travel policy\nr2: meals\n"))
    assert line_digest("r1: travel policy\r") in digests
    assert line_digest("r1: travel") not in digests


def test_blank_lines_have_no_digest():
    assert line_digests("\n  \n\n") == ()
    assert line_digest("") == ""


def test_equal_lines_share_one_digest():
    assert len(line_digests("a\nb\na")) == 2


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_whatever_is_printed_has_a_digest(line):
    assert len(line_digest(harmless(line))) in (0, 12)
