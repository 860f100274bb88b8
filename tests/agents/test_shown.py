"""Which part of an output that was recorded whole the model was shown."""

from hypothesis import given
from hypothesis import strategies as st

from tabshell.agents.shown import shown_spans, without_status_line
from tabshell.model.records import CommandRecord, Gap

ROWS = b"".join(b"row %05d\n" % number for number in range(2000))
STATUS = b"[tab] requirements: none added yet | candidates: 1 unopened | ops: tab add list show resolve"


def seen(output, gap=None):
    return CommandRecord("hook", "cat rows", "hook", "/ws", output, gap=gap)


def parts(whole, record):
    spans = shown_spans(whole, record)
    return None if spans is None else [whole[span.start : span.end] for span in spans]


def test_an_output_shown_whole_is_one_span_even_where_the_agent_trimmed_it():
    assert parts(b"a\nb\n", seen(b"a\nb")) == [b"a\nb\n"]
    assert parts(b"\n a\nb\n\n", seen(b"a\nb")) == [b"\n a\nb\n\n"]


def test_head_and_tail_are_two_spans_of_whole_lines():
    record = seen(ROWS[:90] + ROWS[-45:], Gap(90, len(ROWS) - 135))
    assert parts(ROWS, record) == [ROWS[:90], ROWS[-45:]]


def test_a_tail_alone_is_found_at_the_end():
    assert parts(ROWS, seen(ROWS[-45:], Gap(0, 1))) == [ROWS[-45:]]


def test_a_head_alone_is_found_at_the_beginning():
    assert parts(ROWS, seen(ROWS[:45], Gap(45, 1))) == [ROWS[:45]]


def test_nothing_shown_is_no_span():
    assert parts(b"much\n", seen(b"")) == []


def test_escape_sequences_and_carriage_returns_that_the_agent_took_off_do_not_matter():
    whole = b"\x1b[31mone\x1b[0m\r\ntwo\r\nthree\r\n"
    assert parts(whole, seen(b"one\ntwo\nthree", Gap(13, 5))) is None  # one\x1b[0m: a line is more than its text
    assert parts(b"one\r\ntwo\r\nthree\r\nfour\r\n", seen(b"one\ntwo", Gap(7, 9))) == [b"one\r\ntwo\r\n"]


def test_a_text_that_stands_nowhere_tells_nothing():
    assert parts(b"a\nb\n", seen(b"something else")) is None


def test_the_status_line_comes_off():
    assert without_status_line(b"a\n" + STATUS + b"\n") == b"a"
    assert without_status_line(b"a\n" + STATUS) == b"a"
    assert without_status_line(STATUS + b"\n") == b""
    assert without_status_line(STATUS + b"\nb\n") == b"\nb\n"
    assert without_status_line(b"a\n" + STATUS + b"\nstderr\n") == b"a\nstderr\n"
    assert without_status_line(STATUS + b"\n" + STATUS + b"\n") == STATUS  # what "tab status" printed stays
    assert without_status_line(b"see [tab] requirements: x\n") == b"see [tab] requirements: x\n"


@given(st.lists(st.binary(max_size=12), max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_spans_lie_in_the_output_and_in_order(lines, head, tail):
    whole = b"\n".join(lines)
    shown = b"\n".join(lines[:head])
    record = seen(shown + b"\n".join(lines[len(lines) - tail :]), Gap(len(shown), 1))
    at = 0
    for span in shown_spans(whole, record) or ():
        assert at <= span.start <= span.end <= len(whole)
        at = span.end
