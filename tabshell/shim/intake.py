"""The inbox's files -> records: the reader's side of ``shim.inbox``.

In: the bytes of one file. Out: a ``RawRun``, whole or as far as it came. Files whose writer still holds its lock
are running. Nothing raises on a damaged file: what can be read of it counts.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tabshell.model.facts import Channel
from tabshell.model.light import NamedTuple, dataclass
from tabshell.model.records import CommandRecord, Gap, TextFrom
from tabshell.shim.inbox import INBOX, MAGIC, SUFFIX

#: Put behind the name of a file that is being stored: found again, its taker died half-way.
TAKING = ".taking"
#: Bytes of one file that are read; the writer's own bound lies well below.
_LARGEST = 256 << 20
_NAME = re.compile(r"(\d{20})-(\d+)" + re.escape(SUFFIX) + "(?:" + re.escape(TAKING) + ")?")
_TEXTS_FROM: dict[bytes, TextFrom] = {b"argument": "argument", b"history": "history", b"unknown": "unknown"}


class Stored(NamedTuple):
    """The number that a running command was given, its stream, and how many bytes of its output lie there."""

    turn: int
    stream: int
    size: int


@dataclass(frozen=True, slots=True)
class RawRun:
    """One run of bash as its shim wrote it. ``pieces`` are (time, size, channel) of ``record.output``; ``stored``
    is what a reader stored while it ran; ``complete`` is False where the writer was killed, or could not write on.
    ``most``: bytes of it that the model is shown at most, as ``text.cut`` has it (0: all)."""

    record: CommandRecord
    pieces: tuple[tuple[float, int, Channel], ...]
    stored: Stored | None
    complete: bool
    most: int = 0


def parse(data: bytes, name: str) -> RawRun | None:
    """The run in a file's bytes; None where not even its head is there."""
    fields, at = _head(data)
    named = _NAME.fullmatch(name)
    if fields is None or named is None:
        return None
    body = _Body(data, at)
    body.read()
    started_at = int(named[1]) / 1e9
    output = bytes(body.output)
    gap = Gap(body.gap_at, body.gap_size) if body.gap_size else None
    record = CommandRecord(
        "shim",
        _text(fields.get(b"command", b"")),
        _TEXTS_FROM.get(fields.get(b"text_from", b""), "argument"),
        _text(fields.get(b"cwd", b"/")),
        output,
        body.exit_code,
        started_at,
        max(0.0, (body.ended_at or body.last_at or started_at) - started_at),
        _text(body.cwd) if body.cwd is not None else None,
        _text(fields.get(b"agent", b"")) or None,
        _columns(fields.get(b"columns", b"")),
        gap,
    )
    most = fields.get(b"most", b"")
    most_shown = int(most) if most.isdigit() and len(most) < 10 else 0
    return RawRun(record, tuple(body.pieces), body.stored, body.ended_at is not None, most_shown)


def _finite(word: bytes) -> float:
    number = float(word)
    if number in (float("inf"), float("-inf")) or number != number:  # noqa: PLR0124 - that is how NaN is known
        raise ValueError(word)
    return number


def _columns(value: bytes) -> int:
    return int(value) if value.isdigit() and len(value) < 6 else 0


def _head(data: bytes) -> tuple[dict[bytes, bytes] | None, int]:
    """The fields and the offset behind them."""
    if not data.startswith(MAGIC):
        return None, 0
    fields: dict[bytes, bytes] = {}
    at = len(MAGIC)
    while True:
        end = data.find(b"\n", at)
        if end < 0:
            return None, 0
        line = data[at:end]
        if line == b".":
            return fields, end + 1
        name, _, length = line.partition(b" ")
        if not length.isdigit():
            return None, 0
        at = end + 1 + int(length)
        fields[name] = data[end + 1 : at]
        at += 1


class _Body:
    """Reads the frames behind the head."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at
        self.output = bytearray()
        self.gap_at = 0
        self.gap_size = 0
        self.pieces: list[tuple[float, int, Channel]] = []
        self.stored: Stored | None = None
        self.cwd: bytes | None = None
        self.exit_code: int | None = None
        self.ended_at: float | None = None
        self.last_at: float | None = None

    def read(self) -> None:
        """All frames, the last one as far as it is there."""
        while (end := self._data.find(b"\n", self._at)) >= 0:
            words = self._data[self._at : end].split(b" ")
            self._at = end + 1
            try:
                self._frame(words[0], [_finite(word) for word in words[1:]])
            except (ValueError, IndexError):
                return  # torn by a crash: what follows means nothing

    def _frame(self, kind: bytes, numbers: list[float]) -> None:
        if kind in (b"o", b"e"):
            self.last_at = numbers[0]
            value = self._value(int(numbers[1]))
            self.output += value
            self.pieces.append((numbers[0], len(value), "out" if kind == b"o" else "err"))
        elif kind == b"g":
            self.gap_at = len(self.output)
            self.gap_size += int(numbers[0])
        elif kind == b"t":
            self.stored = Stored(int(numbers[0]), int(numbers[1]), int(numbers[2]))
        elif kind == b"d":
            self.cwd = self._value(int(numbers[0]))
        elif kind == b"x":
            self.exit_code = int(numbers[0]) if numbers[0] >= 0 else None
            self.ended_at = numbers[1]

    def _value(self, length: int) -> bytes:
        if length < 0:
            raise ValueError(length)
        value = self._data[self._at : self._at + length]
        self._at += length + 1
        return value


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class InboxFile:
    """A file of the inbox. ``running``: its writer lives."""

    path: Path
    owner: int
    running: bool

    def load(self) -> RawRun | None:
        """What it holds now."""
        try:
            with open(_opened(self.path), "rb") as file:
                return parse(file.read(_LARGEST), self.path.name)
        except OSError:
            return None

    def note(self, stored: Stored) -> None:
        """Writes down what of the running command was stored."""
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            os.write(descriptor, b"t %d %d %d\n" % stored)
        finally:
            os.close(descriptor)


def files(directory: Path) -> Iterator[InboxFile]:
    """The inbox's files, in the order in which the commands began."""
    if os.path.islink(directory / INBOX):
        return  # what lies there is not ours to take
    try:
        names = sorted(os.listdir(directory / INBOX))
    except OSError:
        return
    for name in names:
        named = _NAME.fullmatch(name)
        if named is not None:
            path = directory / INBOX / name
            yield InboxFile(path, int(named[2]), _locked_by_writer(path))


def _opened(path: Path) -> int:
    """A descriptor of a regular file; neither a link is followed nor a pipe waited for. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no regular file")
    return descriptor


def _locked_by_writer(path: Path) -> bool:
    try:
        descriptor = _opened(path)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def waits(directory: Path) -> bool:
    """Whether anything lies in the inbox at all."""
    try:
        return any(_NAME.fullmatch(name) for name in os.listdir(directory / INBOX))
    except OSError:
        return False


@contextmanager
def taking(directory: Path) -> Iterator[None]:
    """One process at a time takes files in."""
    flags = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(directory / INBOX / ".lock", flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
