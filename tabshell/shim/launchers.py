"""Writes the programs of a session: ``bin/tab``, ``bin/bash``, ``env.bash`` for BASH_ENV, and what hooks call.

The first line names the Python that runs now, with ``-IS`` (isolated, no site: nothing of the user's is loaded),
and the program sets its own search path. Linux reads at most 255 bytes of such a line (127 before 5.1) and splits
it at the first blank, so a longer path or one with a blank goes by way of ``/bin/sh``, at the price of a
millisecond and of names in the environment that ``sh`` does not hand on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shlex import quote

#: The longest interpreter line that every kernel in use takes.
LINE_LIMIT = 127
_SHIM = """# tabshell: the recording bash of one session
import sys
sys.path += {paths}
from posix import _exit
from tabshell.cli.bash import main
from tabshell.model.names import dirname, real
_exit(main(sys.argv, dirname(dirname(real(__file__))), {bash}))  # nothing is left to tidy up, and that takes time
"""
#: A call of ``tab`` lives a tenth of a second: looking through its objects for cycles would be a third of it.
_TAB = """# tabshell: the 'tab' command of one session
import gc
gc.disable()
import sys
sys.path += {paths}
from posix import _exit
from tabshell.cli.tab_client import main
from tabshell.model.names import dirname, real
_exit(main(sys.argv[1:], dirname(dirname(real(__file__)))))
"""
#: What stands in an agent's own configuration outlives the version that wrote it.
_HOOK = """# tabshell: what an agent's hooks call
import sys
sys.path[:0] = {paths}
from tabshell.cli.hook import main
sys.exit(main(sys.argv[1:]))
"""


def write_launchers(directory: Path, bash: str | None = None, bash_env: str | None = None) -> None:
    """Writes the programs into ``directory``. ``bash`` is the real one (None: looked for at each call);
    ``bash_env`` the caller's own BASH_ENV, to be chained."""
    tools = directory / "bin"
    tools.mkdir(mode=0o700, exist_ok=True)
    (directory / "inbox").mkdir(mode=0o700, exist_ok=True)
    paths = search_path()
    _write(tools / "bash", launcher_text(_SHIM, sys.executable, paths, bash), 0o700)
    _write(tools / "tab", launcher_text(_TAB, sys.executable, paths, bash), 0o700)
    _write(directory / "env.bash", env_text(bash_env), 0o600)


def write_hook_program(path: Path) -> None:
    """Writes the program that an agent's hooks call."""
    _write(path, launcher_text(_HOOK, sys.executable, search_path()), 0o700)


def launcher_text(body: str, executable: str, paths: list[str], bash: str | None = None) -> str:
    """A program of ours for the interpreter ``executable``."""
    interpreter = os.path.realpath(executable)
    filled = body.format(paths=ascii(paths), bash=ascii(bash))
    line = f"#!{interpreter} -IS"
    if len(os.fsencode(line)) > LINE_LIMIT or any(blank in interpreter for blank in " \t\n"):
        # sh runs the second line; Python reads it as a string and goes on behind it
        line = f"#!/bin/sh\n'''exec' {quote(interpreter)} -IS \"$0\" \"$@\"\n' '''"
    return f"{line}\n{filled}"


def search_path() -> list[str]:
    """Where tabshell itself and what it needs lie: the folders of this process that are no standard library."""
    package = str(Path(__file__).resolve().parents[2])
    others = [
        os.path.realpath(folder)
        for folder in sys.path
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder)
    ]
    return list(dict.fromkeys([package, *others]))


def env_text(bash_env: str | None) -> str:
    """The text of ``env.bash``, with the caller's own BASH_ENV where the environment will not name it."""
    text = (Path(__file__).parent / "env.bash").read_text(encoding="utf-8")
    if not bash_env:
        return text
    # chained itself, by a session within ours, it goes on to what it would chain; never to itself again
    unnamed = '-z ${TABSHELL_BASH_ENV+x} || $TABSHELL_BASH_ENV == "${BASH_SOURCE[0]}"'
    given = f"if [[ {unnamed} ]]; then TABSHELL_BASH_ENV={quote(bash_env)}; fi\n"
    at = text.index("if [[")
    return text[:at] + given + text[at:]


def _write(path: Path, text: str, mode: int) -> None:
    """Whole or not at all: a shell may start while it is written anew."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        with open(descriptor, "wb", closefd=False) as stream:
            stream.write(os.fsencode(text))
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)
    os.replace(fresh, path)
