"""A bash that is fed through a pipe for as long as it lives, recorded command by command.

Such a shell (Anthropic's reference tool is one) has no prompt and tells nobody where a command ends. But its caller
writes one command, reads the answer, and writes the next: so what is written to standard input begins a turn, and
what is shown until the next writing is its output. To see what is written the relay hands it on, the way it does
with output. Of bash itself nothing is asked: no trap, no option, no variable.

In: the caller's standard input, if nothing lies in it yet when bash starts (``waits_for_input``); a pipe that
already holds its commands is left untouched, and its text is looked at without taking it (``peek``). Out: one inbox
file for each command, without an exit status but for the last, which ends with the shell.

Limit: what a shell that ends leaves unread in such a pipe is gone, where plain bash would leave it to the next reader.
"""

from __future__ import annotations

import _socket
import fcntl
import os
import select
import stat
import termios
import time

from tabshell.shim.inbox import InboxWriter
from tabshell.shim.relay import CHUNK, Relay, channel_of
from tabshell.shim.streams import LOWEST, Stream, lifted
from tabshell.text.hints import may_be_wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: How much of a waiting text is looked at (a pipe holds no more).
PEEK = 1 << 16
#: The line by which the reference tool finds the end of an answer; a line of ours must come before it.
SENTINEL = b"<<exit>>\n"
#: How that tool ends what it asks.
QUESTION_END = "; echo '<<exit>>'\n"
#: ``exit status`` of a command whose status nobody told.
UNKNOWN = -1


class Feed:
    """Standard input on its way: ``source`` is the caller's end, ``inner`` bash's, ``sink`` where it is put in."""

    __slots__ = ("inner", "sink", "source")

    def __init__(self) -> None:
        """Takes over descriptor 0. Raises OSError where descriptors run out."""
        self.source = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, LOWEST)
        if stat.S_ISSOCK(os.fstat(0).st_mode):
            ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
            self.sink, self.inner = lifted(ours.detach()), lifted(theirs.detach())
        else:
            inner, sink = os.pipe()
            self.sink, self.inner = lifted(sink), lifted(inner)
        os.set_blocking(self.sink, False)


def waits_for_input() -> bool:
    """Whether standard input is a pipe or socket that is open and holds nothing yet."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return False
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return False
    poll = select.poll()
    poll.register(0, select.POLLIN)
    return not poll.poll(0)


def is_first_question(text: str) -> bool:
    """Whether the text that waits is the first command of a caller that will read the answer and ask again: it was
    written before we looked, and ends with the caller's sentinel."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return False
    return text.endswith(QUESTION_END) and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def peek() -> str | None:
    """The text that waits in standard input, which stays there; None where it cannot be seen."""
    try:
        mode = os.fstat(0).st_mode
        if stat.S_ISREG(mode):
            return os.fsdecode(os.pread(0, 1 << 20, os.lseek(0, 0, os.SEEK_CUR)))
        if stat.S_ISSOCK(mode):
            waiting = _socket.socket(fileno=0)
            try:
                return os.fsdecode(waiting.recv(PEEK, _socket.MSG_PEEK | _socket.MSG_DONTWAIT))
            finally:
                waiting.detach()
        return os.fsdecode(_peek_pipe()) if stat.S_ISFIFO(mode) else None
    except OSError:
        return None


def _peek_pipe() -> bytes:
    """``tee(2)`` copies what a pipe holds into another without taking it; Python has no name for it."""
    import ctypes  # noqa: PLC0415 - slow, and only for commands that come through a pipe

    waiting = int.from_bytes(fcntl.ioctl(0, termios.FIONREAD, b"\0\0\0\0"), "little")
    if not waiting:
        return b""
    source, sink = os.pipe()
    try:
        nonblocking = 2  # SPLICE_F_NONBLOCK
        copied = ctypes.CDLL(None, use_errno=True).tee(0, sink, ctypes.c_size_t(waiting), nonblocking)
        return os.read(source, copied) if copied > 0 else b""
    finally:
        os.close(source)
        os.close(sink)


class PersistentRelay(Relay):
    """The relay of a shell that is fed command by command."""

    def __init__(
        self,
        streams: list[Stream],
        control: _socket.socket,
        door: _socket.socket | None,
        line_to: int | None,
        line_for: int | None,
        feed: Feed,
        begin: Callable[[bytes], InboxWriter],
        status_line: Callable[[], str | None],
    ) -> None:
        super().__init__(streams, control, None, door, line_to, line_for)
        self._feed: Feed | None = feed
        self._unfed = b""
        self._begin = begin
        self._status_line = status_line
        self._text = b""
        self._ruled: str | None = None

    # -- what goes in ---------------------------------------------------------------------------------------

    def _register(self, poll: select.poll) -> dict[int, Stream]:
        if self._feed is not None:
            poll.register(self._feed.sink, select.POLLOUT if self._unfed else 0)
            if not self._unfed:
                poll.register(self._feed.source, select.POLLIN)
        return super()._register(poll)

    def _other(self, number: int, events: int) -> None:
        feed = self._feed
        if feed is None:
            return
        if number == feed.sink:
            if events & (select.POLLERR | select.POLLHUP):
                self._stop_feeding()  # bash reads no more: the caller shall learn it
            else:
                self._feed_on()
        elif number == feed.source:
            self._take_input(feed)

    def _take_input(self, feed: Feed) -> None:
        try:
            data = os.read(feed.source, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._stop_feeding()
            return
        self._take_waiting()  # what was shown until now belongs to the command before
        self._new_input(data)
        self._unfed = data
        self._feed_on()

    def _feed_on(self) -> None:
        if self._feed is None:
            return
        try:
            self._unfed = self._unfed[os.write(self._feed.sink, self._unfed) :]
        except BlockingIOError:
            pass
        except OSError:
            self._stop_feeding()

    def _stop_feeding(self) -> None:
        if self._feed is not None:
            os.close(self._feed.source)
            os.close(self._feed.sink)
            self._feed, self._unfed = None, b""

    # -- where commands begin and end -----------------------------------------------------------------------

    def _new_input(self, data: bytes) -> None:
        """Begins a turn, unless the text of the last one was not complete."""
        unfinished = self._text and not self._text.endswith(b"\n") and (self._record is None or not self._record.seen)
        self._text = self._text + data if unfinished else data
        if unfinished and self._record is not None:
            self._record.discard()
            self._record = None
        self._close_record(UNKNOWN)
        command, self._ruled = _model_text(self._text)
        if not command.strip():
            return
        try:
            self._record = self._begin(command)
        except OSError:
            self._record = None  # it runs all the same

    def _close_record(self, status: int) -> None:
        if self._record is not None:
            for stream in self._files:
                self._read_file(stream)
            self._record.end(status)
            self._record = None

    def _show(self, stream: Stream, data: bytes) -> None:
        """Before the sentinel of an answer the record ends, and a line of ours may come."""
        at = data.rfind(SENTINEL) if self._ruled == "anthropic-tool" and self._record is not None else -1
        if at < 0 or data[at + len(SENTINEL) :] or channel_of(stream) != b"o":
            super()._show(stream, data)
            return
        if at:
            super()._show(stream, data[:at])
        self._close_record(UNKNOWN)
        line = self._status_line() if self._line_to is not None else None
        if line:
            self._hand_on_later(stream, (b"" if self._ends_line else b"\n") + line.encode() + b"\n")
        self._hand_on_later(stream, data[at:])

    def _ended(self, status: int) -> None:
        self._stop_feeding()
        super()._ended(status)


def _model_text(text: bytes) -> tuple[bytes, str | None]:
    """The model's command in what was written, and the rule that knows its wrapper."""
    decoded = text.decode("utf-8", "surrogateescape")
    if not may_be_wrapped(decoded):
        return text, None
    from tabshell.text.unwrap import unwrap  # noqa: PLC0415 - regular expressions come with it

    command, rule = unwrap(decoded)
    return (command or "").encode("utf-8", "surrogateescape"), rule


def writer(directory: str, fields: dict[str, bytes], owner: int) -> Callable[[bytes], InboxWriter]:
    """Makes the inbox file of each command; its directory is not known but for the first."""

    def begin(command: bytes) -> InboxWriter:
        return InboxWriter(directory, {**fields, "command": command}, time.time(), owner)

    return begin
