"""The recording of one terminal: what the pty door tells becomes facts, entries and a status line.

In: started and ended commands, every shown byte with its time, resizes, requests to catch up (S22). Out: the
status line that stands before the next prompt. Nothing here may disturb the shell: whatever fails is told
once (``[tab] not recorded: …``), kept in memory as far as ``KEPT`` allows, and tried again at the next turn; what
was lost for good becomes a RecordingGap.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tabshell.errors import TabshellError
from tabshell.model.facts import (
    Fact,
    OutputChunk,
    RecordingGap,
    Resized,
    StreamOpened,
    TurnEnded,
    TurnStarted,
)
from tabshell.model.records import Door
from tabshell.recorder import StoredTurn
from tabshell.session.session import Session
from tabshell.store.stream import StreamWriter

#: Seconds after which shown bytes are stored although no command ended.
FLUSH_S = 1.0
#: A turn's output up to this size stays in memory for the classifier; a longer one is read back.
IN_HAND = 4 * 1024 * 1024
#: Facts kept while the store cannot be written, by their bytes of output.
KEPT = 16 * 1024 * 1024


@dataclass(slots=True)
class RunningTurn:
    """The turn that runs: its number (0 while the store cannot be written), and where its output starts."""

    started: TurnStarted
    seq: int
    began_at: float
    start: int
    shown: int = 0


class LiveRecording:
    """Records one terminal of a session. ``say`` shows a line of ours to the person; never raises."""

    def __init__(
        self,
        session: Session,
        *,
        door: Door = "pty",
        rows: int = 0,
        columns: int = 0,
        witness: Callable[[], tuple[str, ...] | None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.session = session
        self._door = door
        self._columns = columns
        self._clock = clock
        self._witness = witness
        self._turn: RunningTurn | None = None
        self._in_hand: bytearray | None = None
        self._waiting: list[Fact] = []
        self._complaint: str | None = None
        self._told = False
        self._behind = False
        self._lost = 0
        self._flushed_at = clock()
        self._writer = self._open_stream(rows, columns)

    # -- what the door tells ----------------------------------------------------------------------------------

    def begin(self, command: str, text_from: str, cwd: str, at: float) -> None:
        """A command begins; what is shown from here on is its output."""
        start = self._writer.begin_turn()
        started = TurnStarted(0, self._door, command, text_from, cwd, None, self._columns)  # type: ignore[arg-type]
        self._turn = RunningTurn(started, 0, at, start)
        self._in_hand = bytearray()
        self._guard(self._begin)

    def _begin(self) -> None:
        turn = self._turn
        assert turn is not None  # noqa: S101 - begin sets it
        numbered = self._store([*self._writer.take(whole=True), turn.started])[-1]
        assert isinstance(numbered, TurnStarted)  # noqa: S101
        turn.started = numbered
        turn.seq = self.session.store.head()[0]

    def shown(self, data: bytes, at: float) -> None:
        """Bytes appeared on the terminal."""
        self._writer.write(data, at)
        if self._turn is not None:
            self._turn.shown += len(data)
            if self._in_hand is not None:
                self._in_hand += data
                if len(self._in_hand) > IN_HAND:
                    self._in_hand = None
        chunks = self._writer.take(whole=at - self._flushed_at > FLUSH_S)
        if chunks:
            self._flushed_at = at
            self._guard(lambda: self._store(list(chunks)))

    def end(self, exit_code: int | None, cwd_after: str | None, at: float, unobserved: str | None = None) -> None:
        """The running command is over."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        cut = self._writer.end_turn()
        ended = TurnEnded(
            turn.started.turn, exit_code, max(0.0, at - turn.began_at), self._writer.stream, turn.start,
            self._writer.position, turn.shown, cut.dropped, cut.at, cwd_after,
            self._witness() if self._witness else None, unobserved=unobserved,
        )  # fmt: skip
        in_hand, self._in_hand = self._in_hand, None
        self._guard(lambda: self._end(turn, ended, None if in_hand is None else bytes(in_hand)))

    def _end(self, turn: RunningTurn, ended: TurnEnded, output: bytes | None) -> None:
        facts = self._store([*self._writer.take(whole=True), ended])
        over = facts[-1]
        assert isinstance(over, TurnEnded)  # noqa: S101
        if over.turn != turn.started.turn:
            self._behind = True  # its start was stored only now, together with its end: taken up as pending
            return
        if self.session.started.capture:
            self.session.recorder.classify(StoredTurn(turn.started, over, turn.seq, turn.began_at), output)

    def resized(self, rows: int, columns: int) -> None:
        """The terminal has another size."""
        self._columns = columns
        fact = Resized(self._writer.stream, self._writer.position, rows, columns)
        self._guard(lambda: self._store([*self._writer.take(whole=True), fact]))

    def synchronise(self) -> None:
        """Takes up what the running command showed so far (a ``tab`` in it waits for us)."""
        self._guard(self._synchronise)

    def _synchronise(self) -> None:
        self._store(self._writer.take(whole=True))
        turn = self._turn
        if turn is None or not turn.started.turn or not turn.shown or not self.session.started.capture:
            return
        so_far = TurnEnded(
            turn.started.turn, None, 0.0, self._writer.stream, turn.start, self._writer.position, turn.shown
        )
        output = None if self._in_hand is None else bytes(self._in_hand)
        self.session.recorder.classify(StoredTurn(turn.started, so_far, turn.seq, turn.began_at), output, partial=True)

    def close(self) -> None:
        """The terminal is gone: what waits is stored."""
        if self._turn is not None:
            self.end(None, None, self._clock(), "the terminal ended while it ran")
        self._guard(lambda: self._store(self._writer.take(whole=True)))

    # -- what it says -----------------------------------------------------------------------------------------

    def status_line(self) -> str | None:
        """The status line, or the one complaint that something was not recorded; None if nothing can be said."""
        if self._complaint is not None and not self._told:
            self._told = True
            return f"[tab] not recorded: {self._complaint}"
        lines: list[str] = []
        behind, self._behind = self._behind, False
        self._guard(lambda: lines.append(self.session.status_line(catch_up=behind)))
        return lines[0] if lines else None

    # -- failing open -----------------------------------------------------------------------------------------

    def _open_stream(self, rows: int, columns: int) -> StreamWriter:
        opened = StreamOpened(0, self._door, True, rows, columns)
        try:
            return self.session.recorder.open_stream(opened)
        except TabshellError as error:
            self._complaint = str(error)
            self._waiting.append(opened)
            return StreamWriter(0)

    def _store(self, facts: Sequence[Fact]) -> list[Fact]:
        """Stores ``facts`` after those that wait from an earlier failure; keeps them if that fails again."""
        gap = (
            [RecordingGap(0, f"{self._lost} bytes of output could not be kept: {self._complaint}")]
            if self._lost
            else []
        )
        batch: list[Fact] = [*self._waiting, *gap, *facts]
        if not batch:
            return []
        try:
            given = self.session.append(*batch)
        except TabshellError:
            self._keep(batch)
            raise
        for fact in given:
            if isinstance(fact, StreamOpened) and self._writer.stream == 0:
                self._writer.stream = fact.stream
        self._waiting, self._lost = [], 0
        return given

    def _keep(self, batch: list[Fact]) -> None:
        self._waiting = [fact for fact in batch if not isinstance(fact, RecordingGap)]
        size = sum(len(fact.data) for fact in self._waiting if isinstance(fact, OutputChunk))
        if size > KEPT:
            self._lost += size
            self._waiting = [fact for fact in self._waiting if not isinstance(fact, OutputChunk)]

    def _guard(self, act: Callable[[], object]) -> None:
        """The one place where everything is caught: a recording fault never disturbs the agent's shell (S8)."""
        try:
            act()
        except Exception as error:  # noqa: BLE001 - see above
            reason = str(error) or type(error).__name__
            if self._complaint is None:
                self._complaint = reason
        else:
            if self._complaint is not None and not self._waiting and self._told:
                self._complaint, self._told = None, False
