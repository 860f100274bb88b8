"""Bytes in both directions, sizes, signals, ends, and the terminal given back."""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import resource
import select
import signal
import struct
import termios
import time

import pytest

from tabshell.shell.bash import Bash
from tabshell.shell.door import is_interactive


def test_a_paste_of_160_kilobytes_reaches_a_program(door, kitchen):
    """Typed while the program echoes: both directions are queued, nothing deadlocks, nothing is lost."""
    shell = door()
    text = b"".join(b"%06d %s\r" % (number, b"x" * 70) for number in range(2100))
    assert len(text) > 160_000
    shell.send(b"stty -echo; echo R''UN; cat >f; stty echo\r")
    shell.until(lambda shown: b"RUN\r\n" in shown)
    shell.send(text + b"\x04")
    shell.until(b"@> ")
    assert (kitchen.home / "f").read_bytes() == text.replace(b"\r", b"\n")
    shell.finish()


@pytest.mark.slow
def test_a_megabyte_pasted_with_echo_comes_back(door, kitchen):
    shell = door()
    text = b"".join(b"%07d %s\r" % (number, b"y" * 90) for number in range(10_000))
    shell.send(b"echo R''UN; cat >f\r")
    shell.until(lambda shown: b"RUN\r\n" in shown)
    shell.send(text)
    shell.until(lambda shown: shown.endswith(text[-40:-1] + b"\r\n"))
    shell.send(b"\x04")
    shell.until(b"@> ")
    assert (kitchen.home / "f").read_bytes() == text.replace(b"\r", b"\n")
    shell.finish()


def test_all_byte_values_pass_both_ways(door, kitchen):
    """Raw mode on the inside: a program gets the 256 values typed, and its 256 values are shown."""
    every = bytes(range(256))
    (kitchen.home.parent / "every").write_bytes(every)
    shell = door()
    shell.send(b"stty raw -echo; echo R''UN; head -c 256 >f; cat ../every; stty sane\r")
    shell.until(lambda shown: b"RUN\n" in shown)
    shell.send(every)
    shown = shell.until(b"@> ")
    assert every in shown
    assert (kitchen.home / "f").read_bytes() == every
    shell.finish()


def test_a_large_output_arrives_whole(door):
    shell = door()
    shown = shell.line("seq 1 200000")
    text = b"".join(b"%d\r\n" % number for number in range(1, 200_001))
    assert text in shown
    shell.finish()
    assert hashlib.sha256(shell.outputs()[0]).digest() == hashlib.sha256(text).digest()


def test_five_thousand_keys_typed_ahead_are_taken_as_plain_bash_takes_them(kitchen):
    """More than a terminal's buffer holds; each line runs once, and is told once."""
    kept = []
    lines = [f"echo {number:04d}" for number in range(500)]
    for behind in (False, True):
        shell = kitchen.start(behind)
        shell.send(b"echo R''UN; sleep 0.3\r")
        shell.until(lambda shown: b"RUN\r\n" in shown)
        shell.send("".join(f"{line}\r" for line in lines).encode() + b"echo l''ast\r")
        shell.until(lambda shown: b"last\r\n" in shown and shown.endswith(b"@> "), patience=90)
        shell.finish()
        kept.append((kitchen.home / ".bash_history").read_bytes())
    assert kept[0] == kept[1]
    assert [text for text, _ in shell.commands()][1:501] == lines


def test_a_resize_reaches_the_shell_with_its_pixels(door):
    shell = door()
    shell.send(b"trap 'echo W''INCH' WINCH\r")
    shell.until(b"@> ")
    fcntl.ioctl(shell.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 1320, 1000))
    shell.line("sleep 0.1; stty size")
    shown = shell.line(
        "python3 -c 'import fcntl,struct,termios; print(struct.unpack(\"HHHH\", fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))))'"
    )
    assert b"(50, 132, 1320, 1000)" in shown
    assert b"WINCH" in shell.seen
    shell.finish()
    assert shell.heard("size")[-1].value == {"rows": 50, "columns": 132}


@pytest.mark.parametrize(
    "ending", [b"exit 3\r", b"kill -9 $$\r", b"kill -HUP $$\r", b"exec true\r", b"\x04", b"kill -SEGV $$\r"]
)
def test_the_terminal_is_given_back(door, ending):
    shell = door(prompt=None)
    shell.until(b"@> ")
    before = kept(shell)
    assert not before[3] & termios.ICANON  # raw while the door is open
    shell.finish(ending)
    after = kept(shell)
    assert after[3] & termios.ICANON
    assert after[3] & termios.ECHO
    assert after[3] & termios.ISIG
    assert after[1] & termios.OPOST


def kept(shell):
    return termios.tcgetattr(shell.fd)


def test_settings_of_the_terminal_are_those_that_it_had(kitchen):
    """`stty -a` inside, and the terminal afterwards, are the same with and without the door."""
    seen = []
    for behind in (False, True):
        shell = kitchen.start(behind)
        attributes = shell.line("stty -a")
        shell.finish()
        seen.append((attributes, kept(shell)[:4]))
    assert seen[0] == seen[1]


def test_signals_from_outside_reach_the_shell(door):
    shell = door(rc="PS1='@> '\ntrap 'echo got U1' USR1\ntrap 'echo got TERM' TERM\n")
    for number, name in ((signal.SIGUSR1, b"U1"), (signal.SIGTERM, b"TERM")):
        shell.kill(number)
        shell.send(b"\r")
        shell.until(lambda shown, name=name: b"got " + name in shown and shown.endswith(b"@> "))
    assert shell.finish() == 0


def test_a_terminating_signal_from_outside_is_ignored_as_bash_does(door):
    shell = door()
    shell.kill(signal.SIGTERM)
    shell.kill(signal.SIGTSTP)
    assert b"alive" in shell.line("echo al''ive")
    assert shell.finish() == 0


def test_hang_up_from_outside_ends_shell_and_door(door, kitchen):
    shell = door()
    shell.line("echo kept")
    shell.kill(signal.SIGHUP)
    assert shell.wait() == 129
    assert (kitchen.home / ".bash_history").read_bytes() == b"echo kept\n"


def test_a_terminal_that_goes_away_ends_the_shell(kitchen):
    """Its history is written, its last command is told."""
    shell = kitchen.start(True)
    shell.line("echo kept")
    shell.hang_up()
    _, status = os.waitpid(shell.pid, 0)
    shell.status = os.waitstatus_to_exitcode(status)
    assert shell.status == 129
    assert (kitchen.home / ".bash_history").read_bytes() == b"echo kept\n"


def test_the_end_does_not_wait_for_background_jobs(door):
    shell = door()
    assert shell.finish(b"sleep 60 & exit 3\r") == 3


def test_the_end_does_not_wait_for_daemons(door):
    shell = door()
    shell.line("setsid sleep 5 & true")
    assert shell.finish() == 0


def test_suspend_stops_the_door_and_gives_the_terminal_back(door):
    shell = door()
    shell.send(b"suspend\r")
    pid, status = os.waitpid(shell.pid, os.WUNTRACED)
    assert (pid, os.WIFSTOPPED(status)) == (shell.pid, True)
    assert kept(shell)[3] & termios.ICANON
    os.kill(shell.pid, signal.SIGCONT)
    shell.until(b"@> ")
    assert b"back\r\n" in shell.line("echo ba''ck")
    assert not kept(shell)[3] & termios.ICANON
    shell.finish()


def test_inherited_descriptors_reach_the_shell(door, tmp_path):
    """A descriptor that bash would inherit is there behind the door, and none of the door's own."""
    (tmp_path / "file").write_text("from outside\n")
    fd = os.open(tmp_path / "file", os.O_RDONLY)
    os.set_inheritable(fd, True)
    try:
        shell = door()
        assert b"from outside" in shell.line(f"cat <&{fd}")
        listed = shell.line("echo /proc/$$/fd/*").split(b"\r")[-2].split()
        shell.finish()
    finally:
        os.close(fd)
    numbers = {int(path.rpartition(b"/")[2]) for path in listed if b"/fd/" in path}
    assert {0, 1, 2, fd} <= numbers
    others = {number for number in numbers - {0, 1, 2, 255, fd} if not os.path.exists(f"/proc/self/fd/{number}")}
    assert not others


def test_private_files_go_when_the_shell_goes(door, kitchen):
    shell = door(side_files=str(kitchen.records))
    made = [path for path in kitchen.records.iterdir() if path.is_dir()]
    assert len(made) == 1
    assert made[0].stat().st_mode & 0o777 == 0o700
    shell.line("echo a; fi")
    left = sorted(path.name for path in made[0].iterdir())
    assert left == ["bell", "gate0", "gate1", "line", "lock", "rc"]
    shell.finish()
    assert not made[0].exists()


def test_private_files_of_a_killed_door_go_with_the_next(door, kitchen):
    places = kitchen.home.parent / "places"
    places.mkdir()
    first = door(side_files=str(places))
    second = kitchen.start(True, side_files=str(places))
    assert len(list(places.iterdir())) == 2
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    third = kitchen.start(True, side_files=str(places))
    assert len(list(places.iterdir())) == 2
    for shell in (second, third):
        shell.line("true")
        shell.finish()
    assert list(places.iterdir()) == []


def test_private_files_that_vanish_leave_the_shell_alone(door, kitchen):
    """Somebody empties the directory: commands go on, only nothing more is told."""
    shell = door(side_files=str(kitchen.records))
    shell.line("echo a")
    shell.line(f"rm -rf {kitchen.records}/tabshell-door-*")
    assert b"still\r\n" in shell.line("echo st''ill")
    assert b"1\r\n" in shell.line("false; echo $?")
    assert shell.finish(b"exit 5\r") == 5


def test_an_idle_shell_costs_nothing(door):
    """No timer runs while nothing happens."""
    shell = door()
    shell.line("true")
    ticks = os.sysconf("SC_CLK_TCK")
    before = cpu(shell.pid)
    assert not select.select([shell.fd], [], [], 1.0)[0]
    assert (cpu(shell.pid) - before) / ticks < 0.02
    shell.finish()


def cpu(pid: int) -> int:
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_flow_control_stops_and_goes_on(door):
    shell = door()
    shell.send(b"\x13")
    shell.send(b"echo A''B\r")
    assert not select.select([shell.fd], [], [], 0.2)[0]
    shell.send(b"\x11")
    assert b"AB\r\n" in shell.until(b"@> ")
    shell.finish()


def test_a_pipe_is_no_terminal():
    read, write = os.pipe()
    try:
        assert not is_interactive(read, write)
    finally:
        os.close(read)
        os.close(write)


def test_a_bash_that_cannot_be_executed_is_refused(door, tmp_path):
    shell = door(bash=Bash(str(tmp_path), "bash", (5, 2)), prompt=None)
    assert shell.wait() == 1
    assert b"ShellUnavailable" in shell.seen
    assert kept(shell)[3] & termios.ICANON


def test_random_pieces_of_input_give_the_same_session(kitchen):
    """Keys that arrive one by one or in clumps: the same commands, the same history."""
    keys = b"echo one\rfalse\recho $?\r(exit 3)\recho a | cat\r"
    told = []
    for seed in (1, 2):
        rng = random.Random(seed)
        shell = kitchen.start(True)
        rest = keys
        while rest:
            size = rng.choice((1, 1, 2, 7, 30))
            shell.send(rest[:size])
            rest = rest[size:]
        shell.until(lambda shown, shell=shell: b"\ra\r\n" in shell.seen and shown.endswith(b"@> "))
        shell.finish()
        told.append(shell.commands())
    assert told[0] == told[1]
    assert [text for text, _ in told[0]] == ["echo one", "false", "echo $?", "(exit 3)", "echo a | cat", "exit"]


def test_few_descriptors_are_enough(kitchen):
    """The shell's own limit does not disturb the door."""
    shell = kitchen.start(True, rc="PS1='@> '\nulimit -n 12\n")
    assert b"a\r\n" in shell.line("echo a")
    shell.finish()
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 12


def test_a_door_that_is_killed_takes_its_shell_with_it(kitchen):
    """At any moment, also while bash stands at the gate: no shell is left behind, its history is written."""
    rng = random.Random(7)
    for _ in range(12):
        shell = kitchen.start(True)
        (bash,) = children(shell.pid)
        count = rng.randrange(1, 8)
        shell.send(b"true\r" * count)
        shell.until(lambda shown, count=count: shown.count(b"true\r\n") >= rng.randrange(count + 1))
        os.kill(shell.pid, signal.SIGKILL)
        os.waitpid(shell.pid, 0)
        shell.status = -9
        end = time.monotonic() + 10
        while alive(bash) and time.monotonic() < end:
            select.select([], [], [], 0.01)
        assert not alive(bash)


def children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(") ")[2][:1] != "Z"
    except OSError:
        return False


def test_a_reader_that_stops_costs_no_memory_and_loses_nothing(door):
    """Nobody reads: the program waits, as on a plain terminal; then everything comes."""
    shell = door()
    before = memory(shell.pid)
    shell.send(b"seq 1 1000000\r")
    quiet = time.monotonic() + 0.5
    while time.monotonic() < quiet:
        select.select([], [], [], 0.05)
    assert memory(shell.pid) - before < 12_000
    shown = shell.until(b"@> ", patience=60)
    assert shown.count(b"\r\n") == 1_000_001
    assert b"\r\n999999\r\n1000000\r\n" in shown
    shell.finish()


def memory(pid: int) -> int:
    """Resident kilobytes."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def test_a_resize_while_a_program_prints_loses_nothing(door):
    shell = door()
    shell.send(b"seq 1 100000\r")
    for rows in range(20, 60):
        fcntl.ioctl(shell.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
        shell.until(lambda shown, rows=rows: shown.count(b"\n") > (rows - 20) * 2000)
    shown = shell.until(b"@> ")
    assert b"".join(b"%d\r\n" % number for number in range(1, 100_001)) in shown
    shell.send(b"stty size\r")  # its echo may come between prompts: what the last sizes make readline draw anew
    shell.until(lambda shown: b"59 100\r\n" in shown)
    shell.until(b"@> ")
    shell.finish()
