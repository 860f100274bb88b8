"""The line that a line editor drew; what else was printed at the prompt must neither stop nor hold up the shell."""

from __future__ import annotations

import time

import pytest

from tabshell.shell.drawn import DRAWN, drawn_line


def test_a_line_that_wraps_is_one_line():
    assert drawn_line(b"$ ", b"x" * 10 + b"\x1b[Ky\r\n", 8) == b"x" * 10 + b"y"


def test_two_lines_are_none():
    assert drawn_line(b"$ ", b"one\r\ntwo\r\n", 20) is None


@pytest.mark.parametrize("sequence", [b"\x1b[?9C", b"\x1b[?1;2H", b"\x1b[99999999999C", b"\x1b[?m", b"\x1b[?5n\x1b[?c"])
def test_a_sequence_that_cannot_be_drawn_stops_nothing(sequence):
    assert drawn_line(sequence + b"$ ", b"ls" + sequence + b"\r\n", 80) in (None, b"ls")


def test_much_that_a_job_printed_at_the_prompt_does_not_hold_it_up():
    before = time.process_time()
    assert drawn_line(b"$ ", b"job\r\n" * (DRAWN // 5) + b"ls\r\n", 80) is None
    assert drawn_line(b"$ ", b"y\n" * 900 + b"ls\r\n", 200) is None
    assert time.process_time() - before < 2
