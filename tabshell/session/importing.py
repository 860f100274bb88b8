"""A recording made elsewhere becomes a session: its turns with their own times, classified as any other.

Without a copy of the files nothing on this machine is asked: what the commands and their outputs say of files
decides, and entries are marked ``unconfirmed``. With a copy (``-w DIR``) the recording's workspace is looked at
there, absolute paths included, as if it had been moved; turns are confirmed as in a live session.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tabshell.access.disk.disk import Disk
from tabshell.errors import RecordingError
from tabshell.model.accesses import Accesses, Excerpt
from tabshell.model.facts import RecordingGap
from tabshell.model.files import FileInfo
from tabshell.model.records import Record
from tabshell.recorder import Recorder, StoredTurn
from tabshell.recordings.all_recordings import read
from tabshell.recordings.recording import Recording
from tabshell.recordings.tree import RecordedTree
from tabshell.session import Session, SessionOptions

if TYPE_CHECKING:
    from tabshell.access.classify import Classifier


@dataclass(frozen=True, slots=True)
class Imported:
    """The session that was made. ``fault`` is what stopped the reading after ``turns`` turns, if anything."""

    directory: Path
    format: str
    turns: int
    entries: int
    fault: RecordingError | None


def import_file(
    path: Path,
    environment: Mapping[str, str],
    *,
    format_name: str | None = None,
    copy: str | None = None,
    name: str | None = None,
    out: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Imported:
    """Makes a session of the recording in ``path``. ``copy`` is a directory with its files; ``progress`` is
    told (done, all) turns. Raises RecordingError where nothing can be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordingError(f"cannot read {path}: {error.strerror}") from error
    try:
        recording = read(data, format_name)
    except RecordingError as error:
        raise RecordingError(f"{path}: {error}") from None
    return _take_in(recording, environment, Wish(name or path.stem, copy, out, progress))


@dataclass(frozen=True, slots=True)
class Wish:
    """How a recording is taken in. ``copy`` is a directory with the files of its workspace."""

    name: str
    copy: str | None
    out: str | None
    progress: Callable[[int, int], None] | None


def _take_in(recording: Recording, environment: Mapping[str, str], wish: Wish) -> Imported:
    clock = _Clock(recording.started_at)
    options = SessionOptions(
        wish.copy or recording.workspace, wish.out, wish.name, recording.task, recording.agent,
        agent_session=recording.agent_session, model=recording.model,
    )  # fmt: skip
    with Session.create(options, environment, foreign=wish.copy is None, clock=clock) as session:
        recorder = _Importer(session, recording, confirming=wish.copy is not None)
        for record in recording.records:
            clock.now = record.started_at or clock.now
            recorder.record(record)
            clock.now += record.duration_s
        recorder.classify_all(wish.progress)
        if recording.fault is not None:
            session.append(RecordingGap(0, f"the recording could not be read on: {recording.fault}"))
        clock.now = max(clock.now, recording.ended_at or 0.0)
        session.end(None)
        tab = session.tab(catch_up=False)
    return Imported(session.directory, recording.format, len(recording.records), len(tab.entries), recording.fault)


class _Clock:
    """The time of the recording instead of ours; the present where it holds no times."""

    def __init__(self, start: float) -> None:
        self.now = start or time.time()

    def __call__(self) -> float:
        return self.now


class _Importer(Recorder):
    """A recorder of imported turns. ``confirming``: the session's workspace is a copy of the recording's, and
    is asked; else nothing is asked of the disk."""

    def __init__(self, session: Session, recording: Recording, *, confirming: bool) -> None:
        super().__init__(session.store, lambda: _classifier(session, recording, confirming=confirming))
        self._confirming = confirming

    def record_of(self, turn: StoredTurn, output: bytes | None = None) -> Record:
        """The record of a stored turn; it can be confirmed where a copy is."""
        return replace(super().record_of(turn, output), confirmable=self._confirming)

    def classify_all(self, progress: Callable[[int, int], None] | None) -> None:
        """Classifies every turn, in order."""
        numbers = self.store.pending()
        for done, number in enumerate(numbers, 1):
            turn = self._stored(number)
            if turn is not None:
                self.classify(turn)
            if progress is not None:
                progress(done, len(numbers))


def _classifier(session: Session, recording: Recording, *, confirming: bool) -> Classifier:
    """The classifier works where the recording was made; a copy is looked at as if it lay there."""
    from tabshell.access.classify import Classifier  # noqa: PLC0415 - tree-sitter comes with it

    here, there, told = session.started.workspace, recording.workspace, RecordedTree(recording.records)
    out = _path_moved(session.started.out, here, there) if session.started.out else None
    if not confirming:
        return Classifier(there, out, told, None)
    files = Moved(Disk(), told, there, here)

    class Confirming(Classifier):
        """Marks the entries of files that the copy lacks."""

        def classify(self, record: Record) -> Accesses:
            found = super().classify(record)
            return replace(found, excerpts=tuple(files.marked(excerpt) for excerpt in found.excerpts))

    return Confirming(there, out, files, None)


def _path_below(path: str, old: str, new: str) -> str | None:
    """``path`` with the directory ``old`` at its beginning replaced by ``new``; None if it lies elsewhere."""
    if path == old or path.startswith(old.rstrip("/") + "/"):
        return new + path[len(old.rstrip("/")) :]
    return None


def _path_moved(path: str, old: str, new: str) -> str:
    """The same; a path elsewhere as it is."""
    return _path_below(path, old, new) or path


class Moved:
    """The disk, on which what lies below ``there`` lies below ``here``, without showing it. What it lacks (files
    that the agent made) is as the recording tells, and so is what lies elsewhere: a file of the same name in this
    machine's ``/tmp`` is another file."""

    def __init__(self, disk: Disk, told: RecordedTree, there: str, here: str) -> None:
        self._disk, self._told, self._there, self._here = disk, told, there, here
        self.refresh = disk.refresh

    def marked(self, excerpt: Excerpt) -> Excerpt:
        """The excerpt, unconfirmed if one of its files is not in the copy."""
        below = (None if path.startswith("/") else f"{self._here}/{path}" for path in excerpt.paths)
        here = all(path is not None and self._disk.info(path) is not None for path in below)
        return excerpt if here else replace(excerpt, unconfirmed=True)

    def info(self, path: str) -> FileInfo | None:
        """The file, called as it was there."""
        place = self._place(path)
        found = None if place is None else self._disk.info(place)
        if found is None:
            return self._told.info(path)
        return replace(found, real=_path_moved(found.real, self._here, self._there))

    def names(self, path: str) -> tuple[str, ...]:
        """The names in a directory."""
        place = self._place(path)
        return tuple(sorted({*(() if place is None else self._disk.names(place)), *self._told.names(path)}))

    def content(self, path: str) -> bytes | None:
        """The bytes of a file."""
        place = self._place(path)
        return None if place is None else self._disk.content(place)

    def text(self, path: str) -> str | None:
        """The text of a file."""
        place = self._place(path)
        return None if place is None else self._disk.text(place)

    def _place(self, path: str) -> str | None:
        return _path_below(path, self._there, self._here)
