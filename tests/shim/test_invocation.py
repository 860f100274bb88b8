"""Which form of run a call of bash asks for, checked against what bash itself then does."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabshell.shim.invocation import parse

FORMS = [
    (["-c", "x"], "command", "x", ()),
    (["-lc", "x"], "command", "x", ()),
    (["-c", "-l", "x"], "command", "x", ()),
    (["-cl", "x", "n", "a"], "command", "x", ("n", "a")),
    (["--norc", "--noprofile", "-c", "x"], "command", "x", ()),
    (["-norc", "-c", "x"], "command", "x", ()),
    (["--rcfile", "f", "-c", "x"], "command", "x", ()),
    (["-O", "extglob", "-c", "x"], "command", "x", ()),
    (["+O", "extglob", "-c", "x"], "command", "x", ()),
    (["-o", "pipefail", "-c", "x"], "command", "x", ()),
    (["-eo", "pipefail", "-c", "x"], "command", "x", ()),
    (["-c", "-o", "pipefail", "x"], "command", "x", ()),
    (["-co", "pipefail", "x"], "command", "x", ()),
    (["-euxo", "pipefail", "-c", "x"], "command", "x", ()),
    (["-e", "+o", "errexit", "-c", "x"], "command", "x", ()),
    (["-c", "--", "-x"], "command", "-x", ()),
    (["-c", "-", "x"], "command", "x", ()),
    (["+c", "x"], "command", "x", ()),
    (["-ic", "x"], "command", "x", ()),
    (["-cs", "x", "a"], "command", "x", ("a",)),
    (["-c"], "other", None, ()),
    (["-nc", "x"], "other", None, ()),
    (["-n", "f"], "other", None, ()),
    (["-o", "noexec", "-c", "x"], "other", None, ()),
    (["-n", "+n", "-c", "x"], "command", "x", ()),
    (["--version"], "other", None, ()),
    (["--help"], "other", None, ()),
    (["-D", "f"], "other", None, ()),
    (["--nothing", "-c", "x"], "other", None, ()),
    (["-Z", "-c", "x"], "other", None, ()),
    (["-o"], "other", None, ()),
    (["--rcfile"], "other", None, ()),
    (["f"], "script", "f", ()),
    (["f", "-c", "x"], "script", "f", ("-c", "x")),
    (["--", "-c", "x"], "script", "-c", ("x",)),
    (["-", "f", "a"], "script", "f", ("a",)),
    (["-x", "f"], "script", "f", ()),
    ([], "stdin", None, ()),
    (["-s"], "stdin", None, ()),
    (["-s", "a", "b"], "stdin", None, ("a", "b")),
    (["-"], "stdin", None, ()),
    (["--norc"], "stdin", None, ()),
    (["-i"], "interactive", None, ()),
    (["--norc", "-i"], "interactive", None, ()),
]


@pytest.mark.parametrize(("words", "form", "text", "arguments"), FORMS, ids=lambda value: repr(value)[:40])
def test_each_form_is_told_from_the_words(words, form, text, arguments):
    seen = parse(words)
    assert (seen.form, seen.text, seen.arguments) == (form, text, arguments)


def test_a_terminal_makes_a_bare_call_interactive():
    assert parse([], terminal=True).form == "interactive"
    assert parse(["-s"], terminal=True).form == "interactive"
    assert parse(["-c", "x"], terminal=True).form == "command"
    assert parse(["f"], terminal=True).form == "script"


def test_flags_that_matter_are_kept():
    assert parse(["-lc", "x"]).login
    assert parse(["--login", "-c", "x"]).login
    assert parse(["-xc", "x"]).echoes
    assert parse(["--verbose", "-c", "x"]).echoes
    assert not parse(["-x", "+x", "-c", "x"]).echoes
    assert parse(["--posix", "-c", "x"]).posix
    assert parse(["-ic", "x"]).interactive


OPTIONS = st.sampled_from(
    ["-e", "-u", "+x", "-o", "pipefail", "-O", "extglob", "--norc", "-l", "-c", "--", "-s", "-", "+o"]
)


@settings(max_examples=60)
@given(st.lists(OPTIONS, max_size=6))
def test_the_text_that_bash_runs_is_the_text_that_is_told(options):
    """Whatever the order of options: where bash runs a ``-c`` text, it is the one that ``parse`` found."""
    words = [*options, 'echo RAN-$((6*7)) "$0"', "zero"]
    seen = parse(words)
    done = subprocess.run(
        ["bash", *words], stdin=subprocess.DEVNULL, capture_output=True, check=False,
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    if b"RAN-42" in done.stdout:
        assert seen.form == "command"
        assert seen.text == words[-2]
    elif done.returncode == 0:
        assert seen.text != words[-2]


@given(st.lists(st.text(alphabet="-+abclsoOxnD efg", max_size=5), max_size=6), st.booleans())
def test_no_words_make_it_raise(words, terminal):
    assert parse(words, terminal=terminal).form in ("command", "script", "stdin", "interactive", "other")
