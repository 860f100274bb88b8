"""Where the status line stands: after an output, on a line of its own, before the prompt, and nowhere else."""

from __future__ import annotations

import pytest

LINE = b"[tab] requirements: none added yet"
PLAIN_PROMPT = b"\x1b[?2004h@> "


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("true", b""),
        ("echo a", b"a\r\n"),
        ("printf x", b"x\r\n"),
        ("printf '50%%\\r'", b"50%\r\r\n"),
        ("printf '\\e[31mred\\e[0m\\n'", b"\x1b[31mred\x1b[0m\r\n"),
        ("printf '\\e[H\\e[2J\\e[3J'", b"\x1b[H\x1b[2J\x1b[3J"),
        ("fi", b"bash: syntax error near unexpected token `fi'\r\n"),
        ("# note", b""),
        ("a=1", b""),
    ],
)
def test_the_line_follows_the_output(door, command, output):
    shell = door(status=LINE)
    shown = shell.line(command)
    assert shown.endswith(b"\x1b[?2004l\r" + output + LINE + b"\r\n" + PLAIN_PROMPT)
    shell.finish()


def test_an_empty_enter_shows_none(door):
    shell = door(status=LINE)
    assert LINE not in shell.line("")
    assert LINE not in shell.line("   ")
    shell.send(b"half")
    shell.until(b"half")
    shell.send(b"\x03")
    assert LINE not in shell.until(b"@> ")
    shell.finish()


def test_the_first_prompt_has_none(door):
    shell = door(status=LINE)
    assert shell.seen == PLAIN_PROMPT
    shell.finish()


def test_pipes_substitutions_and_nested_shells_show_none(door):
    shell = door(status=LINE)
    shown = shell.line("x=$(echo a; false); echo $x | cat; bash -c 'echo b'; (echo c)")
    assert shown.count(LINE) == 1
    shown = shell.line("PS1='n@> ' bash --norc")
    assert LINE not in shown
    assert LINE not in shell.line("echo inner")
    assert LINE in shell.line("exit")
    shell.finish()


def test_a_paste_shows_one(door):
    shell = door(status=LINE)
    assert shell.line(b"\x1b[200~echo a\necho b\x1b[201~").count(LINE) == 1
    shell.finish()


def test_the_line_is_told_and_lies_outside_the_output(door):
    shell = door(status=LINE)
    shell.line("printf x")
    shell.finish()
    assert shell.outputs()[0] == b"x"
    assert shell.stream() == shell.seen


def test_a_full_screen_program_leaves_a_clean_line(door):
    shell = door(status=LINE)
    shell.send(b"seq 100 | less\r")
    shell.until(lambda shown: b"\x1b[?1049h" in shown and shown.endswith((b":\x1b[K", b":")))
    shell.send(b"q")
    shown = shell.until(b"@> ")
    assert LINE + b"\r\n" + PLAIN_PROMPT in shown
    assert LINE not in shown[: shown.index(b"\x1b[?1049l")]
    shell.finish()


def test_the_greeting_comes_first(kitchen):
    shell = kitchen.start(True, greeting=b"[tab] session x; see tab")
    assert shell.seen == b"[tab] session x; see tab\r\n" + PLAIN_PROMPT
    shell.finish()


def test_hundred_commands_without_a_line_are_those_of_plain_bash(kitchen, alike):
    """A long session, byte for byte: nothing adds up over many commands."""
    lines = [
        "echo first",
        *(f"echo {number} $? $_ $LINENO" for number in range(20)),
        *("true", "false", "(exit 3)", "true | false", "echo ${PIPESTATUS[@]}", "nosuch", "", "# c", "fi", "!!") * 4,
        *("mkdir -p d; cd d; pwd", "touch a b 'c d'; ls", "ls -l | wc -l", "cd ..", "seq 30 | tail -2") * 4,
        *("x=1; echo $x", "f() { return 4; }; f", "echo $?", "printf '%s\\n' a b", "printf x") * 4,
        *(" echo spaced", "history | tail -3", "set -o | grep hist", "trap", "jobs", "echo $-", "umask"),
    ]
    assert len(lines) >= 100
    seen = []
    for behind in (False, True):
        shell = kitchen.start(behind, rc="PS1='\\u \\! \\#@> '\nHISTCONTROL=ignoreboth\n")
        for line in lines:
            shell.line(line)
        status = shell.finish(b"exit 3\r")
        seen.append([*alike(shell.seen).split(b"\n"), status, (kitchen.home / ".bash_history").read_bytes()])
    plain, behind = seen
    assert [pair for pair in zip(plain, behind, strict=False) if pair[0] != pair[1]] == []
    assert len(plain) == len(behind)
