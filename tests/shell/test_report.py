"""Side files and their names are read exactly, and anything else is refused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabshell.shell.report import Report, parse_history, parse_prompt, parse_start


def test_a_start_tells_status_directory_and_line():
    data = b"  12  echo 'a\0b'\n".replace(b"\0", b"") + b"\0" + b"\0".join([b"3", b"/tmp/a b", b"13", b"himBH", b""])
    assert parse_start(data) == Report(3, b"/tmp/a b", 13, "himBH", b"echo 'ab'")


def test_a_start_that_waits_says_so():
    report = parse_start(b"    1  exit\n\0000\0/\0002\0h\0answer")
    assert report is not None
    assert (report.waits, report.first) == (True, False)
    report = parse_start(b"    1  ls\n\0000\0/\0002\0h\0first")
    assert report is not None
    assert (report.waits, report.first) == (False, True)


def test_a_start_without_history_has_no_line():
    report = parse_start(b"\0000\0/\0\0h\0")
    assert report == Report(0, b"/", None, "h")


def test_a_line_of_several_lines_is_kept_whole():
    assert parse_history(b"  501  cat <<E\none\nE\n\n") == b"cat <<E\none\nE\n"


def test_a_changed_entry_has_a_star():
    assert parse_history(b"  501* echo x\n") == b"echo x"


def test_a_prompt_is_told_by_a_name():
    assert parse_prompt("E.1.130.7.himBHs.i", b"    6  # note\n", b"/home") == Report(
        130, b"/home", 7, "himBHs", b"# note", eof_ignored=True, gate=1
    )


def test_a_prompt_without_news_in_the_history():
    assert parse_prompt("E.0.0.7.h.1", b"", None) == Report(0, None, 7, "h")


def test_a_user_s_own_histcmd_is_no_number():
    """HISTCMD loses its meaning when it is unset; the prompt is told all the same."""
    report = parse_prompt("E.0.0.my.own.h.", b"", None)
    assert report is not None
    assert report.history_number is None


def test_other_names_are_no_prompts():
    for name in ("E.", "E.0.x.1.h.", "S12", "E.0.0.1.h.i1.more", "E.2.0.1.h.", "E.0.0.1.h-.", "bell"):
        assert parse_prompt(name, b"", None) is None


@given(st.binary(max_size=60))
def test_any_bytes_are_a_report_or_none(data):
    parse_start(data)
    parse_history(data)
