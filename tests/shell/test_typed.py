"""A line's text is exact or unknown, never wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.shell.report import Report
from tabshell.shell.typed import UNKNOWN, Echo, is_bare_exit, line_text

PROMPT = b"\x1b[?2004h$ "
END = b"\r\n\x1b[?2004l\r"


def report(number: int | None, entry: bytes | None) -> Report:
    return Report(0, b"/", number, "h", entry)


def echo(shown: bytes, typed: bytes, *, known: bool = True, columns: int = 80) -> Echo:
    return Echo(PROMPT + shown, len(PROMPT) if known else None, typed, columns)


def dropped(shown: bytes, typed: bytes, *, entry: bytes | None = b"before", known: bool = True, columns: int = 80):
    """The text of a line that the history did not take."""
    return line_text(report(5, b"before"), report(5, entry), echo(shown, typed, known=known, columns=columns))


def test_a_line_that_history_took_is_told_by_it():
    line = line_text(report(5, b"before"), report(6, b"ls -l"), echo(b"junk" + END, b"\x1b[A\r"))
    assert line == ("ls -l", "history")


def test_the_line_break_behind_a_here_document_is_not_text():
    line = line_text(report(5, None), report(6, b"cat <<E\nx\nE\n"), echo(b"", b""))
    assert line.text == "cat <<E\nx\nE"


def test_a_line_with_a_leading_space_is_read_off_the_screen():
    assert dropped(b" secret" + END, b" secret\r") == (" secret", "screen")


def test_a_repeated_line_is_the_one_in_the_history():
    assert dropped(b"before" + END, b"before\r") == ("before", "history")


def test_the_last_entry_is_not_taken_for_a_line_with_a_space():
    assert dropped(b" before" + END, b" before\r") == (" before", "screen")


def test_a_line_typed_ahead_is_found_at_the_end_of_the_screen():
    assert dropped(b" ahead" + END, b" ahead\r", known=False) == (" ahead", "screen")


def test_a_hidden_line_is_unknown():
    """With echo off nothing stands on the screen, so nothing is told: it may be a password."""
    assert dropped(END, b"hunter2\r") is UNKNOWN
    assert dropped(END, b"hunter2\r", known=False) is UNKNOWN


def test_an_edited_line_is_drawn():
    shown = b" ecj\x08ho x" + END
    assert dropped(shown, b" ecj\x7fho x\r") == (" echo x", "screen")


def test_an_edited_line_without_a_known_prompt_is_unknown():
    assert dropped(b" ecj\x08ho x" + END, b" ecj\x7fho x\r", known=False) is UNKNOWN


def test_a_line_over_two_rows_is_one_line():
    text = b" echo " + b"0123456789" * 8
    shown = text[:78] + text[78:79] + b"\r" + text[78:] + END  # readline rewrites the character at the edge
    assert dropped(shown, b"", columns=80)[0].strip() == text.decode().strip()


def test_several_lines_with_a_leading_space_are_joined():
    shown = b" for i in 1" + END + b"\x1b[?2004h> do echo" + END + b"\x1b[?2004h> done" + END
    assert dropped(shown, b" for i in 1\rdo echo\rdone\r") == (" for i in 1\ndo echo\ndone", "screen")


def test_an_expanded_line_is_what_bash_made_of_it():
    assert dropped(b"!!" + END + b"before\r\n", b"!!\r") == ("before", "history")
    assert dropped(b" !x" + END + b" xy\r\n", b" !x\r") == (" xy", "screen")


def test_without_history_the_screen_tells():
    line = line_text(report(None, None), report(None, None), echo(b"id" + END, b"id\r"))
    assert line == ("id", "screen")


def test_bytes_that_are_no_text_survive():
    line = dropped(b" \xff" + END, b" \xff\r")
    assert line.text.encode("utf-8", "surrogateescape") == b" \xff"


PLAIN = st.binary(max_size=30).filter(
    lambda text: not any(byte < 32 or byte == 127 for byte in text) and b"!" not in text
)


@given(typed=PLAIN, entry=PLAIN, shown=PLAIN, known=st.booleans())
def test_a_text_is_never_one_that_was_not_typed(typed, entry, shown, known):
    """Whatever stands on the screen and in the history: a text that is told is the line that was typed."""
    line = dropped(shown + END, typed + b"\r", entry=entry, known=known)
    assert line is UNKNOWN or line.text.encode("utf-8", "surrogateescape") == typed


@pytest.mark.parametrize("line", ["exit", " exit 3", "exit 0 ", "logout", "exit\t7", "exit -1"])
def test_a_bare_exit_is_one(line):
    assert is_bare_exit(line)


@pytest.mark.parametrize(
    "line", ["exit; ls", "exit 3 4", "exit $x", "# exit", "exit&", "(exit)", "exits", "exec exit", ""]
)
def test_other_lines_are_not(line):
    assert not is_bare_exit(line)
