"""What the session's shims wrote becomes turns: finished runs when somebody reads, a running one when ``tab`` asks.

A shim only leaves a file in the inbox (``shim.inbox``). ``take_in`` stores each finished run as a turn, in the
order in which they began; a run whose shim was killed becomes a turn without an exit status. ``join_running``
gives the run in which the caller works its number and stores what it showed so far (S22); the rest follows
when it is over. A file is renamed before it is stored and removed afterwards, so that none is stored twice.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tabshell.errors import StoreUnwritable
from tabshell.model.accesses import Span
from tabshell.model.facts import Channel, Fact, OutputChunk, StreamOpened, TurnEnded, TurnShown, TurnStarted
from tabshell.model.light import replace
from tabshell.recorder import StoredTurn, begun
from tabshell.shim.intake import TAKING, InboxFile, RawRun, Stored, files, taking, waits
from tabshell.shim.run import DOOR
from tabshell.store.stream import StreamWriter
from tabshell.text.cut import shown_ranges

if TYPE_CHECKING:
    from tabshell.session.session import Session

#: How many of the last turns are looked through for one that a dead taker may have stored already.
_LOOK_BACK = 64
_KILLED = "the shell was killed, or its record could not be written to the end"


def take_in(session: Session) -> None:
    """Stores every finished run of the inbox. What cannot be stored now stays there."""
    if not session.writable or not waits(session.directory):
        return
    try:
        with taking(session.directory):
            for file in files(session.directory):
                if not file.running:
                    _take(session, file)
    except (OSError, StoreUnwritable):
        return


def _take(session: Session, file: InboxFile) -> None:
    run = file.load()
    if not os.path.exists(f"/proc/{file.owner}"):
        (session.directory / (DOOR % file.owner)).unlink(missing_ok=True)  # left by a shim that was killed
    if run is not None:
        half_way = file.path.name.endswith(TAKING)
        path = file.path
        if not half_way:
            path = path.rename(path.with_name(path.name + TAKING))
        if not (half_way and _is_stored(session, run)):
            session.append(*_facts(run))
        path.unlink()
        return
    file.path.unlink(missing_ok=True)


def _is_stored(session: Session, run: RawRun) -> bool:
    """Whether a turn with that beginning and an end stands in the store."""
    last = session.store.last_number(TurnStarted)
    for number in range(last, max(0, last - _LOOK_BACK), -1):
        event = session.store.numbered(TurnStarted, number)
        began = event.fact.began_at if event and isinstance(event.fact, TurnStarted) else None
        if began == run.record.started_at and session.store.numbered(TurnEnded, number) is not None:
            return True
    return False


def _facts(run: RawRun) -> list[Fact]:
    """The facts of a finished run that are not stored yet."""
    record, stored = run.record, run.stored
    facts: list[Fact] = [] if stored else [*begun(record), _stream(run)]
    chunks, size = _chunks(run, stored.stream if stored else 0, stored.size if stored else 0)
    gap = record.gap
    over = TurnEnded(
        stored.turn if stored else 0, record.exit_code, record.duration_s, stored.stream if stored else 0, 0, size,
        size + (gap.size if gap else 0), gap.size if gap else 0, gap.offset if gap else None, record.cwd_after,
        unobserved=None if run.complete else _KILLED,
    )  # fmt: skip
    return [*facts, *chunks, over, *_shown(run, over.turn)]


def _shown(run: RawRun, turn: int) -> list[Fact]:
    """Which part the model was shown, where the caller cuts long outputs. It has them apart: error messages, then
    the rest."""
    channels: dict[Channel, list[tuple[int, int]]] = {"err": [], "out": []}
    at = 0
    for _, size, channel in run.pieces:
        channels["err" if channel == "err" else "out"].append((at, size))
        at += size
    if not run.most or at <= run.most:
        return []
    output = run.record.output
    errors, rest = (b"".join(output[start : start + size] for start, size in one) for one in channels.values())
    ranges = shown_ranges(errors, rest, run.most)
    if ranges is None:
        return []
    spans = [span for pieces, one in zip(channels.values(), ranges, strict=True) for span in _in_order(pieces, one)]
    return [TurnShown(turn, tuple(sorted(spans)))]


def _in_order(pieces: list[tuple[int, int]], ranges: tuple[Span, ...]) -> Iterator[Span]:
    """Ranges of one channel as spans of the whole output, in which that channel has these (offset, size)."""
    at = 0
    for start, size in pieces:
        for one in ranges:
            first, last = max(one.start, at), min(one.end, at + size)
            if first < last:
                yield Span(start + first - at, start + last - at)
        at += size


def _stream(run: RawRun) -> StreamOpened:
    columns = run.record.columns
    return StreamOpened(0, "shim", columns > 0, 0, columns)


def _chunks(run: RawRun, stream: int, skip: int) -> tuple[list[OutputChunk], int]:
    """The run's output behind its first ``skip`` bytes as chunks, and the size of all of it."""
    writer = StreamWriter(stream, skip)
    gap = run.record.gap
    chunks: list[OutputChunk] = []
    at = 0
    for time, size, channel in run.pieces:
        if gap is not None and at == gap.offset > skip:
            chunks += writer.take(whole=True)
        if at + size > skip:
            writer.write(run.record.output[max(at, skip) : at + size], time, channel)
        at += size
    chunks += writer.take(whole=True)
    if gap is not None:
        chunks = [replace(chunk, dropped=gap.size) if chunk.offset == gap.offset else chunk for chunk in chunks]
    return chunks, at


# -- the run that this process is part of -------------------------------------------------------------------


def join_running(session: Session) -> bool:
    """Stores what the shell above the caller showed so far and makes its turn the current one. False if its
    relay did not answer in time; True also where there is no such shell."""
    file = _own_shell(session)
    if file is None:
        return True
    answered = _ask(session.directory, file.owner)
    session.catch_up()
    joined = _join(session, file)
    if joined is not None and joined[1].ended.end and session.started.capture:
        run, turn = joined
        # of a long output only the beginning is sure to be shown
        sure = run.record.output[: run.most // 2] if run.most else run.record.output
        session.recorder.classify(turn, sure, partial=True)
    return answered


def number_running(session: Session) -> None:
    """Gives the run in which the caller works its number, no more: ``tab add`` waits for nobody."""
    file = _own_shell(session)
    if file is not None:
        take_in(session)
        _join(session, file)


def _own_shell(session: Session) -> InboxFile | None:
    """The run in which the caller works."""
    if not session.writable:
        return None
    running = [file for file in files(session.directory) if file.running]
    ancestors = _ancestors(session.caller) if running else set()
    return next((file for file in running if file.owner in ancestors), None)


def _join(session: Session, file: InboxFile) -> tuple[RawRun, StoredTurn] | None:
    try:
        with taking(session.directory):
            run = file.load()
            turn = _store_so_far(session, file, run) if run is not None else None
    except (OSError, StoreUnwritable):
        return None
    return (run, turn) if run is not None and turn is not None else None


def _store_so_far(session: Session, file: InboxFile, run: RawRun) -> StoredTurn | None:
    """Gives the running command its number, if it has none, and stores what it showed since the last look."""
    record, stored = run.record, run.stored
    if stored is None:
        started, opened = session.append(*begun(record), _stream(run))
        assert isinstance(started, TurnStarted)  # noqa: S101 - the store gives back what it was given
        assert isinstance(opened, StreamOpened)  # noqa: S101
        stored = Stored(started.turn, opened.stream, 0)
    chunks, size = _chunks(run, stored.stream, stored.size)
    if chunks:
        session.append(*chunks)
    file.note(Stored(stored.turn, stored.stream, size))
    session.running_turn = stored.turn
    event = session.store.numbered(TurnStarted, stored.turn)
    if event is None or not isinstance(event.fact, TurnStarted):
        return None
    so_far = TurnEnded(stored.turn, None, 0.0, stored.stream, 0, size, size)
    return StoredTurn(event.fact, so_far, event.seq, record.started_at)


def _ancestors(pid: int) -> set[int]:
    """A process and those above it."""
    found: set[int] = set()
    while pid > 1 and pid not in found:
        found.add(pid)
        try:
            text = Path(f"/proc/{pid}/stat").read_bytes()
            pid = int(text.rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            break
    return found


def _ask(directory: Path, owner: int) -> bool:
    """Asks the relay of the shim ``owner`` to write down everything that was shown."""
    from tabshell.session.session import SYNC_S  # noqa: PLC0415 - it imports this module

    try:
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(SYNC_S)
        try:
            asking.connect(f"/proc/self/fd/{folder}/{DOOR % owner}")
            asking.sendall(b"sync\n")
            return asking.recv(16) == b"ok\n"
        except (ConnectionRefusedError, FileNotFoundError):
            return True  # a shim on a terminal writes its record as it shows it, and has no door
        except OSError:
            return False
        finally:
            os.close(folder)
