"""One recorded run of bash: start it, let signals through, end as it ended.

Three processes of one group: the shim (this one, whose id the caller knows), the relay beside it, and bash, a
child of the shim. The shim itself holds none of the caller's descriptors while bash runs, so that every pipe ends
when bash and its children let go of it. A signal that the whole group got has reached bash already: the relay
has it too (blocked, see ``shim.relay``), and so the shim can tell and send on only what was meant for it alone.

Raises OSError as long as bash was not started: the caller then runs bash without us.
"""

from __future__ import annotations

import _socket
import fcntl
import posix
import time

from tabshell.model.names import DEVNULL, join
from tabshell.shim import signals
from tabshell.shim.inbox import InboxWriter
from tabshell.shim.relay import Relay
from tabshell.shim.streams import LOWEST, Stream, lifted, plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tabshell.shim.persistent import Feed

    StatusLine = Callable[[str, bool], str | None]

DOOR = "door-%d.sock"
_STOPPED_GROUP_S = 0.0005


class Command:
    """What to run and how to record it. ``status_to``: the descriptor for the status line, or None. ``fed``: bash
    gets its commands through standard input, one by one (``shim.persistent``)."""

    __slots__ = ("directory", "environment", "fed", "fields", "program", "status_to", "words")

    def __init__(
        self,
        program: bytes,
        words: Sequence[bytes],
        environment: Mapping[bytes, bytes],
        directory: str,
        fields: Mapping[str, bytes],
        status_to: int | None = None,
        *,
        fed: bool = False,
    ) -> None:
        self.fed = fed
        self.program = program
        self.words = words
        self.environment = environment
        self.directory = directory
        self.fields = fields
        self.status_to = status_to


class _Way:
    """All that stands between the caller and bash in one run. Raises OSError where it cannot be had, leaving
    everything as it was."""

    __slots__ = ("control", "door", "feed", "record", "streams", "theirs")

    def __init__(self, command: Command) -> None:
        self.record: InboxWriter | None = None
        self.feed: Feed | None = None
        self.streams: list[Stream] = []
        if not command.fed:
            self.record = InboxWriter(command.directory, command.fields, time.time(), posix.getpid())
        try:
            if command.fed:
                from tabshell.shim.persistent import Feed  # noqa: PLC0415 - few shells are fed

                self.feed = Feed()
            self.streams = plan()
            self.control, self.theirs = (_lifted_socket(end) for end in _socket.socketpair())
            self.door = door_of(command.directory, posix.getpid())
        except OSError:
            self.take_back()
            raise

    def take_back(self) -> None:
        """Nothing was started: no trace stays."""
        if self.record is not None:
            self.record.discard()
        for number in (*self._relays(), *(stream.inner for stream in self.streams)):
            if number is not None and number >= 0:
                posix.close(number)
        if self.feed is not None:
            posix.close(self.feed.inner)

    def relays_own(self) -> set[int]:
        """The descriptors that the relay keeps."""
        numbers = {self.theirs.fileno(), *(number for number in self._relays() if number is not None)}
        if self.record is not None:
            numbers.add(self.record.descriptor)
        if self.door is not None:
            numbers.add(self.door.fileno())
        return numbers

    def _relays(self) -> list[int | None]:
        numbers = [number for stream in self.streams for number in (stream.source, stream.sink)]
        return numbers if self.feed is None else [*numbers, self.feed.source, self.feed.sink]


def run(command: Command, status_line: StatusLine) -> int:
    """Runs the command; gives bash's exit status, or ends this process by the signal that ended bash.

    ``status_line`` is called after the record is complete, where a line is due: with the session's directory, and
    whether the command was recorded.
    """
    signals.restore_inherited()
    owner = posix.getpid()
    way = _Way(command)
    mask = signals.block(signals.FORWARDED)
    try:
        relay = posix.fork()
        if relay == 0:
            _be_relay(command, way, owner, status_line)
        way.theirs.close()
        child = posix.fork()
    except OSError:
        way.take_back()
        signals.set_mask(mask)
        raise
    if child == 0:
        _be_bash(command, way, mask)
    way.control.send(b"B %d\n" % child, _socket.MSG_NOSIGNAL)
    if way.door is not None:
        way.door.close()
    _close_all_but({way.control.fileno()})
    status = _Wait(child, relay, way.control, mask).until_ended()
    return _end(command, way.control, status, status_line)


# -- the three processes ------------------------------------------------------------------------------------


def _be_bash(command: Command, way: _Way, mask: set[int]) -> None:
    """In the child: the streams in place, dispositions and mask as the caller gave them, then bash."""
    try:
        for stream in way.streams:
            if stream.inner is not None:
                for number in stream.numbers:
                    posix.dup2(stream.inner, number, inheritable=True)
        if way.feed is not None:
            posix.dup2(way.feed.inner, 0, inheritable=True)
        signals.set_mask(mask)
        posix.execve(command.program, list(command.words), dict(command.environment))
    except BaseException as error:  # noqa: BLE001 - nothing may come back from the child
        posix.write(2, b"bash: %s: %s\n" % (command.program, str(error).encode()))
    finally:
        posix._exit(126)


def _be_relay(command: Command, way: _Way, owner: int, status_line: StatusLine) -> None:
    """In the relay: only its own descriptors stay open."""
    try:
        line_to = None
        if command.status_to is not None:
            line_to = fcntl.fcntl(command.status_to, fcntl.F_DUPFD_CLOEXEC, LOWEST)
        way.control.close()
        _close_all_but(way.relays_own() | ({line_to} if line_to is not None else set()))
        signals.ignore(signals.PYTHONS_OWN)
        if way.feed is None:
            Relay(way.streams, way.theirs, way.record, way.door, line_to, command.status_to).run()
        else:
            from tabshell.shim.persistent import PersistentRelay, writer  # noqa: PLC0415

            begin = writer(command.directory, dict(command.fields), owner)
            PersistentRelay(
                way.streams, way.theirs, way.door, line_to, command.status_to, way.feed, begin,
                lambda: status_line(command.directory, True),
            ).run()  # fmt: skip
    finally:
        posix._exit(0)


class _Wait:
    """The shim while bash runs."""

    def __init__(self, child: int, relay: int, control: _socket.socket, mask: set[int]) -> None:
        self._child = child
        self._relay = relay
        self._control = control
        self._mask = mask

    def until_ended(self) -> int:
        """Waits; stops when bash stops. Gives the status as ``waitpid`` has it."""
        signals.catch(signals.FORWARDED, self._forward)
        signals.set_mask(self._mask)
        while True:
            _, status = posix.waitpid(self._child, posix.WUNTRACED)
            if not posix.WIFSTOPPED(status):
                signals.default(signals.FORWARDED)
                return status
            self._stop(posix.WSTOPSIG(status))

    def _forward(self, number: int, _frame: object) -> None:
        """A signal for bash, unless the whole group got it."""
        time.sleep(_STOPPED_GROUP_S)
        if signals.pending_in(self._relay, number):
            self._control.send(b"C\n", _socket.MSG_NOSIGNAL)
            return
        try:
            posix.kill(self._child, number)
        except OSError:
            pass  # it ended a moment ago

    def _stop(self, number: int) -> None:
        """bash stopped: the caller must see the shim stopped, by the same signal."""
        if number != signals.STOP:
            signals.default([number])
        posix.kill(posix.getpid(), number)
        signals.catch([number] if number != signals.STOP else [], self._forward)


# -- the end ------------------------------------------------------------------------------------------------


def _end(command: Command, control: _socket.socket, status: int, status_line: StatusLine) -> int:
    """Waits until the relay handed everything on; then ends as bash did."""
    remove_door(command.directory, posix.getpid())
    code = 128 + posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else posix.WEXITSTATUS(status)
    try:
        control.send(b"E %d\n" % code, _socket.MSG_NOSIGNAL)
        flags = control.recv(16)
        if command.status_to is not None and flags and not command.fed:
            line = status_line(command.directory, b"f" not in flags)
            if line:
                control.send(b"S " + line.encode() + b"\n", _socket.MSG_NOSIGNAL)
                control.recv(16)
    except OSError:
        pass  # the relay is gone; bash's status still counts
    if posix.WIFSIGNALED(status):
        signals.die_by(posix.WTERMSIG(status))
    return code


def _close_all_but(kept: set[int]) -> None:
    """Closes everything else, with the null device in the place of the standard streams."""
    null = posix.open(DEVNULL, posix.O_RDWR)
    for number in (0, 1, 2):
        if number not in kept and number != null:
            posix.dup2(null, number, inheritable=True)
    for number in _open_numbers():
        if number > 2 and number not in kept:
            try:
                posix.close(number)
            except OSError:
                pass  # the directory that was listed


def _open_numbers() -> list[int]:
    try:
        return [int(name) for name in posix.listdir("/proc/self/fd")]
    except OSError:
        return list(range(3, 256))


def _lifted_socket(end: _socket.socket) -> _socket.socket:
    return _socket.socket(fileno=lifted(end.detach()))


def door_of(directory: str, owner: int) -> _socket.socket | None:
    """The socket at which a ``tab`` process finds who records the shell ``owner``. Its path is bound through a
    descriptor: a socket's own path may have 107 bytes only."""
    door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        folder = posix.open(directory, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
        try:
            door.bind(f"/proc/self/fd/{folder}/{DOOR % owner}")
            posix.chmod(f"/proc/self/fd/{folder}/{DOOR % owner}", 0o600)
        finally:
            posix.close(folder)
        door.listen(4)
    except OSError:
        door.close()
        return None
    return _lifted_socket(door)


def remove_door(directory: str, owner: int) -> None:
    """Takes that socket away."""
    try:
        posix.unlink(join(directory, DOOR % owner))
    except OSError:
        pass  # there was none
