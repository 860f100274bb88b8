"""A session as an asciicast, version 2 or 3: one JSON value a line, a marker for each log entry.

Times are seconds with microseconds, and never run backwards (calls that ran side by side follow one another);
version 3 counts from the event before, and rounding does not add up.
A cast is text: bytes that are no UTF-8 become U+FFFD (the store keeps them). A character that was shown in two
pieces comes with the second. Secrets are redacted over the borders of pieces.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tabshell.recordings.film import Film, Frame, Size, on_terminal
from tabshell.recordings.redact import Redactor

Version = Literal[2, 3]


@dataclass(frozen=True, slots=True)
class CastOptions:
    """``idle_time_limit`` is a hint for players, in seconds; ``title`` and ``started_at`` go to the header."""

    version: Version = 2
    title: str | None = None
    started_at: float = 0.0
    idle_time_limit: float | None = 2.0


@dataclass(frozen=True, slots=True)
class CastEvent:
    """One event; ``at`` is absolute."""

    at: float
    code: Literal["o", "r", "m"]
    data: str


def to_asciicast(film: Film, frames: Iterable[Frame | Size], redactor: Redactor, options: CastOptions) -> Iterator[str]:
    """The lines of a cast of ``frames`` (all of the film's, or those left of them), without line breaks."""
    events = _redacted(list(_events(film, frames)), redactor)
    start = options.started_at or (events[0].at if events else 0.0)
    yield json.dumps(_header(film, start, options), ensure_ascii=False)
    before = 0
    for event in events:
        now = max(before, round((event.at - start) * 1_000_000))
        shown = now - before if options.version == 3 else now
        before = now
        yield json.dumps([shown / 1_000_000, event.code, event.data], ensure_ascii=False)


def _header(film: Film, start: float, options: CastOptions) -> dict[str, object]:
    size: dict[str, object] = {"width": film.columns, "height": film.rows}
    if options.version == 3:
        size = {"term": {"cols": film.columns, "rows": film.rows}}
    header: dict[str, object] = {"version": options.version, **size, "timestamp": int(start)}
    if options.idle_time_limit is not None:
        header["idle_time_limit"] = options.idle_time_limit
    if options.title:
        header["title"] = options.title
    return header


def _events(film: Film, frames: Iterable[Frame | Size]) -> Iterator[CastEvent]:
    """Output, sizes, and a marker at the end of each turn that made or showed log entries."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    marked: set[int] = set()
    last: int | None = None
    at = 0.0
    for frame in frames:
        if isinstance(frame, Size):
            yield CastEvent(frame.at, "r", f"{frame.columns}x{frame.rows}")
            continue
        if last is not None and frame.turn != last and last not in marked:
            marked.add(last)
            yield from _markers(film, last, at)
        text = decoder.decode(on_terminal(frame))
        if text:
            yield CastEvent(frame.at, "o", text)
        last, at = frame.turn, frame.at
    rest = decoder.decode(b"", final=True)
    if rest:
        yield CastEvent(at, "o", rest)
    if last is not None and last not in marked:
        yield from _markers(film, last, at)


def _markers(film: Film, turn: int, at: float) -> Iterator[CastEvent]:
    scene = film.scenes[turn]
    for number in scene.entries:
        yield CastEvent(at, "m", f"L{number} (turn {turn})")


def _redacted(events: list[CastEvent], redactor: Redactor) -> list[CastEvent]:
    """The events with the text of all output redacted as one."""
    texts = iter(redactor.pieces([event.data for event in events if event.code == "o"]))
    return [CastEvent(event.at, "o", next(texts)) if event.code == "o" else event for event in events]
