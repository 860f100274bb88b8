"""Where sidecars lie, and which session a person means (S4, S5).

``$TABSHELL_HOME``, else ``$XDG_STATE_HOME/tabshell``, else ``~/.local/state/tabshell``; an empty or relative
XDG value is ignored, as the XDG Base Directory Specification asks. ``<home>/sessions/<id>/`` is mode 0700.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tabshell.errors import SessionNotFound, SidecarError, SidecarInWorkspace, StoreUnwritable
from tabshell.model.facts import SessionStarted
from tabshell.store.database import DATABASE, Store

__all__ = ["DATABASE", "find", "home", "new_directory", "refuse_overlap", "session_directories"]


def home(environment: Mapping[str, str]) -> Path:
    """The directory that holds all sidecars; it need not exist."""
    own = environment.get("TABSHELL_HOME")
    if own:
        return Path(own).absolute()
    state = environment.get("XDG_STATE_HOME", "")
    if state and os.path.isabs(state):
        return Path(state) / "tabshell"
    person = environment.get("HOME") or os.path.expanduser("~")
    return Path(person) / ".local" / "state" / "tabshell"


def refuse_overlap(sidecars: Path, workspace: str) -> None:
    """Raises SidecarInWorkspace if one of the two lies inside the other (symlinks resolved)."""
    inner, outer = Path(os.path.realpath(sidecars)), Path(os.path.realpath(workspace))
    if inner == outer or outer in inner.parents:
        relation = f"the sidecar {inner} lies inside the workspace {outer}"
    elif inner in outer.parents:
        relation = f"the workspace {outer} lies inside the sidecar directory {inner}"
    else:
        return
    msg = (
        f"{relation}, so the tab would be mixed with the files it speaks of. Choose a folder with -w, or set "
        f"TABSHELL_HOME outside the workspace; this works: TABSHELL_HOME=/var/tmp/tabshell-{os.getuid()} tabshell"
    )
    raise SidecarInWorkspace(msg)


def new_directory(sidecars: Path) -> Path:
    """Makes ``<home>/sessions/<id>`` with an id that sorts by time. Raises StoreUnwritable."""
    sessions = sidecars / "sessions"
    try:
        sidecars.mkdir(mode=0o700, parents=True, exist_ok=True)
        sessions.mkdir(mode=0o700, exist_ok=True)
        owner = os.stat(sessions).st_uid
        if owner not in (os.geteuid(), 0):
            msg = f"{sessions} belongs to another user, who could read and replace what is recorded; set TABSHELL_HOME"
            raise StoreUnwritable(msg)
        while True:
            now = time.time()
            stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
            directory = sessions / f"{stamp}-{int(now % 1 * 1e6):06d}"
            try:
                directory.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return directory
    except OSError as error:
        msg = f"cannot make a sidecar in {sessions}: {error.strerror}; set TABSHELL_HOME to a writable directory"
        raise StoreUnwritable(msg) from error


def session_directories(sidecars: Path) -> Iterator[Path]:
    """The sessions' directories, newest first."""
    try:
        names = sorted(os.listdir(sidecars / "sessions"), reverse=True)
    except OSError:
        return
    for name in names:
        directory = sidecars / "sessions" / name
        if (directory / DATABASE).exists():
            yield directory


def find(text: str, sidecars: Path) -> Path:
    """The session directory that ``text`` means: ``last``, an id, a unique prefix of one, a name, or a path.

    Raises SessionNotFound, which says what there is.
    """
    as_path = Path(text)
    if (as_path / DATABASE).exists():
        return as_path.absolute()
    if as_path.name == DATABASE and as_path.exists():
        return as_path.parent.absolute()
    known = list(session_directories(sidecars))
    if not known:
        msg = f"no session in {sidecars}; start one with 'tabshell', or set TABSHELL_HOME to where they lie"
        raise SessionNotFound(msg)
    if text == "last":
        return known[0]
    matching = [directory for directory in known if directory.name.startswith(text)]
    exact = [directory for directory in matching if directory.name == text]
    named = exact or matching or [directory for directory in known if _name_of(directory) == text]
    if not named:
        msg = f"no session {text!r}; the newest is {known[0].name}, 'tabshell sessions' lists all"
        raise SessionNotFound(msg)
    if len(named) > 1 and not exact and matching:
        names = ", ".join(directory.name for directory in named[:5])
        msg = f"{text!r} begins {len(named)} session ids ({names} …); give more of it"
        raise SessionNotFound(msg)
    return named[0]


def _name_of(directory: Path) -> str | None:
    try:
        with Store.open(directory / DATABASE, readonly=True) as store:
            for event in store.events(SessionStarted):
                return event.fact.name if isinstance(event.fact, SessionStarted) else None
    except SidecarError:
        return None  # a damaged session has no name to be found by
    return None
