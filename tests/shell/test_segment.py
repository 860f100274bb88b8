"""Commands begin and end where they did, in the bytes that were shown."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tabshell.shell.report import Report
from tabshell.shell.segment import CommandEnd, CommandStart, Segmenter

END = b"\r\n\x1b[?2004l\r"


def start(number: int, entry: bytes, status: int = 0) -> Report:
    return Report(status, b"/w", number, "h", entry)


def prompt(number: int, status: int = 0, entry: bytes | None = None) -> Report:
    return Report(status, b"/w", number, "h", entry)


def at_prompt(number: int = 1) -> Segmenter:
    segmenter = Segmenter(80)
    assert segmenter.prompted(prompt(number), 1.0) == ()
    segmenter.shown(b"$ ")
    return segmenter


def test_a_command_has_its_output_between_two_offsets():
    segmenter = at_prompt()
    segmenter.shown(b"ls" + END)
    begun = segmenter.started(start(2, b"ls"), 2.0)
    segmenter.shown(b"a\r\nb\r\n")
    ended = segmenter.prompted(prompt(2, 3), 3.0)
    offset = len(b"$ ls" + END)
    assert begun == (CommandStart("ls", "history", "/w", 2.0, offset, 80),)
    assert ended == (CommandEnd(3, "/w", 3.0, offset + 6),)


def test_an_empty_line_is_nothing():
    segmenter = at_prompt()
    segmenter.typed(b"\r", at_fresh_prompt=True)
    segmenter.shown(END)
    assert segmenter.prompted(prompt(1), 2.0) == ()


def test_an_empty_line_after_a_failed_command_is_nothing():
    segmenter = at_prompt()
    segmenter.typed(b"   \r", at_fresh_prompt=True)
    segmenter.shown(b"   " + END)
    assert segmenter.prompted(prompt(1, 130), 2.0) == ()


def test_a_comment_is_a_command_without_output():
    segmenter = at_prompt()
    segmenter.shown(b"# x" + END)
    events = segmenter.prompted(prompt(2, 0, b"# x"), 2.0)
    offset = len(b"$ # x" + END)
    assert events == (CommandStart("# x", "history", "/w", 2.0, offset, 80), CommandEnd(0, "/w", 2.0, offset))


def test_a_syntax_error_has_its_message_as_output():
    segmenter = at_prompt()
    segmenter.shown(b"fi" + END + b"bash: syntax error\r\n")
    begun, ended = segmenter.prompted(prompt(2, 2, b"fi"), 2.0)
    assert isinstance(begun, CommandStart)
    assert isinstance(ended, CommandEnd)
    assert (begun.command, begun.offset, ended.offset - begun.offset) == ("fi", len(b"$ fi" + END), 20)


def test_a_syntax_error_that_history_drops_is_read_off_the_screen():
    segmenter = at_prompt()
    segmenter.typed(b" fi\r", at_fresh_prompt=True)
    segmenter.shown(b" fi" + END + b"bash: syntax error\r\n")
    begun, _ = segmenter.prompted(prompt(1, 2), 2.0)
    assert isinstance(begun, CommandStart)
    assert (begun.command, begun.text_from) == (" fi", "screen")


def test_control_c_at_the_prompt_is_no_command():
    segmenter = at_prompt()
    segmenter.typed(b"abc\x03", at_fresh_prompt=True)
    segmenter.shown(b"abc^C" + END)
    assert segmenter.prompted(prompt(1, 130), 2.0) == ()


def test_control_c_in_a_continued_line_is_no_command():
    """Bash has put the first line into the history by then."""
    segmenter = at_prompt()
    segmenter.shown(b"for i in 1" + END + b"> ^C" + END)
    assert segmenter.prompted(prompt(2, 130, b"for i in 1"), 2.0) == ()


def test_commands_of_one_paste_end_where_the_next_begins():
    segmenter = at_prompt()
    segmenter.started(start(2, b"a"), 2.0)
    segmenter.shown(b"A\r\n")
    ended, begun = segmenter.started(start(3, b"b"), 3.0)
    assert isinstance(ended, CommandEnd)
    assert (ended.exit_code, ended.offset, bool(ended.unobserved)) == (None, 5, True)
    assert isinstance(begun, CommandStart)
    assert begun.command == "b"


def test_a_repeated_line_keeps_its_text_and_its_status():
    segmenter = at_prompt()
    for _ in range(3):
        segmenter.typed(b"false\r", at_fresh_prompt=True)
        segmenter.shown(b"false" + END)
        (begun,) = segmenter.started(start(2, b"false"), 2.0)
        assert isinstance(begun, CommandStart)
        assert begun.command == "false"
        (ended,) = segmenter.prompted(prompt(2, 1), 3.0)
        assert isinstance(ended, CommandEnd)
        assert ended.exit_code == 1
        segmenter.shown(b"$ ")


def test_a_shell_that_ends_ends_its_command():
    segmenter = at_prompt()
    segmenter.started(start(2, b"exit 4"), 2.0)
    segmenter.shown(b"exit\r\n")
    (ended,) = segmenter.ended(4, 3.0)
    assert ended == CommandEnd(4, None, 3.0, 8)
    assert segmenter.ended(4, 4.0) == ()


def test_prompts_that_are_not_told_leave_a_gap():
    """After `exec bash` nobody tells: the record ends where the first such prompt began."""
    segmenter = at_prompt()
    segmenter.started(start(2, b"exec bash"), 2.0)
    segmenter.shown(b"\x1b[?2004h$ ")
    segmenter.lost_sight()
    segmenter.shown(b"true" + END + b"\x1b[?2004h$ ")
    (ended,) = segmenter.ended(0, 3.0)
    assert isinstance(ended, CommandEnd)
    assert (ended.exit_code, ended.offset, bool(ended.unobserved)) == (None, 2, True)


def test_lines_typed_ahead_stay_with_their_commands():
    segmenter = at_prompt()
    segmenter.typed(b" a\r b\r", at_fresh_prompt=True)
    segmenter.shown(b" a" + END)
    (first,) = segmenter.started(Report(0, b"/w", 1, "h", b"old"), 2.0)
    segmenter.prompted(prompt(1), 3.0)
    segmenter.shown(b"$  b" + END)
    (second,) = segmenter.started(Report(0, b"/w", 1, "h", b"old"), 4.0)
    assert isinstance(first, CommandStart)
    assert isinstance(second, CommandStart)
    assert (first.command, second.command) == (" a", " b")


WORDS = st.binary(max_size=12)


@given(st.lists(WORDS, max_size=6), st.lists(st.integers(0, 11), max_size=6))
def test_offsets_count_what_was_shown_however_it_is_cut(outputs, places):
    """The same bytes in other pieces give the same events."""

    def follow(cut) -> list[CommandStart | CommandEnd]:
        segmenter = at_prompt()
        events: list[CommandStart | CommandEnd] = []
        for number, output in enumerate(outputs):
            for piece in cut(b"c" + END):
                segmenter.shown(piece)
            events += segmenter.started(start(number + 2, b"c%d" % number), 2.0)
            for piece in cut(output):
                segmenter.shown(piece)
            events += segmenter.prompted(prompt(number + 2), 3.0)
        return events

    def pieces(data: bytes) -> list[bytes]:
        edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
        return [data[at:to] for at, to in pairwise(edges)]

    assert follow(pieces) == follow(lambda data: [data])
