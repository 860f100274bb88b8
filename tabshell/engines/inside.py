"""What an engine calls inside a sandbox: a session is started, asked for its finish check, and closed.

``main`` is called with a verb, a directory (of all sessions for ``start``, else of the session) and a JSON object on
standard input, and prints one JSON object. ``start`` makes a session and leaves its clerk behind, a process that has
everything loaded; where no clerk is (it was killed), the caller's process does the work itself.

Sessions of one machine share a *warm* process (``warm``): it loads everything once and is forked for each session, so
that two hundred samples of a local sandbox do not load the classifier two hundred times.

Called some times for each sample, so nothing is imported that is not needed; ``json`` is not: objects pass as they
are. Nothing here trusts the sandbox's agent with more than it has: all of it runs as the same user.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

#: Seconds that a caller waits for an answer.
ANSWER_S = 240.0
#: The bytes that a socket's path must stay below.
LONGEST = 100
#: Where the warm process listens, and its lock, among all sessions; where a session's clerk does: for the shim and
#: ``tab``, and for the engine.
WARM, LOCK, CLERK, ENGINE = "warm.sock", "warm.lock", "clerk.sock", "engine.sock"


def main(words: list[str]) -> int:
    """One call: ``start HOME``, ``finish SESSION`` or ``close SESSION``. Gives the exit status; what went wrong is in
    the answer, too."""
    verb, directory = words
    body = sys.stdin.buffer.read()
    answer = _start(directory, body) if verb == "start" else ask(os.path.join(directory, ENGINE), verb, body)
    if answer is None:
        from tabshell.engines.warm import alone  # noqa: PLC0415 - only where nobody does it for us

        answer = alone(verb, body)
    sys.stdout.buffer.write(answer)
    return 0 if answer.startswith(b'{"ok": true') else 1


def _start(home: str, body: bytes) -> bytes:
    """A session made by the warm process, which is started where there is none. One serves one version of tabshell: its
    socket lies in the folder of the core that was carried there, else among the sessions."""
    core = os.path.abspath(__file__).rsplit("/", 4)[0]
    home = core if os.path.dirname(core) == os.path.abspath(home) else home
    path = os.path.join(home, WARM)
    answer = ask(path, "start", body)
    if answer is not None:
        return answer
    import fcntl  # noqa: PLC0415

    lock = os.open(os.path.join(home, LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        answer = ask(path, "start", body)  # another one may have been first
        if answer is not None:
            return answer
        from tabshell.engines.warm import start_warm  # noqa: PLC0415

        said = start_warm(path)
        if said is not None:
            return said
    finally:
        os.close(lock)
    answer = ask(path, "start", body)
    return answer or b'{"ok": false, "error": "the process that keeps sessions did not answer"}\n'


def ask(path: str, verb: str, body: bytes, seconds: float = ANSWER_S) -> bytes | None:
    """The answer of whoever listens at ``path``; None where nobody does, or says nothing for so long."""
    asking = _connected(path)
    if asking is None:
        return None
    environment = b"\0".join(b"%s=%s" % pair for pair in os.environb.items()) if verb == "start" else b""
    try:
        asking.settimeout(seconds)
        asking.sendall(b"%s %d %d\n%s%s" % (verb.encode(), len(body), len(environment), body, environment))
        said = bytearray()
        while more := asking.recv(1 << 16):
            said += more
        return bytes(said) if said.endswith(b"\n") else None
    except OSError:
        return None
    finally:
        asking.close()


def at(path: str, do: Callable[[str], object]) -> None:
    """Calls ``do`` with a name for the socket at ``path``: a socket's may have 107 bytes only, so a longer path is said
    through a descriptor of its folder. Raises OSError."""
    if len(os.fsencode(path)) < LONGEST:
        do(path)
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        do(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.close(folder)


def _connected(path: str) -> socket.socket | None:
    import _socket  # noqa: PLC0415

    asking = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        at(path, asking.connect)
    except OSError:
        asking.close()
        return None
    made: socket.socket = asking  # type: ignore[assignment] # the same, without what is not needed
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
