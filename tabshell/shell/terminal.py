"""The two terminals: the user's, which we borrow, and the pseudo-terminal that the shell lives on.

The only file with termios and a PTY (ptyprocess). The user's terminal is put into raw mode while the door
is open and given back on every way out; the shell's terminal starts with the settings and the size (pixels
too) that the user's has. Neither side is ever waited for: reads and writes return what is possible now.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import struct
import termios
import tty
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ptyprocess import PtyProcess

from tabshell.errors import ShellUnavailable

#: Bytes taken from the shell's terminal at once, and asked for in one read: the kernel hands out 4,095, and what is
#: asked for beyond is made and given back.
DRAIN_LIMIT, READ = 1 << 16, 1 << 13

#: A terminal that says it is writable takes at least this many bytes without waiting.
_SAFE_WRITE = 256

Attributes = list[Any]


class Size(NamedTuple):
    """A window: rows, columns and its size in pixels (0: not known)."""

    rows: int = 24
    columns: int = 80
    width: int = 0
    height: int = 0


def window_size(fd: int) -> Size:
    """The window of a terminal; 24 by 80 where it has none."""
    try:
        size = Size(*struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8))))
    except OSError:
        return Size()
    return size


class UserTerminal:
    """The terminal that tabshell was started on. ``raw`` and ``restore`` may be called in any order."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self.read_fd = read_fd
        self.attributes: Attributes = termios.tcgetattr(read_fd)
        self._own_fd = _reopened(write_fd)
        self.write_fd = write_fd if self._own_fd is None else self._own_fd
        self._raw = False

    @property
    def size(self) -> Size:
        """Its window now."""
        return window_size(self.read_fd)

    def raw(self) -> None:
        """Every key goes through unseen by this terminal."""
        tty.setraw(self.read_fd, termios.TCSADRAIN)
        self._raw = True

    def restore(self) -> None:
        """As it was found."""
        if self._raw:
            self._raw = False
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self.read_fd, termios.TCSADRAIN, self.attributes)

    def write(self, data: bytes | memoryview) -> int:
        """Writes what the terminal takes now; call when it is writable. OSError: it is gone."""
        try:
            return os.write(self.write_fd, data if self._own_fd is not None else data[:_SAFE_WRITE])
        except (BlockingIOError, InterruptedError):
            return 0

    def close(self) -> None:
        """Gives it back."""
        self.restore()
        if self._own_fd is not None:
            os.close(self._own_fd)
            self._own_fd = None


class ShellTerminal:
    """A pseudo-terminal with a process on it as leader of a session of its own."""

    def __init__(self, process: PtyProcess) -> None:
        self._process = process
        self.pid: int = process.pid
        self.fd: int = process.fd
        #: What was read when there was no memory to hand it on.
        self._left: list[bytes] = []
        os.set_blocking(self.fd, False)
        self.slave_name = os.ptsname(self.fd) if hasattr(os, "ptsname") else _slave_name(self.fd)

    @classmethod
    def start(
        cls,
        path: str,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        cwd: str | None,
        attributes: Attributes,
        size: Size,
    ) -> ShellTerminal:
        """Starts the program at ``path`` with ``argv`` on a new terminal.

        Signals that this process handles, those that Python itself ignores, and those of a terminal's keys are back
        to their default in it; file descriptors that are inheritable here are inherited.
        """

        def become() -> None:
            # the loop's pipe is closed here already: a window change now must not complain on the terminal
            signal.set_wakeup_fd(-1)
            # whoever starts us by `&` in a script has Ctrl-C ignored, and bash could never be interrupted, nor its
            # exit be held; a new terminal begins without that (as in tmux and xterm)
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)
            termios.tcsetattr(0, termios.TCSANOW, attributes)
            _set_window_size(0, size)
            os.execve(path, list(argv), dict(env))  # noqa: S606 - a shell is what is started

        try:
            # the size a second time: ptyprocess sets one when the program runs already, 24 by 80 unless it is told
            process = PtyProcess.spawn(
                [path],
                cwd=cwd,
                preexec_fn=become,
                dimensions=(size.rows, size.columns),
                pass_fds=_inheritable(),
            )
            _set_window_size(process.fd, size)  # with its pixels
        except (OSError, ValueError) as error:
            message = f"cannot start {path}: {error}; name another bash with --shell PATH"
            raise ShellUnavailable(message) from error
        return cls(process)

    def read(self, limit: int = DRAIN_LIMIT) -> bytes | None:
        """Everything that was printed, up to a read beyond ``limit``; None: the terminal has hung up.

        Linux gives EAGAIN only after its buffers were moved up: what a process has written before is in.
        """
        chunks, self._left = self._left, []
        try:
            return self._drained(chunks, limit)
        except MemoryError:
            self._left = chunks
            raise

    def _drained(self, chunks: list[bytes], limit: int) -> bytes | None:
        size = 0
        while size < limit:
            try:
                chunk = os.read(self.fd, READ)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                return b"".join(chunks) if chunks else None
            if not chunk:
                return b"".join(chunks) if chunks else None
            chunks.append(chunk)
            size += len(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def write(self, data: bytes | memoryview) -> int:
        """Types what fits into the terminal now; gives its length."""
        try:
            return os.write(self.fd, data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            return len(data)

    def print_behind(self, data: bytes) -> bool:
        """Prints a few bytes behind all that was printed so far; False where the terminal takes none now."""
        try:
            fd = os.open(self.slave_name, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            return False
        try:
            return os.write(fd, data) == len(data)
        except OSError:
            return False
        finally:
            os.close(fd)

    def resize(self, size: Size) -> None:
        """The window has this size from now on (tells the foreground job)."""
        with contextlib.suppress(OSError):
            _set_window_size(self.fd, size)

    def reads_line(self) -> bool:
        """Whether the shell itself waits in the foreground for keys, as readline does (also PS2, read -e)."""
        try:
            local = termios.tcgetattr(self.fd)[3]
            return not local & termios.ICANON and os.tcgetpgrp(self.fd) == self.pid
        except (termios.error, OSError):
            return False

    def echoes(self) -> bool:
        """Whether this terminal echoes keys (ask while the shell reads no line: readline echoes by itself)."""
        try:
            return bool(termios.tcgetattr(self.fd)[3] & termios.ECHO)
        except termios.error:
            return False

    def shows_errors(self) -> bool:
        """Whether the stderr of the shell, where it also puts its prompts, is this terminal."""
        try:
            return os.readlink(f"/proc/{self.pid}/fd/2") == self.slave_name
        except OSError:
            return False

    def close(self) -> None:
        """Hangs up."""
        self._process.closed = True
        with contextlib.suppress(OSError):
            self._process.fileobj.close()


def _set_window_size(fd: int, size: Size) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size))


def _slave_name(fd: int) -> str:
    number: int = struct.unpack("I", fcntl.ioctl(fd, getattr(termios, "TIOCGPTN", 0x80045430), bytes(4)))[0]
    return f"/dev/pts/{number}"


def _reopened(fd: int) -> int | None:
    """A description of our own of the terminal, so that not waiting does not spread to other processes."""
    flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
    for name in (f"/proc/self/fd/{fd}", "/dev/tty"):
        with contextlib.suppress(OSError):
            return os.open(name, flags)
    return None


def _inheritable() -> list[int]:
    """The open descriptors above stderr that a program started from here would have."""
    fds: list[int] = []
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                if int(name) > 2 and os.get_inheritable(int(name)):
                    fds.append(int(name))
    return fds
