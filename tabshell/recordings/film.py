"""A session's shown bytes in the order of time: what a replay plays and an asciicast holds.

A session with a terminal is that terminal, byte for byte. One without (commands of a shim, hooks, an import)
is a film of its turns: each command on a line of its own, as at a prompt, then its output. Those lines are
``made`` here, not recorded; the recorded bytes are never changed (a player may want ``\\r\\n`` for ``\\n``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tabshell.model.facts import (
    EntryLogged,
    EntrySeen,
    Event,
    FinishChecked,
    OutputChunk,
    Resized,
    StreamOpened,
    TabAccessed,
    TurnEnded,
    TurnStarted,
)


class Facts(Protocol):
    """What a film asks of a store."""

    def events(self, *kinds: type[Any], after: int = 0) -> Iterator[Event]:
        """The events of these kinds, oldest first."""

    def output(self, stream: int, start: int, end: int) -> bytes:
        """Stored bytes of a stream."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Bytes that appeared at ``at`` (seconds since the epoch). ``turn`` is the command they belong to, None
    for prompts and typing. ``made``: not recorded. ``terminal``: they are a terminal's, carriage returns and
    all."""

    at: float
    data: bytes
    turn: int | None = None
    made: bool = False
    terminal: bool = True


@dataclass(frozen=True, slots=True)
class LeftOut:
    """So many bytes appeared that nobody wanted."""

    at: float
    size: int


@dataclass(frozen=True, slots=True)
class Size:
    """The terminal is this large from here on."""

    at: float
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Scene:
    """One turn. ``entries`` are the log entries that it made or showed again; ``tab``: it only worked on the
    tab, or was a stop that was held, and showed nothing of any file."""

    turn: int
    command: str
    stream: int
    start: int
    end: int
    began_at: float
    ended_at: float
    entries: tuple[int, ...] = ()
    tab: bool = False


class Film:
    """The film of a session. ``rows`` and ``columns`` are the first terminal's size, 24 by 80 without one."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.streams = {e.fact.stream: e.fact for e in facts.events(StreamOpened) if isinstance(e.fact, StreamOpened)}
        terminals = [stream for stream in self.streams.values() if stream.door == "pty"]
        self.terminal = bool(terminals)
        first = terminals[0] if terminals else None
        self.rows = first.rows if first is not None and first.rows else 24
        self.columns = first.columns if first is not None and first.columns else 80
        self.scenes = _scenes(facts)

    def shown(self) -> list[Scene]:
        """The turns that stand in this film: those of the terminals where there are any."""
        return [s for s in self.scenes.values() if not self.terminal or self.streams[s.stream].door == "pty"]

    def frames(self) -> Iterator[Frame | Size]:
        """Everything shown, oldest first."""
        for shot in self.shots(lambda _: True):
            if not isinstance(shot, LeftOut):
                yield shot

    def shots(self, wanted: Callable[[int], bool]) -> Iterator[Frame | Size | LeftOut]:
        """The same, but pieces whose size is not ``wanted`` are not even read from the store."""
        places = _places(self.scenes)
        ends_line = True
        for event in self._facts.events(OutputChunk, Resized, TurnStarted):
            fact = event.fact
            if isinstance(fact, Resized) and self._plays(fact.stream):
                yield Size(event.at, fact.rows, fact.columns)
            elif isinstance(fact, OutputChunk) and self._plays(fact.stream):
                for frame in self._chunk(fact, places.get(fact.stream, []), wanted):
                    yield frame
                    ends_line = isinstance(frame, LeftOut) or frame.data.endswith(b"\n")
            elif isinstance(fact, TurnStarted) and not self.terminal and fact.turn in self.scenes:
                yield _typed(self.scenes[fact.turn], new_line=not ends_line)
                ends_line = True

    def turn_frames(self, turn: int) -> Iterator[Frame]:
        """One turn alone: its command, and the bytes it showed."""
        scene = self.scenes[turn]
        yield _typed(scene)
        data = self._facts.output(scene.stream, scene.start, scene.end)
        terminal = self.streams[scene.stream].terminal
        if data:
            yield Frame(scene.ended_at, data, turn, terminal=terminal)

    def _plays(self, stream: int) -> bool:
        return not self.terminal or (stream in self.streams and self.streams[stream].door == "pty")

    def _chunk(
        self, chunk: OutputChunk, scenes: list[Scene], wanted: Callable[[int], bool]
    ) -> Iterator[Frame | LeftOut]:
        """The pieces of a chunk, cut where turns begin and end."""
        size = sum(piece[1] for piece in chunk.pieces)
        data: bytes | None = None
        terminal = self.streams[chunk.stream].terminal
        offset = chunk.offset
        for at, length, _channel in chunk.pieces:
            for start, end, turn in _cuts(offset, offset + length, scenes):
                if not wanted(end - start):
                    yield LeftOut(at, end - start)
                    continue
                if data is None:
                    data = self._facts.output(chunk.stream, chunk.offset, chunk.offset + size)
                piece = data[start - chunk.offset : end - chunk.offset]
                yield Frame(at, piece, turn, terminal=terminal)
            offset += length


def _typed(scene: Scene, *, new_line: bool = False) -> Frame:
    """A line that shows a command as at a prompt, below what stands unfinished where ``new_line``."""
    text = ("\n$ " if new_line else "$ ") + scene.command.replace("\n", "\n> ")
    return Frame(scene.began_at, text.encode("utf-8", "surrogateescape") + b"\n", scene.turn, made=True, terminal=False)


def _scenes(facts: Facts) -> dict[int, Scene]:
    begun: dict[int, Event] = {}
    scenes: dict[int, Scene] = {}
    entries: dict[int, list[int]] = {}
    accessed: set[int] = set()
    for event in facts.events(TurnStarted, TurnEnded, EntryLogged, EntrySeen, TabAccessed, FinishChecked):
        match event.fact:
            case TurnStarted(turn=turn):
                begun[turn] = event
            case TurnEnded(turn=turn, stream=stream, start=start, end=end, duration_s=seconds) if turn in begun:
                first = begun[turn]
                command = first.fact.command if isinstance(first.fact, TurnStarted) else ""
                scenes[turn] = Scene(turn, command, stream, start, end, first.at, first.at + seconds)
            case EntryLogged(turn=turn, id=number) | EntrySeen(turn=turn, entry=number):
                entries.setdefault(turn, []).append(number)
            case TabAccessed(turn=turn) | FinishChecked(turn=turn, stop="exit" | "ctrl-d" | "finish"):
                accessed.add(turn)  # a stop that was held showed nothing but the check
            case _:
                pass
    return {turn: _filled(scene, entries.get(turn, []), accessed) for turn, scene in scenes.items()}


def _filled(scene: Scene, entries: list[int], accessed: set[int]) -> Scene:
    only_tab = scene.turn in accessed and not entries
    return Scene(
        scene.turn, scene.command, scene.stream, scene.start, scene.end, scene.began_at, scene.ended_at,
        tuple(entries), only_tab,
    )  # fmt: skip


def _places(scenes: dict[int, Scene]) -> dict[int, list[Scene]]:
    """The turns of each stream, in the order of their bytes."""
    places: dict[int, list[Scene]] = {}
    for scene in sorted(scenes.values(), key=lambda scene: (scene.stream, scene.start)):
        places.setdefault(scene.stream, []).append(scene)
    return places


def _cuts(start: int, end: int, scenes: list[Scene]) -> Iterator[tuple[int, int, int | None]]:
    """``start`` to ``end`` cut into the parts inside a turn and those between turns. A turn that showed nothing
    is an empty part."""
    at = start
    for scene in scenes:
        silent = scene.start == scene.end and at <= scene.start < end
        if not silent and (scene.end <= at or scene.start >= end):
            continue
        if scene.start > at:
            yield at, scene.start, None
            at = scene.start
        stop = min(scene.end, end)
        yield at, stop, scene.turn
        at = stop
    if at < end:
        yield at, end, None


def on_terminal(frame: Frame) -> bytes:
    """The bytes of a frame as a terminal in raw mode wants them."""
    if frame.terminal:
        return frame.data
    return frame.data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
