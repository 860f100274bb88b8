"""The words of a ``tab`` call."""

from __future__ import annotations

import pytest

from tabshell.cli.tab.words import Words, items_of, lines_of, parse
from tabshell.errors import UsageError


@pytest.mark.parametrize("argv", [[], ["help"], ["--help"], ["-h"], ["add", "--help"], ["--json", "-h"]])
def test_help_is_asked_for_in_many_ways(argv):
    assert parse(argv).operation == "help"


def test_options_may_stand_anywhere():
    expected = Words("list", ("log",), json=True, page=2)
    assert parse(["--json", "list", "--page", "2", "log"]) == expected
    assert parse(["list", "log", "--page=2", "--json"]) == expected


def test_after_two_dashes_everything_is_text():
    assert parse(["add", "--", "--json", "--page", "-x"]).arguments == ("--json", "--page", "-x")
    assert not parse(["add", "--", "--json"]).json
    assert parse(["--", "add", "x"]).operation == "help"


@pytest.mark.parametrize(
    "text", ["-5 % change", "-5", "-x", "--- totals ---", "--profit and loss", "-", "--"[:1] + "a"]
)
def test_text_with_a_dash_in_front_is_text(text):
    assert parse(["add", text]).arguments == (text,)
    assert parse(["resolve", "r1", "unavailable", text]).arguments[-1] == text


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["add", "--jsno", "x"], "tab add takes no --jsno; put -- before text"),
        (["add", "x", "--page", "2"], "tab add takes no --page"),
        (["list", "--quote", "x"], "tab list takes no --quote"),
        (["list", "-n"], "tab list takes no -n"),
        (["show", "--frobnicate", "L1"], "tab show takes no --frobnicate"),
        (["list", "--page"], "--page needs a value"),
        (["list", "--page", "0"], "--page counts from 1"),
        (["list", "--page", "two"], "--page counts from 1"),
        (["list", "--page", "²"], "--page counts from 1"),
        (["lst"], "no operation 'lst'; there are: add, note, list"),
    ],
)
def test_wrong_words_are_named(argv, message):
    with pytest.raises(UsageError) as caught:
        parse(argv)
    assert str(caught.value).startswith(message)


def test_a_quote_is_taken_as_it_is():
    assert parse(["resolve", "r1", "done", "L1", "--quote", "--odd one"]).quote == "--odd one"
    assert parse(["resolve", "r1", "done", "L1", "--quote=a=b"]).quote == "a=b"


@pytest.mark.parametrize(
    ("arguments", "items"),
    [
        (("total", "sales", "by", "region"), ["total sales by region"]),
        (("total sales", "headcount"), ["total sales", "headcount"]),
        (("one\ntwo\n\n  three  \n",), ["one", "two", "three"]),
        (("a b", "c\nd"), ["a b", "c", "d"]),
        (("one\r\ntwo\rthree",), ["one", "two", "three"]),
        (("- item one\n- item two",), ["- item one", "- item two"]),
        (("revenue", "-", "Q3"), ["revenue - Q3"]),
        (("  padded  ",), ["padded"]),
        (("", "x"), ["x"]),
        (("",), []),
        (("same thing", "same thing"), ["same thing", "same thing"]),
        (("form\x0cfeed and\u2028separator",), ["form\x0cfeed and\u2028separator"]),
    ],
)
def test_items_are_lines_arguments_or_one_sentence(arguments, items):
    assert items_of(arguments) == items


def test_blank_lines_are_dropped_and_lines_trimmed():
    assert lines_of("\n a \n\n\tb\n") == ["a", "b"]
