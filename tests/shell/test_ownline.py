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
        b"x\r\n\x1b[H\x1b[2J\x1b[3J",  # clear: xterm, screen, linux
        b"text\x1b[H\x1b[J",
        b"\x1b[H\x1b[J\x1b[3J",
        b"text\x1b[2J\x1b[H",  # programs that send it themselves
        b"\x1b[2J\x1b[1;1H\x1b[0m",
        b"\x1b[3J\x1b[;H\x1b[0J\r",
        b"text\x1bc",
        b"\x1bc\x1b]104\x07\x1b[!p\x1b[?3;4l\x1b[4l\x1b>\r",  # reset
    ],
)
def test_the_cursor_stands_on_an_empty_line(before):
    assert at_line_start(before)


@pytest.mark.parametrize(
    "before",
    [
        b"x",
        b"10%\r50%\r",
        b"red\x1b[0m",
        b"a\r\nb",
        b"\x1b[?1049l text",
        b"\xff",
        b"\x1b[H\x1b[2Jtext",
        b"text\x1b[H",
        b"text\x1b[2J",
        b"text\x1b[J\x1b[H",
        b"\x1b[H\x1b[3J",
        b"\x1b[2J\x1b[2;1H",
    ],
)
def test_the_cursor_stands_behind_something(before):
    assert not at_line_start(before)


def test_a_line_break_comes_first_where_the_output_had_none():
    assert own_line(b"[tab] x", b"out") == b"\r\n[tab] x\r\n"
    assert own_line(b"[tab] x\n", b"out\r\n") == b"[tab] x\r\n"


def test_several_lines_are_terminal_lines():
    assert own_line(b"a\nb\r\nc", b"") == b"a\r\nb\r\nc\r\n"
