"""The text of a command line: what the history says, else what stands on the screen, else unknown. Pure.

The history list is never touched, so a line that the user's own HISTCONTROL or HISTIGNORE drops is not in
it. Such a line is taken from the bytes shown between the prompt and the command's start. It is told only
if it can be told surely: the bytes typed (held in memory for one prompt, never stored) must stand there, or
the end of the prompt must be known. A wrong text is worse than none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from tabshell.model.records import TextFrom
from tabshell.shell.report import Report

_PLAIN = re.compile(rb"[^\x00-\x1f\x7f]*\Z")
_PASTE = re.compile(rb"\x1b\[20[01]~")
_EXIT = re.compile(r"\s*(?:exit(?:\s+-?[0-9]+)?|logout)\s*")
_NEWLINE = re.compile(rb"\r\n|\r|\n")


class LineText(NamedTuple):
    """A command's text and where it comes from; ``unknown`` goes with an empty text."""

    text: str
    source: TextFrom


UNKNOWN = LineText("", "unknown")


@dataclass(frozen=True, slots=True)
class Echo:
    """What was shown and typed between a prompt's mark and the next one.

    ``shown`` are the display bytes; ``prompt_end`` is where the prompt itself ends in them (None: not known
    surely). ``typed`` are the input bytes since then. ``columns`` is the terminal's width.
    """

    shown: bytes
    prompt_end: int | None
    typed: bytes
    columns: int


def is_bare_exit(command: str) -> bool:
    """Whether a line consists of ``exit``, ``exit N`` or ``logout``."""
    return _EXIT.fullmatch(command) is not None


def decoded(text: bytes) -> str:
    """Text as Python keeps it; bytes that are no UTF-8 become surrogate escapes."""
    return text.decode("utf-8", "surrogateescape")


def line_text(before: Report | None, now: Report, echo: Echo) -> LineText:
    """The text of the line that bash has just read.

    ``before`` is the report at the prompt (or at the start before, in a paste), ``now`` the one after the
    line was read: the history moved between them exactly if the line was kept.
    """
    entry = now.last_entry
    if before is not None and entry is not None and moved(before, now):
        return LineText(decoded(entry), "history")
    typed = typed_line(echo.typed)
    if entry is not None and typed is not None and typed == entry:
        return LineText(decoded(entry), "history")
    text = on_screen(echo, typed)
    if text is None:
        return UNKNOWN
    return LineText(decoded(text), "history" if text == entry else "screen")


def moved(before: Report, now: Report) -> bool:
    """Whether the history list took a line between two reports (False also where erasedups hides it)."""
    return before.history_number != now.history_number


def typed_line(typed: bytes) -> bytes | None:
    """The first line of the input if it is plain text ended by Enter, else None (keys that edit)."""
    line, *rest = _NEWLINE.split(_PASTE.sub(b"", typed), maxsplit=1)
    return line if rest and _PLAIN.match(line) else None


def on_screen(echo: Echo, typed: bytes | None) -> bytes | None:
    """The line as it stands on the screen, or None where that cannot be told surely."""
    if echo.prompt_end is not None:
        text = _plain_echo(echo.shown[echo.prompt_end :])
        if text is None:
            text = _drawn_line(echo)
        if text is not None and (typed is None or typed == text):
            return text
    if typed and typed.strip() and _ends_with(echo, typed):
        return typed
    return None


def _plain_echo(shown: bytes) -> bytes | None:
    """The echo of a line that was typed straight through: text, line break, nothing more to draw."""
    line, separator, rest = shown.partition(b"\r\n")
    if not separator or rest not in {b"", b"\x1b[?2004l\r"} or not _PLAIN.match(line):
        return None
    return line


def _drawn_line(echo: Echo) -> bytes | None:
    """The line after readline drew, moved and wrapped; None if it took more than one logical line."""
    from tabshell.shell.drawn import drawn_line  # noqa: PLC0415 - a terminal emulator, rarely needed

    prompt_end = echo.prompt_end if echo.prompt_end is not None else 0
    return drawn_line(echo.shown[:prompt_end], echo.shown[prompt_end:], echo.columns)


def _ends_with(echo: Echo, typed: bytes) -> bool:
    """Whether what was typed stands at the end of the line on the screen (so it was echoed, not hidden)."""
    from tabshell.shell.drawn import drawn_line  # noqa: PLC0415 - a terminal emulator, rarely needed

    line = drawn_line(b"", echo.shown, echo.columns)
    return line is not None and line.endswith(typed)
