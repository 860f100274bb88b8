"""One bash: which program, which version, its argv and rc file, and the side files of its hooks.

The side files lie in a private directory (0700, in memory where the system has such a place): ``rc`` is the
rc file, ``S<number>`` and ``E<number>`` are reports that the hooks write before their mark, and ``answer`` is
a pipe that exists while a bare ``exit`` is to be held. Each report is taken once and removed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tabshell.errors import ShellUnavailable
from tabshell.shell.report import Report, parse_report

#: PS0 came with this version.
OLDEST = (4, 4)

#: A report is shorter than this, unless a line of the history is very long.
_REPORT_LIMIT = 4 << 20


@dataclass(frozen=True, slots=True)
class Bash:
    """A bash that can be hooked. ``name`` is how it is called (its ``$0``)."""

    path: str
    name: str
    version: tuple[int, int]


def find_bash(wanted: str | None, env: Mapping[str, str]) -> Bash:
    """The bash named ``wanted`` (a path), else the one on PATH. ShellUnavailable: there is none to use."""
    path = wanted or shutil.which("bash", path=env.get("PATH"))
    if path is None:
        message = "no bash found on PATH; install bash 4.4 or newer, or name one with --shell PATH"
        raise ShellUnavailable(message)
    version = bash_version(path)
    if version < OLDEST:
        have = ".".join(str(part) for part in version)
        message = f"{path} is bash {have}; tabshell needs 4.4 or newer: name another with --shell PATH"
        raise ShellUnavailable(message)
    return Bash(path, path if wanted else "bash", version)


def bash_version(path: str) -> tuple[int, int]:
    """Major and minor version of the bash at ``path``."""
    ask = 'builtin echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"'
    env = {name: value for name, value in os.environ.items() if name not in {"BASH_ENV", "SHELLOPTS"}}
    try:
        done = subprocess.run(
            [path, "--norc", "--noprofile", "-c", ask],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
            check=False,
            env=env,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"cannot start {path}: {error}; name a bash with --shell PATH"
        raise ShellUnavailable(message) from error
    found = re.fullmatch(rb"([0-9]+)\.([0-9]+)\s*", done.stdout)
    if found is None:
        message = f"{path} is no bash; name one with --shell PATH"
        raise ShellUnavailable(message)
    return int(found[1]), int(found[2])


class SideFiles:
    """The private directory of one shell's reports. Use as a context manager."""

    def __init__(self, parent: str | None = None) -> None:
        self.directory = tempfile.mkdtemp(prefix="tabshell-", dir=parent or _memory_directory())
        self._answer = os.path.join(self.directory, "answer")

    def __enter__(self) -> SideFiles:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)

    def write_rc(self, path_directory: str | None) -> str:
        """Writes the rc file; gives its path. ``path_directory`` is put in front of PATH."""
        head = f"__tab_d={shlex.quote(self.directory)} __tab_p={shlex.quote(path_directory or '')}\n"
        text = Path(__file__).with_name("init.bash").read_text(encoding="utf-8")
        rc = os.path.join(self.directory, "rc")
        with open(rc, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(head + text)
        return rc

    def take(self, kind: str, token: str) -> Report | None:
        """The report that belongs to a mark, once; None: the mark is not ours."""
        path = os.path.join(self.directory, kind + token)
        try:
            with open(path, "rb") as file:
                data = file.read(_REPORT_LIMIT)
            os.unlink(path)
        except OSError:
            return None
        return parse_report(data)

    def hold(self) -> None:
        """From now on the hooks ask before a line that may be a bare exit."""
        with contextlib.suppress(OSError):
            os.mkfifo(self._answer, 0o600)

    def release(self) -> None:
        """The hooks ask no more."""
        with contextlib.suppress(OSError):
            os.unlink(self._answer)

    def answer(self, token: str, *, hold: bool) -> None:
        """Lets the waiting hook go on; ``hold`` makes bash drop the line."""
        with contextlib.suppress(OSError):
            fd = os.open(self._answer, os.O_WRONLY | os.O_NONBLOCK)
            try:
                os.write(fd, f"{'hold' if hold else 'go'} {token}\n".encode())
            finally:
                os.close(fd)


def _memory_directory() -> str | None:
    """A directory in memory for files that live a millisecond, else None (the system's temporary one)."""
    for place in (os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm"):  # noqa: S108 - mkdtemp makes it private
        if os.path.isabs(place) and os.access(place, os.W_OK | os.X_OK):
            return place
    return None
