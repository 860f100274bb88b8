"""One command of a caller at a session's hatch: its output is handed on and recorded by this process.

In: the number of the caller's process, which waits while bash runs as its child. What it wants is read from its words;
its outputs, which must be pipes, are opened once more through ``/proc``. Between them and bash stand pipes of ours, a
relay (``shim.relay``) in a thread copies them into a raw record in the session's inbox. What holds for the shim holds
here: bash is killed with its caller, and children in the background keep their pipe.
"""

from __future__ import annotations

import _socket
import _thread
import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable

from tabshell.engines.hatch_calls import RunCall
from tabshell.shim.inbox import InboxWriter
from tabshell.shim.relay import Relay
from tabshell.shim.run import door_of, remove_door
from tabshell.shim.streams import Stream, piped

Line = Callable[[], str | None]
"""What tells the status line, or None."""
_UNRECORDED = "[tab] not recorded: the session's directory cannot be written"


class Run:
    """One command on its way. Raises OSError, ValueError where it cannot be recorded here."""

    def __init__(self, directory: str, process: int, out: int) -> None:
        self._call = RunCall(directory, words_of(process))
        self._process = process
        self._directory = directory
        self.ending = False
        #: Set when nothing is left to be said of the command.
        self.over = threading.Event()
        with contextlib.ExitStack() as taken:
            self._streams = _streams(process, out, taken)
            line_to = os.open(f"/proc/{process}/fd/{out}", os.O_WRONLY | os.O_CLOEXEC)
            taken.callback(os.close, line_to)
            self._control, theirs = _socket.socketpair()
            self._record = InboxWriter(directory, self._fields(), time.time(), process)
            taken.pop_all()
        #: A descriptor that can be read when the caller is gone; -1 where the kernel has none.
        self.watch = _watch(process)
        door = door_of(directory, process)
        self._relay = _Relay(self._streams, theirs, self._record, door, line_to)
        _thread.start_new_thread(self._relay.work, ())  # nobody waits until it runs

    def _fields(self) -> dict[str, bytes]:
        fields = {
            "command": self._call.command,
            "text_from": b"argument",
            "cwd": os.readlink(os.fsencode(f"/proc/{self._process}/cwd")),
            "agent": b"",
            "pid": b"%d" % self._process,
        }
        return {**fields, "most": b"%d" % self._call.most} if self._call.most else fields

    def paths(self) -> bytes:
        """Where bash writes to: our ends of the pipes in between, for standard output and for standard error."""
        ends = {number: stream.inner for stream in self._streams for number in stream.numbers}
        return b" ".join(b"/proc/%d/fd/%d" % (os.getpid(), ends[number] or 0) for number in (1, 2))

    def bash(self, process: int) -> None:
        """The command's own process."""
        self._relay.started(process)

    def end(self, status: int, line: Line, done: Callable[[], None]) -> None:
        """bash ended: when everything was handed on the status line is said, and then ``done`` called, both by the
        relay, in its thread."""
        self.ending = True
        self._relay.then(line if self._call.status else None, self._done(done))
        self._let_go()
        with contextlib.suppress(OSError):
            self._control.send(b"E %d\n" % status, _socket.MSG_NOSIGNAL)

    def _done(self, done: Callable[[], None]) -> Callable[[], None]:
        def and_over() -> None:
            done()
            self.over.set()

        return and_over

    def is_gone(self) -> bool:
        """Whether the caller died."""
        try:
            with open(f"/proc/{self._process}/stat", "rb") as state:
                return state.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
        except OSError:
            return True

    def take_back(self) -> None:
        """Nothing was run."""
        with contextlib.suppress(OSError):
            os.unlink(self._record.path)

    def forget(self) -> None:
        """Closes what is ours. A relay whose command is not over takes it for killed, and kills bash; one that is
        needed by children in the background goes on."""
        self._let_go()
        remove_door(self._directory, self._process)
        self._control.close()
        if self.watch >= 0:
            os.close(self.watch)

    def _let_go(self) -> None:
        for stream in self._streams:
            if stream.inner is not None:
                os.close(stream.inner)
                stream.inner = None


class _Relay(Relay):
    """A relay in a thread of the clerk: what the shim would be told, it does itself."""

    def __init__(
        self, streams: list[Stream], control: _socket.socket, record: InboxWriter, door: _socket.socket | None, to: int
    ) -> None:
        super().__init__(streams, control, record, door, to, 1)
        self._line: Line | None = None
        self._over: list[Callable[[], None]] = []
        self._ended_itself = False

    def started(self, process: int) -> None:
        """bash was started."""
        self._child = process

    def then(self, line: Line | None, over: Callable[[], None]) -> None:
        """What is done when everything was handed on, or at once where this relay is no more."""
        self._line = line
        self._over.append(over)
        if self._ended_itself:
            self._say_over()

    def work(self) -> None:
        """All of it, in a thread of its own."""
        try:
            self.run()
        finally:
            self.close()
            self._ended_itself = True
            self._say_over()

    def _say_over(self) -> None:
        with contextlib.suppress(IndexError):
            self._over.pop()()

    def _reply(self, flags: bytes) -> None:
        if not self._watching:
            return
        try:
            said = None if self._line is None else _UNRECORDED if flags else self._line()
            if said:
                self._say((b"" if self._ends_line else b"\n") + said.encode() + b"\n")
        finally:
            self._say_over()


def words_of(process: int) -> list[bytes]:
    """The words of a process of this user. Raises OSError, PermissionError for another one's."""
    if os.stat(f"/proc/{process}").st_uid != os.geteuid():
        raise PermissionError(process)
    with open(f"/proc/{process}/cmdline", "rb") as words:
        return words.read().split(b"\0")[:-1]


def _watch(process: int) -> int:
    try:
        return os.pidfd_open(process)
    except (OSError, AttributeError):
        return -1


def _streams(process: int, out: int, taken: contextlib.ExitStack) -> list[Stream]:
    """The way in between for both outputs of a process, the first of which is its descriptor ``out``. Raises OSError
    where one of them is no pipe."""
    known: dict[tuple[int, int], Stream] = {}
    for number, theirs in ((1, out), (2, 2)):
        path = f"/proc/{process}/fd/{theirs}"
        state = os.stat(path)
        if not stat.S_ISFIFO(state.st_mode):
            raise OSError(path)
        key = state.st_dev, state.st_ino
        if key in known:
            known[key].numbers += (number,)
            continue
        sink = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        taken.callback(os.close, sink)
        stream = known[key] = piped(number, sink)
        for end in (stream.source, stream.inner):
            if end is not None:
                taken.callback(os.close, end)
    return list(known.values())
