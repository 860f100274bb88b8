"""What a ``tab`` process does first: it asks the session's clerk, which has everything loaded, and prints its answer.

Starting all that ``tab`` needs takes ten times as long as most answers. Where no clerk answers, ``cli.tab`` does the
same here, byte for byte. In: the words of the call and the session's directory. The talk goes over the socket
``clerk.sock`` in that directory:

    <- tab LENGTH, then so many bytes: version, process, 1 where standard input is a pipe or file, 1 where its text
       follows, current directory, count of words, words (each ended by NUL), the text of standard input
    -> wait     it was heard; nothing was done yet
    -> ready    its turn has come; nothing was done yet
    <- go       without it nothing is done: whoever gave up meanwhile does it here, and only here
    -> input    the text of standard input is wanted; nothing was done
    -> alone    this clerk cannot do it; nothing was done
    -> done STATUS LENGTH LENGTH, then so many bytes for standard error and for standard output

Imported by every call, so it imports next to nothing.
"""

import _socket
import _stat as stat
import posix

from tabshell import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SOCKET = "clerk.sock"
#: Seconds without a word from the clerk after which it counts as dead, and after which a busy one is left alone.
HEARD_S = 0.3
TURN_S = 5.0
#: Operations that only look: where it is not known whether they were done, they are done again.
_LOOKS = frozenset(("help", "list", "show", "status", "prompt"))
_UNCLEAR = (
    "tab: the process that was answering ended half-way; see with 'tab list' whether it was done, and call again if "
    "it was not"
)


class Caller:
    """The process whose call it is, as far as an operation may ask for it."""

    __slots__ = ("_text", "process")

    def __init__(self) -> None:
        self.process = posix.getpid()
        self._text: bytes | None = None

    def directory(self) -> "str | None":
        """The current directory; None where there is none any more."""
        try:
            return posix.getcwd()
        except OSError:
            return None

    def holds_text(self) -> bool:
        """Whether standard input is a pipe or a file. A socket is what harnesses leave open: nobody writes to it."""
        try:
            mode = posix.fstat(0).st_mode
        except OSError:
            return False
        return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)

    def text(self) -> bytes:
        """All of standard input. Kept, so that it can be asked for again."""
        if self._text is None:
            data = bytearray()
            while piece := posix.read(0, 1 << 16):
                data += piece
            self._text = bytes(data)
        return self._text

    def text_so_far(self) -> "bytes | None":
        """What was read of standard input before; None where it was left alone."""
        return self._text


class _InputWantedError(Exception):
    """The clerk wants the text of standard input."""


def main(argv: "Sequence[str]", directory: str) -> int:
    """One call of ``tab`` on the session in ``directory``; gives the exit status."""
    caller = Caller()
    try:
        try:
            answer = ask(argv, directory, caller)
        except _InputWantedError:
            caller.text()
            answer = ask(argv, directory, caller)
    except KeyboardInterrupt:
        return 130
    if answer is None:
        from tabshell.cli.tab.call import main as alone  # noqa: PLC0415 - the point of this module

        return alone(argv, directory, caller, leaving=True)
    return say(*answer)


def ask(argv: "Sequence[str]", directory: str, caller: Caller) -> "tuple[int, str, str] | None":
    """The clerk's answer: status, text for standard error, text for standard output; None where it gave none.
    Raises _InputWantedError."""
    asking = _connected(directory)
    if asking is None:
        return None
    try:
        try:
            asking.sendall(_request(argv, caller))
            word = _line(asking)
            if word == b"wait":
                asking.settimeout(TURN_S)
                word = _line(asking)
            if word != b"ready":
                return None
            asking.settimeout(None)
            asking.sendall(b"go\n")
        except OSError:
            return None  # nothing was done, and nothing will be
        return _result(asking, argv)
    finally:
        asking.close()


def answered(argv: "Sequence[str]", directory: str, caller: Caller) -> "tuple[int, str, str] | None":
    """The same for a process that speaks for the caller; None, too, where the text of its standard input is wanted."""
    try:
        return ask(argv, directory, caller)
    except _InputWantedError:
        return None


def _result(asking: _socket.socket, argv: "Sequence[str]") -> "tuple[int, str, str] | None":
    """What came of it after ``go``."""
    words: list[bytes] = []
    try:
        words = _line(asking).split()
        if words[0] == b"done":
            status, first, second = map(int, words[1:])
            data = _exactly(asking, first + second)
            return status, _decoded(data[:first]), _decoded(data[first:])
    except OSError:
        words = []
    if words == [b"input"]:
        raise _InputWantedError
    operation = next((word for word in argv if not word.startswith("-")), "help")
    if words == [b"alone"] or operation in _LOOKS:
        return None
    return 1, _UNCLEAR, ""


def _connected(directory: str) -> "_socket.socket | None":
    """A connection to the session's clerk; through a descriptor, for a socket's path may have 107 bytes only."""
    try:
        folder = posix.open(directory, posix.O_PATH | posix.O_DIRECTORY | posix.O_CLOEXEC)
    except OSError:
        return None
    asking = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        asking.settimeout(HEARD_S)
        asking.connect(f"/proc/self/fd/{folder}/{SOCKET}")
    except OSError:
        asking.close()
        return None
    finally:
        posix.close(folder)
    return asking


def _request(argv: "Sequence[str]", caller: Caller) -> bytes:
    text = caller.text_so_far()
    fields = [
        __version__, str(caller.process), "1" if caller.holds_text() else "0", "0" if text is None else "1",
        caller.directory() or "", str(len(argv)), *argv,
    ]  # fmt: skip
    body = b"".join(field.encode("utf-8", "surrogateescape") + b"\0" for field in fields) + (text or b"")
    return b"tab %d\n%s" % (len(body), body)


def _line(asking: _socket.socket) -> bytes:
    """The next line, byte by byte (they are short), without its end. Raises OSError at the end of the talk."""
    line = b""
    while not line.endswith(b"\n"):
        line += _exactly(asking, 1)
    return line[:-1]


def _exactly(asking: _socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = asking.recv(min(size - len(data), 1 << 16))
        if not piece:
            raise ConnectionError
        data += piece
    return bytes(data)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def say(status: int, error: str, output: str, to: int = 1, errors: int = 2) -> int:
    """Prints to stderr, then to stdout. A reader that went away (``tab list | head -1``) is no fault."""
    if error:
        _write(errors, error)
    if not output:
        return status
    fault = _write(to, output)
    if fault is None:
        return status
    _write(errors, f"tab: cannot write: {fault}")
    return status or 1


def _write(descriptor: int, text: str) -> "str | None":
    """Writes ``text`` and a line break; None, or what went wrong. By descriptor, since Python's own stream would
    complain at exit, and fails half-way where a harness made the pipe non-blocking."""
    data = memoryview(text.encode("utf-8", "surrogateescape") + b"\n")
    try:
        while data:
            data = data[_write_some(descriptor, data) :]
    except BrokenPipeError:
        return None
    except OSError as error:
        return error.strerror
    return None


def _write_some(descriptor: int, data: memoryview) -> int:
    try:
        return posix.write(descriptor, data)
    except BlockingIOError:
        import select  # noqa: PLC0415 - rare

        select.select([], [descriptor], [])
        return 0
