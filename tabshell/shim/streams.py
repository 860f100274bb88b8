"""Where a command's output goes, and the way in between that lets it be recorded.

In: what the caller gave as descriptors 1 and 2. Out: for each a ``Stream``. A pipe or a socket is replaced by one
of the same kind, whose other end the relay reads (both, if the caller gave one pipe twice, so that the order
stays exact). A regular file stays the child's own and is read afterwards, from where it ended before. Everything
else (the null device, a closed descriptor, a pipe nobody reads any more) stays the child's own and is not seen.

Limits: terminals are not dealt with here. The caller's own open file description is never altered: to write
without blocking, a pipe is opened once more through ``/proc``, a socket is told so call by call.
"""

from __future__ import annotations

import _socket
import _stat as stat
import errno
import fcntl
import posix

from tabshell.model.names import SEEK_CUR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["pipe", "socket", "file"]

#: Our descriptors lie at or above this number, so that none of them can stand in for a closed standard stream.
LOWEST = 20
#: What a poll that reported room in a pipe can take without blocking (one page, Linux ``pipe(7)``).
PAGE = 4096


class Stream:
    """One destination of output. ``numbers`` are the child's descriptors that go there; ``inner`` is the child's
    end of the way in between and ``source`` the relay's (None for a file); ``sink`` is the caller's own end;
    ``start`` is the offset at which a file ended before the command."""

    __slots__ = ("cautious", "inner", "kind", "numbers", "sink", "source", "start")

    def __init__(self, kind: Kind, numbers: tuple[int, ...], sink: int) -> None:
        self.kind: Kind = kind
        self.numbers = numbers
        self.sink = sink
        self.source: int | None = None
        self.inner: int | None = None
        self.start = 0
        self.cautious = False

    def write(self, data: bytes | memoryview) -> int:
        """Writes what goes without blocking; gives how much. Raises BlockingIOError, BrokenPipeError, OSError."""
        if self.kind == "socket":
            outer = _socket.socket(fileno=self.sink)
            try:
                return outer.send(data, _socket.MSG_DONTWAIT | _socket.MSG_NOSIGNAL)
            finally:
                outer.detach()
        return posix.write(self.sink, data[:PAGE] if self.cautious else data)


def lifted(descriptor: int) -> int:
    """The same open file under a number out of the way; the old number is closed."""
    if descriptor >= LOWEST:
        return descriptor
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, LOWEST)
    finally:
        posix.close(descriptor)


def plan() -> list[Stream]:
    """The streams of this process's descriptors 1 and 2. Raises OSError where descriptors run out."""
    streams: list[Stream] = []
    known: dict[tuple[int, int], Stream] = {}
    for number in (1, 2):
        try:
            status = posix.fstat(number)
        except OSError:
            continue  # closed
        key = (status.st_dev, status.st_ino)
        if key in known:
            known[key].numbers += (number,)
            continue
        stream = _stream(number, status)
        if stream is not None:
            known[key] = stream
            streams.append(stream)
    return streams


def _stream(number: int, status: posix.stat_result) -> Stream | None:
    """The stream of one descriptor, or None where there is nothing to stand in between."""
    if stat.S_ISFIFO(status.st_mode):
        return _pipe(number)
    if stat.S_ISSOCK(status.st_mode):
        return _unix_socket(number)
    if stat.S_ISREG(status.st_mode):
        return _file(number, status.st_size)
    return None


def _pipe(number: int) -> Stream | None:
    cautious = False
    try:
        sink = lifted(posix.open(f"/proc/self/fd/{number}", posix.O_WRONLY | posix.O_NONBLOCK | posix.O_CLOEXEC))
    except OSError as error:
        if error.errno == errno.ENXIO:
            return None  # nobody reads: let the child find that out by itself
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise
        sink, cautious = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, LOWEST), True
    stream = piped(number, sink)
    stream.cautious = cautious
    return stream


def piped(number: int, sink: int) -> Stream:
    """A pipe in between for descriptor ``number``, whose own way goes on at ``sink``. Raises OSError."""
    stream = Stream("pipe", (number,), sink)
    source, inner = posix.pipe()
    stream.source, stream.inner = lifted(source), lifted(inner)
    posix.set_blocking(stream.source, False)
    return stream


def _unix_socket(number: int) -> Stream | None:
    outer = _socket.socket(fileno=fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, LOWEST))
    stream_like = outer.type == _socket.SOCK_STREAM
    stream = Stream("socket", (number,), outer.detach())
    if not stream_like:
        posix.close(stream.sink)
        return None  # datagrams have boundaries, which a relay would lose
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    stream.source, stream.inner = lifted(ours.detach()), lifted(theirs.detach())
    posix.set_blocking(stream.source, False)
    return stream


def _file(number: int, size: int) -> Stream | None:
    """A regular file: the child keeps it; ours is a second look at it, to read what was added."""
    flags = fcntl.fcntl(number, fcntl.F_GETFL)
    if flags & posix.O_ACCMODE == posix.O_RDONLY:
        return None
    stream = Stream("file", (number,), -1)
    stream.start = size if flags & posix.O_APPEND else posix.lseek(number, 0, SEEK_CUR)
    try:
        stream.source = lifted(posix.open(f"/proc/self/fd/{number}", posix.O_RDONLY | posix.O_CLOEXEC))
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise
        return None  # not ours to read
    return stream
