"""What tab printed is left out of what was shown, and nothing else is."""

from tabshell.text.digests import line_digests
from tabshell.text.silent import silent_spans


def left(output: str, *printed: str) -> str:
    """What remains of ``output`` when the calls that printed these texts are left out."""
    data = output.encode()
    kept, at = b"", 0
    for start, end in silent_spans(data, 80, [line_digests(text) for text in printed]):
        kept += data[at:start]
        at = end
    return (kept + data[at:]).decode()


def test_a_call_between_two_files_is_cut_out_whole():
    said = "L1: a.txt (turn 1, 5 chars)\n---\nalpha\n"
    assert left("one\n" + said + "two\n", said) == "one\ntwo\n"


def test_a_file_shown_before_its_own_entry_stays():
    said = "L1: a.txt (turn 1, 5 chars)\ncommand: cat a.txt\n---\nalpha\nbeta\n"
    assert left("alpha\nbeta\n" + said, said) == "alpha\nbeta\n"


def test_a_filtered_call_loses_the_lines_that_came_through():
    said = "Requirements: 1 open\nr1 [open] revenue\nfrom your reads: L1 a.txt: alpha\n"
    assert left("x\nr1 [open] revenue\n", said) == "x\n"


def test_two_calls_on_one_line_are_both_left_out():
    assert left("r1 revenue\r\na\r\nr2 headcount\r\n", "r1 revenue\n", "r2 headcount\n") == "a\r\n"


def test_blank_lines_inside_a_call_go_with_it():
    assert left("head\n\ntail\n\nrest\n", "head\n\ntail\n") == "\nrest\n"


def test_without_calls_nothing_is_left_out():
    assert left("a\nb\n") == "a\nb\n"
