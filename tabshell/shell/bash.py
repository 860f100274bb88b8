"""One bash: which program, which version, its argv and rc file, and the side files of its hooks.

The side files lie in a private directory (0700, in memory where the system has such a place): ``rc`` is the
rc file; ``S<number>`` the report of a start, written before its mark; ``E.…`` that of a prompt, with ``H`` the
history's last line where that is needed. ``bell`` is a pipe that the shell opens when it has made ``E``, ``gate0``
and ``gate1`` are those at which it waits until it is let go; ``answer`` exists while a bare ``exit`` is to be
held, ``first`` while the first line has to wait; ``line`` holds the number of a line that was foretold, else nothing.
Each report is taken once and removed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shlex
import shutil
import stat
import subprocess
from collections.abc import Callable, Mapping
from typing import TypeVar

from tabshell.errors import ShellUnavailable
from tabshell.model.light import dataclass
from tabshell.shell.report import Report, parse_prompt, parse_start

Opened = TypeVar("Opened")

#: PS0 came with this version.
OLDEST = (4, 4)

#: PROMPT_COMMAND may be an array from here on.
PROMPT_ARRAY = (5, 1)

#: ``$(<file)`` starts no process from here on.
READS_ITSELF = (5, 2)

#: The private directories' names begin so.
_PREFIX = "tabshell-door-"

_INIT = os.path.join(os.path.dirname(__file__), "init.bash")

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
    path = wanted or _on_path(env)
    if path is None:
        message = "no bash found on PATH; install bash 4.4 or newer, or name one with --shell PATH"
        raise ShellUnavailable(message)
    version = bash_version(path)
    if version < OLDEST:
        have = ".".join(str(part) for part in version)
        message = f"{path} is bash {have}; tabshell needs 4.4 or newer: name another with --shell PATH"
        raise ShellUnavailable(message)
    return Bash(path, path if wanted else "bash", version)


def _on_path(env: Mapping[str, str]) -> str | None:
    """The first bash on PATH that is not the one of a session around this: a session within it has its own record."""
    folders = env.get("PATH", os.defpath).split(os.pathsep)
    own = [folder for folder in folders if not os.path.exists(os.path.join(os.path.dirname(folder), "tab.db"))]
    return shutil.which("bash", path=os.pathsep.join(own))


def bash_version(path: str) -> tuple[int, int]:
    """Major and minor version of the bash at ``path``."""
    ask = 'builtin echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"'
    env = {name: value for name, value in os.environ.items() if name not in {"BASH_ENV", "SHELLOPTS"}}
    try:
        done = subprocess.run(
            [path, "--norc", "--noprofile", "-p", "-c", ask],  # -p: no functions from the environment
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


def begins_posix(env: Mapping[str, str]) -> bool:
    """Whether bash begins in posix mode: it reads the file that ENV names then, and no rc file."""
    return "POSIXLY_CORRECT" in env or "posix" in env.get("SHELLOPTS", "").split(":")


def with_rc(env: Mapping[str, str], rc: str) -> Mapping[str, str]:
    """``env`` with which bash reads ``rc`` also in posix mode; ``write_rc`` makes ENV the user's again."""
    return {**env, "ENV": rc} if begins_posix(env) else env


def user_rc(env: Mapping[str, str]) -> str:
    """The rc file that bash would read by itself."""
    if begins_posix(env):
        return os.path.expandvars(env.get("ENV", "")) or os.devnull
    return os.path.join(env.get("HOME") or os.path.expanduser("~"), ".bashrc")


def hook_text() -> bytes:
    """Our element of PROMPT_COMMAND, as ``init.bash`` defines it."""
    found = re.search(rb"^__tab_c='(.*)'$", _init(), re.MULTILINE)
    return found[1] if found else b""


class SideFiles:
    """The private directory of one shell's reports. Use as a context manager."""

    def __init__(self, parent: str | None = None) -> None:
        place = parent or _memory_directory() or _temporary()
        _sweep(place)
        self.directory = _new_directory(place)
        # Held as long as this process lives: whoever finds the directory without it may remove it.
        self._lock = os.open(self._path("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._answer = self._path("answer")
        os.mkfifo(self._path("bell"), 0o600)
        os.mkfifo(self._path("gate0"), 0o600)
        os.mkfifo(self._path("gate1"), 0o600)
        self._line = os.open(self._path("line"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._foretold = False
        self._first = -1
        self._left_open: list[int] = []
        self._reserve = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        #: Readable (hung up) when the shell has rung.
        self.bell = -1
        self._listen()

    def __enter__(self) -> SideFiles:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in (self.bell, self._line, *self._left_open):
            os.close(descriptor)
        for descriptor in (self._first, self._reserve):
            if descriptor >= 0:
                os.close(descriptor)
        shutil.rmtree(self.directory, ignore_errors=True)
        os.close(self._lock)

    def write_rc(self, bash: Bash, path_directory: str | None, user_rc: str, env: Mapping[str, str]) -> str:
        """Writes the rc file; gives its path. ``path_directory`` is put in front of PATH; ``env`` is the user's."""
        values = {
            "__tab_d": self.directory,
            "__tab_p": path_directory or "",
            "__tab_f": user_rc,
            "__tab_s": "" if bash.version >= PROMPT_ARRAY else "1",
            "__tab_o": self._path("line") if bash.version >= READS_ITSELF else "",
        }
        if begins_posix(env):
            values["ENV"] = env.get("ENV", "")
        head = " ".join(f"{name}={shlex.quote(value)}" for name, value in values.items())
        text = _init().decode()
        if begins_posix(env) and "ENV" not in env:
            text = f"unset ENV\n{text}"
        rc = self._path("rc")
        made = os.open(rc, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(made, "w", encoding="utf-8", errors="surrogateescape") as file:
            # options that came by SHELLOPTS would show our lines and export our variables: init.bash sets them again
            file.write(f"{{ __tab_r=($-); builtin set +auvx; }} 2>/dev/null\n{head}\n{text}")
        return rc

    def foretell(self, number: bytes) -> None:
        """The shell's next start is told by a mark with this number (empty: at length). Call before the Enter that
        it is for is passed on."""
        if number:
            os.pwrite(self._line, number, 0)
        elif self._foretold:
            os.ftruncate(self._line, 0)
        self._foretold = bool(number)

    def take_start(self, token: str) -> Report | None:
        """The report that belongs to a start's mark, once; None: the mark is not ours."""
        data = self._take("S" + token)
        return None if data is None else parse_start(data)

    def take_prompt(self, pid: int) -> Report | None:
        """The shell has rung: its report, once; None also where the system gives us no descriptor to look."""
        try:
            self._listen()
            names = [name for name in self._with_reserve(lambda: os.listdir(self.directory)) if name.startswith("E.")]
        except OSError:
            return None
        cwd: bytes | None = None
        with contextlib.suppress(OSError):
            cwd = os.readlink(f"/proc/{pid}/cwd".encode())
        history = b"" if len(names) == 1 and names[0].endswith("1") else self._take("H") or b""
        reports = [parse_prompt(name, history, cwd) for name in names if self._remove(name)]
        return reports[0] if len(reports) == 1 else None

    def open_gate(self, gate: int) -> bool:
        """Lets the shell go on to its prompt; False: it does not stand there (yet).

        Two gates in turns: the one that is being closed here would still let the next prompt through.
        """
        try:
            os.close(self._open(f"gate{gate}", os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    def whole(self) -> bool:
        """Whether the pipes at which the shell speaks and waits are there."""
        try:
            return all(stat.S_ISFIFO(os.stat(self._path(name)).st_mode) for name in ("bell", "gate0", "gate1"))
        except OSError:
            return False

    def leave_open(self) -> None:
        """Nobody will hear the shell any more: it shall wait at no gate."""
        for name in ("gate0", "gate1", "bell"):
            with contextlib.suppress(OSError):
                self._left_open.append(os.open(self._path(name), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))

    def hold(self) -> None:
        """From now on the hooks ask before a line that may be a bare exit."""
        with contextlib.suppress(OSError):
            os.mkfifo(self._answer, 0o600)

    def answer(self, token: str, *, hold: bool) -> None:
        """Lets the waiting hook go on; ``hold`` makes bash drop the line."""
        with contextlib.suppress(OSError):
            fd = self._open("answer", os.O_WRONLY | os.O_NONBLOCK)
            try:
                os.write(fd, f"{'hold' if hold else 'go'} {token}\n".encode())
            finally:
                os.close(fd)

    def hold_first(self) -> bool:
        """From now on the hooks wait before they run a line; False where they cannot be made to."""
        try:
            os.mkfifo(self._path("first"), 0o600)
            # open at both ends: what is written there is read by a hook that comes at any time
            self._first = os.open(self._path("first"), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            self._remove("first")
            return False
        return True

    def let_first_go(self) -> None:
        """A line that waits runs, and those to come run at once."""
        self._remove("first")  # before it is answered: who found it gets the answer, who comes later finds none
        with contextlib.suppress(OSError):
            os.write(self._first, b"go\n")

    def _path(self, name: str) -> str:
        return os.path.join(self.directory, name)

    def _take(self, name: str) -> bytes | None:
        try:
            with open(self._open(name, os.O_RDONLY | os.O_CLOEXEC), "rb") as file:
                data = file.read(_REPORT_LIMIT)
        except PermissionError:
            data = b""
        except OSError:
            return None
        self._remove(name)
        return data

    def _remove(self, name: str) -> bool:
        """Whether it was there."""
        try:
            os.unlink(self._path(name))
        except OSError:
            return False
        return True

    def _listen(self) -> None:
        """A new description of the bell, under the same number: the old one stays hung up for ever."""
        fresh = self._open("bell", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if self.bell < 0:
            self.bell = fresh
            return
        os.dup2(fresh, self.bell, inheritable=False)
        os.close(fresh)

    def _open(self, name: str, flags: int) -> int:
        return self._with_reserve(lambda: os.open(self._path(name), flags))

    def _with_reserve(self, act: Callable[[], Opened]) -> Opened:
        """Does what needs one descriptor; where there are no more, with the one kept back: a shell that waits for
        us must never wait for ever."""
        try:
            return act()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE) or self._reserve < 0:
                raise
        os.close(self._reserve)
        self._reserve = -1
        try:
            return act()
        finally:
            with contextlib.suppress(OSError):
                self._reserve = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)


def _init() -> bytes:
    with open(_INIT, "rb") as file:
        return file.read()


def _temporary() -> str:
    import tempfile  # noqa: PLC0415 - it loads random numbers with all their distributions, and few systems need it

    return tempfile.gettempdir()


def _new_directory(place: str) -> str:
    """A private directory that nobody else has."""
    while True:
        directory = os.path.join(place, _PREFIX + os.urandom(6).hex())
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:
            continue
        return os.path.abspath(directory)


def _sweep(place: str) -> None:
    """Removes what killed doors have left behind (their lock is free)."""
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.stat(follow_symlinks=False).st_uid == os.getuid():
                _remove_if_left(entry.path)


def _remove_if_left(directory: str) -> None:
    try:
        lock = os.open(os.path.join(directory, "lock"), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(directory, ignore_errors=True)
    except OSError:
        pass
    finally:
        os.close(lock)


def _memory_directory() -> str | None:
    """A directory in memory for files that live a millisecond, else None (the system's temporary one)."""
    for place in (os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm"):  # noqa: S108 - mkdtemp makes it private
        if os.path.isabs(place) and os.access(place, os.W_OK | os.X_OK):
            return place
    return None
