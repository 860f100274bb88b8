"""One record, from any door, becomes facts: stored raw first, classified next (S1).

A door hands in whole records (``record``) or, at a live terminal, opens a stream and stores the pieces as they come
(``open_stream``; ``session.live`` makes the facts). What ended and is not classified is *pending*;
``classify_pending`` takes it up in order, in whichever process reads next, under a lock. Raw output is on disk before
anything looks at it.

Importing this module is cheap (a hook does it for every command): the classifier comes in as a factory.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tabshell.model.accesses import Accesses, Excerpt, Span
from tabshell.model.facts import (
    EntryLogged,
    EntrySeen,
    Fact,
    OutputChunk,
    StreamOpened,
    TabAccessed,
    TurnClassified,
    TurnEnded,
    TurnShown,
    TurnStarted,
)
from tabshell.model.light import TYPE_CHECKING, NamedTuple, replace
from tabshell.model.records import CommandRecord, Gap, Record, ToolRecord
from tabshell.store import kept
from tabshell.store.stream import StreamWriter

if TYPE_CHECKING:
    from tabshell.access.classify import Classifier
    from tabshell.store.database import Store


#: The file of a session that keeps what its classifier remembers, and its format: it changes with whatever is
#: remembered, or with how that is found from the facts.
MEMORY, FORMAT = "classifier.json", "classifier/2"
#: Turns that are taken up before the memory is kept anew; more where it has grown large (one for so many bytes).
KEEP_AFTER, KEEP_BYTES = 8, 16_384
#: Bytes of an output that every known agent shows its model whole.
SHOWN_WHOLE = 4000
#: Seconds to wait for another classifier.
LOCK_S = 5.0


class StoredTurn(NamedTuple):
    """A turn as the store has it; ``seq`` and ``started_at`` are those of the event of its start."""

    started: TurnStarted
    ended: TurnEnded
    seq: int
    started_at: float


class Recorder:
    """Writes the turns of one session. ``classifier`` makes the classifier when the first turn needs one."""

    def __init__(self, store: Store, classifier: Callable[[], Classifier] | None = None) -> None:
        self.store = store
        self._make_classifier = classifier
        self._classifier: Classifier | None = None
        self._taken_up = 0
        self._own_turns: set[int] = set()
        self._since_kept = 0
        self._kept_bytes = 0
        #: Whether the caller has a better moment for ``keep`` than right before a prompt.
        self.keeps_later = False
        self._entries_read = 0
        self._known: dict[tuple[tuple[str, ...], str], tuple[int, int]] = {}

    # -- raw ------------------------------------------------------------------------------------------------

    def record(self, record: Record) -> int:
        """Stores a whole turn in one transaction, not yet classified; gives its number."""
        started = self.store.append([*begun(record), *ended(record)])[0]
        assert isinstance(started, TurnStarted)  # noqa: S101 - the first fact of ``begun``
        return started.turn

    def open_stream(self, opened: StreamOpened) -> StreamWriter:
        """A new stream of shown bytes; the caller hands ``take()`` to ``store.append`` when it is due."""
        (fact,) = self.store.append([opened])
        assert isinstance(fact, StreamOpened)  # noqa: S101
        return StreamWriter(fact.stream)

    # -- classified -----------------------------------------------------------------------------------------

    def classify_pending(self, *, before_hook: bool = False) -> None:
        """Classifies every turn that ended and is not classified, in order. ``before_hook``: an agent's hook will
        say in a moment what the model was shown of the newest turn; if that is long it waits for it."""
        if self._make_classifier is None:
            return
        if not self.store.settled:
            before = kept.read(self.store, MEMORY, FORMAT, body=False)
            self.store.settled = before.settled if before else 0
        if not self.store.pending():
            return
        with _locked(self.store.directory) as ours:
            for number in self.store.pending() if ours else ():
                turn = self._stored(number)
                if turn is None or (before_hook and self._awaits_hook(turn)):
                    continue
                self.classify(turn)

    def _awaits_hook(self, turn: StoredTurn) -> bool:
        """Whether an agent may have cut this output, and its hook has not said so yet."""
        number = turn.started.turn
        long = turn.ended.output_bytes > SHOWN_WHOLE and turn.started.door == "shim"
        return long and number == self.store.last_number(TurnStarted) and self._shown(number) is None

    def classify(self, turn: StoredTurn, output: bytes | None = None, *, partial: bool = False) -> None:
        """Classifies one turn and stores what was found. ``partial``: it still runs, and will be classified
        again when it is over (S22: ``tab`` sees what was shown before it on the same line)."""
        facts = self.found(turn, output, partial=partial)
        if facts:
            self.store.append(facts)

    def found(self, turn: StoredTurn, output: bytes | None = None, *, partial: bool = False) -> list[Fact]:
        """What ``classify`` would store, for a caller that stores it together with the turn's end."""
        classifier = self._ready_classifier()
        record = self.record_of(turn, output)
        if partial:
            before = classifier.memory.copy(), classifier.provenance.copy()
            accesses = classifier.classify(record)
            classifier.memory, classifier.provenance = before
        else:
            accesses = classifier.classify(record)
        facts: list[Fact] = list(self._entry_facts(turn, record, accesses)) if accesses.excerpts else []
        if not partial:
            facts.append(_classified(turn.started.turn, accesses))
            self._own_turns.add(turn.started.turn)
        return facts

    def record_of(self, turn: StoredTurn, output: bytes | None = None) -> Record:
        """The record of a stored turn, with its output."""
        started, over = turn.started, turn.ended
        if output is None:
            output = self.store.output(over.stream, over.start, over.end)
        gap = Gap(over.gap_at - over.start, over.dropped) if over.gap_at is not None else None
        confirmable = started.door != "import"
        if started.tool is not None and started.action is not None:
            return ToolRecord(
                started.door, started.agent or "", started.tool, started.action, started.command, started.cwd,
                started.paths, output, over.exit_code, turn.started_at, over.duration_s,
                numbered=started.numbered, first_line=started.first_line, gap=gap, confirmable=confirmable,
            )  # fmt: skip
        silent = over.silent or (self._silent(turn, output) if output else ())
        shown = self._shown(started.turn) if started.door != "pty" else None  # only agents cut what is shown
        if shown is not None:
            silent = tuple(sorted((*silent, *_between(shown.spans, len(output)))))
        return CommandRecord(
            started.door, started.command, started.text_from, started.cwd, output, over.exit_code, turn.started_at,
            over.duration_s, over.cwd_after, (shown.agent if shown else None) or started.agent, started.columns, gap,
            over.opened, silent, confirmable,
        )  # fmt: skip

    def _shown(self, number: int) -> TurnShown | None:
        """What the agent's hook said of this turn: the rest of its output never reached the model."""
        event = self.store.numbered(TurnShown, number)
        return event.fact if event is not None and isinstance(event.fact, TurnShown) else None

    def _cut(self, turn: StoredTurn, excerpt: Excerpt) -> bool:
        """Whether the agent cut this excerpt: it reaches to an edge of what the model was shown."""
        shown = self._shown(turn.started.turn)
        if shown is None:
            return False
        size = turn.ended.end - turn.ended.start
        edges = {edge for span in shown.spans for edge in span if 0 < edge < size}
        return any(edge in edges for span in excerpt.spans for edge in span)

    def _silent(self, turn: StoredTurn, output: bytes) -> tuple[Span, ...]:
        """The bytes of a turn's output that ``tab`` printed (S27)."""
        printed = [
            event.fact.printed
            for event in self.store.events(TabAccessed, after=turn.seq)
            if isinstance(event.fact, TabAccessed) and event.fact.turn == turn.started.turn and event.fact.printed
        ]
        if not printed:
            return ()
        from tabshell.text.silent import silent_spans  # noqa: PLC0415 - only where tab ran

        return silent_spans(output, turn.started.columns, printed)

    def _entry_facts(self, turn: StoredTurn, record: Record, accesses: Accesses) -> Iterator[Fact]:
        self._read_entries()
        number = turn.started.turn
        for excerpt in accesses.excerpts:
            key = (excerpt.paths, excerpt.text_sha256)
            if key in self._known:
                entry, last_turn = self._known[key]
                if last_turn != number:
                    self._known[key] = (entry, number)
                    yield EntrySeen(entry, number)
                continue
            yield replace(_entry(turn, record, excerpt), truncated=excerpt.truncated or self._cut(turn, excerpt))

    def _read_entries(self) -> None:
        """Takes up the entries that this or another process logged since the last look."""
        for event in self.store.events(EntryLogged, EntrySeen, after=self._entries_read):
            self._entries_read = event.seq
            if isinstance(event.fact, EntryLogged):
                self._known[(event.fact.paths, event.fact.text_sha256)] = (event.fact.id, event.fact.turn)

    def _stored(self, number: int) -> StoredTurn | None:
        started, over = self.store.numbered(TurnStarted, number), self.store.numbered(TurnEnded, number)
        if started is None or over is None:
            return None
        if not isinstance(started.fact, TurnStarted) or not isinstance(over.fact, TurnEnded):
            return None
        return StoredTurn(started.fact, over.fact, started.seq, started.fact.began_at or started.at)

    def _ready_classifier(self) -> Classifier:
        """The classifier, having taken up what turns before this process wrote and defined."""
        if self._classifier is None:
            if self._make_classifier is None:
                msg = "this recorder was made without a classifier"
                raise RuntimeError(msg)
            self._classifier = self._make_classifier()
            self._recall(self._classifier)
        self._take_up(self._classifier)
        return self._classifier

    def _recall(self, classifier: Classifier) -> None:
        """Takes what an earlier process kept of the turns before."""
        from tabshell.access.memory import from_text  # noqa: PLC0415 - only where turns are classified

        before = kept.read(self.store, MEMORY, FORMAT)
        if before is None:
            return
        try:
            classifier.memory, classifier.provenance = from_text(before.body)
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        self._taken_up, self._kept_bytes = before.seq, len(before.body)

    def _take_up(self, classifier: Classifier) -> None:
        """Takes up the turns that were classified since, by this process or another, and keeps what is remembered."""
        for seq, number in self.store.numbers(TurnClassified, self._taken_up):
            self._taken_up = seq
            self._since_kept += 1
            if number in self._own_turns:
                self._own_turns.discard(number)
                continue
            event, turn = self.store.numbered(TurnClassified, number), self._stored(number)
            if event is not None and turn is not None and isinstance(event.fact, TurnClassified):
                accesses = Accesses(event.fact.read, event.fact.searched, (), event.fact.wrote)
                classifier.remember(self.record_of(turn, b""), accesses)
        if not self.keeps_later:
            self.keep()

    def keep(self) -> None:
        """Keeps what is remembered, if enough turns have been taken up since."""
        if self._classifier is not None and self._since_kept >= max(KEEP_AFTER, self._kept_bytes // KEEP_BYTES):
            self._keep(self._classifier)

    def _keep(self, classifier: Classifier) -> None:
        from tabshell.access.memory import to_text  # noqa: PLC0415 - only where turns are classified

        body = to_text(classifier.memory, classifier.provenance)
        kept.write(self.store, MEMORY, FORMAT, kept.Kept(self._taken_up, self.store.settled, body))
        self._since_kept, self._kept_bytes = 0, len(body)


def _between(spans: tuple[Span, ...], size: int) -> Iterator[Span]:
    """The bytes up to ``size`` that lie in none of ``spans``."""
    at = 0
    for span in (*sorted(spans), Span(size, size)):
        if span.start > at:
            yield Span(at, span.start)
        at = max(at, span.end)


def begun(record: Record) -> list[Fact]:
    """The fact that a record's command began."""
    if isinstance(record, ToolRecord):
        return [
            TurnStarted(
                0, record.door, record.command, "hook", record.cwd, record.agent, tool=record.tool,
                action=record.action, paths=record.paths, numbered=record.numbered, first_line=record.first_line,
                began_at=record.started_at or None,
            )
        ]  # fmt: skip
    return [
        TurnStarted(
            0, record.door, record.command, record.text_from, record.cwd, record.agent, record.columns,
            began_at=record.started_at or None,
        )
    ]  # fmt: skip


def ended(record: Record) -> list[Fact]:
    """The facts of a record's output and end, with a stream of its own (numbers are left to the store)."""
    writer = StreamWriter(0)
    writer.begin_turn()
    gap = record.gap
    at = record.started_at + record.duration_s or time.time()
    writer.write(record.output, at, "out")
    cut = writer.end_turn()
    dropped = cut.dropped + (gap.size if gap else 0)
    command = record if isinstance(record, CommandRecord) else None
    over = TurnEnded(
        0, record.exit_code, record.duration_s, 0, 0, writer.position, len(record.output) + (gap.size if gap else 0),
        dropped, cut.at if cut.at is not None else (gap.offset if gap else None),
        command.cwd_after if command else None, command.opened if command else None,
        tuple(Span(*span) for span in command.silent) if command else (),
    )  # fmt: skip
    chunks: list[OutputChunk] = writer.take(whole=True)
    columns = command.columns if command else 0
    return [StreamOpened(0, record.door, columns > 0, 0, columns), *chunks, over]


def _entry(turn: StoredTurn, record: Record, excerpt: Excerpt) -> EntryLogged:
    start = turn.ended.start
    return EntryLogged(
        0, turn.started.turn, excerpt.kind, excerpt.paths, excerpt.shown_as, record.command, turn.ended.stream,
        tuple(Span(start + span.start, start + span.end) for span in excerpt.spans), excerpt.chars,
        excerpt.text_sha256, record.agent, excerpt.lines, excerpt.line_count, excerpt.source_sha256,
        excerpt.derived_from, excerpt.own, excerpt.binary, excerpt.outside, excerpt.unconfirmed, excerpt.screen,
        excerpt.truncated,
    )  # fmt: skip


def _classified(turn: int, accesses: Accesses) -> TurnClassified:
    return TurnClassified(
        turn, accesses.read, accesses.searched, accesses.listed, accesses.wrote, accesses.computed_from,
        accesses.opened, accesses.reasons,
    )  # fmt: skip


@contextmanager
def _locked(directory: str) -> Iterator[bool]:
    """One classifier at a time: turns must be taken up in order. False where that cannot be had (a lock that is no
    file, or one that a stopped process holds): then they stay pending."""
    flags = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(os.path.join(directory, "classify.lock"), flags, 0o600)
    except OSError:
        yield False
        return
    try:
        yield _has_lock(descriptor)
    finally:
        os.close(descriptor)


def _has_lock(descriptor: int) -> bool:
    until = time.monotonic() + LOCK_S
    while not _takes_lock(descriptor):
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def _takes_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
