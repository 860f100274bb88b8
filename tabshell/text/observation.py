"""Terminal bytes -> the lines that a reader saw, each with the byte range it came from.

Escape sequences (CSI, OSC, DCS, charset) are removed; carriage return and backspace are replayed; a line wrapped
by readline is not re-joined. A stretch on the alternate screen (``ESC[?1049h`` … ``l``, also 47 and 1047) is
drawn by ``text.screen`` and gives the union of the lines that stood on it. Invalid UTF-8 becomes surrogate
escapes, so that a name or an excerpt can be given back byte for byte.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import accumulate, pairwise

from tabshell.model.accesses import Span
from tabshell.model.light import dataclass
from tabshell.text.late import late
from tabshell.text.plaintext import decode, seen

_ALTERNATE = late(rb"\x1b\[\?(?:[0-9]+;)*(?:1049|1047|47)(?:;[0-9]+)*([hl])")


@dataclass(frozen=True, slots=True)
class Observation:
    """``lines[i]`` was drawn by the bytes ``starts[i]`` to ``ends[i]`` (the line break included).

    ``screens`` are the index ranges of lines that stood on an alternate screen; their byte ranges are the
    whole stretch. ``broken`` is the index of the line before which a size bound left bytes out, or None.
    """

    lines: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    screens: tuple[tuple[int, int], ...] = ()
    broken: int | None = None


def stretches(output: bytes) -> Iterator[tuple[int, int, bool]]:
    """Cuts ``output`` into (start, end, on the alternate screen), in order and without holes."""
    position, on, begun = 0, False, 0
    for match in _ALTERNATE.finditer(output) if b"\x1b[?" in output else ():
        enters = match.group(1) == b"h"
        if enters and not on:
            if match.start() > position:
                yield position, match.start(), False
            on, begun = True, match.start()
        elif not enters and on:
            yield begun, match.end(), True
            on, position = False, match.end()
    if on:
        yield begun, len(output), True
    elif position < len(output):
        yield position, len(output), False


def observe(output: bytes, columns: int = 80, gap_at: int | None = None) -> Observation:
    """The lines that ``output`` drew on a terminal ``columns`` wide (0: no terminal)."""
    lines: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    screens: list[tuple[int, int]] = []
    broken: int | None = None
    for begin, end, drawn in stretches(output):
        first = len(lines)
        if drawn:
            rows = _drawn(output[begin:end], columns) or [""]
            lines += rows
            starts += [begin] * len(rows)
            ends += [end] * len(rows)
            screens.append((first, len(lines)))
        elif gap_at is None and (simple := _simple_lines(output[begin:end])) is not None:
            lines += simple[0]
            starts += [begin + start for start in simple[1][:-1]]
            ends += [begin + start for start in simple[1][1:]]
        else:
            for start, stop in _raw_lines(output, begin, end, gap_at):
                lines.append(seen(output[start:stop]))
                starts.append(start)
                ends.append(stop)
        if gap_at is not None and broken is None and begin <= gap_at < end:
            broken = first if drawn else _index_at(starts, first, gap_at)
    if gap_at is not None and broken is None:
        broken = len(lines)
    return Observation(tuple(lines), tuple(starts), tuple(ends), tuple(screens), broken)


def _simple_lines(stretch: bytes) -> tuple[list[str], list[int]] | None:
    """The lines of bytes in which nothing has to be replayed, and where each starts (and the last ends), all at
    once: a listing of 100,000 names comes through here. None where a line needs ``seen``."""
    plain_bytes = _unreturned(stretch)
    if plain_bytes is None:
        return None
    raw = stretch.split(b"\n")
    lines = decode(plain_bytes).split("\n")
    starts = list(accumulate((len(line) + 1 for line in raw), initial=0))
    if raw[-1]:
        starts[-1] -= 1  # the last line has no break
    else:
        lines.pop()
        starts.pop()
    return lines, starts


def _index_at(starts: list[int], first: int, gap_at: int) -> int:
    """The first line from ``first`` on that starts at the gap or behind it."""
    return next((i for i in range(first, len(starts)) if starts[i] >= gap_at), len(starts))


def _raw_lines(output: bytes, begin: int, end: int, gap_at: int | None) -> Iterator[tuple[int, int]]:
    """Byte ranges of the lines between two offsets; a gap ends a line too."""
    position = begin
    while position < end:
        found = output.find(b"\n", position, end)
        stop = end if found < 0 else found + 1
        if gap_at is not None and position < gap_at < stop:
            stop = gap_at
        returned = output.find(b"\r", position, stop - 2) if stop - position > 24 else -1
        if returned >= 0 and (cuts := _line_ends(output[position:stop])):
            start = position
            for cut in cuts:
                yield position, start + cut
                position = start + cut
        yield position, stop
        position = stop


_NO_LETTERS = late(rb"[^A-Za-z\x80-\xff]+")


def _line_ends(line: bytes) -> list[int]:
    """Where carriage returns within a line end lines of a text file of old Macs, instead of drawing anew.

    A program that draws a line again and again writes nearly the same words each time. Fewer than three pieces,
    empty pieces and escape sequences are taken as drawing.
    """
    body = line.rstrip(b"\r\n")
    if b"\x1b" in body or b"\b" in body or b"\r\r\r" in body:
        return []
    pieces = body.split(b"\r")
    if len(pieces) < 3:
        return []
    words = [_NO_LETTERS.sub(b"", piece) for piece in pieces if piece]
    alike = sum(a.startswith(b) or b.startswith(a) for a, b in pairwise(words))
    if len(words) < 3 or 2 * alike >= len(words) - 1:
        return []
    ends: list[int] = []
    at = 0
    for piece in pieces[:-1]:
        at += len(piece) + 1
        ends.append(at)
    return ends


def _drawn(stretch: bytes, columns: int) -> list[str]:
    from tabshell.text.screen import draw  # noqa: PLC0415 - pyte costs 15 ms, only few turns need it

    return draw(stretch, columns or 80)


def plain(output: bytes) -> str:
    """The same as one text, lines joined by ``\\n``: what an excerpt reads like."""
    return "\n".join(observe(output).lines)


def excerpt_text(output: bytes, spans: tuple[Span, ...], screen: bool, columns: int = 80) -> str:
    """The text of an entry: ``spans`` of ``output`` in order; ``screen``: drawn, not stripped."""
    parts: list[str] = []
    for start, end in spans:
        piece = output[start:end]
        if screen or b"\x1b[?" in piece:
            parts += observe(piece, columns).lines
        elif piece:
            text = _plain_text(piece)
            if text is None:
                text = "\n".join(seen(piece[a:b]) for a, b in _raw_lines(piece, 0, len(piece), None))
            parts.append(text)
    return "\n".join(parts)


#: Of a line that is just decoded: all but controls, tabs and what breaks lines among them.
HARMLESS = b"\t\n\r" + bytes(b for b in range(0x20, 0x100) if b != 0x7F)


def _plain_text(piece: bytes) -> str | None:
    """The text of whole lines in which nothing is replayed, without the last line break; None for others."""
    data = plain_bytes(piece)
    return None if data is None else decode(data)


def plain_bytes(piece: bytes) -> bytes | None:
    """The same, not decoded."""
    data = _unreturned(piece)
    return data[:-1] if data is not None and data.endswith(b"\n") else data


def _unreturned(stretch: bytes) -> bytes | None:
    """Bytes in which nothing is replayed, their lines ended as in a file; None if something is.

    Tens of megabytes come through here while a prompt waits. Where a terminal ended all lines, every return goes and
    is put back: what searches for one byte takes a tenth of what replacing pairs does. The decoder of text files finds
    the returns of mixed lines and any that stands alone in one pass; Latin-1 is there and back no more than a copy.
    """
    if stretch.translate(None, HARMLESS):
        return None
    if b"\r" not in stretch:
        return stretch
    alike = stretch.replace(b"\r", b"")
    if alike.replace(b"\n", b"\r\n") == stretch:
        return alike
    breaks = io.IncrementalNewlineDecoder(None, translate=True)
    text = breaks.decode(stretch.decode("latin-1"), final=True)
    found = breaks.newlines
    alone = found == "\r" or (isinstance(found, tuple) and "\r" in found)
    return None if alone else text.encode("latin-1")
