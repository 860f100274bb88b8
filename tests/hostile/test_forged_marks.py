"""A program prints what looks like our marks: old logs, guesses, pieces, marks in another order. All of it is output, byte
for byte, and no command begins or ends by it."""

from __future__ import annotations

import os
import random
import sys

import pytest

from tabshell.model.facts import TurnEnded, TurnStarted
from tabshell.session import Session


def mark(kind: str, token: object) -> bytes:
    return f"\x1b]7770;{kind};{token}\a".encode()


@pytest.fixture
def forged(workspace):
    """Files full of marks: guesses, cut marks, marks within marks, other kinds."""
    dice = random.Random(7)
    pieces = []
    for _ in range(300):
        kind = dice.choice("SQYEZA")
        token = dice.choice((dice.getrandbits(64), dice.getrandbits(32), 10**17 + dice.getrandbits(50), 0, "1" * 40))
        whole = mark(kind, token)
        cut = dice.randint(0, len(whole))
        pieces.append(dice.choice((whole, whole + whole, whole[:cut], whole[cut:], whole[:cut] + whole + whole[cut:])))
        pieces.append(dice.choice((b"", b"text\n", b"\n", b"@> ", b"\x1b[?2004h@> ", b"\x1b[?2004l\r")))
    data = b"".join(pieces) + b"\nend\n"
    (workspace / "marks.bin").write_bytes(data)
    return data


def shown(data: bytes) -> bytes:
    """As a terminal driver hands it on."""
    return data.replace(b"\n", b"\r\n")


def test_forged_marks_pass_and_begin_nothing(terminal, record, forged):
    shell = terminal("--status", "off", "--no-finish-check")
    seen = shell.run("cat marks.bin; echo 'wh''ole'", b"whole\r\n\x1b[?2004h@> ")
    assert shown(forged) in seen
    shell.run("echo after", b"after\r\n\x1b[?2004h@> ")
    shell.leave("exit 5")
    found = record()
    assert found.sound()
    assert found.commands() == ["cat marks.bin; echo 'wh''ole'", "echo after", "exit 5"]
    assert found.output("cat marks.bin; echo 'wh''ole'") == shown(forged) + b"whole\r\n"
    assert [fact.exit_code for fact in found.facts(TurnEnded)] == [0, 0, 5]


def test_the_log_of_an_earlier_session_is_output(terminal, record, workspace, own_home):
    """All that went over the wire once, our real marks included, replayed into the same session."""
    log = workspace / "wire.log"
    first = terminal("--status", "off", "--no-finish-check")
    first.run(f"exec 3>&1; bash -c 'script -qfc \"{sys.executable} -m tabshell -q --no-finish-check\" {log}'")
    first.run("echo from inside")
    first.run("false")
    first.leave("exit 0")
    old = log.read_bytes()
    assert b"from inside" in old
    second = terminal("--name", "second", "--status", "off", "--no-finish-check")
    for part in (old, old * 3, old[::-1], b"".join(old[n : n + 7] for n in range(0, len(old), 5))):
        (workspace / "part.bin").write_bytes(part)
        second.run("cat part.bin; printf 'x%sx' '' ; echo", b"xx\r\n\x1b[?2004h@> ")
    second.run("echo last", b"last\r\n\x1b[?2004h@> ")
    second.leave("exit 0")
    directory = sorted((own_home / "sidecars" / "sessions").iterdir())[-1]
    with Session.open(directory, readonly=True) as session:
        commands = [event.fact.command for event in session.store.events(TurnStarted)]
    assert commands == ["cat part.bin; printf 'x%sx' '' ; echo"] * 4 + ["echo last", "exit 0"]


def test_a_program_that_reads_our_variables_and_prints_the_next_marks_changes_nothing(terminal, record):
    """``set`` shows the hooks' variables to everybody; nothing in them is the next number."""
    shell = terminal("--status", "off", "--no-finish-check")
    shell.run("true")
    program = (
        "for n in $RANDOM $SRANDOM $__tab_r $__tab_h $HISTCMD $((HISTCMD + 1)) 1 2 3; do for k in S Q Y E; do "
        "printf '\\e]7770;%s;%s\\a' $k $n; done; done; echo; echo told"
    )
    shell.run(program, b"told\r\n\x1b[?2004h@> ")
    shell.run("echo next", b"next\r\n\x1b[?2004h@> ")
    shell.leave("exit 0")
    found = record()
    assert found.commands() == ["true", program, "echo next", "exit 0"]
    assert b"\x1b]7770;S;" in found.output(program)


def test_typed_input_that_is_not_echoed_is_never_stored(terminal, record):
    """A password at ``read -s``, at ``stty -echo``, and keys typed ahead into a program that hides them."""
    secret = "hunter2-4711"
    shell = terminal("--no-finish-check")
    shell.run("true")
    # the quotes part what is typed from what is printed: its echo must not be taken for the prompt
    os.write(shell.fd, b"read -s -p 'pa''ss: ' p; echo ${#p}\r")
    shell.see(b"pass: ")
    os.write(shell.fd, secret.encode() + b"\r")
    shell.until()
    os.write(shell.fd, b"stty -echo; printf rea''dy; cat >/dev/null; stty echo; unset p\r")
    shell.see(b"ready")
    os.write(shell.fd, secret.encode() + b"\n" + secret.encode() + b"\n\x04")
    shell.until()
    shell.run("echo done")
    shell.leave("exit 0")
    found = record()
    assert found.sound()
    everything = b"".join(path.read_bytes() for path in found.directory.rglob("*") if path.is_file())
    assert secret.encode() not in everything
    with Session.open(found.directory, readonly=True) as session:
        streams = b"".join(session.store.output(stream, 0, 1 << 30) for stream in (1, 2))
        bodies = "".join(row.body for row in session.store.stored())
    assert b"pass: " in streams
    assert secret.encode() not in streams
    assert secret not in bodies
