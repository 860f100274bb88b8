"""Starting an agent, or a harness, in a session: what to run, with which environment, and what comes after it.

``prepare`` recognises the agent, writes its overlay into the sidecar (never anything elsewhere) and says how to
start it; ``run_piped`` runs it where there is no terminal; ``at_end`` gives the finish check that no hook gave.
``env_lines`` is ``tabshell env``. Raises the errors of ``tabshell.errors``.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from tabshell.agents.agent import Launch, Overlay
from tabshell.agents.all_agents import recognise
from tabshell.agents.json_settings import PROGRAM
from tabshell.agents.shim_view import AGENT
from tabshell.cli.hook import UNANSWERED
from tabshell.model.light import dataclass
from tabshell.session import Session
from tabshell.session.session import HOOKED
from tabshell.shim.launchers import launcher_text, search_path, write_launchers
from tabshell.tab.prompt import prompt_block
from tabshell.text.harmless import harmless

#: The overlay's directory in the sidecar.
FOLDER = "agent"
#: What an outer session may have left in the environment and what would mislead this one's shim.
_OUTER = (
    "TABSHELL_SHIM",
    "TABSHELL_REEXEC",
    "TABSHELL_REEXECED",
    "TABSHELL_BASH_ENV",
    "TABSHELL_ARGV0",
    "TABSHELL_STATUS",
    AGENT,
)
#: Larger configuration files are not looked into.
_LARGEST_FILE = 4 << 20
_HOOK = """# tabshell: what an agent's hooks call
import sys
sys.path[:0] = {paths}
from tabshell.cli.hook import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True, slots=True)
class Start:
    """How to start an agent. ``agent`` is its name (``generic``: nobody knows it); ``notes`` are for the person."""

    agent: str
    argv: tuple[str, ...]
    environment: dict[str, str]
    notes: tuple[str, ...] = ()


def prepare(session: Session, argv: Sequence[str], environment: Mapping[str, str], status: str | None = None) -> Start:
    """Writes the overlay for ``argv`` into the session's sidecar. ``status`` is the person's ``--status``."""
    agent, program = recognise(argv)
    directory = _real(session)
    folder = directory / FOLDER
    hook = write_hook(folder)
    given = {name: value for name, value in environment.items() if name not in _OUTER}
    write_launchers(directory, session.started.bash, given.get("BASH_ENV"))
    launch = Launch(
        tuple(argv),
        given,
        str(folder),
        str(directory / "bin" / "bash"),
        str(directory / "env.bash"),
        (str(hook), agent.name),
        prompt_block(),
        _names,
        read_text,
        program,
        shutil.which("bash", path=given.get("PATH")) or "/bin/bash",
    )
    overlay = agent.overlay(launch)
    _write(folder, overlay)
    if agent.events and agent.status == "stdout":
        (directory / HOOKED).touch(0o600)
    asked = status or environment.get("TABSHELL_STATUS")
    changed = {
        **given,
        **session_environment(directory, given),
        "TABSHELL_STATUS": asked if asked in ("off", "stdout", "stderr") else agent.status,
        **overlay.environment,
    }
    if agent.name != "generic":
        changed[AGENT] = agent.name
    return Start(agent.name, overlay.argv, changed, overlay.notes)


def session_environment(directory: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """What every program of a session gets: the session's name, ``tab`` on PATH, ``tab`` after a login profile."""
    tools = str(directory / "bin")
    path = environment.get("PATH", os.defpath)
    return {
        "TABSHELL_SESSION": str(directory),
        "PATH": f"{tools}:{path}" if tools not in path.split(":") else path,
        "BASH_ENV": str(directory / "env.bash"),
    }


def env_values(session: Session, environment: Mapping[str, str]) -> dict[str, str]:
    """What ``tabshell env`` sets: exactly TABSHELL_SESSION, PATH, SHELL and BASH_ENV."""
    directory = _real(session)
    write_launchers(directory, session.started.bash, environment.get("BASH_ENV"))
    values = {**session_environment(directory, environment), "SHELL": str(directory / "bin" / "bash")}
    return {name: values[name] for name in ("TABSHELL_SESSION", "PATH", "SHELL", "BASH_ENV")}


def env_lines(session: Session, environment: Mapping[str, str]) -> str:
    """The same as lines to ``eval``."""
    values = env_values(session, environment)
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items())


def _real(session: Session) -> Path:
    """The session's directory without links in its path: launchers know themselves by it, and must agree."""
    return Path(os.path.realpath(session.directory))


def write_hook(folder: Path) -> Path:
    """The program that hooks call; made anew, for tabshell may have moved since."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / PROGRAM
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(os.fsencode(launcher_text(_HOOK, sys.executable, search_path())))
    fresh.chmod(0o700)
    os.replace(fresh, path)
    return path


def _write(folder: Path, overlay: Overlay) -> None:
    """The overlay's files and links. A link that stands is kept: the agent may have written through it."""
    for relative, text in overlay.files:
        path = folder / relative
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        path.chmod(0o600)
    for relative, target in overlay.links:
        path = folder / relative
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.is_symlink() and not path.exists():
            path.symlink_to(target)


def _names(directory: str) -> tuple[str, ...]:
    try:
        return tuple(sorted(os.listdir(directory)))
    except OSError:
        return ()


def read_text(path: str) -> str | None:
    """A small text file, or None where there is none."""
    try:
        with open(path, "rb") as stream:
            data = stream.read(_LARGEST_FILE + 1)
    except OSError:
        return None
    return data.decode("utf-8", "surrogateescape") if len(data) <= _LARGEST_FILE else None


def run_piped(start: Start) -> int:
    """Runs the agent on this process's own streams; gives its status as ``Popen`` has it (negative: a signal).

    Signals meant for us are handed on; those that the terminal sends reach the agent by themselves. 127 or 126
    where the program is missing or cannot be run.
    """
    child: subprocess.Popen[bytes] | None = None
    early: list[int] = []
    terminal = os.isatty(0)

    def hand_on(number: int, _frame: FrameType | None) -> None:
        if terminal and number in (signal.SIGINT, signal.SIGQUIT):
            return  # the terminal sent it to the agent, too
        if child is None:
            early.append(number)
        else:
            child.send_signal(number)

    # before the agent starts, so that no signal ends us alone; a handler, unlike ignoring, is not inherited
    handed = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGQUIT)
    before = {number: signal.signal(number, hand_on) for number in handed}
    try:
        child = subprocess.Popen(start.argv, env=start.environment)
        for number in early:
            child.send_signal(number)
        return child.wait()
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        reason = "not found; is it installed?" if missing else error.strerror
        sys.stderr.write(f"tabshell: {harmless(start.argv[0])}: {reason}\n")
        return 127 if missing else 126
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _unseen_check(session: Session) -> str | None:
    """The finish check, where no hook gave it or the agent ended without taking it up."""
    check = session.finish_check("end")
    if check is None and (session.directory / UNANSWERED).exists():
        from tabshell.tab.finish import finish_text  # noqa: PLC0415

        return finish_text(session.tab(), "end")
    return check


def at_end(session: Session, start: Start, status: int, on_finish: str | None = None) -> int:
    """The agent is over: the finish check, if no hook gave it, then the session's end. Gives the exit status.

    ``status`` is negative where a signal ended the agent: then there is no check. ``on_finish`` is a shell
    command; it gets the check on stdin and in ``$TABSHELL_FINISH_CHECK``, and its status is the exit status.
    """
    code = 128 - status if status < 0 else status
    check = _unseen_check(session) if status >= 0 else None
    if check is not None and on_finish is not None:
        environment = {**start.environment, "TABSHELL_FINISH_CHECK": check}
        done = subprocess.run(["/bin/sh", "-c", on_finish], env=environment, input=check.encode(), check=False)
        code = 128 - done.returncode if done.returncode < 0 else done.returncode
    elif check is not None:
        sys.stderr.write(check + "\n")
    session.catch_up()  # nobody may read the session through this program again: statistics only look
    session.end(code if status >= 0 else None)
    return code
