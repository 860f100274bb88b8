"""What the loop between two terminals tells, and asks, whoever decides what passes (the door)."""

from __future__ import annotations

from typing import Protocol

from tabshell.shell.report import Report


class Traffic(Protocol):
    """What is done with what comes in (the door)."""

    @property
    def undecided(self) -> bool:
        """Whether bytes are kept back that may be the beginning of a mark."""

    def decide(self) -> None:
        """They are not."""

    @property
    def due(self) -> float | None:
        """When ``settle`` is to be called (monotonic clock), if at all."""

    def settle(self) -> None:
        """It is due."""

    @property
    def stands_still(self) -> bool:
        """Whether the shell stands still with a line that it has read: keys and signals have to wait."""

    def let_go(self) -> None:
        """The shell was let go to its prompt; nothing was read since."""

    def printed(self, data: bytes) -> None:
        """The shell's terminal printed these bytes."""

    def flows(self, data: bytes) -> bool:
        """Whether these printed bytes can be shown as they are, nothing in them or before them being undecided."""

    def flowed(self, pieces: list[bytes]) -> None:
        """These bytes were printed, and shown."""

    def typed(self, data: bytes) -> bytes:
        """These keys came in; gives those that the shell is to have."""

    def prompted(self, report: Report) -> None:
        """The shell stands before its prompt; all that it printed so far was given."""

    def resized(self) -> None:
        """The window changed."""

    def caught_up(self, token: str) -> None:
        """All that could be read was read for the client with this number."""

    def ended(self, exit_code: int | None) -> None:
        """The shell is gone."""
