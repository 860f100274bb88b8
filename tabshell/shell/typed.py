"""The text of a command line: what the history says, else what stands on the screen, else unknown. Pure.

The history list is never touched, so a line that the user's own HISTCONTROL or HISTIGNORE drops is not in
it. Such a line is taken from the bytes shown between the prompt and the command's start. It is told only
if it can be told surely: the bytes typed (held in memory for one prompt, never stored) must stand there, or
the end of the prompt must be known. A wrong text is worse than none.
"""

from __future__ import annotations

from typing import NamedTuple

from tabshell.model.light import dataclass
from tabshell.model.records import TextFrom
from tabshell.shell.report import Report
from tabshell.text.late import late

_PLAIN = late(rb"[^\x00-\x1f\x7f]*\Z")
_PASTE = late(rb"\x1b\[20[01]~")
_EXIT = late(r"\s*(?:exit(?:\s+-?[0-9]+)?|logout)\s*")
_READ_ENDS = late(rb"\x1b\[\?2004[lh]\r?")
_NEWLINE = late(rb"\r\n|\r|\n")


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


def encoded(text: str) -> bytes:
    """The bytes of text that ``decoded`` gave."""
    return text.encode("utf-8", "surrogateescape")


def line_text(before: Report | None, now: Report, echo: Echo) -> LineText:
    """The text of the line that bash has just read.

    ``before`` is the report at the prompt (or at the start before, in a paste), ``now`` the one after the
    line was read: the history moved between them exactly if the line was kept.
    """
    entry = now.last_entry
    if before is not None and entry is not None and moved(before, now):
        return LineText(_decoded_line(entry), "history")
    typed = typed_lines(echo.typed)
    if entry is not None and typed and typed[0] == entry:
        return LineText(_decoded_line(entry), "history")
    text = on_screen(echo, typed)
    if not text:
        return UNKNOWN
    return LineText(decoded(text), "history" if text == entry else "screen")


def moved(before: Report, now: Report) -> bool:
    """Whether the history list took a line between two reports (False also where erasedups hides it)."""
    return before.history_number != now.history_number


def typed_lines(typed: bytes) -> list[bytes]:
    """The lines of the input that are ended by Enter; none where a key was typed that edits."""
    lines = _NEWLINE.split(_PASTE.sub(b"", typed))[:-1]
    return lines if all(_PLAIN.match(line) for line in lines) else []


def on_screen(echo: Echo, typed: list[bytes]) -> bytes | None:
    """The line as it stands on the screen, or None where that cannot be told surely."""
    if echo.prompt_end is not None:
        text = _plain_echo(echo.shown[echo.prompt_end :], typed)
        if text is None:
            text = _drawn_line(echo)
        if text is not None and (not typed or typed[0] == text.split(b"\n")[0] or b"!" in typed[0]):
            return text
    return _typed_ahead(echo, typed) if typed and typed[0].strip() else None


def _plain_echo(shown: bytes, typed: list[bytes]) -> bytes | None:
    """The echo of lines that were typed straight through; after ``!`` the line that bash made of it."""
    first, *others = _READ_ENDS.sub(b"", shown).split(b"\r\n")
    if not others or others.pop() or not all(_PLAIN.match(line) for line in (first, *others)):
        return None
    if not others:
        return first
    # Keys that edit hide how many lines were typed; then only bracketed paste tells that no second one was.
    one_line = len(typed) == 1 or (not typed and b"\x1b[?2004l" in shown and b"\x1b[?2004h" not in shown)
    if len(others) == 1 and b"!" in first and one_line:
        return others[0]
    # Behind its prompt (PS2) each further line has to end as it was typed.
    same = len(typed) == len(others) + 1 and typed[0] == first
    if same and all(line.endswith(text) for line, text in zip(others, typed[1:], strict=True)):
        return b"\n".join(typed)
    return None


def _drawn_line(echo: Echo) -> bytes | None:
    """The line after readline drew, moved and wrapped; None if it took more than one logical line."""
    from tabshell.shell.drawn import drawn_line  # noqa: PLC0415 - a terminal emulator, rarely needed

    prompt_end = echo.prompt_end if echo.prompt_end is not None else 0
    return drawn_line(echo.shown[:prompt_end], echo.shown[prompt_end:], echo.columns)


def _typed_ahead(echo: Echo, typed: list[bytes]) -> bytes | None:
    """The line where the prompt's end is not known: what was typed has to stand at the end of what was shown
    (so it was echoed, not hidden), each line at the end of its own."""
    lines = _READ_ENDS.sub(b"", echo.shown).split(b"\r\n")
    if lines.pop():
        return None
    if b"!" in typed[0] and len(lines) > 1 and lines[-2].endswith(typed[0]) and _PLAIN.match(lines[-1]):
        return lines[-1]
    for count in range(min(len(typed), len(lines)), 0, -1):
        pairs = zip(lines[-count:], typed, strict=False)
        if all(line.endswith(text) for line, text in pairs):
            return b"\n".join(typed[:count])
    from tabshell.shell.drawn import drawn_line  # noqa: PLC0415 - a terminal emulator, rarely needed

    line = drawn_line(b"", echo.shown, echo.columns)
    return typed[0] if line is not None and line.endswith(typed[0]) else None


def _decoded_line(entry: bytes) -> str:
    """A line of the history; the line break behind a here-document is bash's."""
    return decoded(entry.removesuffix(b"\n"))
