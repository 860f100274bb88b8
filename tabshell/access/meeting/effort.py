"""How much looking into files one turn may cause, counted in microseconds of an ordinary machine and not timed.

A command that walks a tree makes every file of it a suspect, a document costs a program to read. Each file has a price,
by its kind and size; the likeliest suspects are looked into first, until the sum is spent.
What was left out is said in the reasons: there the command's word alone counts. The same turn always costs the same.
"""

from __future__ import annotations

import os

#: Microseconds of one turn for preparing files, and for holding single rows against them.
PREPARING, WEIGHING = 11_000.0, 7_000.0
#: How much more for the rows of files that a command names one by one: long texts take that before they are ready.
FIRST = 6_000.0
#: What may be spent on preparing beyond that, for the few files that a command names one by one.
NAMED = 24_000.0
#: What is kept of it for files that the command or the output names, where there are others that only lie in a tree.
KEPT = 4_000.0
#: What the first pages of a PDF cost; the beginnings of other documents cost a quarter of it.
GLANCE = 24_000.0
#: Bytes of large files that are read through where no command names them, each about four times.
READ_THROUGH = 48 << 20
#: What opening any file costs, and each of its bytes, in microseconds.
_OPENED, _BYTE = 60.0, 0.010
#: Formats that need unpacking: what the beginning costs, and each byte.
_FORMATS = {
    ".pdf": (14_000.0, 0.8),
    ".html": (400.0, 0.27), ".htm": (400.0, 0.27), ".xls": (400.0, 0.02), ".rtf": (600.0, 0.06), ".msg": (400.0, 0.02),
    ".docx": (900.0, 0.06), ".docm": (900.0, 0.06), ".pptx": (900.0, 0.03), ".xlsx": (500.0, 0.25),
    ".xlsm": (500.0, 0.25), ".odt": (600.0, 0.06), ".ods": (600.0, 0.25), ".odp": (600.0, 0.06), ".epub": (900.0, 0.06),
    ".zip": (800.0, 0.05), ".gz": (500.0, 0.08), ".tgz": (900.0, 0.08), ".xz": (800.0, 0.2), ".bz2": (800.0, 0.2),
    ".sqlite": (800.0, 0.1), ".sqlite3": (800.0, 0.1), ".db": (800.0, 0.1), ".jar": (800.0, 0.05),
}  # fmt: skip


def price(path: str, size: int) -> float:
    """What preparing a file for comparing costs for the first time."""
    begin, byte = _FORMATS.get(os.path.splitext(path)[1].lower(), (_OPENED, _BYTE))
    return begin + byte * size


class Effort:
    """What is left of a sum."""

    def __init__(self, left: float) -> None:
        self.left = left

    def take(self, cost: float, beyond: float = 0.0) -> bool:
        """Whether so much is left, with ``beyond`` on top; then it is spent."""
        if cost > self.left + beyond:
            return False
        self.left -= cost
        return True
