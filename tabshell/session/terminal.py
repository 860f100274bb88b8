"""An interactive shell in a session: the pty door with its recording, from the first prompt to the last word.

Gives the shell's exit status. Prints, apart from what the door shows: the finish check on stderr where the shell
ended without having been asked at its prompt, and where the record's chain ended (for ``verify --head``).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from tabshell.access.disk.witness import Witness
from tabshell.errors import TabshellError
from tabshell.model.facts import RecordingGap
from tabshell.model.light import dataclass
from tabshell.session.clerk import BesideShell
from tabshell.session.live import LiveRecording
from tabshell.session.session import Session
from tabshell.shell.door import Bash, DoorOptions, run
from tabshell.text.harmless import harmless

#: Seconds that a prompt may wait for another writer of the store.
PROMPT_BUSY_S = 1.0

StatusPlace = Literal["off", "stdout", "stderr"]


@dataclass(frozen=True, slots=True)
class ShellOptions:
    """``status``: where the status line goes; ``quiet`` leaves the opening and the closing line out."""

    status: StatusPlace = "stdout"
    quiet: bool = False


def run_shell(session: Session, bash: Bash, environment: Mapping[str, str], options: ShellOptions) -> int:
    """Runs one interactive bash in ``session``."""
    speaking = options.status != "off"
    live = Session.open(session.directory, busy_s=PROMPT_BUSY_S)
    witness = Witness(session.started.workspace) if session.started.capture else None
    recording = LiveRecording(live, _size(), show_status=speaking, witness=witness)
    broken: list[str] = []
    door = DoorOptions(
        path_directory=str(path_directory(session.directory)),
        hold=speaking and session.started.finish_check,
        socket=str(session.directory / "door.sock"),
        greeting=_greeting(session) if speaking and not options.quiet else b"",
        preparation=witness,
        broken=broken.append,
    )
    env = {**environment, "TABSHELL_SESSION": str(session.directory)}
    # what Python itself says of a thread that failed (no memory) must not stand on the person's screen
    with BesideShell(session.directory), contextlib.redirect_stderr(None):
        end = run(bash, env, recording, door)
        with contextlib.suppress(MemoryError):  # the shell's status is told all the same
            recording.close()
            live.close()
        if witness is not None:
            witness.close()
    try:
        for fault in broken:
            session.append(RecordingGap(session.current_turn(), f"the recording broke off: {fault}"))
        if speaking and end.signal is None:
            _last_check(session)
        session.end(end.status)
        if speaking and not options.quiet:
            events, head = session.store.head()
            sys.stderr.write(f"[tab] session {session.directory.name} ended: {events} events, head {head}\n")
    except (TabshellError, MemoryError, ImportError) as error:  # a library that finds no room cannot be imported
        sys.stderr.write(f"[tab] not recorded: {error or 'no memory'}\n")
    return end.status


def run_program_recorded(session: Session, argv: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs a program (an agent) on a recorded terminal; its commands come by other doors. Gives its exit status,
    negative where a signal ended it; 127 where there is no such program."""
    import shutil  # noqa: PLC0415 - not for a shell's first prompt

    from tabshell.shell.program import run_program  # noqa: PLC0415

    path = shutil.which(argv[0], path=environment.get("PATH"))
    if path is None:
        sys.stderr.write(f"tabshell: {harmless(argv[0])}: not found; is it installed?\n")
        return 127
    recording = LiveRecording(session, _size(), show_status=False)
    end = run_program(path, argv, environment, recording)
    recording.close()
    return -end.signal if end.signal else end.status


def path_directory(directory: Path) -> Path:
    """A directory that holds ``tab`` and nothing else: shells inside the pty door are left alone."""
    path = directory / "path"
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        if not (path / "tab").is_symlink():
            (path / "tab").symlink_to("../bin/tab")
    except OSError:
        pass  # a sidecar that cannot be written any more: the shell runs without ``tab``
    return path


def _last_check(session: Session) -> None:
    """The finish check of a shell that ended on its own (a list, a function, ``set -e``, ``exec``)."""
    check = session.finish_check("end")
    if check is not None:
        sys.stderr.write(f"{check}\n")


def _greeting(session: Session) -> bytes:
    name = harmless(session.started.name or session.directory.name)
    return f"[tab] session {name}: what you read is recorded; 'tab' shows what the task owes, 'exit' ends".encode()


def _size() -> tuple[int, int]:
    try:
        size = os.get_terminal_size(0)
    except OSError:
        return 24, 80
    return size.lines, size.columns
