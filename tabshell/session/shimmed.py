"""The session's bash on a terminal: one that a program types into (SWE-ReX, tmux), or one command of an agent's.

An interactive bash goes through the pty door and is recorded prompt by prompt; a persistent shell's sentinels come
off its commands, and lines that are nothing but book-keeping are no turns. A ``-c`` command, a script, or commands
on a terminal get a terminal of their own, as ``script`` gives one, and are recorded whole.

In: what the shim knows of the call. Out: the exit status, or this process's end by the signal that ended bash.
Raises before anything is started, so that the caller can run bash without us.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tabshell.errors import StoreUnwritable
from tabshell.session.live import LiveRecording
from tabshell.session.session import Session
from tabshell.session.terminal import PROMPT_BUSY_S, path_directory
from tabshell.shell.bash import Bash, bash_version
from tabshell.shell.door import CommandEnd, CommandStart, DoorOptions, Listener, run
from tabshell.shell.program import run_program
from tabshell.shell.terminal import window_size
from tabshell.shim import signals
from tabshell.shim.inbox import InboxWriter
from tabshell.shim.invocation import Invocation
from tabshell.text.unwrap import unwrap

_LOGIN = """# what a login shell reads, for one that is started with an rc file
[ ! -r /etc/profile ] || . /etc/profile
for __tab_file in ~/.bash_profile ~/.bash_login ~/.profile; do
  [ ! -r "$__tab_file" ] || { . "$__tab_file"; break; }
done
unset __tab_file
"""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the session's bash. ``program`` is the real one, ``words`` those after ``argv[0]``,
    ``environment`` the whole of what it shall get."""

    directory: Path
    program: str
    words: tuple[str, ...]
    environment: Mapping[str, str]


def run_interactive(call: Call, invocation: Invocation, show_status: bool) -> int:
    """An interactive bash, recorded prompt by prompt. Raises where it cannot be."""
    bash = Bash(call.program, "bash", bash_version(call.program))
    session = Session.open(call.directory, busy_s=PROMPT_BUSY_S)
    if not session.writable:
        session.close()
        msg = f"{call.directory} cannot be written"
        raise StoreUnwritable(msg)
    arguments, rc = rc_and_arguments(call, invocation)
    size = window_size(0)
    recording = LiveRecording(session, (size.rows, size.columns), show_status=show_status)
    door = call.directory / "door.sock"
    options = DoorOptions(
        path_directory=str(path_directory(call.directory)),
        socket=None if door.exists() else str(door),
        arguments=arguments,
        rc=rc,
    )
    try:
        end = run(bash, call.environment, ModelsCommands(recording), options)
    finally:
        recording.close()
        session.close()
    if end.signal is not None:
        signals.die_by(end.signal)
    return end.status


def rc_and_arguments(call: Call, invocation: Invocation) -> tuple[tuple[str, ...], str]:
    """The words for bash beside our own rc file, and the file that ours reads first (empty: none).

    ``--rcfile F``, ``--norc``, ``--login`` and ``--noprofile`` say which; the rest is handed on.
    """
    rest: list[str] = []
    rc = os.path.join(call.environment.get("HOME") or os.path.expanduser("~"), ".bashrc")
    words = iter(call.words)
    for word in words:
        name = word.lstrip("-")
        if word.startswith("-") and name in ("rcfile", "init-file"):
            rc = next(words, rc)
        elif word.startswith("-") and name == "norc":
            rc = ""
        elif word in ("--login", "-login", "-l", "--noprofile", "-noprofile"):
            continue
        else:
            rest.append(word)
    if invocation.login:
        rc = ""
        if not any(word.lstrip("-") == "noprofile" for word in call.words):
            login = call.directory / "login.bash"
            login.write_text(_LOGIN, encoding="utf-8")
            rc = str(login)
    return tuple(rest), rc


class ModelsCommands:
    """Hands the door's events on, with each command as the model gave it; book-keeping lines are no turns."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._hidden = False

    def output(self, data: bytes, at: float) -> None:
        """See ``Listener``."""
        self._listener.output(data, at)

    def command_started(self, start: CommandStart) -> None:
        """A command whose text is nothing but a sentinel is left out."""
        command = unwrap(start.command).command
        self._hidden = command is None or not command.strip()
        if not self._hidden and command is not None:
            self._listener.command_started(replace(start, command=command))

    def command_finished(self, end: CommandEnd) -> bytes:
        """No status line after a line that was left out."""
        hidden, self._hidden = self._hidden, False
        return b"" if hidden else self._listener.command_finished(end)

    def stop_attempted(self, stop: Literal["exit", "ctrl-d"]) -> bytes | None:
        """See ``Listener``."""
        return self._listener.stop_attempted(stop)

    def resized(self, rows: int, columns: int) -> None:
        """See ``Listener``."""
        self._listener.resized(rows, columns)

    def synchronise(self) -> None:
        """See ``Listener``."""
        self._listener.synchronise()

    def settle(self) -> bytes:
        """See ``Listener``."""
        return self._listener.settle()


# -- one command on a terminal ------------------------------------------------------------------------------


class _Watcher:
    """Writes what is displayed into the inbox."""

    def __init__(self, record: InboxWriter) -> None:
        self._record = record

    def output(self, data: bytes, at: float) -> None:  # noqa: ARG002 - the inbox has its own clock
        """These bytes were displayed."""
        self._record.output(b"o", data)

    def resized(self, rows: int, columns: int) -> None:
        """The width at the start counts."""


def run_on_terminal(call: Call, argv0: str, fields: Mapping[str, bytes], started_at: float) -> int:
    """A ``-c`` command or a script on a terminal of its own. Raises where it cannot be recorded."""
    columns = window_size(0).columns
    record = InboxWriter(str(call.directory), {**fields, "columns": b"%d" % columns}, started_at, os.getpid())
    try:
        end = run_program(call.program, [argv0, *call.words], call.environment, _Watcher(record))
    except BaseException:
        record.discard()
        raise
    record.end(end.status)
    if end.signal is not None:
        signals.die_by(end.signal)
    return end.status
