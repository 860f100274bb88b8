"""The player: a session's film on a terminal, with its own timing.

In: a film, where to write, a ``Pause`` that waits and tells which key was pressed meanwhile. Out: the recorded bytes,
unchanged and in order; without a terminal session the commands of its turns in front of their output. Keys: space
pauses, ``.`` or ``n`` goes to the end of the turn and waits there, ``+`` and ``-`` change the speed, ``q`` and
Ctrl-C stop. Limits: it never goes back; sizes of the recorded terminal are not imposed on the player's.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from tabshell.errors import Refused
from tabshell.recordings.film import Film, Frame, Size, on_terminal

#: Longest wait between two frames, in seconds of the recording.
IDLE_LIMIT_S = 2.0
_LEAVE_SCREEN = b"\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[?1000l\x1b[0m"


class Pause(Protocol):
    """Waits, and tells which key was pressed meanwhile."""

    def __call__(self, seconds: float | None) -> str | None:
        """Waits so long (None: for a key); gives the key that ended it, or None when the time is over."""


@dataclass(slots=True)
class Player:
    """Plays frames. ``speed`` 2.0 is twice as fast; ``idle_limit`` cuts pauses, in seconds (None: as they
    were)."""

    write: Callable[[bytes], None]
    pause: Pause
    speed: float = 1.0
    idle_limit: float | None = IDLE_LIMIT_S
    clock: Callable[[], float] = time.monotonic
    _stepping: bool = False

    def play(self, frames: Iterator[Frame | Size]) -> bool:
        """Plays to the end; False if the person stopped it."""
        before: float | None = None
        turn: int | None = None
        for frame in frames:
            if isinstance(frame, Size):
                continue
            if self._stepping and turn is not None and frame.turn != turn:
                self._stepping = False
                if not self._hold():
                    return False
            gap = 0.0 if before is None else max(0.0, frame.at - before)
            before, turn = frame.at, frame.turn
            if not self._wait(gap):
                return False
            self.write(on_terminal(frame))
        return True

    def _wait(self, gap: float) -> bool:
        """Waits ``gap`` seconds of the recording; False to stop."""
        if self.idle_limit is not None:
            gap = min(gap, self.idle_limit)
        due = self.clock() + gap / self.speed
        while not self._stepping:
            left = due - self.clock()
            key = self.pause(max(0.0, left))
            if key is None:
                return True
            if not self._key(key):
                return False
            due = self.clock() + max(0.0, left) if key == " " else due
        return True

    def _key(self, key: str) -> bool:
        """Does what a key asks for; False to stop."""
        if key in ("q", "\x03", "\x04"):
            return False
        if key == " ":
            return self._hold()
        if key in (".", "n"):
            self._stepping = True
        elif key in ("+", "=", ">"):
            self.speed *= 2
        elif key in ("-", "<"):
            self.speed /= 2
        return True

    def _hold(self) -> bool:
        """Waits until a key goes on; False to stop."""
        while True:
            key = self.pause(None)
            if key is None or key == " ":
                return True
            if key in (".", "n"):
                self._stepping = True
                return True
            if not self._key(key):
                return False


def frames_from(film: Film, turn: int | None) -> Iterator[Frame | Size]:
    """The whole film, or one turn of it. Raises Refused for a turn that is not there."""
    if turn is None:
        yield from film.frames()
        return
    if turn not in film.scenes:
        known = f"there are turns 1 to {max(film.scenes)}" if film.scenes else "it recorded none"
        raise Refused(f"no turn {turn} that ended in this session; {known}", "no-turn")
    yield from film.turn_frames(turn)


def replay(film: Film, *, speed: float = 1.0, idle_limit: float | None = IDLE_LIMIT_S, turn: int | None = None) -> int:
    """Plays a film on this process's standard output; gives the exit status (130 when it was stopped).

    Where standard output is no terminal the recorded bytes come at once, and nothing else.
    """
    out = sys.stdout.fileno()
    frames = frames_from(film, turn)
    if not os.isatty(out):
        for frame in frames:
            if isinstance(frame, Frame) and not frame.made:
                _write_all(out, frame.data)
        return 0
    with _keyboard() as pause:
        player = Player(lambda data: _write_all(out, data), pause, speed, idle_limit)
        try:
            finished = player.play(frames)
        finally:
            _write_all(out, _LEAVE_SCREEN + b"\r\n")
    return 0 if finished else 130


def _write_all(out: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(out, view) :]


@contextmanager
def _keyboard() -> Iterator[Pause]:
    """Single keys from standard input while it is a terminal; without one only time passes."""
    descriptor = sys.stdin.fileno()
    if not os.isatty(descriptor):

        def sleep(seconds: float | None) -> str | None:
            time.sleep(seconds or 0.0)
            return None

        yield sleep
        return
    kept = termios.tcgetattr(descriptor)

    def key(seconds: float | None) -> str | None:
        ready, _, _ = select.select([descriptor], [], [], seconds)
        return os.read(descriptor, 1).decode("latin-1") or "q" if ready else None

    try:
        tty.setraw(descriptor)
        yield key
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, kept)
