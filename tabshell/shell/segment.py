"""From display bytes and reports to commands: where each begins and ends in what was shown. Pure.

In come, in order: display bytes, input bytes, and the shell's reports (a start after a line was read, an end
before each prompt). Out go ``CommandStart`` and ``CommandEnd``. Offsets count display bytes since the start
of the stream. Bounded: of a prompt at most ``PROMPT_LIMIT`` bytes are looked at, of the input likewise.

An end without a start is a comment, a syntax error, an empty line or Ctrl-C. A start without an end before
it is the next command of one paste (bash runs its prompt hooks once for all of them).
"""

from __future__ import annotations

import re

from tabshell.model.light import dataclass
from tabshell.model.records import TextFrom
from tabshell.shell.report import Report
from tabshell.shell.typed import UNKNOWN, Echo, LineText, decoded, encoded, line_text, moved, on_screen, typed_lines
from tabshell.text.late import late

#: Bytes of prompt and echo, and of input, that are kept to find a line's text.
PROMPT_LIMIT = 256 * 1024

#: A prompt that was not told stands in the last bytes of what is displayed at once.
PROMPT_TAIL = 4096

#: The width that readline takes where the terminal tells none.
_COLUMNS = 80

#: Keys that put themselves into the line, and Enter.
_STRAIGHT = late(rb"([ -~]*)[\r\n]\Z")

_READ_BEGIN = b"\x1b[?2004h"
_READ_END = b"\x1b[?2004l\r"


@dataclass(frozen=True, slots=True)
class CommandStart:
    """A command begins; its output begins at display byte ``offset``. ``at`` is seconds since the epoch."""

    command: str
    text_from: TextFrom
    cwd: str
    at: float
    offset: int
    columns: int


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """The command that began last is over; its output ends before display byte ``offset``.

    ``exit_code`` is None where the end was not seen itself; then ``unobserved`` says why.
    """

    exit_code: int | None
    cwd: str | None
    at: float
    offset: int
    unobserved: str | None = None


CommandEvent = CommandStart | CommandEnd


class Segmenter:
    """Follows one interactive shell."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        #: Display bytes so far.
        self.offset = 0
        #: Whether a command runs (as far as the marks tell).
        self.running = False
        #: The last report, at a prompt or a start.
        self.last: Report | None = None
        #: Whether the shell was seen to read a line although no prompt's mark came since the start.
        self.lost = False
        self._shown = bytearray()
        self._typed = bytearray()
        self._prompt_at = 0
        self._prompt_end: int | None = None
        self._reading_at: int | None = None
        self._lost_at = 0
        self._keys_at: int | None = None
        self._newest: bytes | None = None

    @property
    def at_prompt(self) -> bool:
        """Whether a prompt's mark was seen and no line has been read since."""
        return self.last is not None and not self.running

    @property
    def prompt(self) -> bytes:
        """The display bytes since the prompt's mark."""
        return bytes(self._shown)

    @property
    def needs_prompt_end(self) -> bool:
        """Whether the next key may be the first of a line."""
        return self.at_prompt and self._prompt_end is None

    @property
    def untouched(self) -> bool:
        """Whether nothing was typed since the prompt's mark, so that the line is empty."""
        return self.at_prompt and not self._typed

    def straight_line(self, *, echoed: bool) -> bytes | None:
        """The line typed since the prompt, ended by Enter, if no key of it edits and it fits on its row; else None.
        Its echo is the line itself: all of it (``echoed``), or as far as it was shown."""
        found = _STRAIGHT.match(self._typed) if self.at_prompt and self._keys_at is not None else None
        if found is None:
            return None
        line, shown, at = found[1], self._shown, self._keys_at or 0
        row = at - (shown.rfind(b"\n", 0, at) + 1)
        if row + len(line) >= (self.columns or _COLUMNS):
            return None
        if echoed:
            return line if shown[at:] in (line + b"\r\n", line + b"\r\n" + _READ_END) else None
        return line if line.startswith(shown[at:]) else None

    def shown(self, data: bytes) -> None:
        """These bytes were displayed."""
        if self.running:
            reading = data.rfind(_READ_BEGIN, max(0, len(data) - PROMPT_TAIL))
            if reading >= 0:
                self._reading_at = self.offset + reading
        self.offset += len(data)
        if not self.running and len(self._shown) < PROMPT_LIMIT:
            self._shown += data[: PROMPT_LIMIT - len(self._shown)]

    def lost_sight(self) -> None:
        """The shell reads a line although no prompt was told: a command may have ended unseen."""
        if not self.lost:
            self.lost = True
            self._lost_at = self._reading_at if self._reading_at is not None else self.offset

    def typed(self, data: bytes, *, at_fresh_prompt: bool) -> None:
        """These bytes were typed. ``at_fresh_prompt``: the shell waits for the first key of a line, and all
        of its prompt was displayed, so what comes next is the line."""
        if at_fresh_prompt and self._prompt_end is None:
            self._prompt_end = len(self._shown)
            self._typed.clear()
        if not self._typed:
            self._keys_at = len(self._shown) if self.at_prompt else None
        if len(self._typed) < PROMPT_LIMIT:
            self._typed += data[: PROMPT_LIMIT - len(self._typed)]

    def started(self, report: Report, at: float) -> tuple[CommandEvent, ...]:
        """A line was read and is about to run."""
        events: list[CommandEvent] = []
        if self.running:
            why = "no prompt was seen after it" if self.lost else "one of several commands of one paste"
            events.append(CommandEnd(None, None, at, self._lost_at if self.lost else self.offset, why))
        line = self._foretold_text(report) if report.foretold else line_text(self.last, report, self._echo())
        self._newest = encoded(line.text) if line.source == "history" else report.last_entry or self._newest
        events.append(self._start(line, report, at, self.offset))
        self.running = True
        self.lost = False
        self._reading_at = None
        self._line_over(report)
        return tuple(events)

    def _echo(self) -> Echo:
        return Echo(bytes(self._shown), self._prompt_end, bytes(self._typed), self.columns)

    def _foretold_text(self, report: Report) -> LineText:
        """The text of a line whose history was not asked: it is what was typed, if that is what was echoed."""
        line = self.straight_line(echoed=True)
        if line is None:
            line = on_screen(self._echo(), typed_lines(bytes(self._typed)))
        if not line:
            return UNKNOWN
        took = self.last is not None and moved(self.last, report)
        return LineText(decoded(line), "history" if took or line == self._newest else "screen")

    def prompted(self, report: Report, at: float) -> tuple[CommandEvent, ...]:
        """The shell is about to show its prompt."""
        events: tuple[CommandEvent, ...] = ()
        end = CommandEnd(report.status, _decoded(report.cwd), at, self.offset)
        if self.running:
            events = (end,)
        elif self.last is not None:
            line = self._line_without_start(self.last, report)
            if line is not None:
                events = (self._start(line, report, at, self._output_begin()), end)
                self._line_over(report)
        if report.last_entry is not None or (self.last is not None and moved(self.last, report)):
            self._newest = report.last_entry
        self.running = False
        self.lost = False
        self.last = report
        self.prompt_begins()
        return events

    def prompt_begins(self) -> None:
        """What is shown from here on is the prompt and the echo of a line."""
        self._shown.clear()
        self._prompt_at = self.offset
        self._prompt_end = None
        self._keys_at = None

    def prompt_repeated(self, prompt: bytes) -> None:
        """The last bytes shown were this prompt once more, and the line is empty."""
        self._shown[:] = prompt
        self._prompt_at = self.offset - len(prompt)
        self._prompt_end = None
        self._keys_at = None

    def ended(self, exit_code: int | None, at: float) -> tuple[CommandEvent, ...]:
        """The shell is gone."""
        if not self.running:
            return ()
        self.running = False
        if self.lost:
            why = "no prompt was seen after it, nor any command that followed"
            return (CommandEnd(None, None, at, self._lost_at, why),)
        return (CommandEnd(exit_code, None, at, self.offset),)

    def _start(self, line: LineText, report: Report, at: float, offset: int) -> CommandStart:
        cwd = _decoded(report.cwd) or ""
        return CommandStart(line.text, line.source, cwd, at, offset, self.columns)

    def _line_over(self, report: Report) -> None:
        """The line that was read is accounted for; what was typed behind it belongs to the next."""
        self.last = report
        lines = max(1, self._shown.count(b"\n", self._prompt_end or 0))
        self._shown.clear()
        self._prompt_end = self._keys_at = None
        rest = re.split(rb"\r\n|\r|\n", bytes(self._typed), maxsplit=lines)[lines:]
        self._typed[:] = rest[0] if rest else b""

    def _line_without_start(self, before: Report, report: Report) -> LineText | None:
        """The comment or the syntax error between two prompts; None for an empty line and for Ctrl-C."""
        if report.status == 130 and b"^C" in self._shown[self._prompt_end or 0 :]:
            self._typed.clear()
            return None
        shown = bytes(self._shown)[: self._output_begin() - self._prompt_at]
        echo = Echo(shown, self._prompt_end, bytes(self._typed), self.columns)
        line = line_text(before, report, echo)
        unknown = line is UNKNOWN and moved(before, report)
        return line if line.text.strip() or unknown else None

    def _output_begin(self) -> int:
        """Where the output of a line begins that had no start mark: after its echo."""
        shown = bytes(self._shown)
        read_end = shown.rfind(_READ_END)
        if read_end >= 0:
            return self._prompt_at + read_end + len(_READ_END)
        newline = shown.find(b"\n", self._prompt_end or 0)
        return self._prompt_at + newline + 1 if newline >= 0 else self.offset


def _decoded(path: bytes | None) -> str | None:
    return None if path is None else decoded(path)
