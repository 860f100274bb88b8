"""What a person sees first, and last."""

import re


def test_the_first_screen_holds_one_line_of_ours_and_nothing_else(terminal):
    for _ in range(3):  # a window change in the forked child once complained on the terminal, now and then
        shell = terminal(size=(47, 133))
        assert re.fullmatch(r"\[tab\] session \S+: .*'exit' ends\n", shell.opening), shell.opening
        shell.leave("exit")


def test_quiet_leaves_the_first_and_the_last_line_out(terminal):
    shell = terminal("-q")
    assert shell.opening == ""
    assert "[tab] session" not in shell.leave("exit")


def test_the_last_line_names_the_head_that_verify_compares_with(terminal, tabshell):
    shell = terminal()
    shell.run("true")
    shell.run("exit")
    head = re.search(r"head ([0-9a-f]{64})", shell.leave("exit"))[1]
    assert head in tabshell("verify", "--head", head)
    assert "head-differs" in tabshell("verify", "--head", "0" * 64, status=1)
