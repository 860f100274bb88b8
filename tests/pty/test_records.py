"""What the listener is told: each command once, with its own text, status and output; and all bytes shown."""

from __future__ import annotations

import re

import pytest

from tabshell.shell.bash import Bash, find_bash

IGNORE = "PS1='@> '\nHISTCONTROL=ignoreboth\n"


@pytest.fixture(params=["arrays", "strings"])
def any_bash(request):
    """The installed bash, and the same one treated as if it were older (PROMPT_COMMAND as a string, no SRANDOM)."""
    found = find_bash(None, {"PATH": "/usr/local/bin:/usr/bin:/bin"})
    return found if request.param == "arrays" else Bash(found.path, found.name, (5, 0))


@pytest.fixture
def old_rc(any_bash):
    """What an rc file needs to take the newer bash's number away."""
    return "unset SRANDOM\n" if any_bash.version < (5, 1) else ""


def test_each_command_is_told_with_its_status(door, any_bash, old_rc):
    shell = door(bash=any_bash, rc=f"PS1='@> '\n{old_rc}")
    for line in ("true", "false", "(cd /; pwd)", "f(){ :;}", "exit_code() { return 3; }; exit_code", "nosuch", "cd /"):
        shell.line(line)
    shell.finish()
    assert shell.commands() == [
        ("true", 0), ("false", 1), ("(cd /; pwd)", 0), ("f(){ :;}", 0),
        ("exit_code() { return 3; }; exit_code", 3), ("nosuch", 127), ("cd /", 0), ("exit", 0),
    ]  # fmt: skip
    assert [end.value["cwd"] for end in shell.heard("end")][-2] == "/"


def test_a_user_s_prompt_command_sees_the_status_on_an_older_bash(door, any_bash, old_rc):
    shell = door(bash=any_bash, rc=f"PS1='@> '\nPROMPT_COMMAND='echo \"<$?>\"'\n{old_rc}")
    assert b"<7>" in shell.line("(exit 7)")
    assert b"<0>" in shell.line("true")
    shell.finish()
    assert shell.commands()[:2] == [("(exit 7)", 7), ("true", 0)]


def test_outputs_are_exact(door, any_bash, old_rc):
    shell = door(bash=any_bash, rc=f"PS1='@> '\n{old_rc}")
    for line in ("printf x", "echo out; echo err >&2", "seq 3", "true", "printf '\\e[?25l\\xff'", "# c", "fi"):
        shell.line(line)
    shell.finish()
    error = b"bash: syntax error near unexpected token `fi'\r\n"
    wanted = [b"x", b"out\r\nerr\r\n", b"1\r\n2\r\n3\r\n", b"", b"\x1b[?25l\xff", b"", error, b"exit\r\n"]
    assert shell.outputs() == wanted


def test_all_bytes_shown_are_told(door):
    """A replay of the recorded bytes is what was on the terminal; no mark is in it."""
    shell = door()
    for line in ("echo a", "seq 2000", "printf '\\e]133;A\\a'", "fi", ""):
        shell.line(line)
    shell.finish()
    assert shell.stream() == shell.seen
    assert b"7770" not in shell.seen


def test_lines_that_history_drops_are_told(door):
    shell = door(rc=IGNORE)
    for line in (" secret", "echo a", "echo a", " # note", " fi", "false", "false", "!!"):
        shell.line(line)
    shell.finish(b" exit\r")
    assert [text for text, _ in shell.commands()] == [
        " secret", "echo a", "echo a", " # note", " fi", "false", "false", "false", " exit",
    ]  # fmt: skip
    sources = [start.value["text_from"] for start in shell.heard("start")]
    assert sources[:5] == ["screen", "history", "history", "screen", "screen"]


def test_a_line_that_was_not_shown_is_unknown(door):
    """Typed without echo and dropped by the history: told as unknown, never as another command."""
    shell = door(rc=IGNORE)
    shell.line("echo before")
    shell.line("stty -echo")
    shell.line(" true hidden")
    shell.line("stty echo")
    shell.finish()
    starts = shell.heard("start")
    assert [(start.value["command"], start.value["text_from"]) for start in starts][2] == ("", "unknown")


def test_an_indented_command_keeps_its_indent(door):
    shell = door()
    shell.line("   echo x")
    shell.finish()
    assert shell.commands()[0] == ("   echo x", 0)


def test_erasedups_loses_no_command(door):
    shell = door(rc="PS1='@> '\nHISTCONTROL=erasedups\n")
    for line in ("echo a", "echo b", "echo a", "echo a"):
        shell.line(line)
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["echo a", "echo b", "echo a", "echo a", "exit"]


def test_a_loop_over_three_lines_is_one_command_each_time(door):
    shell = door()
    for _ in range(2):
        for part in (b"for i in 1 2\r", b"do echo $i\r"):
            shell.send(part)
            shell.until(lambda shown: shown.endswith(b"> ") and not shown.endswith(b"@> "))
        shell.line("done")
    shell.finish()
    assert shell.commands()[:2] == [("for i in 1 2; do echo $i; done", 0)] * 2
    assert shell.outputs()[:2] == [b"1\r\n2\r\n"] * 2


def test_a_paste_of_three_commands_is_three_commands(door):
    shell = door()
    shell.line(b"\x1b[200~echo a\necho b\nfalse\x1b[201~")
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["echo a", "echo b", "false", "exit"]
    assert shell.outputs()[:3] == [b"a\r\n", b"b\r\n", b""]
    assert [end.value["status"] for end in shell.heard("end")] == [None, None, 1, 1]


def test_three_lines_in_one_write_are_three_commands(door):
    shell = door(rc=IGNORE)
    shell.send(b"echo a\r echo b\rfalse\r")
    shell.until(lambda shown: shown.count(b"@> ") == 3)
    shell.finish()
    assert shell.commands()[:3] == [("echo a", 0), (" echo b", 0), ("false", 1)]


def test_two_hundred_times_true(door):
    shell = door()
    for _ in range(200):
        shell.line("true")
    shell.finish()
    assert shell.commands() == [("true", 0)] * 200 + [("exit", 0)]


@pytest.mark.slow
def test_five_hundred_commands_in_a_row(door):
    shell = door()
    for number in range(500):
        shell.line(f"echo {number}")
    shell.finish()
    assert shell.outputs()[:500] == [b"%d\r\n" % number for number in range(500)]


def test_a_command_that_reads_stdin_gets_its_line(door):
    shell = door()
    shell.send(b"read -p 'rea''dy: ' x\r")
    shell.until(b"ready: ")
    shell.line("typed words")
    assert b"<typed words>" in shell.line('echo "<$x>"')
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["read -p 'rea''dy: ' x", 'echo "<$x>"', "exit"]


def test_background_output_gives_no_command(door):
    shell = door()
    shell.send(b"(sleep .2; echo B''G)&\r")
    shell.until(lambda shown: b"BG\r\n" in shown)
    shell.line("true")
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["(sleep .2; echo B''G)&", "true", "exit"]


def test_a_bound_key_gives_no_command(door):
    shell = door(rc="PS1='@> '\nbind -x '\"\\C-t\": echo BOUND'\n")
    shell.send(b"\x14")
    shell.until(lambda shown: b"BOUND\r\n" in shown)
    shell.line("true")
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["true", "exit"]


def test_control_c_at_the_prompt_gives_no_command(door):
    shell = door(rc="PS1='@> '\ntrap 'echo TRAPPED' INT\n")
    shell.send(b"half a line")
    shell.until(b"half a line")
    shell.send(b"\x03")
    shell.until(b"@> ")
    shell.line("true")
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["true", "exit"]


def test_an_empty_enter_gives_no_command(door):
    shell = door()
    shell.line("false")
    for _ in range(3):
        shell.line("")
    shell.line("   ")
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["false", "exit"]


def test_a_nested_shell_is_one_command(door):
    shell = door()
    shell.line("PS1='n@> ' bash --norc")
    shell.line("echo inner")
    shell.line("exit")
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["PS1='n@> ' bash --norc", "exit"]
    assert b"inner" in shell.outputs()[0]


def test_marks_that_a_program_prints_are_shown_and_believed_by_nobody(door, tmp_path):
    """A file full of old marks, guesses and halves passes byte for byte; commands stay as they are."""
    shell = door()
    shell.line("echo real")
    old = b"".join(b"\x1b]7770;%s;%d\a" % (kind, number) for kind in (b"S", b"E", b"Y") for number in range(300))
    hostile = old + b"\x1b]7770;S;" + b"\x1b]7770;S;1\x1b]7770;S;2\a" + b"\x1b]133;D;0\a\x1b]633;A\a" + b"\x1b]7770"
    (tmp_path / "old").write_bytes(hostile)
    assert hostile in shell.line(f"cat {tmp_path / 'old'}")
    shell.line("false")
    shell.finish()
    assert [status for _, status in shell.commands()] == [0, 0, 1, 1]
    assert shell.outputs()[1] == hostile


def test_our_own_mark_printed_again_is_not_ours(door, kitchen):
    """A mark is good once: what stood in an earlier stream is only text."""
    shell = door()
    shell.line('exec 5>&1; tee_tty() { while read -r x; do echo "$x"; done; }')
    shell.line("strings=$(ls /dev/shm/tabshell-*/ 2>/dev/null); echo looked")
    shell.finish()
    assert all(status == 0 for _, status in shell.commands())


def test_hooks_that_were_removed_come_back(door):
    shell = door()
    for line in (
        "PS0=",
        "true",
        "unset PROMPT_COMMAND",
        "true",
        "PROMPT_COMMAND=(:)",
        "true",
        "PS0='>'",
        "false",
        "unset PS0",
    ):
        shell.line(line)
    shell.line("(exit 5)")
    shell.finish()
    texts = [text for text, _ in shell.commands()]
    assert texts == [
        "PS0=", "true", "unset PROMPT_COMMAND", "true", "PROMPT_COMMAND=(:)", "true", "PS0='>'", "false", "unset PS0",
        "(exit 5)", "exit",
    ]  # fmt: skip
    statuses = [status for _, status in shell.commands()]
    assert statuses[3:] == [0, None, 0, 0, 1, 0, 5, 5]


def test_exec_of_another_bash_is_told_as_unobserved(door):
    shell = door()
    shell.line("PS1='n@> ' exec bash --norc")
    shell.line("echo unseen")
    shell.finish()
    (end,) = shell.heard("end")
    assert end.value["status"] is None
    assert "no prompt was seen" in end.value["unobserved"]
    assert shell.outputs() == [b""]


def test_exec_of_a_program_is_its_own_command(door):
    shell = door()
    shell.finish(b"exec sh -c 'echo last; exit 9'\r")
    assert shell.commands() == [("exec sh -c 'echo last; exit 9'", 9)]
    assert shell.outputs() == [b"last\r\n"]


def test_the_directory_is_told_at_start_and_end(door, kitchen):
    shell = door()
    shell.line("mkdir 'a b'; cd 'a b'")
    shell.line("true")
    shell.finish()
    first, second, _ = shell.heard("start")
    assert first.value["cwd"] == str(kitchen.home)
    assert second.value["cwd"] == str(kitchen.home / "a b")
    assert shell.heard("end")[0].value["cwd"] == str(kitchen.home / "a b")


def test_a_shell_without_history_is_still_told(door):
    shell = door(rc="PS1='@> '\nset +o history\n")
    for line in ("echo a", "echo a", "# c", "false"):
        shell.line(line)
    shell.finish()
    assert [text for text, _ in shell.commands()] == ["echo a", "echo a", "# c", "false", "exit"]


def test_a_long_line_is_told_whole(door):
    shell = door(size=(24, 80))
    line = " ".join(["echo"] + [f"word{number:04d}" for number in range(1100)])
    assert len(line) > 9_000
    shell.line(line)
    shell.finish()
    assert shell.commands()[0] == (line, 0)


def test_names_that_are_no_text_are_told(door):
    shell = door(env={"LANG": "C"})
    shell.line(b"echo \xff\xfe")
    shell.finish()
    text = shell.commands()[0][0]
    assert re.fullmatch(rb"echo \xff\xfe", text.encode("utf-8", "surrogateescape"))


def test_captured_output_has_no_readline_modes(door):
    shell = door()
    for line in ("echo a", "fi", "# x", "cat /dev/null", "printf y"):
        shell.line(line)
    shell.finish()
    assert not [output for output in shell.outputs() if b"?2004" in output]


@pytest.mark.parametrize(
    "env", [{"POSIXLY_CORRECT": "1"}, {"SHELLOPTS": "posix"}, {"POSIXLY_CORRECT": "1", "ENV": "~/no"}]
)
def test_a_shell_that_begins_in_posix_mode_is_told(door, env):
    shell = door(env={"PS1": "@> ", **env})
    shell.line("echo one")
    shell.line("(exit 3)")
    assert shell.commands() == [("echo one", 0), ("(exit 3)", 3)]
    assert shell.finish() == 3


@pytest.mark.parametrize("first", ["trap 'true d' DEBUG", "set -T", "set -a", "export PS0='<>'", "readonly PS0='<>'"])
def test_hooks_that_may_not_come_back_still_tell_each_command_at_its_end(door, first):
    shell = door()
    for line in (first, "PS0='<0>'", "echo one", "(exit 3)", "echo two; false"):
        shell.line(line)
    assert shell.commands()[2:] == [("echo one", 0), ("(exit 3)", 3), ("echo two; false", 1)]
    assert [
        output.endswith(last) for output, last in zip(shell.outputs()[2:], (b"one\r\n", b"", b"two\r\n"), strict=True)
    ]
