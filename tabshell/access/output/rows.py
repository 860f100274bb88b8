"""The lines of an output as the classifier works on them.

In: the stored bytes of a record. Out: ``Rows``, one text per line with its byte range. Outputs beyond ``WHOLE`` bytes
or ``LINES`` lines are not cut into lines as a whole: windows at the head, the tail and in between are (each starts and
ends at a line break), and what lies between two windows shares their fate. Bytes that tabshell itself printed are
masked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tabshell.model.accesses import Span
from tabshell.text.observation import observe

#: Outputs up to this many bytes, and lines, are looked at line by line.
WHOLE, LINES = 16 << 20, 400_000
#: Beyond: bytes of the head and tail windows, and number and size of those in between; smaller where lines are shorter
#: than so many bytes on the average (``yes``), for each line costs its time.
EDGE, WINDOWS, WINDOW = 128 << 10, 48, 8 << 10
USUAL = 40
#: Bytes at the head, the middle and the tail in which the lines of an output beyond ``WHOLE`` are counted.
COUNTED = 1 << 20
#: Characters of one line that are compared; the rest of a longer line is only carried along.
COMPARED = 1 << 16


@dataclass(slots=True)
class Rows:
    """``texts[i]`` stands in the bytes ``starts[i]`` to ``ends[i]``. ``masked`` rows belong to no file.
    Where only parts of the output are here, a row's range reaches up to the next row's start."""

    output: bytes
    texts: list[str]
    starts: list[int]
    ends: list[int]
    screens: tuple[tuple[int, int], ...] = ()
    masked: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.texts)

    def on_screen(self, numbers: set[int]) -> bool:
        """Whether a full-screen program drew one of these rows."""
        return any(first <= row < last for first, last in self.screens for row in numbers)


def rows_of(
    output: bytes, columns: int, gap_at: int | None, silent: tuple[tuple[int, int], ...], sampled: bool
) -> Rows:
    """The rows of an output; ``sampled``: windows will do if it is large."""
    length = _line_length(output) if sampled and len(output) > LINES else 0.0
    if length and (len(output) > WHOLE or len(output) > LINES * length):
        rows = _windows(output, columns, min(1.0, length / USUAL))
    else:
        seen = observe(output, columns, gap_at)
        rows = Rows(output, list(seen.lines), list(seen.starts), list(seen.ends), seen.screens)
    for begin, end in silent:
        rows.masked.update(
            i for i in range(len(rows)) if rows.starts[i] >= begin and rows.ends[i] <= max(end, begin + 1)
        )
    return rows


def _line_length(output: bytes) -> float:
    """How many bytes a line has on the average; in a large output by samples, no prompt waits for a better answer."""
    size = len(output)
    if size <= WHOLE:
        return size / max(1, output.count(b"\n"))
    places = (0, (size - COUNTED) // 2, size - COUNTED)
    return 3 * COUNTED / max(1, sum(output.count(b"\n", place, place + COUNTED) for place in places))


def _windows(output: bytes, columns: int, share: float) -> Rows:
    """Rows of windows only, each of a ``share`` of its usual size; the last row of a window reaches to the start of the
    next window."""
    size, edge, window = len(output), int(EDGE * share), int(WINDOW * share)
    step = (size - 2 * edge) // (WINDOWS + 1)
    places = [(0, edge), *((edge + step * n, window) for n in range(1, WINDOWS + 1)), (size - edge, edge)]
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for place, length in places:
        begin = 0 if place == 0 else output.find(b"\n", place, place + length) + 1
        end = size if place + length >= size else output.rfind(b"\n", place, place + length) + 1
        if begin < place or end <= begin:
            continue
        seen = observe(output[begin:end], columns)
        if ends:
            ends[-1] = begin
        texts += seen.lines
        starts += [begin + at for at in seen.starts]
        ends += [begin + at for at in seen.ends]
    if not texts:
        return Rows(output, [output[:COMPARED].decode("utf-8", "surrogateescape")], [0], [size])
    starts[0], ends[-1] = 0, size
    return Rows(output, texts, starts, ends)


def joined(spans: list[Span]) -> tuple[Span, ...]:
    """Spans in order, those that touch or overlap made one."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(end, result[-1].end))
        elif end > start:
            result.append(Span(start, end))
    return tuple(result)
