"""Who hears what happens in a shell behind the door: the pty door calls, a recording listens.

What it is told, in the order in which it happened:

``output(data, at)``        bytes that were displayed: prompts, echoes, outputs, and what tabshell itself shows;
                            never a mark. Their sum is what a replay has to show.
``command_started(start)``  a line is about to run. Its output begins at ``start.offset``, counted in bytes given
                            to ``output`` so far. For comments and syntax errors, which bash reports only
                            when it is at the next prompt, the offset lies before the last bytes given.
``command_finished(end)``   the command that started last is over; its output ends before ``end.offset``. Gives
                            the status line (without line breaks; empty: none). The door shows it on a line of
                            its own before the prompt, and gives it to ``output``. Where ``end.unobserved`` is set
                            nothing is shown. Start and end always alternate.
``stop_attempted(stop)``    ``exit`` or ``ctrl-d`` at the prompt, with a command line that is nothing else. Gives the
                            finish check if the shell is to be held, None if it may end. Asked every time.
``resized(rows, columns)``  the window has another size.
``synchronise()``           a ``tab`` waits: all that was printed before it asked has been given to ``output``.
``settle()``                the shell was let go to its prompt (which is shown after this), a command has been running
                            for ``BRIEF`` seconds, or nothing has happened at the prompt for ``REST``: what a listener
                            put off so far is done now. Gives a line to show before the prompt, as above.

A listener is waited for; if it raises (or we do), the recording ends there: the shell goes on with every byte passed
through, the terminal shows one line, and ``run`` hands the fault to ``DoorOptions.broken``. Times are seconds since the
epoch.
"""

from __future__ import annotations

from typing import Literal, Protocol

from tabshell.shell.segment import CommandEnd, CommandStart


class Listener(Protocol):
    """Who hears what happens in the shell; see the module's header."""

    def output(self, data: bytes, at: float) -> None:
        """These bytes were displayed."""

    def command_started(self, start: CommandStart) -> None:
        """A command begins."""

    def command_finished(self, end: CommandEnd) -> bytes:
        """The command is over; the status line."""

    def stop_attempted(self, stop: Literal["exit", "ctrl-d"]) -> bytes | None:
        """Someone wants to leave; the finish check, or None."""

    def resized(self, rows: int, columns: int) -> None:
        """The window has another size."""

    def synchronise(self) -> None:
        """Take up everything given to ``output``."""

    def settle(self) -> bytes:
        """Do what was put off; a line to show before the prompt."""
