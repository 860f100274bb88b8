"""A line of our own never runs into an output."""

from __future__ import annotations

import pytest

from tabshell.shell.ownline import at_line_start, own_line


@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"done\r\n",
        b"$ true\r\n\x1b[?2004l\r",
        b"red\r\n\x1b[0m",
        b"x\r\n\x1b]0;title\x07",
        b"\x1b[?1049h\x1b[2Jscreen\x1b[24;1H\x1b[?1049l",
        b"\x1b[?1049hscreen\x1b[?1049l\x1b[23;0;0t\x1b[?1l\x1b>",
        b"x\n",
    ],
)
def test_the_cursor_stands_on_an_empty_line(before):
    assert at_line_start(before)


@pytest.mark.parametrize("before", [b"x", b"10%\r50%\r", b"red\x1b[0m", b"a\r\nb", b"\x1b[?1049l text", b"\xff"])
def test_the_cursor_stands_behind_something(before):
    assert not at_line_start(before)


def test_a_line_break_comes_first_where_the_output_had_none():
    assert own_line(b"[tab] x", b"out") == b"\r\n[tab] x\r\n"
    assert own_line(b"[tab] x\n", b"out\r\n") == b"[tab] x\r\n"


def test_several_lines_are_terminal_lines():
    assert own_line(b"a\nb\r\nc", b"") == b"a\r\nb\r\nc\r\n"
