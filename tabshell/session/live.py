"""The recording of one terminal: what the pty door tells becomes facts, entries and a status line.

``LiveRecording`` is the door's ``Listener``. In: every displayed byte with its time, where commands begin and end
(offsets in displayed bytes), resizes, stops, requests to catch up (S22). Out: the status line before the next
prompt, the finish check at a stop. Nothing here may disturb the shell: whatever fails is told
once (``[tab] not recorded: …``), kept in memory as far as ``KEPT`` allows, and tried again at the next turn; what
was lost for good becomes a RecordingGap.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeVar

from tabshell.access.disk.witness import Witness
from tabshell.errors import StoreUnwritable, TabshellError
from tabshell.model.aside import aside
from tabshell.model.facts import (
    Fact,
    OutputChunk,
    RecordingGap,
    Resized,
    StreamOpened,
    TurnEnded,
    TurnStarted,
)
from tabshell.model.light import replace
from tabshell.recorder import StoredTurn
from tabshell.session.packing import PACK_ASIDE, InHand, Packers
from tabshell.session.session import Session
from tabshell.shell.segment import CommandEnd, CommandStart
from tabshell.store.database import Planned
from tabshell.store.stream import CHUNK, StreamWriter

Given = TypeVar("Given")

#: Seconds that a shell takes from the greeting to its first prompt.
FIRST_PROMPT_S = 0.03
#: Seconds that the watches on the workspace have before the classifier is loaded.
WATCHING_S = 1.0
#: Seconds after which shown bytes are stored although no command ended.
FLUSH_S = 1.0
#: Facts kept while the store cannot be written, by their bytes of output.
KEPT = 16 * 1024 * 1024


class RunningTurn:
    """The turn that runs: its start (numbered once it is stored), the event after which it began, where its output
    starts in stored bytes, how many bytes it showed, and whether its start was handed to the store."""

    __slots__ = ("began_at", "handed", "seq", "shown", "start", "started")

    def __init__(self, started: TurnStarted, seq: int, began_at: float, start: int, shown: int) -> None:
        self.started = started
        self.seq = seq
        self.began_at = began_at
        self.start = start
        self.shown = shown
        self.handed = False


class LiveRecording:
    """Records one terminal of a session. ``show_status``: give a status line after each command. Never raises."""

    def __init__(
        self,
        session: Session,
        size: tuple[int, int],
        *,
        show_status: bool = True,
        witness: Witness | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.session = session
        self.show_status = show_status
        self._clock = clock
        self._witness = witness
        self._turn: RunningTurn | None = None
        self._in_hand: InHand | None = None
        self._displayed = 0
        self._waiting: list[Fact] = []
        self._complaint: str | None = None
        self._told = False
        self._behind = False
        self._lost = 0
        self._planned: Planned | None = None
        self._left_alone_until = 0.0
        self._flushed_at = clock()
        self._packers = Packers()
        session.recorder.keeps_later = True
        self._writer = self._open_stream(*size)

    # -- what the door tells ----------------------------------------------------------------------------------

    def output(self, data: bytes, at: float) -> None:
        """These bytes were displayed."""
        if not self._displayed:
            # while the person reads the first prompt (and not before it is there), load what the first turn needs
            aside(partial(_load_classifier, self._witness), after_s=FIRST_PROMPT_S)
        self._displayed += len(data)
        self._writer.write(data, at)
        if self._turn is not None:
            self._turn.shown += len(data)
            if self._in_hand is not None:
                self._in_hand.put(data)
        if self._packers.busy or self._writer.full or (self._turn is not None and at - self._flushed_at > FLUSH_S):
            self._guard(lambda: self._flush(at))

    def _flush(self, at: float) -> None:
        if at - self._flushed_at > FLUSH_S or (self._turn is not None and not self._turn.handed):
            self._flushed_at = at
            self._store_now([])
        else:
            self._store(self._due(whole=False))

    def command_started(self, start: CommandStart) -> None:
        """A command begins; what is displayed from ``start.offset`` on is its output. It is stored when it is over
        or at the next ``settle``, whichever comes first: most commands take less time than a transaction."""
        back = self._displayed - start.offset
        position = self._writer.begin_turn() - back
        started = TurnStarted(
            0, "pty", start.command, start.text_from, start.cwd, None, start.columns, began_at=start.at
        )
        self._turn = RunningTurn(started, self.session.store.last_seq, start.at, position, back)
        self._in_hand = InHand(position) if back == 0 else None
        if self._witness is not None:
            self._witness.take()  # what was opened before belongs to no command

    def settle(self) -> bytes:
        """The shell goes on to its prompt, a command has been running for a moment, or nothing has happened at the
        prompt for one. Gives a line to show, if what was put off could not be done."""
        if self._planned is not None:
            self._guard(self._carry_out)
            return self._complain() if self.show_status else b""
        if self._turn is None or not self._turn.handed:
            self._guard(lambda: self._store_now([]))
        if self._turn is None:
            self._guard(lambda: self._in_time(self.session.recorder.keep))
        return b""

    def _store_now(self, facts: Sequence[Fact]) -> None:
        """Stores all that was shown, the start of the turn that runs, and ``facts``."""
        due: list[Fact] = [*self._due(whole=True)]
        if self._turn is not None and not self._turn.handed:
            self._turn.handed = True
            due.append(self._turn.started)
        self._store([*due, *facts])

    def command_finished(self, end: CommandEnd) -> bytes:
        """The running command is over; gives the status line."""
        turn, self._turn = self._turn, None
        if turn is None:
            return b""
        cut = self._writer.end_turn()
        after = self._displayed - end.offset
        ended = TurnEnded(
            turn.started.turn, end.exit_code, max(0.0, end.at - turn.began_at), self._writer.stream, turn.start,
            self._writer.position - after, turn.shown - after, cut.dropped, cut.at, end.cwd,
            self._witness.take() if self._witness else None, unobserved=end.unobserved,
        )  # fmt: skip
        self._guard(lambda: self._end(turn, ended))
        self._in_hand = None
        return self._status_line()

    def _end(self, turn: RunningTurn, ended: TurnEnded) -> None:
        recorder, capture = self.session.recorder, self.session.started.capture
        facts: list[Fact] = [*self._taken(whole=True), *([] if turn.handed else [turn.started]), ended]
        output, self._in_hand = None if self._in_hand is None else self._in_hand.until(ended.end), None
        if output is not None and capture and (turn.started.turn or not turn.handed):
            # the usual turn: its start, its end and what was found go in together; the end of a long output is
            # packed meanwhile
            number = turn.started.turn or self.session.store.last_number(TurnStarted) + 1
            whole = StoredTurn(replace(turn.started, turn=number), ended, turn.seq, turn.began_at)
            try:
                found = recorder.found(whole, output)
                facts += found if turn.handed else [replace(fact, turn=0) for fact in found]  # type: ignore[arg-type]
            finally:
                self._store([*self._packers.done(whole=True), *facts], soon=True)
            return
        given = self._store([*self._packers.done(whole=True), *facts])
        over, started = given[-1], turn.started if turn.handed else given[-2]
        del facts, given  # the end of a long output: megabytes that are stored now
        assert isinstance(over, TurnEnded)  # noqa: S101
        assert isinstance(started, TurnStarted)  # noqa: S101
        # a turn whose start could not be stored while it ran is taken up as pending
        if over.turn == started.turn and capture:
            recorder.classify(StoredTurn(started, over, turn.seq, turn.began_at), output)

    def stop_attempted(self, stop: Literal["exit", "ctrl-d"]) -> bytes | None:
        """The finish check, if the shell is to be held."""
        check: list[str | None] = []
        if self._turn is not None:
            self.settle()
        if self.show_status:
            self._guard(lambda: check.append(self.session.finish_check(stop)))
        return _terminal_bytes(check[0]) if check and check[0] else None

    def resized(self, rows: int, columns: int) -> None:
        """The terminal has another size."""
        fact = Resized(self._writer.stream, self._writer.position, rows, columns)
        self._guard(lambda: self._store_now([fact]))

    def synchronise(self) -> None:
        """Takes up what the running command showed so far (a ``tab`` in it waits for us)."""
        self._guard(self._synchronise)

    def _synchronise(self) -> None:
        self._store_now([])
        turn = self._turn
        if turn is None or not turn.started.turn or not turn.shown or not self.session.started.capture:
            return
        so_far = TurnEnded(
            turn.started.turn, None, 0.0, self._writer.stream, turn.start, self._writer.position, turn.shown
        )
        output = None if self._in_hand is None else self._in_hand.until(so_far.end)
        self.session.recorder.classify(StoredTurn(turn.started, so_far, turn.seq, turn.began_at), output, partial=True)

    def close(self) -> None:
        """The terminal is gone: what waits is stored."""
        self._left_alone_until = 0.0
        if self._turn is not None:
            now = self._clock()
            self.command_finished(CommandEnd(None, None, now, self._displayed, "the terminal ended while it ran"))
        self._guard(lambda: self._store_now([]))
        self._guard(self.session.recorder.keep)
        self._packers.close()

    # -- what it says -----------------------------------------------------------------------------------------

    def _status_line(self) -> bytes:
        """The status line, or the one complaint that something was not recorded; empty if nothing is to be said."""
        if not self.show_status:
            return b""
        complaint = self._complain()
        if complaint:
            return complaint
        lines: list[str] = []
        behind, self._behind = self._behind, False
        self._guard(lambda: lines.append(self.session.status_line(catch_up=behind)))
        return _terminal_bytes(lines[0]) if lines else b""

    def _complain(self) -> bytes:
        """What could not be recorded, once."""
        if self._complaint is None or self._told:
            return b""
        self._told = True
        return _terminal_bytes(f"[tab] not recorded: {self._complaint}")

    # -- packing ----------------------------------------------------------------------------------------------

    def _due(self, *, whole: bool) -> list[OutputChunk]:
        """The chunks to store now, in order; ``whole``: all that there is."""
        return [*self._taken(whole=whole), *self._packers.done(whole=whole)]

    def _taken(self, *, whole: bool) -> list[OutputChunk]:
        """The same, but for those that are being packed aside, which come after (before, if none is given here)."""
        chunks = self._writer.take(whole=whole)
        if self._in_hand is not None:
            for chunk in chunks:
                self._in_hand.take(chunk)
        shown = self._turn.shown if self._turn is not None else 0
        if not self._packers.busy and max(shown, len(chunks) * CHUNK) < PACK_ASIDE:
            return chunks
        self._packers.put(chunks)
        return []

    # -- failing open -----------------------------------------------------------------------------------------

    def _open_stream(self, rows: int, columns: int) -> StreamWriter:
        opened = StreamOpened(0, "pty", True, rows, columns)
        try:
            return self.session.recorder.open_stream(opened)
        except TabshellError as error:
            self._complaint = str(error)
            self._waiting.append(opened)
            return StreamWriter(0)

    def _carry_out(self) -> None:
        """Stores what was planned at the end of the last turn."""
        planned, self._planned = self._planned, None
        if planned is not None:
            try:
                self._in_time(lambda: self.session.carry_out(planned))
            except TabshellError:
                self._keep([*self._waiting, *planned.facts])
                raise

    def _store(self, facts: Sequence[Fact], *, soon: bool = False) -> list[Fact]:
        """Stores ``facts`` after those that wait from an earlier failure; keeps them if that fails again. ``soon``:
        at the next ``settle``, with the shell already on its way to its prompt (which is shown only after that)."""
        try:
            self._carry_out()
        except TabshellError:
            self._keep([*self._waiting, *facts])
            raise
        if soon and not self._waiting and not self._lost and self._writer.stream:
            self._planned = self.session.plan(*facts)
            return self._planned.numbered
        gap = (
            [RecordingGap(0, f"{self._lost} bytes of output could not be kept: {self._complaint}")]
            if self._lost
            else []
        )
        batch: list[Fact] = [*self._waiting, *gap, *facts]
        if not batch:
            return []
        try:
            given = self._in_time(lambda: self.session.append(*batch))
        except TabshellError:
            self._keep(batch)
            raise
        for fact in given:
            if isinstance(fact, StreamOpened) and self._writer.stream == 0:
                self._writer.stream = fact.stream
            elif isinstance(fact, TurnStarted) and self._turn is not None and self._turn.handed:
                self._turn.started = fact  # the last one is the turn that runs
        self._behind = self._behind or bool(self._waiting)  # turns that ended meanwhile were not classified
        self._waiting, self._lost = [], 0
        return given

    def _in_time(self, write: Callable[[], Given]) -> Given:
        """Writes; a store that could not be written is left alone ten times as long as that took to find out, so
        that one that is locked for long holds up no prompt."""
        began = time.monotonic()
        if began < self._left_alone_until:
            raise StoreUnwritable(self._complaint or "the store could not be written a moment ago")
        try:
            return write()
        except TabshellError:
            now = time.monotonic()
            self._left_alone_until = now + 10 * (now - began)
            raise

    def _keep(self, batch: list[Fact]) -> None:
        self._waiting = [fact for fact in batch if not isinstance(fact, RecordingGap)]
        chunks = [fact for fact in self._waiting if isinstance(fact, OutputChunk)]
        if sum(len(chunk.packed or chunk.data) for chunk in chunks) > KEPT:
            self._lost += sum(chunk.length for chunk in chunks)
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


def _terminal_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _load_classifier(witness: Witness | None) -> None:
    """Imports what classifies a turn and says the status line (200 ms that no prompt should wait for)."""
    until = time.monotonic() + WATCHING_S
    while witness is not None and not witness.over and time.monotonic() < until:
        time.sleep(0.005)  # both at once would take turns in steps of an interpreter's whole switching interval

    from tabshell.access import classify  # noqa: F401, PLC0415
    from tabshell.access.bash.syntax import parse  # noqa: PLC0415
    from tabshell.access.disk import disk  # noqa: F401, PLC0415
    from tabshell.tab import fold, statusline  # noqa: F401, PLC0415

    parse("true")
    gc.freeze()  # tens of thousands of objects that stay: no collection need look at them again
