"""The player: every recorded byte in its time, and the keys that a person presses meanwhile."""

import os
import re
import subprocess
import sys

import pexpect
import pytest

from tabshell.cli.recordings.player import Player, frames_from
from tabshell.errors import Refused
from tabshell.recordings.film import Film, Frame, Size
from tabshell.session import Session, SessionOptions


class Time:
    """A clock that stands still unless somebody waits; ``keys`` are pressed at the n-th wait."""

    def __init__(self, keys=()):
        self.now = 0.0
        self.keys = dict(keys)
        self.waits = 0

    def clock(self):
        return self.now

    def pause(self, seconds):
        self.waits += 1
        key = self.keys.pop(self.waits, None)
        if key is None:
            assert seconds is not None, "held for ever"
            self.now += seconds
        return key


FRAMES = [
    Frame(10.0, b"$ ls\r\n"),
    Frame(10.5, b"a.txt\r\n", 1),
    Size(10.6, 24, 80),
    Frame(11.0, b"b.txt\r\n", 1),
    Frame(71.0, b"$ cat a.txt\r\n"),
    Frame(71.25, b"alpha\r\n", 2),
    Frame(72.0, b"$ "),
]


def play(time, **options):
    """(what was written at which time, whether it went to the end)"""
    written = []
    player = Player(lambda data: written.append((round(time.now, 6), data)), time.pause, clock=time.clock, **options)
    return written, player.play(iter(FRAMES))


def test_frames_come_in_their_time_and_a_long_pause_is_cut():
    written, finished = play(Time())
    assert finished
    assert [at for at, _ in written] == [0.0, 0.5, 1.0, 3.0, 3.25, 4.0]
    assert b"".join(data for _, data in written) == b"".join(f.data for f in FRAMES if isinstance(f, Frame))


def test_without_an_idle_limit_pauses_are_as_they_were():
    written, _ = play(Time(), idle_limit=None)
    assert written[3][0] == 61.0


def test_twice_the_speed_takes_half_the_time():
    written, _ = play(Time(), speed=2.0)
    assert [at for at, _ in written] == [0.0, 0.25, 0.5, 1.5, 1.625, 2.0]


def test_a_key_changes_the_speed_while_it_plays():
    time = Time({2: "+"})
    written, _ = play(time)
    assert [at for at, _ in written][:3] == [0.0, 0.5, 0.75]


def test_space_holds_until_it_is_pressed_again():
    time = Time({2: " ", 3: " "})
    written, finished = play(time)
    assert finished
    assert [at for at, _ in written] == [0.0, 0.5, 1.0, 3.0, 3.25, 4.0]


@pytest.mark.parametrize("key", ["q", "\x03", "\x04"])
def test_quitting_stops_where_it_is_also_while_it_holds(key):
    written, finished = play(Time({3: key}))
    assert not finished
    assert [data for _, data in written] == [b"$ ls\r\n", b"a.txt\r\n"]
    written, finished = play(Time({2: " ", 3: key}))
    assert not finished
    assert len(written) == 1


def test_a_step_goes_to_the_end_of_the_turn_at_once_and_holds_there():
    time = Time({2: ".", 3: ".", 4: " "})
    written, finished = play(time)
    assert finished
    assert [at for at, _ in written[:3]] == [0.0, 0.0, 0.0]


def test_lines_of_a_session_without_a_terminal_get_carriage_returns():
    out = []
    Player(out.append, Time().pause).play(iter([Frame(0.0, b"a\nb\r\n", 1, terminal=False)]))
    assert out == [b"a\r\nb\r\n"]


class Facts:
    """A store without facts."""

    def events(self, *kinds, after=0):
        return iter(())

    def output(self, stream, start, end):
        return b""


def test_a_turn_that_is_not_there_is_refused():
    with pytest.raises(Refused, match="no turn 7 that ended in this session; it recorded none"):
        list(frames_from(Film(Facts()), 7))


@pytest.fixture
def imported(tmp_path, own_home, monkeypatch):
    """The directory of an imported cast of two commands."""
    from tabshell.session.importing import import_file  # noqa: PLC0415

    path = tmp_path / "x.cast"
    path.write_text(
        '{"version": 2, "width": 80, "height": 24}\n[0.1, "o", "u@h:/srv$ cat a\\r\\n"]\n'
        '[0.2, "o", "alpha\\r\\nu@h:/srv$ false\\r\\n"]\n[0.3, "o", "u@h:/srv$ "]\n'
    )
    return import_file(path, os.environ).directory


def test_into_a_pipe_the_recorded_bytes_come_at_once(imported, capfdbinary):
    from tabshell.cli.tabshell import main  # noqa: PLC0415

    assert main(["replay", str(imported)]) == 0
    assert capfdbinary.readouterr().out == b"alpha\r\n"
    assert main(["replay", str(imported), "--turn", "9"]) == 1
    assert b"there are turns 1 to 2" in capfdbinary.readouterr().err


def test_on_a_terminal_it_plays_and_leaves_the_terminal_as_it_was(imported):
    child = pexpect.spawn(
        sys.executable, ["-m", "tabshell", "replay", str(imported), "--speed", "50"], encoding="utf-8", timeout=30
    )
    child.expect_exact("$ cat a\r\n")
    child.expect_exact("alpha\r\n")
    child.expect_exact("$ false\r\n")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_ctrl_c_stops_the_player_with_the_status_of_an_interrupt(own_home, workspace):
    with Session.create(SessionOptions(str(workspace)), os.environ) as session:
        from tabshell.model.records import CommandRecord  # noqa: PLC0415

        for number in range(3):
            session.store._clock = lambda number=number: 1000.0 + 60 * number
            session.recorder.record(CommandRecord("shim", f"echo {number}", "argument", str(workspace), b"x\n", 0))
    child = pexpect.spawn(
        sys.executable, ["-m", "tabshell", "replay", "last", "--idle-limit", "0"], encoding="utf-8", timeout=30
    )
    child.expect_exact("$ echo 0\r\n")
    child.sendcontrol("c")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


@pytest.mark.slow
def test_a_replay_is_what_the_terminal_showed_byte_for_byte(workspace, own_home):
    (workspace / "a.txt").write_text("alpha\n")
    (own_home / ".bashrc").write_text("PS1='@> '\n")
    child = pexpect.spawn(
        sys.executable, ["-m", "tabshell", "run", "-w", str(workspace)], cwd=str(workspace), timeout=30,
        dimensions=(24, 80),
    )  # fmt: skip
    shown = b""
    child.expect_exact(b"@> ")
    shown += child.before + child.after
    for command in ("cat a.txt", "printf 'no end \\377'", "seq 1 500", "tab add one", "exit"):
        child.send(command + "\r")
        child.expect_exact(b"@> ")
        shown += child.before + child.after
    child.send("exit\r")
    child.expect(pexpect.EOF)
    shown += child.before
    played = subprocess.run([sys.executable, "-m", "tabshell", "replay", "last"], capture_output=True, check=True)
    # what tabshell says after the shell is gone is no part of its terminal
    assert shown.startswith(played.stdout)
    assert re.fullmatch(rb"\[tab\] session \S+ ended: [^\r\n]*\r\n", shown[len(played.stdout) :])
    assert b"no end \xff" in played.stdout
