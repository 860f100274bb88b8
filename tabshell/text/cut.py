"""A long output as a model is shown it: its beginning, a line that says what is missing, its end.

An engine that keeps an agent's loop outside of the sandbox puts a command's error messages before its output and cuts
what is longer than a model should have. ``joined`` and ``cut`` make that text; ``shown_ranges`` says which bytes of
the two outputs are in it, for the record of what was read. Pure.
"""

from __future__ import annotations

from collections.abc import Callable

from tabshell.model.accesses import Span

#: Bytes of one output that an engine takes over at most; of a longer one it has the end.
KEPT = 10 << 20


def joined(errors: str, output: str) -> str:
    """Error messages and output as one text."""
    return "\n".join(part for part in (errors.rstrip("\n"), output.rstrip("\n")) if part)


def cut(text: str, most: int) -> str:
    """``text`` with at most ``most`` bytes of its own (0: all), half of them from each end."""
    data = text.encode("utf-8", "replace")
    if not most or len(data) <= most:
        return text
    head, tail = data[: most // 2], data[len(data) - (most - most // 2) :]
    left = len(data) - most
    parts = (head.decode("utf-8", "ignore"), tail.decode("utf-8", "ignore"))
    return f"{parts[0]}\n[... {left:,} bytes of the output are not shown here ...]\n{parts[1]}"


def shown_ranges(errors: bytes, output: bytes, most: int) -> tuple[tuple[Span, ...], tuple[Span, ...]] | None:
    """What of ``errors`` and of ``output`` is in ``cut(joined(…), most)``; None where it is all of both."""
    parts = [_Part(errors), _Part(output)]
    between = 1 if all(part.size for part in parts) else 0
    whole = sum(part.size for part in parts) + between
    if not most or (whole <= most and not any(part.before for part in parts)):
        return None
    if whole <= most:
        return parts[0].spans(parts[0].size, 0), parts[1].spans(parts[1].size, 0)
    head, tail = most // 2, most - most // 2
    first, second = parts
    return (
        first.spans(head, tail - second.size - between),
        second.spans(head - first.size - between, tail),
    )


class _Part:
    """One of the two outputs: ``size`` is what its text has in bytes, where each broken byte became a sign."""

    def __init__(self, data: bytes) -> None:
        self.before = max(0, len(data) - KEPT)
        self._data = data[self.before :].rstrip(b"\n")
        try:
            self._data.decode()
        except UnicodeDecodeError:
            self._exact = False
            self.size = _text_size(self._data)
        else:
            self._exact = True
            self.size = len(self._data)

    def spans(self, head: int, tail: int) -> tuple[Span, ...]:
        """The first ``head`` and the last ``tail`` bytes of the text as spans of the data; touching ones are one."""
        length = len(self._data)
        end = self._raw(head, lambda size: self._data[:size])
        start = length - self._raw(tail, lambda size: self._data[length - size :])
        ranges = [(0, length)] if end >= start else [(0, end), (start, length)]
        return tuple(Span(self.before + first, self.before + last) for first, last in ranges if first < last)

    def _raw(self, wanted: int, piece: Callable[[int], bytes]) -> int:
        """How many bytes of the data make ``wanted`` bytes of text at one of its ends."""
        wanted = max(0, min(wanted, self.size))
        if self._exact or wanted == self.size:
            return min(wanted, len(self._data)) if self._exact else len(self._data)
        low, high = 0, min(wanted, len(self._data))  # a text is never shorter than its data
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if _text_size(piece(middle)) <= wanted else (low, middle - 1)
        return low


def _text_size(data: bytes) -> int:
    return len(data.decode("utf-8", "replace").encode())
