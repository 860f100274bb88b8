"""Lines whose text the door knows before the shell has read them, so that their start costs no process. Pure.

A line that was typed straight through and that the terminal echoed as it is needs no word from the history: the
shell tells its start by a mark with a number that the door gave it just before (``docs/reference/marks.md``). What is
asked for first: that such a line was told right at length once in this shell, that its directory is the one that
was told then, and that nothing in the line edits, repeats or leaves. Anything else is told at length, as ever.
"""

from __future__ import annotations

import os

from tabshell.shell.report import Report
from tabshell.text.late import late

#: Digits of a number; behind it a mark has the history's.
DIGITS = 18

#: History's characters, what may have to be held (``exit``), what the hooks look for (a CHLD trap), and a line that
#: goes on: such lines are told at length.
_AT_LENGTH = late(rb"!|\A\s*\^|exit|logout|trap|CHLD|\\\Z|\A\s*\Z")


class Foretelling:
    """Which lines of one shell are foretold, and the report of those that were."""

    def __init__(self) -> None:
        self._number = b""
        self._believed = False
        self._place: tuple[bytes, bytes] | None = None

    def number_for(self, line: bytes | None, prompt: Report | None) -> bytes:
        """The number for this line, typed at this prompt; empty: it is to be told at length."""
        self._number = b""
        if line is None or prompt is None or not self._believed or _AT_LENGTH.search(line):
            return b""
        if self._place is None or self._place[0] != prompt.cwd:
            return b""
        self._number = b"%d" % (10 ** (DIGITS - 1) + int.from_bytes(os.urandom(7), "big"))
        return self._number

    def report(self, token: str, prompt: Report | None) -> Report | None:
        """The report of a start that was told by a mark with this number, once; None: the mark is not ours."""
        if not self._number or token[:DIGITS].encode() != self._number or prompt is None or self._place is None:
            return None
        self._number = b""
        history = token[DIGITS:]
        return Report(prompt.status, self._place[1], int(history) if history else None, prompt.flags, foretold=True)

    def told(self, line: bytes | None, text: bytes | None, prompt: Report | None, start: Report) -> None:
        """A start was told, and its line has this text (None: not known). ``line`` is what was seen typed and
        echoed (None: not so simply), ``prompt`` the report of the prompt before it (None: there was none)."""
        if line is not None or start.foretold:
            self._believed = line is not None and line == text
        if not start.foretold and prompt is not None and prompt.cwd is not None and start.cwd:
            self._place = (prompt.cwd, start.cwd)
