"""What runs inside a sandbox: a session is started, kept warm, asked, and closed.

``main`` is called with a verb and a JSON object on standard input, and prints one JSON object. ``start`` makes a
session and leaves its clerk behind, a process that has everything loaded: it tells the shim its status lines and
answers ``finish`` and ``close`` at once. Where no clerk is (it was killed), the caller's process does the work itself.

Sessions of one machine share a *warm* process: it loads everything once and is forked for each session, so that two
hundred samples of a local sandbox do not load the classifier two hundred times. It goes when nobody needs it.

Nothing here trusts the sandbox's agent with more than it has: all of it runs as the same user.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import Any

#: Seconds that a caller waits for an answer.
ANSWER_S = 240.0
_WARM, _LOCK, _CLERK = "warm.sock", "warm.lock", "clerk.sock"


def main(words: list[str]) -> int:
    """One call: ``start``, ``finish`` or ``close``. Gives the exit status; what went wrong is in the answer, too."""
    import json  # noqa: PLC0415 - late, as all here: a call lives for some milliseconds

    asked = {**json.loads(sys.stdin.buffer.read() or b"{}"), "verb": words[0]}
    try:
        answer = _start(asked) if words[0] == "start" else _ask_clerk(asked)
    except Exception as error:  # noqa: BLE001 - the engine gets it as an answer, whatever it is
        answer = fault(error)
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0 if answer["ok"] else 1


def fault(error: BaseException) -> dict[str, Any]:
    """The answer that says what went wrong."""
    said = str(error) or type(error).__name__
    return {"ok": False, "error": said if _is_ours(error) else f"{type(error).__name__}: {said}"}


def _is_ours(error: BaseException) -> bool:
    from tabshell.errors import TabshellError  # noqa: PLC0415

    return isinstance(error, TabshellError)


def _start(asked: dict[str, Any]) -> dict[str, Any]:
    """A session made by the warm process, which is started where there is none."""
    asked["environment"] = dict(os.environ)
    home = asked["home"]
    answer = _ask(os.path.join(home, _WARM), asked)
    if answer is not None:
        return answer
    import fcntl  # noqa: PLC0415

    lock = os.open(os.path.join(home, _LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        answer = _ask(os.path.join(home, _WARM), asked)
        if answer is not None:
            return answer
        from tabshell.engines.warm import start_warm  # noqa: PLC0415

        start_warm(os.path.join(home, _WARM))
    finally:
        os.close(lock)
    answer = _ask(os.path.join(home, _WARM), asked)
    return answer if answer is not None else {"ok": False, "error": "the process that keeps sessions did not answer"}


def _ask_clerk(asked: dict[str, Any]) -> dict[str, Any]:
    """``finish`` or ``close``: by the session's clerk, or here."""
    answer = _ask(os.path.join(asked["session"], _CLERK), asked)
    if answer is not None:
        return answer
    from tabshell.engines.warm import Desk  # noqa: PLC0415

    with Desk(asked["session"]) as desk:
        return desk.answer(asked)


def _ask(path: str, asked: dict[str, Any]) -> dict[str, Any] | None:
    """The answer of whoever listens at ``path``; None where nobody does."""
    import json  # noqa: PLC0415

    asking = _at(path, lambda asking, place: asking.connect(place))
    if asking is None:
        return None
    try:
        asking.settimeout(ANSWER_S)
        asking.sendall(json.dumps(asked).encode() + b"\n")
        said = b""
        while not said.endswith(b"\n"):
            more = asking.recv(65536)
            if not more:
                return None
            said += more
        answer: dict[str, Any] = json.loads(said)
        return answer
    except OSError:
        return None
    finally:
        asking.close()


def _at(path: str, do: Callable[[socket.socket, str], object]) -> socket.socket | None:
    """A socket for which ``do`` worked at ``path``, through a descriptor: a socket's path may have 107 bytes only."""
    import _socket  # noqa: PLC0415

    end: Any = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        end.close()
        return None
    try:
        do(end, f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    except OSError:
        end.close()
        return None
    finally:
        os.close(folder)
    made: socket.socket = end
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
