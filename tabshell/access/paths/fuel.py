"""A bound on the work for one command, counted and not timed: the same command costs the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Fuel:
    """A bound on all work for one command, in units of roughly one microsecond. No clock: the same always."""

    left: int
    #: directory entries that may still be looked at
    visits: int = 3_600
    #: bytes of files that may still be read as lists of names or scripts
    text: int = 1 << 20

    def visit(self, cost: int = 1) -> bool:
        """Looks at one directory entry (``cost`` 4: asks the disk about it); False when no more may be."""
        self.visits -= cost
        return self.visits > 0

    def burn(self, units: int) -> bool:
        """Uses ``units``; False when none are left."""
        self.left -= units
        return self.left > 0
