"""What the hooks in ``init.bash`` report: the bytes of a side file, or its name, in; a ``Report`` out. Pure.

At a start the file holds what ``history 1`` printed, and behind a NUL each: status, directory, ``HISTCMD``, ``$-``,
where the shell waits (``answer``: to be told whether it may leave; ``first``; or nowhere). At a prompt the file's name
is ``E.GATE.STATUS.HISTCMD.FLAGS.``, ``i`` where IGNOREEOF is set, and ``1`` where there is nothing new in the history
(``docs/reference/marks.md``). What does not read so is no report.
"""

from __future__ import annotations

import re

from tabshell.model.light import dataclass
from tabshell.text.late import late

_HISTORY = late(rb"(?s)\s*([0-9]+)[* ] (.*)\n\Z")
_PROMPT_NAME = re.compile(r"E\.([01])\.([0-9]+)\.(.*)\.([A-Za-z]*)\.(i?)1?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Report:
    """The shell's state when a line was read, or before a prompt.

    ``status`` is ``$?``; ``cwd`` is None where it was not told. ``history_number`` is HISTCMD (None: the variable is
    gone). ``last_entry`` is the newest line of the history list (None: empty, off, or not told). ``waits``: the
    shell stands still until it is answered; ``first``: until the first line may run. ``eof_ignored``: the user has
    IGNOREEOF set. ``gate`` is where the shell waits before its prompt. ``foretold``: the line is the one that was
    typed; the history was not asked.
    """

    status: int
    cwd: bytes | None
    history_number: int | None
    flags: str
    last_entry: bytes | None = None
    waits: bool = False
    first: bool = False
    eof_ignored: bool = False
    gate: int = 0
    foretold: bool = False


def parse_start(data: bytes) -> Report | None:
    """The report of a start in ``data``, or None if it is none."""
    fields = data.rsplit(b"\0", 5)
    if len(fields) != 6 or not fields[1].isdigit():
        return None
    return Report(
        status=int(fields[1]),
        cwd=fields[2],
        history_number=int(fields[3]) if fields[3].isdigit() else None,
        flags=fields[4].decode("ascii", "replace"),
        last_entry=parse_history(fields[0]),
        waits=fields[5] == b"answer",
        first=fields[5] == b"first",
    )


def parse_prompt(name: str, history: bytes, cwd: bytes | None) -> Report | None:
    """The report of a prompt in a file's name; ``history`` is what ``history 1`` printed, or empty."""
    found = _PROMPT_NAME.fullmatch(name)
    if found is None:
        return None
    return Report(
        status=int(found[2]),
        cwd=cwd,
        history_number=int(found[3]) if found[3].isdecimal() else None,
        flags=found[4],
        last_entry=parse_history(history),
        eof_ignored=bool(found[5]),
        gate=int(found[1]),
    )


def parse_history(printed: bytes) -> bytes | None:
    """The line in the output of ``history 1``, without its number; None if there is none."""
    entry = _HISTORY.match(printed)
    return entry[2] if entry else None
