"""Any program on a terminal of its own, as the door runs bash: everything passed through, everything told.

For agents with a screen of their own (``tabshell run -- AGENT``). There are no commands to find here: what the
agent runs is told by the shim or by its hooks. A ``Watcher`` hears the bytes that were displayed and the
sizes of the window. ShellUnavailable where the program cannot be started.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from tabshell.shell.bash import SideFiles
from tabshell.shell.loop import Loop, ShellExit
from tabshell.shell.synchronise import SyncSocket
from tabshell.shell.terminal import ShellTerminal, UserTerminal


class Watcher(Protocol):
    """Who hears what is displayed; must not raise."""

    def output(self, data: bytes, at: float) -> None:
        """These bytes were displayed."""

    def resized(self, rows: int, columns: int) -> None:
        """The window has another size."""


def run_program(path: str, argv: Sequence[str], env: Mapping[str, str], watcher: Watcher) -> ShellExit:
    """Runs the program at ``path`` on standard input's terminal until it ends."""
    user = UserTerminal(0, 1)
    try:
        with SideFiles() as unused, SyncSocket(None) as silent, Loop(user, silent, unused) as loop:
            program = ShellTerminal.start(path, argv, env, cwd=None, attributes=user.attributes, size=user.size)
            try:
                user.raw()
                return loop.run(program, _Passage(program, user, loop, watcher))
            finally:
                program.close()
    finally:
        user.close()


class _Passage:
    """What comes in goes out; nothing is looked for."""

    undecided = False
    stands_still = False
    due = None

    def __init__(self, program: ShellTerminal, user: UserTerminal, loop: Loop, watcher: Watcher) -> None:
        self._program = program
        self._user = user
        self._loop = loop
        self._watcher = watcher

    def decide(self) -> None:
        """Nothing is ever kept back."""

    def printed(self, data: bytes) -> None:
        """To the person, and to the record."""
        self._loop.display(data)
        self._watcher.output(data, time.time())

    def flows(self, data: bytes) -> bool:  # noqa: ARG002 - the door's is different
        """Nothing is ever looked for."""
        return True

    def flowed(self, pieces: list[bytes]) -> None:
        """To the record: it was shown."""
        self._watcher.output(b"".join(pieces), time.time())

    def prompted(self, report: object) -> None:
        """No hook tells of prompts here."""

    def settle(self) -> None:
        """Nothing is put off here."""

    def let_go(self) -> None:
        """No gate is here."""

    def typed(self, data: bytes) -> bytes:
        """Every key as it is."""
        return data

    def resized(self) -> None:
        """Hands the new size on."""
        size = self._user.size
        self._program.resize(size)
        self._watcher.resized(size.rows, size.columns)

    def caught_up(self, token: str) -> None:
        """Nobody asks here."""

    def ended(self, exit_code: int | None) -> None:
        """The program is gone."""
