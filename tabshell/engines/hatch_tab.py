"""``tab`` without a Python of its own: the session's program is a text for bash that asks at the hatch.

In: the number of the caller's process, which is that bash. What it wants is read from its words; the session's clerk
does it, as for a ``tab`` that asks at its socket, and the answer is written to the caller's own outputs. Those must be
pipes or devices: a file of the caller's would be written from its beginning. Who cannot be served, and who brings a
text on standard input, goes on as the program in Python, which lies beside the pipes.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from tabshell.engines.hatch_calls import HATCH, tab_text
from tabshell.engines.hatch_run import words_of

#: What the caller's words begin with: bash, ``-p``, the program's path.
_FIRST = 3
#: The longest first line that every kernel in use takes.
_LINE = 127


class TabCall:
    """A caller, as ``cli.tab_client`` asks about one. Raises OSError, ValueError for what is none of this session."""

    __slots__ = ("_folder", "process", "words")

    def __init__(self, session: str, process: int) -> None:
        words = words_of(process)
        if len(words) < _FIRST or words[1] != b"-p" or not os.path.samefile(words[2], f"{session}/bin/tab"):
            msg = "no call of this session's tab"
            raise ValueError(msg)
        self.process = process
        self.words = [os.fsdecode(word) for word in words[_FIRST:]]
        self._folder = f"/proc/{process}"

    def directory(self) -> str | None:
        """The current directory; None where there is none any more."""
        try:
            there = os.readlink(f"{self._folder}/cwd")
            return there if os.path.samefile(there, f"{self._folder}/cwd") else None
        except OSError:
            return None

    def holds_text(self) -> bool:
        """Whether standard input is a pipe or a file."""
        try:
            mode = os.stat(f"{self._folder}/fd/0").st_mode
        except OSError:
            return False
        return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)

    def text_so_far(self) -> bytes | None:
        """Nothing is read of it here."""
        return None


def operate(session: str, process: int, out: int) -> int | None:
    """Does what a caller wants, whose standard output is its descriptor ``out``; gives the exit status, or None where
    nothing was done and the caller must do it itself. Raises OSError, ValueError, with the same meaning."""
    client = importlib.import_module("tabshell.cli.tab_client")  # it stands above this room
    caller = TabCall(session, process)
    with contextlib.ExitStack() as taken:
        output, error = (_opened(process, number, taken) for number in (out, 2))
        answer = client.answered(caller.words, session, caller)
        return None if answer is None else int(client.say(*answer, output, error))


def _opened(process: int, number: int, taken: contextlib.ExitStack) -> int:
    path = f"/proc/{process}/fd/{number}"
    mode = os.stat(path).st_mode
    if not stat.S_ISFIFO(mode) and not stat.S_ISCHR(mode):
        raise OSError(path)
    # a pipe that nobody reads any more would be waited for
    opened = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    taken.callback(os.close, opened)
    return opened


def put_tab(session: str, bash: str) -> None:
    """Puts the text for bash in the place of the session's ``tab``, and that one beside the pipes. Where its first line
    would not do, nothing changes."""
    line = f"#!{bash} -p\n"
    if len(line) > _LINE or _has_blanks(bash):
        return
    program = Path(session, "bin", "tab")
    fresh = Path(session, HATCH, ".tab")
    with open(fresh, "w", encoding="utf-8", errors="surrogateescape", opener=_program) as file:
        file.write(line + tab_text(session))
    os.link(program, Path(session, HATCH, "tab"))
    os.replace(fresh, program)


def _program(path: str, flags: int) -> int:
    return os.open(path, flags, 0o700)


def _has_blanks(text: Sequence[str]) -> bool:
    return any(blank in text for blank in " \t\n")
