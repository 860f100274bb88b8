"""The shim: what runs when an agent calls the session's ``bin/bash``.

In: the words of the call, the session's directory, the real bash. The call is recorded and run (``shim.run``), or
handed to the real bash as if tabshell were not there: a shell inside a recorded one, an agent's probe or hook,
what is no turn (``--version``, ``-n``, an empty text), and whenever anything at all goes wrong before bash runs.

This is started for every command, so imports are few and late; ``click``, ``signal``, ``json`` and dataclasses
are too slow for it.
"""

from __future__ import annotations

import posix

from tabshell.model.names import fsdecode, fsencode
from tabshell.shim import environment as env
from tabshell.shim.invocation import Invocation, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tabshell.session.shimmed import Call

NO_SHELL = 125
STATUS = b"TABSHELL_STATUS"
#: Bytes of an output that an engine shows its model at most (``text.cut``).
MOST = b"TABSHELL_SHOWN"
#: Seconds to wait for the clerk; then the line is made here.
CLERK_S = 2.0


def main(argv: Sequence[str], directory: str, bash: str | None = None) -> int:
    """Runs ``argv`` as bash would; gives its status. ``argv[0]`` is the launcher's own path."""
    environ = env.inherited()
    program = env.real_bash(bash, argv[0], environ)
    if program is None:
        posix.write(2, b"tabshell: no bash found; install one, or name it with --shell when the session is started\n")
        return NO_SHELL
    words = [env.argv0(argv[0], directory, environ), *map(fsencode, argv[1:])]
    status = None
    try:
        if environ.get(env.GUARD) != fsencode(directory):
            status = _recorded(argv, directory, program, words, environ)
    except Exception:  # noqa: BLE001 - whatever it was, the command must run
        status = None
    if status is None:
        return _bare(program, words, environ)
    return status


def _recorded(
    argv: Sequence[str], directory: str, program: bytes, words: list[bytes], environ: dict[bytes, bytes]
) -> int | None:
    """The recorded run, or None where this call shall not be recorded."""
    invocation = parse(argv[1:], terminal=posix.isatty(0) and posix.isatty(2))
    if invocation.form == "other" or not _is_turn(invocation):
        return None
    on_terminal = all(map(posix.isatty, (0, 1, 2)))
    if invocation.form == "interactive" and not on_terminal:
        return None
    view = _view(argv, environ)
    if view is None:
        return None
    text, agent = view
    changed = env.for_bash(directory, argv[0], program, environ, echoes=invocation.echoes)
    if invocation.form == "interactive":
        return _interactive(invocation, argv, directory, program, changed)
    from tabshell.shim.run import Command, run  # noqa: PLC0415 - not for shells that run bare

    fed = False
    if invocation.form == "stdin":
        from tabshell.shim.persistent import is_first_question, peek, waits_for_input  # noqa: PLC0415

        fed = waits_for_input()
        text = None if fed else peek()
        if text is not None and is_first_question(text):
            fed, text = True, None
    fields = {
        "command": fsencode(text if text is not None else _spoken(argv)),
        "text_from": b"argument",
        "cwd": fsencode(posix.getcwd()),
        "agent": fsencode(agent or ""),
        "pid": b"%d" % posix.getpid(),
        "most": environ.get(MOST, b""),
    }
    if on_terminal:
        return _on_terminal(argv, directory, program, words, changed, fields)
    status_to = {b"stdout": 1, b"stderr": 2}.get(environ.get(STATUS, b"off"))
    return run(Command(program, words, changed, directory, fields, status_to, fed=fed), _status_line)


def _interactive(
    invocation: Invocation, argv: Sequence[str], directory: str, program: bytes, environ: dict[bytes, bytes]
) -> int:
    """A shell that somebody types into: the pty door."""
    from tabshell.session.shimmed import run_interactive  # noqa: PLC0415 - it takes as long as a prompt may

    show = environ.get(STATUS) in (b"stdout", b"stderr")
    return run_interactive(_call(argv, directory, program, environ), invocation, show)


def _on_terminal(
    argv: Sequence[str],
    directory: str,
    program: bytes,
    words: list[bytes],
    environ: dict[bytes, bytes],
    fields: dict[str, bytes],
) -> int:
    """One command on a terminal of its own."""
    import time  # noqa: PLC0415

    from tabshell.session.shimmed import run_on_terminal  # noqa: PLC0415

    return run_on_terminal(_call(argv, directory, program, environ), fsdecode(words[0]), fields, time.time())


def _call(argv: Sequence[str], directory: str, program: bytes, environ: dict[bytes, bytes]) -> Call:
    from pathlib import Path  # noqa: PLC0415

    from tabshell.session.shimmed import Call  # noqa: PLC0415

    decoded = {fsdecode(name): fsdecode(value) for name, value in environ.items()}
    return Call(Path(directory), fsdecode(program), tuple(argv[1:]), decoded)


def _is_turn(invocation: Invocation) -> bool:
    """An empty ``-c`` text is no turn, as an empty Enter is none."""
    return invocation.form != "command" or bool((invocation.text or "").strip())


def _view(argv: Sequence[str], environ: dict[bytes, bytes]) -> tuple[str | None, str | None] | None:
    """The model's own text and the agent's name; None for an agent's probe or hook."""
    from tabshell.agents.shim_view import shim_view  # noqa: PLC0415

    decoded = {fsdecode(name): fsdecode(value) for name, value in environ.items()}
    seen = shim_view(decoded, argv[1:])
    if seen.kind in ("probe", "hook"):
        return None
    return seen.command, seen.agent


def _spoken(argv: Sequence[str]) -> str:
    """A call without ``-c`` as one would type it."""
    import shlex  # noqa: PLC0415

    return shlex.join(["bash", *argv[1:]])


def _status_line(directory: str, recorded: bool) -> str | None:
    """The line to put behind the output."""
    if not recorded:
        return "[tab] not recorded: the session's directory cannot be written"
    told = clerk_tells(directory)
    if told is not None:
        return told
    from pathlib import Path  # noqa: PLC0415

    from tabshell.session import Session  # noqa: PLC0415
    from tabshell.session.clerk import answers, start_idle  # noqa: PLC0415

    try:
        with Session.open(Path(directory)) as session:
            session.once = True
            line = session.status_line()
        if not answers(Path(directory)):
            start_idle(Path(directory))  # the next command shall not wait for that again
        return line
    except Exception:  # noqa: BLE001 - a fault of the tab must not disturb the command
        return None


def clerk_tells(directory: str) -> str | None:
    """The line from the process that ``tabshell run`` keeps ready for it; None where there is none."""
    import _socket  # noqa: PLC0415

    asking = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        folder = posix.open(directory, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
        try:
            asking.settimeout(CLERK_S)
            asking.connect(f"/proc/self/fd/{folder}/clerk.sock")
        finally:
            posix.close(folder)
        asking.sendall(b"status\n")
        line = b""
        while not line.endswith(b"\n"):
            more = asking.recv(4096)
            if not more:
                return None
            line += more
        return line.decode().strip() or None
    except OSError:
        return None
    finally:
        asking.close()


def _bare(program: bytes, words: list[bytes], environ: dict[bytes, bytes]) -> int:
    """The real bash in this process, as if we had not been there."""
    from tabshell.shim import signals  # noqa: PLC0415

    signals.restore_inherited()
    try:
        posix.execve(program, words, environ)
    except OSError as error:
        posix.write(2, b"tabshell: cannot run %s: %s\n" % (program, (error.strerror or "").encode()))
    return NO_SHELL
