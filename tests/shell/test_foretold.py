"""A line is foretold only where its text is known surely; the mark that answers is believed once."""

from __future__ import annotations

import pytest

from tabshell.shell.foretold import DIGITS, Foretelling
from tabshell.shell.report import Report
from tabshell.shell.segment import CommandStart, Segmenter

END = b"\r\n\x1b[?2004l\r"


def prompt(number: int, cwd: bytes = b"/real/w") -> Report:
    return Report(0, cwd, number, "himBHs")


def told_at_length(number: int, entry: bytes) -> Report:
    return Report(0, b"/link/w", number, "himBHs", entry)


def proven() -> Foretelling:
    """After one line that was typed, echoed and told at length."""
    made = Foretelling()
    made.told(b"ls", b"ls", prompt(1), told_at_length(2, b"ls"))
    return made


def at_prompt(number: int = 1, columns: int = 80) -> Segmenter:
    segmenter = Segmenter(columns)
    segmenter.prompted(prompt(number), 1.0)
    segmenter.shown(b"\x1b[?2004h$ ")
    return segmenter


def typed(*keys: bytes, columns: int = 80, echo: bytes = b"") -> Segmenter:
    segmenter = at_prompt(columns=columns)
    for key in keys:
        segmenter.typed(key, at_fresh_prompt=False)
    segmenter.shown(echo)
    return segmenter


def test_a_plain_line_in_a_known_place_is_foretold():
    number = proven().number_for(b"cat a.txt", prompt(2))
    assert len(number) == DIGITS
    assert number.isdigit()


def test_each_line_has_a_number_of_its_own():
    foretelling = proven()
    assert foretelling.number_for(b"true", prompt(2)) != foretelling.number_for(b"true", prompt(3))


def test_the_first_line_of_a_shell_is_told_at_length():
    assert not Foretelling().number_for(b"true", prompt(1))


def test_after_a_line_that_was_not_what_was_typed_lines_are_told_at_length():
    foretelling = proven()
    foretelling.told(b"q", b"quit", prompt(2), told_at_length(3, b"quit"))
    assert not foretelling.number_for(b"true", prompt(3))


def test_after_a_foretold_line_that_was_not_echoed_lines_are_told_at_length():
    foretelling = proven()
    foretelling.told(None, None, prompt(2), Report(0, b"/link/w", 3, "h", foretold=True))
    assert not foretelling.number_for(b"true", prompt(3))


def test_in_another_directory_the_line_is_told_at_length():
    assert not proven().number_for(b"true", prompt(2, b"/real/other"))


@pytest.mark.parametrize(
    "line", [b"", b"  ", b"echo !!", b"^a^b", b"exit 3", b"logout", b"trap x CHLD", b"echo a \\", b"(exit 3)"]
)
def test_lines_that_edit_repeat_leave_or_go_on_are_told_at_length(line):
    assert not proven().number_for(line, prompt(2))


def test_the_mark_gives_the_directory_as_the_shell_names_it_and_the_history_number():
    foretelling = proven()
    number = foretelling.number_for(b"true", prompt(7))
    report = foretelling.report(number.decode() + "8", prompt(7))
    assert report == Report(0, b"/link/w", 8, "himBHs", foretold=True)


def test_the_mark_is_believed_once():
    foretelling = proven()
    token = foretelling.number_for(b"true", prompt(7)).decode() + "8"
    assert foretelling.report(token, prompt(7)) is not None
    assert foretelling.report(token, prompt(7)) is None


def test_a_guessed_number_is_not_believed():
    foretelling = proven()
    foretelling.number_for(b"true", prompt(7))
    assert foretelling.report("1" * DIGITS + "8", prompt(7)) is None


def test_a_number_that_was_taken_back_is_not_believed():
    foretelling = proven()
    number = foretelling.number_for(b"true", prompt(7)).decode()
    foretelling.number_for(None, prompt(7))
    assert foretelling.report(number + "8", prompt(7)) is None


def test_without_a_history_number_the_report_has_none():
    foretelling = proven()
    report = foretelling.report(foretelling.number_for(b"true", prompt(7)).decode(), prompt(7))
    assert report is not None
    assert report.history_number is None


def test_a_line_typed_at_once_or_key_by_key_is_straight():
    assert typed(b"true\r").straight_line(echoed=False) == b"true"
    assert typed(b"t", b"rue", b"\r").straight_line(echoed=False) == b"true"


@pytest.mark.parametrize(
    "keys", [b"tru\x7fue\r", b"\x1b[A\r", b"ls\t\r", b"true", b"a\rb\r", "é\r".encode(), b"\x16\r\r"]
)
def test_keys_that_edit_or_more_than_one_line_are_not_straight(keys):
    assert typed(keys).straight_line(echoed=False) is None


def test_a_line_that_does_not_fit_on_its_row_is_not_straight():
    assert typed(b"x" * 30 + b"\r", columns=40).straight_line(echoed=False) is None


def test_keys_typed_while_a_command_ran_make_the_next_line_not_straight():
    segmenter = at_prompt()
    segmenter.shown(b"cat" + END)
    segmenter.started(told_at_length(2, b"cat"), 2.0)
    segmenter.typed(b"a", at_fresh_prompt=False)
    segmenter.prompted(prompt(2), 3.0)
    segmenter.shown(b"$ ")
    segmenter.typed(b"true\r", at_fresh_prompt=False)
    assert segmenter.straight_line(echoed=False) is None


def test_an_echo_that_is_not_the_line_is_not_straight():
    assert typed(b"true\r", echo=b"\x07").straight_line(echoed=False) is None
    assert typed(b"true\r", echo=b"tr").straight_line(echoed=False) == b"true"
    assert typed(b"true\r", echo=b"tr").straight_line(echoed=True) is None


def foretold_start(segmenter: Segmenter, number: int) -> CommandStart:
    (start,) = segmenter.started(Report(0, b"/w", number, "h", foretold=True), 2.0)
    assert isinstance(start, CommandStart)
    return start


def test_a_foretold_line_has_the_text_that_was_typed_and_echoed():
    start = foretold_start(typed(b"ls -l\r", echo=b"ls -l" + END), 2)
    assert (start.command, start.text_from, start.offset) == ("ls -l", "history", len(b"\x1b[?2004h$ ls -l" + END))


def test_a_foretold_line_that_the_history_dropped_is_from_the_screen():
    start = foretold_start(typed(b" ls\r", echo=b" ls" + END), 1)
    assert (start.command, start.text_from) == (" ls", "screen")


def test_a_foretold_line_that_repeats_the_newest_entry_is_the_historys():
    segmenter = typed(b"ls\r", echo=b"ls" + END)
    foretold_start(segmenter, 2)
    segmenter.prompted(prompt(2), 3.0)
    segmenter.shown(b"$ ")
    segmenter.typed(b"ls\r", at_fresh_prompt=False)
    segmenter.shown(b"ls" + END)
    assert foretold_start(segmenter, 2).text_from == "history"


def test_a_foretold_line_whose_echo_was_mixed_with_other_output_is_found_or_unknown():
    start = foretold_start(typed(b"true\r", echo=b"job done\r\ntrue" + END), 2)
    assert start.command == "true"
    start = foretold_start(typed(b"true\r", echo=b"tr*ue" + END), 2)
    assert (start.command, start.text_from) == ("", "unknown")
