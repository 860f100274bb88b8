"""Starting an agent, or a harness, in a session: what to run, and with which environment.

``prepare`` recognises the agent, writes its overlay into the sidecar (never anything elsewhere) and says how to
start it; ``env_lines`` is ``tabshell env``. Raises the errors of ``tabshell.errors``.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tabshell.agents.agent import Launch, Overlay
from tabshell.agents.all_agents import recognise
from tabshell.agents.json_settings import PROGRAM
from tabshell.agents.shim_view import AGENT
from tabshell.model.light import dataclass
from tabshell.session import Session
from tabshell.session.session import HOOKED
from tabshell.shim.launchers import write_hook_program, write_launchers
from tabshell.tab.prompt import prompt_block

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
    write_hook_program(path)
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
