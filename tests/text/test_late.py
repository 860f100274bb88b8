"""Patterns that are compiled when they are used."""

from __future__ import annotations

import re

import pytest

from tabshell.text.late import late


def test_it_does_what_a_pattern_does():
    pattern = late(r"(?a)(\w)-(\d)")
    assert pattern.fullmatch("a-1")[2] == "1"
    assert pattern.sub("x", "a-1 b-2") == "x x"
    assert pattern.sub("y", "a-1") == "y"  # the second time it is at hand
    assert (pattern.pattern, pattern.flags & re.ASCII) == (r"(?a)(\w)-(\d)", re.ASCII)
    assert late(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_a_wrong_pattern_is_found_when_it_is_used():
    pattern = late("(")
    with pytest.raises(re.error):
        pattern.match("x")
