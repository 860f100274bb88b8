"""The raw record of one shim call, written as it happens: one file in the session's ``inbox``.

Starting the store costs more than most commands take, so the shim writes a plain file and whoever reads the
session next takes it in (``shim.intake``). A record is readable at every moment: after ``kill -9`` it holds
what was shown until then. The writer holds a lock on the file, so a reader knows whether it is still running.

Format: the line ``tabshell-inbox 1``; fields, each ``name length``, line break, value, line break; a line ``.``;
then frames: ``o``/``e`` (stdout, stderr) with time and length, line break, the bytes; ``g`` with the bytes that
the bound left out here; ``t`` with turn, stream and bytes, where a reader stored that much of it meanwhile; ``d`` with
the directory at the end, as length; ``x`` with exit status and time of the end. Kept are the first 48 MiB and the
last 16.
"""

from __future__ import annotations

import errno
import fcntl
import posix
import time

from tabshell.model.names import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

INBOX = "inbox"
MAGIC = b"tabshell-inbox 1\n"
SUFFIX = ".rec"
HEAD = 48 << 20
TAIL = 16 << 20


class InboxWriter:
    """Writes one record. After the first failure it stays silent; ``failed`` says why."""

    __slots__ = ("_tail", "descriptor", "failed", "path", "seen")

    def __init__(self, directory: str, fields: Mapping[str, bytes], started_at: float, owner: int) -> None:
        """Makes the file (the directory too, where it is missing). Raises OSError where that cannot be."""
        folder = join(directory, INBOX)
        #: Nanoseconds first: the names sort in the order in which the commands began.
        self.path = join(folder, f"{int(started_at * 1e9):020d}-{owner}{SUFFIX}")
        flags = posix.O_CREAT | posix.O_EXCL | posix.O_WRONLY | posix.O_APPEND | posix.O_CLOEXEC
        try:
            posix.readlink(folder)
        except OSError:
            pass  # no link, as it should be
        else:
            raise OSError(errno.ELOOP, folder)
        fresh = self.path + ".new"  # a reader must never see it without its lock and its head
        try:
            descriptor = posix.open(fresh, flags, 0o600)
        except FileNotFoundError:
            posix.mkdir(folder, 0o700)
            descriptor = posix.open(fresh, flags, 0o600)
        self.descriptor = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
        posix.close(descriptor)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._tail = bytearray()
        self.seen = 0
        self.failed: str | None = None
        head = [MAGIC, *(b"%s %d\n%s\n" % (name.encode(), len(value), value) for name, value in fields.items())]
        data = b"".join([*head, b".\n"])
        try:
            if posix.write(self.descriptor, data) != len(data):
                raise OSError(errno.ENOSPC, posix.strerror(errno.ENOSPC))
            posix.rename(fresh, self.path)
        except OSError:
            posix.close(self.descriptor)
            posix.unlink(fresh)
            raise

    def leave(self) -> None:
        """Closes this process's share of the file; another process goes on writing it."""
        posix.close(self.descriptor)
        self.descriptor = -1

    def discard(self) -> None:
        """Takes the record back: nothing was run."""
        if self.descriptor >= 0:
            self.leave()
        posix.unlink(self.path)

    def output(self, channel: bytes, data: bytes) -> None:
        """Bytes that were shown."""
        if not data:
            return
        room = max(0, HEAD - self.seen)
        self.seen += len(data)
        if room:
            self._frame(channel, data[:room])
        if len(data) > room:
            self._tail += data[room:]
            if len(self._tail) > 2 * TAIL:
                del self._tail[:-TAIL]

    def skipped(self, size: int) -> None:
        """Bytes beyond the head that were shown and not read (the middle of a large file)."""
        self.seen += size

    def end(self, exit_code: int, cwd: bytes | None = None) -> None:
        """The command is over; closes the file."""
        self._flush_tail()
        if cwd is not None:
            self._write(b"d %d\n%s\n" % (len(cwd), cwd))
        self._write(b"x %d %.6f\n" % (exit_code, time.time()))
        self.leave()

    def _flush_tail(self) -> None:
        if self._tail:
            del self._tail[:-TAIL]
            self._write(b"g %d\n" % (self.seen - HEAD - len(self._tail)))
            self._frame(b"o", bytes(self._tail))
            self._tail = bytearray()

    def _frame(self, channel: bytes, data: bytes) -> None:
        self._write(b"%s %.6f %d\n%s\n" % (channel, time.time(), len(data), data))

    def _write(self, data: bytes) -> None:
        if self.failed is not None:
            return
        try:
            written = posix.write(self.descriptor, data)
        except OSError as error:
            self.failed = posix.strerror(error.errno or 0)
            return
        if written != len(data):
            self.failed = posix.strerror(errno.ENOSPC)
