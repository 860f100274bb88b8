"""Commands on a screen: prompts of the usual forms are found, look-alikes in content are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.recordings.marks import Input, by_bracketed_paste, by_semantic_marks
from tabshell.recordings.prompts import prompt_line, spoken


@pytest.mark.parametrize(
    ("line", "command", "cwd"),
    [
        ("ada@box:/srv/papers$ ls -l", "ls -l", "/srv/papers"),
        ("ada@box:~/papers$ ls", "ls", "/home/ada/papers"),
        ("root@a3ac60a7b0ab:/app# cat x | sort", "cat x | sort", "/app"),
        ("root@box:~# pwd", "pwd", "/root"),
        ("[ada@box papers]$ ls", "ls", None),
        ("[ada@box /srv/papers]# ls", "ls", "/srv/papers"),
        ("(venv) ada@box:/srv$ python x.py", "python x.py", "/srv"),
        ("bash-5.2$ echo hi", "echo hi", None),
        ("sh-5.1# echo hi", "echo hi", None),
        ("mac:~/papers ada$ ls", "ls", None),
        ("ada@box:/srv$", "", "/srv"),
        ("ada@box:/srv$ ", "", "/srv"),
        ("ada@box:/with space/x$ ls", "ls", "/with space/x"),
    ],
)
def test_the_usual_prompts(line, command, cwd):
    found = prompt_line(line)
    assert (found.command, found.cwd) == (command, cwd)


@pytest.mark.parametrize(
    "line",
    [
        "# Heading",
        "> quoted",
        "$ 12,500 were paid",
        "cost: 5$ each",
        "ada@example.org: write to her",
        "100% done",
        "%",
        "",
    ],
)
def test_what_only_looks_like_a_prompt(line):
    assert prompt_line(line) is None


def test_a_bare_prompt_counts_where_the_recording_begins_with_it():
    lines = ["> cat notes.md", "# Notes", "> a quotation", "> ", "> true"]
    assert [item.command for item in spoken(lines)] == ["cat notes.md", "a quotation", "true"]
    assert spoken(["# Notes", "$ 5"])[0].command == "Notes"


def test_outputs_go_from_one_prompt_to_the_next():
    lines = ["u@h:/a$ one", "1", "2", "u@h:/a$ ", "u@h:/b# two", "u@h:/b# three", "3"]
    assert [(item.command, item.first, item.end, item.cwd) for item in spoken(lines)] == [
        ("one", 1, 3, "/a"),
        ("two", 5, 5, "/b"),
        ("three", 6, 7, "/b"),
    ]


ON, OFF = b"\x1b[?2004h", b"\x1b[?2004l\r"


def test_bracketed_paste_tells_prompts_that_no_form_would():
    raw = (
        ON + b"\xce\xbb ls\r\n" + OFF + b"a.txt\r\n" + ON + b"\xce\xbb pwd\r\n" + OFF + b"/srv\r\n" + ON + b"\xce\xbb "
    )
    keys = [Input(len(ON + b"\xce\xbb "), "ls\r")]
    found = by_bracketed_paste(raw, keys)
    assert found[0].command == "ls"
    assert raw[found[0].start : found[0].end] == b"a.txt\r\n"
    assert raw[found[1].start : found[1].end] == b"/srv\r\n"


def test_a_prompt_shared_by_all_is_taken_off_without_recorded_input():
    raw = b"".join(ON + b"\xce\xbb $ " + text + b"\r\n" + OFF + b"x\r\n" for text in (b"cat a", b"cat b", b"ls"))
    assert [item.command for item in by_bracketed_paste(raw)] == ["cat a", "cat b", "ls"]


def test_backspaces_are_followed_and_other_editing_keys_fall_back_to_the_screen():
    start = len(ON + b"$ ")
    raw = ON + b"$ ls\r\n" + OFF
    assert by_bracketed_paste(raw, [Input(start, "lx\x7fs\r")])[0].command == "ls"
    assert by_bracketed_paste(raw, [Input(start, "\x1b[A\r")])[0].command == "ls"


@given(
    st.lists(
        st.sampled_from(
            [
                ON,
                OFF,
                b"$ ",
                b"ls",
                b"\r\n",
                b"\x1b]133;A\x07",
                b"\x1b]133;B\x07",
                b"\x1b]133;C\x07",
                b"\x1b]133;D;1\x07",
                b"\x1b[?1049h",
                b"\x1b[?1049l",
                b"> ",
                b"\xff",
                b" \r",
            ]
        ),
        max_size=30,
    )
)
def test_any_stream_of_marks_gives_commands_whose_outputs_lie_in_it_and_in_order(pieces):
    raw = b"".join(pieces)
    for found in (by_semantic_marks(raw), by_bracketed_paste(raw)):
        at = 0
        for item in found:
            assert at <= item.start <= item.end <= len(raw)
            assert item.command
            at = item.end
