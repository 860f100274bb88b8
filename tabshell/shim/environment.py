"""What the real bash is given: its program, its words, its environment.

The environment is read as the kernel keeps it (``/proc/self/environ``), for Python changes its own copy when it
starts in the C locale. In a shell that is recorded, PATH holds the session's ``bin``, BASH_ENV names the session's
``env.bash`` (which chains the caller's own), and a guard names the session, so that shells inside it run bare.
"""

from __future__ import annotations

import posix

from tabshell.model.names import dirname, fsencode, join, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Names the session whose shim started this shell: a shim of the same session stands aside.
GUARD = b"TABSHELL_SHIM"
#: The caller's own BASH_ENV, chained by ``env.bash``.
CHAINED = b"TABSHELL_BASH_ENV"
#: How the caller names its bash, where the session's stands in for one with a path.
CALLED = b"TABSHELL_ARGV0"
ENV_FILE = "env.bash"
_USUAL = (b"/bin/bash", b"/usr/bin/bash", b"/usr/local/bin/bash")


def inherited() -> dict[bytes, bytes]:
    """The environment as the caller gave it."""
    try:
        with open("/proc/self/environ", "rb", buffering=0) as block:
            data = block.readall()
    except OSError:
        return dict(posix.environ)
    pairs = (item.partition(b"=") for item in data.split(b"\0") if item)
    return {name: value for name, equals, value in pairs if equals}


def real_bash(preferred: str | None, own: str, environment: dict[bytes, bytes]) -> bytes | None:
    """The bash to run: the session's choice, else the first on PATH that is no launcher of tabshell's."""
    for candidate in _candidates(preferred, environment):
        if posix.access(candidate, posix.X_OK) and not is_launcher(candidate) and not _same(candidate, own):
            return candidate
    return None


def _candidates(preferred: str | None, environment: dict[bytes, bytes]) -> Iterator[bytes]:
    if preferred:
        yield fsencode(preferred)
    for folder in environment.get(b"PATH", b"").split(b":"):
        if folder.startswith(b"/"):
            yield folder + (b"bash" if folder.endswith(b"/") else b"/bash")
    yield from _USUAL


def is_launcher(path: bytes) -> bool:
    """Whether a program is one of tabshell's launchers (a script that says so in its first lines)."""
    try:
        with open(path, "rb", buffering=0) as program:
            return program.read(2) == b"#!" and b"tabshell" in program.read(1024)
    except OSError:
        return False


def _same(path: bytes, other: str) -> bool:
    try:
        return same(path, fsencode(other))
    except OSError:
        return False


def argv0(own: str, directory: str, environment: dict[bytes, bytes]) -> bytes:
    """What ``$0`` and error messages shall say: the kernel drops the caller's own ``argv[0]`` at a ``#!`` line.
    ``TABSHELL_ARGV0`` tells what an agent would have called (and goes no further). Else the session's ``bin/bash``
    stands for a plain ``bash``; a launcher put elsewhere (in an image, in the place of ``/bin/bash``) for the path
    under which it was called."""
    told = environment.pop(CALLED, None)
    if told:
        return told
    if dirname(own) == join(directory, "bin") or "/" not in own:
        return b"bash"
    return fsencode(own)


def for_bash(
    directory: str, own: str, bash: bytes, environment: dict[bytes, bytes], *, echoes: bool
) -> dict[bytes, bytes]:
    """The environment of a shell that is recorded. ``echoes``: the shell prints what it reads or runs (``-v``,
    ``-x``), so it must not read a file of ours."""
    changed = dict(environment)
    changed[GUARD] = fsencode(directory)
    tools = fsencode(join(directory, "bin"))
    path = changed.get(b"PATH")
    if path is not None and tools not in path.split(b":"):
        changed[b"PATH"] = tools + b":" + path
    if changed.get(b"_") == fsencode(own):
        changed[b"_"] = bash
    changed.pop(b"TABSHELL_REEXECED", None)
    _chain(changed, fsencode(join(directory, ENV_FILE)), echoes=echoes)
    return changed


def _chain(changed: dict[bytes, bytes], ours: bytes, *, echoes: bool) -> None:
    """BASH_ENV: ours before the caller's, or the caller's alone where the shell echoes."""
    given = changed.get(b"BASH_ENV")
    chained = changed.pop(CHAINED, None)
    users = chained if given == ours else given
    if echoes:
        if users:
            changed[b"BASH_ENV"] = users
        else:
            changed.pop(b"BASH_ENV", None)
        return
    changed[b"BASH_ENV"] = ours
    if users:
        changed[CHAINED] = users
