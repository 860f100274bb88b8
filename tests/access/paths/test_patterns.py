"""Shell patterns as regular expressions."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.access.paths.patterns import compiled

TEXTS = ["-", "&", "~", "|", "+", ",", "a", "b", "c", "x", "[", "]", "^", "!", "\\"]


@pytest.mark.parametrize(
    "pattern",
    [
        "[a&&b]",
        "[~~a]",
        "[a||b]",
        "[0m && ]",
        "[+--]",
        "[--a]",
        "[a-]",
        "[!a&&-]",
        "[]a]",
        "[^^]",
        "[a\\-c]",
        "[[a]",
        "[a-c]",
    ],
)
def test_a_set_holds_what_it_holds_for_bash(pattern):
    script = 'p=$1; shift; for t; do [[ $t == $p ]] && printf "%s\\n" "$t"; done; true'
    run = subprocess.run(
        ["bash", "-c", script, "-", pattern, *TEXTS], env={"LC_ALL": "C"}, capture_output=True, text=True
    )
    assert [text for text in TEXTS if compiled(pattern).match(text)] == run.stdout.splitlines()


@given(st.text(alphabet="[]!^-&~|\\\\ab*?()@+", max_size=16))
def test_no_pattern_raises_or_warns(pattern):
    compiled.__wrapped__(pattern)
