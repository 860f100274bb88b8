"""The relay: a process beside bash that hands each byte on to the caller and keeps a copy.

It stands between bash and the caller's pipes (never between the caller and bash's standard input), in bash's own
process group, with every signal blocked: it ends when the last writer has closed its end, so background children
keep their pipe although bash and the shim are gone. When a reader of the caller's goes away, the relay closes its
own end at once, so that the writer gets the SIGPIPE that it would have got.

The shim (the parent) speaks with it over a socket pair, one message a line:

    C            a signal came to the whole group: take it off the blocked ones
    E status     bash ended with that status: hand on what it wrote, close the record
    B pid        bash was started
    S text       put this line of ours (a status line) behind the output, on a line of its own
    <- D, Df     done; ``f``: the command was not recorded

If the parent is gone without ``E`` (SIGKILL), bash is killed too, as if the signal had hit it.
A ``tab`` process asks for everything shown so far through the door, a socket in the session's directory: it sends
``sync``, the answer is ``ok``.
"""

from __future__ import annotations

import _socket
import fcntl
import posix
import select
import termios
import time

from tabshell.shim import signals
from tabshell.shim.inbox import HEAD, TAIL, InboxWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tabshell.shim.streams import Stream

CHUNK = 1 << 16
KILLED = 137
#: Seconds that an asker at the door may take; a dead one must not hold up the relay.
DOOR_S = 0.2


class Relay:
    """Runs until nothing is left to hand on. ``line_to``: where a line of ours may be put, or None; ``line_for``:
    the caller's number of it."""

    def __init__(
        self,
        streams: list[Stream],
        control: _socket.socket,
        record: InboxWriter | None,
        door: _socket.socket | None,
        line_to: int | None,
        line_for: int | None = None,
    ) -> None:
        self._streams = [stream for stream in streams if stream.kind != "file"]
        self._files = [stream for stream in streams if stream.kind == "file"]
        self._pending: dict[Stream, bytes] = {}
        self._control = control
        self._record = record
        self._door = door
        self._line_to = line_to
        self._child = 0
        self._message = b""
        self._watching = True
        #: Set when bash ended: its status, and what each stream held at that moment and was not handed on yet.
        self._status: int | None = None
        self._left: dict[Stream, int] = {}
        #: Whether what was shown on the stream of our line ends with a line break.
        self._ends_line = True
        self._line_channel = next((channel_of(one) for one in streams if line_for in one.numbers), b"o")

    def run(self) -> None:
        """Relays until every writer is gone and the shim needs nothing more."""
        while self._watching or self._streams:
            poll = select.poll()
            if self._watching:
                poll.register(self._control, select.POLLIN)
            if self._door is not None:
                poll.register(self._door, select.POLLIN)
            by_number = self._register(poll)
            for number, events in poll.poll():
                if number == self._control.fileno():
                    self._obey()
                elif number in by_number:
                    self._move(by_number[number], number, events)
                elif self._door is not None and number == self._door.fileno():
                    self._answer_door()
                else:
                    self._other(number, events)
            if self._status is not None and not self._left:
                self._finish(self._status)

    def close(self) -> None:
        """What a relay that is no process of its own leaves open at its end."""
        if self._record is not None and self._record.descriptor >= 0:
            self._record.leave()
        if self._door is not None:
            self._door.close()
        self._control.close()
        for stream in list(self._streams):
            self._close(stream)

    def _register(self, poll: select.poll) -> dict[int, Stream]:
        by_number: dict[int, Stream] = {}
        for stream in self._streams:
            waiting = stream in self._pending
            poll.register(stream.sink, select.POLLOUT if waiting else 0)
            by_number[stream.sink] = stream
            if not waiting and stream.source is not None:
                poll.register(stream.source, select.POLLIN)
                by_number[stream.source] = stream
        return by_number

    def _other(self, number: int, events: int) -> None:
        """An event of a descriptor that only a kind of relay has."""

    # -- bytes ----------------------------------------------------------------------------------------------

    def _move(self, stream: Stream, number: int, events: int) -> None:
        """One event of a stream: room in its sink, bytes in its source, or an end of either."""
        if stream not in self._streams:
            return
        if number == stream.sink:
            if events & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
                self._close(stream)
            elif stream in self._pending:
                self._hand_on(stream, self._pending.pop(stream))
        elif self._take(stream) == 0:
            self._close(stream)

    def _take(self, stream: Stream) -> int:
        """Reads once and hands on; gives how much: 0 at the end, -1 if nothing is there now."""
        if stream.source is None:
            return 0
        try:
            data = posix.read(stream.source, CHUNK)
        except BlockingIOError:
            return -1
        except OSError:
            return 0
        if data:
            if stream in self._left:
                self._left[stream] -= len(data)
            self._show(stream, data)
        return len(data)

    def _show(self, stream: Stream, data: bytes) -> None:
        """Records and hands on."""
        self._note(stream, data)
        self._hand_on_later(stream, data)

    def _note(self, stream: Stream, data: bytes) -> None:
        """Records; whatever goes wrong with that, the bytes must go on their way."""
        channel = channel_of(stream)
        if channel == self._line_channel:
            self._ends_line = data.endswith(b"\n")
        try:
            if self._record is not None:
                self._record.output(channel, data)
        except Exception:  # noqa: BLE001 - see above
            self._record = None

    def _hand_on_later(self, stream: Stream, data: bytes) -> None:
        """Hands on now, or behind what waits already, or when poll says that there is room."""
        if stream in self._pending:
            self._pending[stream] += data
        elif stream.cautious:
            self._pending[stream] = data
        elif stream in self._streams:
            self._hand_on(stream, data)

    def _hand_on(self, stream: Stream, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[stream.write(view) :]
                if stream.cautious:
                    break
        except BlockingIOError:
            pass
        except OSError:
            self._close(stream)
            return
        if view:
            self._pending[stream] = bytes(view)
        elif self._left.get(stream, 1) <= 0:
            del self._left[stream]

    def _close(self, stream: Stream) -> None:
        """Closes both ends: the caller sees the end, a writer that still writes gets SIGPIPE."""
        if stream not in self._streams:
            return
        self._streams.remove(stream)
        self._pending.pop(stream, None)
        self._left.pop(stream, None)
        if stream.source is not None:
            posix.close(stream.source)
        posix.close(stream.sink)

    def _read_file(self, stream: Stream) -> None:
        """Takes what the command added to a file since the last look."""
        if self._record is None or stream.source is None:
            return
        size = posix.fstat(stream.source).st_size
        if size < stream.start:
            stream.start = 0  # it was cut meanwhile: what stands there now is new
        if size - stream.start > HEAD + TAIL:
            self._copy(stream, stream.start + HEAD)
            self._record.skipped(size - TAIL - stream.start)
            stream.start = size - TAIL
        self._copy(stream, size)

    def _copy(self, stream: Stream, end: int) -> None:
        while stream.start < end and stream.source is not None and self._record is not None:
            data = posix.pread(stream.source, min(CHUNK * 16, end - stream.start), stream.start)
            if not data:
                return
            stream.start += len(data)
            self._note(stream, data)

    # -- messages -------------------------------------------------------------------------------------------

    def _obey(self) -> None:
        try:
            data = self._control.recv(4096)
        except OSError:
            data = b""
        if not data:
            self._orphaned()
            return
        self._message += data
        while b"\n" in self._message:
            line, _, self._message = self._message.partition(b"\n")
            self._do(line[:1], line[2:])

    def _do(self, verb: bytes, rest: bytes) -> None:
        if verb == b"B":
            self._child = int(rest)
        elif verb == b"C":
            signals.consume(signals.FORWARDED)
        elif verb == b"E":
            self._child = 0
            self._ended(int(rest))
        elif verb == b"S":
            self._say((b"" if self._ends_line else b"\n") + rest + b"\n")
            self._reply(b"")

    def _ended(self, status: int) -> None:
        """bash ended: what is in the pipes now is the rest of its output."""
        self._status = status
        for stream in self._streams:
            left = _waiting(stream)
            if left or stream in self._pending:
                self._left[stream] = left

    def _finish(self, status: int) -> None:
        """Everything was handed on: the record is complete, the shim may end."""
        self._status = None
        for stream in self._files:
            self._read_file(stream)
        failed = self._record is None
        if self._record is not None:
            self._record.end(status)
            failed = self._record.failed is not None
            self._record = None
        if self._door is not None:
            self._door.close()
            self._door = None
        self._reply(b"f" if failed else b"")

    def _reply(self, flags: bytes) -> None:
        if not self._watching:
            return
        try:
            self._control.send(b"D" + flags + b"\n", _socket.MSG_NOSIGNAL)
        except OSError:
            self._watching = False

    def _say(self, line: bytes) -> None:
        """Writes a line of ours to the caller."""
        if self._line_to is None:
            return
        try:
            while line:
                line = line[posix.write(self._line_to, line) :]
        except OSError:
            pass  # nobody reads it any more

    def _orphaned(self) -> None:
        """The shim is gone: regularly, or by SIGKILL, which was meant for bash."""
        self._watching = False
        if self._line_to is not None:
            posix.close(self._line_to)
            self._line_to = None
        if self._child:
            try:
                posix.kill(self._child, signals.KILL)
            except OSError:
                pass
            self._child = 0
            self._ended(KILLED)

    # -- the door -------------------------------------------------------------------------------------------

    def _answer_door(self) -> None:
        if self._door is None:
            return
        try:
            asker, _ = self._door._accept()  # type: ignore[attr-defined]
        except OSError:
            return
        asking = _socket.socket(fileno=asker)
        try:
            asking.settimeout(DOOR_S)
            if asking.recv(16).startswith(b"sync"):
                self._take_waiting()
                asking.send(b"ok\n", _socket.MSG_NOSIGNAL)
        except OSError:
            pass  # the asker gave up
        finally:
            asking.close()

    def _take_waiting(self) -> None:
        """Records what was written so far, as far as the callers take it."""
        until = time.monotonic() + DOOR_S
        for stream in list(self._streams):
            left = _waiting(stream)
            while left > 0 and stream not in self._pending and time.monotonic() < until:
                taken = self._take(stream)
                if taken <= 0:
                    break
                left -= taken
        for stream in self._files:
            self._read_file(stream)


def channel_of(stream: Stream) -> bytes:
    """``o`` or ``e``; what both descriptors share counts as output."""
    return b"e" if stream.numbers == (2,) else b"o"


def _waiting(stream: Stream) -> int:
    """Bytes that wait in the way in between."""
    if stream.source is None:
        return 0
    answer: bytes = fcntl.ioctl(stream.source, termios.FIONREAD, b"\0\0\0\0")
    return int.from_bytes(answer, "little")
