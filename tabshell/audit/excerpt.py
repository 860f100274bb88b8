"""One log entry's text, ready to be searched: its lines, its digits alone, its words. Pure.

A number is looked for by its digits without separators. Separators are ambiguous (``120,633`` is one number in
prose and two cells of a csv file), so a text is read as digits in up to three ways (``digits``): with commas and
apostrophes closed up, with them as borders, and with groups of three closed up over spaces. Each reading keeps the
line breaks of the text, so a place in it tells the line. All of it is done by ``bytes.translate`` and ``split``:
a log has tens of megabytes, and a step of Python per number would cost more than everything else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from tabshell.audit.numbers import fold

WIDE = re.compile("[\uff10-\uff19\u0660-\u0669]")
#: Thousands separators of other countries, as UTF-8: no-break, narrow and thin space; the apostrophe of print.
THIN_SPACES = re.compile(b"\xc2\xa0|\xe2\x80[\x89\xaf]")
CURLY = "\u2019".encode()
#: A space between groups of digits: before exactly three, after a digit.
GROUP_SPACE = re.compile(rb"(?<=[0-9]) (?=[0-9]{3}(?![0-9]))")
#: What is neither digit nor line break becomes a space.
DIGITS_ONLY = bytes(code if code in b"0123456789\n" else 0x20 for code in range(256))
#: Each digit as 0, what no number or date is written with as x: the shape of a text.
SHAPE = bytes(0x30 if code in b"0123456789" else code if code in b" ,.'/-" else 0x78 for code in range(256))
#: ASCII letters small, bytes of other letters as they are, all else as spaces.
LETTERS_ONLY = bytes(
    code | 0x20 if code in range(65, 91) or code in range(97, 123) else code if code >= 0x80 else 0x20
    for code in range(256)
)
#: ASCII signs as spaces; digits stay (years).
APART = {code: " " for code in range(128) if not chr(code).isalnum()}
WORD = re.compile(r"[^\W_]+")
#: Characters beyond ASCII that are no letters: typographic marks, currency signs, CJK and full-width punctuation.
MARKS = re.compile(b"\xe2[\x80-\x8f].|\xc2[\x80-\xbf]|\xe3\x80.|\xef\xbc.", re.DOTALL)
#: Numeric dates: digits joined by what dates are joined with; their shapes.
DATED = re.compile("[0-9]{1,4}[-/.年][0-9]{1,2}[-/.月][0-9]{1,4}|[0-9]{4}[-/年][0-9]{1,2}(?![0-9])")
DATE_SHAPES = (b"0-0", b"0/0", b"0.00.0", b"0.0.0")
LINE_BREAK = b"|"
#: A line of more than twice so many characters is taken as several: values are looked up and weighed by lines.
LONGEST = 4_000
#: Where a long line may be broken: behind what stands between words and cells.
BREAK = re.compile(r"[\s,;|\]})>](?=[^\s,;|\]})>])")
#: Places of one run of digits in one excerpt that are looked at.
MAX_PLACES = 300
#: An excerpt that is asked for more runs than this notes the places of all: each search costs time with its size.
OFTEN = 80


@dataclass(slots=True)
class Excerpt:
    """One log entry's text. ``number`` is the entry's (L<number>); ``names`` are the words of its path.

    ``text`` has its very long lines broken into several; ``shown`` is as it was shown. ``joined``: the lines that go
    on with the one before, each with the characters of the whole line that stand before it."""

    number: int
    shown: str
    names: frozenset[str] = frozenset()
    text: str = ""
    joined: dict[int, int] = field(default_factory=dict)
    _split: list[str] | None = None
    _starts: list[int] | None = None
    _digits: tuple[bytes, ...] | None = None
    _ordered: list[tuple[bytes, bytes]] = field(default_factory=list)
    _asked: int = 0
    _runs: list[dict[bytes, list[int]]] = field(default_factory=list)
    _spoken: dict[int, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.text:
            self.text = _broken(self.shown, self.joined) if _has_long_line(self.shown) else self.shown

    # -- lines ----------------------------------------------------------------------------------------------

    def line_at(self, offset: int) -> int:
        """The 0-based line that holds a place of the text."""
        if self._starts is None:
            self._starts = [0, *accumulate(len(line) + 1 for line in self.lines())]
        return bisect_right(self._starts, offset) - 1

    def line(self, index: int) -> str:
        """A line without its line break; nothing beyond the end."""
        lines = self.lines()
        return lines[index].rstrip("\r") if 0 <= index < len(lines) else ""

    def place(self, index: int) -> tuple[int, int]:
        """Of a line its 0-based number in what was shown, and what of that line stands before it."""
        before = sum(line <= index for line in self.joined) if self.joined else 0
        return index - before, self.joined.get(index, 0)

    def head(self, index: int) -> int:
        """The line that a line goes on with; itself if it is whole."""
        while index in self.joined:
            index -= 1
        return index

    def lines(self) -> list[str]:
        """All lines."""
        if self._split is None:
            self._split = self.text.split("\n")
        return self._split

    # -- digits ---------------------------------------------------------------------------------------------

    def folded(self) -> str:
        """The text with full-width and Arabic digits as ASCII ones."""
        return fold(self.text) if not self.text.isascii() and WIDE.search(self.text) else self.text

    def runs(self) -> list[list[bytes]]:
        """The text as runs of digits and line breaks in order, in each way in which it can be read. Kept closed up."""
        data = self.folded().encode("utf-8", "surrogatepass")
        if not data.isascii():
            data = THIN_SPACES.sub(b" ", data).replace(CURLY, b"'")
        found = [digits.replace(b"\n", b" | ").split() for digits in _readings(data)]
        self._digits = tuple(b" %b " % b" ".join(runs) for runs in found)
        return found

    def digits(self) -> tuple[bytes, ...]:
        """The same as texts, runs and line breaks (``LINE_BREAK``) apart by single spaces."""
        if self._digits is None:
            self.runs()
        return self._digits or ()

    def dated(self) -> frozenset[str]:
        """The numeric dates in the text, as written."""
        shape = self.text.encode("utf-8", "surrogatepass").translate(SHAPE)
        if self.text.isascii() and not any(form in shape for form in DATE_SHAPES):
            return frozenset()
        return frozenset(DATED.findall(self.folded()))

    def lines_with(self, run: str) -> list[int]:
        """The lines on which a run of digits stands by itself, up to a bound."""
        self._asked += 1
        wanted = run.encode()
        found: set[int] = set()
        for lines in self._noted(wanted) if self._asked > OFTEN else self._searched(wanted):
            for line in lines:
                if len(found) >= MAX_PLACES:
                    break
                found.add(line)
        return sorted(found)

    def _searched(self, run: bytes) -> Iterable[Iterable[int]]:
        """The lines with a run, by reading."""
        return [_lines_with(run, digits) for digits in self.digits()]

    def _noted(self, run: bytes) -> Iterable[Iterable[int]]:
        """The same, from notes of the lines of all runs."""
        if not self._runs:
            self._runs = [_lines_by_run(digits.split()) for digits in self.digits()]
        return [lines.get(run, ()) for lines in self._runs]

    def lines_dated(self, date: str) -> list[int]:
        """The lines on which a numeric date stands by itself, up to a bound."""
        text = self.folded()
        found: dict[int, None] = {}
        place = text.find(date)
        while place >= 0 and len(found) < MAX_PLACES:
            end = place + len(date)
            if not text[place - 1 : place].isdigit() and not text[end : end + 1].isdigit():
                found[self.line_at(place)] = None
            place = text.find(date, end)
        return list(found)

    def beginning(self, prefix: bytes) -> Iterator[str]:
        """The runs of digits that go on after ``prefix``, zeros before it aside."""
        if not self._ordered:
            runs = {run for digits in self.digits() for run in digits.split() if run != LINE_BREAK}
            self._ordered = sorted((run.lstrip(b"0"), run) for run in runs)
        for place in range(bisect_left(self._ordered, (prefix, b"")), len(self._ordered)):
            led, run = self._ordered[place]
            if not led.startswith(prefix):
                return
            if len(led) > len(prefix):
                yield run.decode()

    # -- words ----------------------------------------------------------------------------------------------

    def words_on(self, index: int) -> frozenset[str]:
        """The words of a line in small letters: a quick look at what it speaks of."""
        if index not in self._spoken:
            line = self.line(index).lower()
            self._spoken[index] = frozenset(line.translate(APART).split() if line.isascii() else WORD.findall(line))
        return self._spoken[index]

    def words(self) -> list[bytes]:
        """The words in small letters as UTF-8, as often as they stand there."""
        if self.text.isascii():
            return self.text.encode().translate(LETTERS_ONLY).split()
        data = self.text.lower().encode("utf-8", "surrogatepass")
        return MARKS.sub(b" ", data).translate(LETTERS_ONLY).split()


def _readings(data: bytes) -> Iterator[bytes]:
    shape = data.translate(SHAPE)
    joined = data.translate(DIGITS_ONLY, b",.'")
    yield joined
    if b"0,0" in shape or b"0'0" in shape:
        yield data.translate(DIGITS_ONLY, b".")
    if b"0 000" in shape:
        yield GROUP_SPACE.sub(b"", joined)


def _lines_with(run: bytes, digits: bytes) -> Iterator[int]:
    wanted = b" %b " % run
    line = last = 0
    place = digits.find(wanted)
    while place >= 0:
        line += digits.count(LINE_BREAK, last, place)
        yield line
        last = digits.find(LINE_BREAK, place)  # once on a line is enough
        place = digits.find(wanted, last) if last >= 0 else -1


def _lines_by_run(runs: Sequence[bytes]) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = {}
    breaks = accumulate(map(LINE_BREAK.__eq__, runs), initial=0)
    for run, line in zip(runs, breaks, strict=False):
        lines = found.get(run)
        if lines is None:
            found[run] = [line]
        elif lines[-1] != line:
            lines.append(line)
    return found


def _has_long_line(text: str) -> bool:
    """Whether some line may be too long: a stretch without a line break tells."""
    return len(text) > 2 * LONGEST and any(
        text.find("\n", start, start + LONGEST) < 0 for start in range(LONGEST, len(text) - LONGEST + 1, LONGEST)
    )


def _broken(text: str, joined: dict[int, int]) -> str:
    """The text with its long lines broken between words or cells, where there are any."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= 2 * LONGEST:
            lines.append(line)
            continue
        start = 0
        while start < len(line):
            end = start + LONGEST
            if end < len(line):
                breaks = list(BREAK.finditer(line, end - LONGEST // 8, end))
                end = breaks[-1].end() if breaks else end
            if start:
                joined[len(lines)] = start
            lines.append(line[start:end])
            start = end
    return "\n".join(lines)
