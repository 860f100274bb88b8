"""The first line waits a moment for what is to see its beginning; the prompt does not wait, and no key is touched.

What a recording needs before the first command runs (the watches on a large workspace) is made ready beside the
shell's own start. Until it is, a named pipe tells the shell's hook to wait there with a line that it has read and is
about to run (``docs/reference/marks.md``), for ``PATIENCE`` at most; then the pipe is gone. In: the start of such a
line. Out: the same when it goes on, for only then does it begin. Nothing here may fail: the shell waits.
"""

from __future__ import annotations

import time
from typing import Protocol

from tabshell.shell.bash import SideFiles
from tabshell.shell.report import Report

#: Seconds that the first line waits at most, and between two looks meanwhile.
PATIENCE = 1.0
LOOK = 0.002
#: Seconds that a shell takes from there to its command: keys and signals are the command's, as they would have been.
ON_ITS_WAY = 0.03


class Preparation(Protocol):
    """What the first line waits for; must not raise."""

    def begin(self) -> None:
        """The shell was started: makes it ready, aside."""

    @property
    def over(self) -> bool:
        """Whether it is ready, or never will be."""


class FirstLine:
    """The first line of one shell. Make it before the shell."""

    def __init__(self, side: SideFiles, preparation: Preparation | None) -> None:
        self._side = side
        self._preparation = preparation
        self._kept: tuple[Report, str] | None = None
        self._until = 0.0
        #: Whether lines run at once.
        self.free = preparation is None or not side.hold_first()

    def begin(self) -> None:
        """The shell was started."""
        if self._preparation is not None:
            self._preparation.begin()

    def look(self) -> bool:
        """Whether lines run at once from now on."""
        if not self.free and self._kept is None and self._ready():
            self.let_go()
        return self.free

    def keep(self, report: Report, token: str) -> None:
        """The shell has read the line and waits."""
        self._kept, self._until = (report, token), time.monotonic() + PATIENCE

    @property
    def waits(self) -> bool:
        """Whether a line waits."""
        return self._kept is not None

    @property
    def stands_still(self) -> bool:
        """The same until the command runs: what is typed meanwhile is for the command."""
        return self.waits or (self._until > 0.0 and time.monotonic() < self._until)

    def due(self, *, now: bool = False) -> tuple[Report, str] | None:
        """The start that has waited, when it is time (or ``now``); ``let_go`` when it was told."""
        if now or self._ready() or time.monotonic() >= self._until:
            return self._kept
        return None

    def let_go(self) -> None:
        """The line that waits goes on, and no other one will wait."""
        if not self.free:
            self._side.let_first_go()
        self.free = True
        self._until = 0.0 if self._kept is None else time.monotonic() + ON_ITS_WAY
        self._kept = None

    def _ready(self) -> bool:
        return self._preparation is None or self._preparation.over
