"""Which part of an output, recorded whole, the model was shown.

In: the bytes that the shim recorded and the record of the agent's hook, which holds what the model saw (with a gap
where the agent cut). Out: spans of the former. Agents trim white space at the ends and make line breaks of what
ended in CR LF, so pieces are looked for without both; a piece that cannot be found tells nothing.
"""

from __future__ import annotations

import re

from tabshell.model.accesses import Span
from tabshell.model.records import Record

_STATUS_LINE = re.compile(rb"(?:\A|\n)\[tab\] (?:requirements|not recorded|read log)[^\n]*(?:\n\Z)?")
#: Lines at each end of a piece that must stand in the output to find it where the whole piece does not.
_ANCHOR = 3


def without_status_line(output: bytes) -> bytes:
    """``output`` without the status line behind it. Where an agent reads stdout and stderr apart, what came on the
    other stream may stand behind the line."""
    found = list(_STATUS_LINE.finditer(output))
    return output[: found[-1].start()] + output[found[-1].end() :] if found else output


def shown_spans(whole: bytes, seen: Record) -> tuple[Span, ...] | None:
    """The parts of ``whole`` in order; empty where nothing was shown, None where that cannot be told."""
    pieces = [seen.output] if seen.gap is None else [seen.output[: seen.gap.offset], seen.output[seen.gap.offset :]]
    pieces = [piece.strip() for piece in pieces]
    if not any(pieces):
        return () if not seen.gap else None
    if seen.gap is None and pieces[0] == whole.strip():
        return (Span(0, len(whole)),)
    spans: list[Span] = []
    at = 0
    for number, piece in enumerate(pieces):
        if not piece:
            continue
        span = _find(whole, piece, at, last=number > 0)
        if span is None:
            return None
        spans.append(_whole_lines(whole, span))
        at = span.end
    return tuple(spans)


def _find(whole: bytes, piece: bytes, at: int, *, last: bool) -> Span | None:
    found = whole.rfind(piece) if last else whole.find(piece, at)
    if found >= at:
        return Span(found, found + len(piece))
    lines = piece.split(b"\n")
    first, final = lines[:_ANCHOR], lines[-_ANCHOR:]
    start = _find_lines(whole, first, at)
    end = _find_lines(whole, final, start.start if start else at)
    return Span(start.start, end.end) if start and end and end.end > start.start else None


def _find_lines(whole: bytes, lines: list[bytes], at: int) -> Span | None:
    """The first place where these lines follow each other, their ends and escape sequences aside."""
    between = rb"[ \t\r]*\n" + _ESCAPES
    pattern = between.join(_ESCAPES + re.escape(line.rstrip()) for line in lines)
    found = re.compile(pattern).search(whole, at)
    return Span(found.start(), found.end()) if found else None


_ESCAPES = rb"(?:\x1b\[[0-9;?]*[A-Za-z])*"


def _whole_lines(whole: bytes, span: Span) -> Span:
    """The line break behind the last line goes with it."""
    end = span.end
    while whole[end : end + 1] in (b"\r", b" ", b"\t"):
        end += 1
    return Span(span.start, end + 1) if whole[end : end + 1] == b"\n" else span
