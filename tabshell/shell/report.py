"""What the hooks in ``init.bash`` report beside a mark: the bytes of one side file in, a ``Report`` out. Pure.

Fields end in NUL: status, directory, ``HISTCMD``, ``$-``, whether the shell waits for an answer; the rest is
what ``history 1`` printed (``docs/reference/marks.md``). A file that does not read so is no report.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_HISTORY = re.compile(rb"\s*([0-9]+)[* ] (.*)\n\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Report:
    """The shell's state at a mark.

    ``status`` is ``$?``; ``history_number`` is HISTCMD (None: history is off or the variable is gone);
    ``last_entry`` the newest line of the history list (None: empty). ``waits``: the shell stands still until
    it is answered. ``eof_ignored``: the user has IGNOREEOF set.
    """

    status: int
    cwd: bytes
    history_number: int | None
    flags: str
    waits: bool
    eof_ignored: bool
    last_entry: bytes | None


def parse_report(data: bytes) -> Report | None:
    """The report in ``data``, or None if it is none."""
    fields = data.split(b"\0", 6)
    if len(fields) != 7 or not fields[0].isdigit():
        return None
    entry = _HISTORY.match(fields[6])
    return Report(
        status=int(fields[0]),
        cwd=fields[1],
        history_number=int(fields[2]) if fields[2].isdigit() else None,
        flags=fields[3].decode("ascii", "replace"),
        waits=fields[4] == b"1",
        eof_ignored=fields[5] == b"1",
        last_entry=entry[2] if entry else None,
    )
