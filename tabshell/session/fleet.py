"""Many sessions: where they lie, and the measures of each, by several processes, never more held than what is asked.

What cannot be measured (damaged, of a newer version, foreign, no session at all) is one ``Unmeasured`` among the
results; nothing that lies in a folder ends the measuring of the others, a process that dies over one included.
Results come in the order of the directories.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tabshell.audit.stats import SessionStats, session_stats
from tabshell.audit.stats_tally import Unmeasured
from tabshell.errors import StoreDamaged, TabshellError
from tabshell.model.collection import no_collection
from tabshell.recordings.bundle import STORE, is_bundle, unpack
from tabshell.session.many import each
from tabshell.session.session import Session
from tabshell.shim.inbox import INBOX
from tabshell.store.database import DATABASE, Store
from tabshell.store.still import read_still

#: How a bundle's file ends.
BUNDLE = ".tab"

Measured = SessionStats | Unmeasured
"""What came of one directory."""


def find_sessions(folder: str) -> Iterator[str | Unmeasured]:
    """The sessions and bundles anywhere below ``folder``, by name. A link to a session is one; no other is followed.

    A directory that lies beside sessions and holds none is given as ``Unmeasured``, as one that cannot be listed.
    """
    try:
        with os.scandir(folder) as entries:
            listed = sorted((entry.name, entry.is_dir(), entry.is_symlink()) for entry in entries)
    except OSError as error:
        yield Unmeasured(folder, "unreadable", f"cannot list {folder}: {error.strerror}")
        return
    bundles = (os.path.join(folder, name) for name, is_folder, _ in listed if not is_folder and name.endswith(BUNDLE))
    yield from (path for path in bundles if _is_bundle(path))
    names = [name for name, is_folder, _ in listed if is_folder]
    links = {name for name, _, is_link in listed if is_link}
    inside = [os.path.lexists(os.path.join(folder, name, DATABASE)) for name in names]
    for name, is_session in zip(names, inside, strict=True):
        where = os.path.join(folder, name)
        if is_session:
            yield where
            continue
        if name in links:
            continue
        below = find_sessions(where)
        first = next(below, None)
        if first is not None:
            yield first
            yield from below
        elif any(inside):
            yield Unmeasured(where, "no-session", f"{where} holds no session ({DATABASE} is not there)")


def measure_all(directories: Iterable[str], processes: int) -> Iterator[Measured]:
    """The measures of each session, in order. With one process, in this one."""
    return each(measure, directories, processes, _died)


def _died(directory: str) -> Unmeasured:
    msg = f"{directory}: the process that measured it died, perhaps for want of memory"
    return Unmeasured(directory, "died", msg)


def measure(directory: str) -> Measured:
    """The measures of one session (its directory, or a bundle), or why they cannot be had. Leaves no file."""
    store = os.path.join(directory, DATABASE)
    try:
        if directory.endswith(BUNDLE) and _is_bundle(directory):
            return _measured_bundle(directory)
        if not stat.S_ISREG(os.stat(store).st_mode):
            return Unmeasured(directory, "no-session", f"{store} is not a file")
        with no_collection():
            return read_still(store, lambda opened: _measured(directory, opened))
    except TabshellError as error:
        return Unmeasured(directory, error.code, str(error))
    except OSError as error:
        return Unmeasured(directory, "unreadable", f"cannot read {store}: {error.strerror}")
    except Exception as error:  # noqa: BLE001 - facts that no tabshell wrote must not end the measuring of the others
        msg = f"{store} is damaged: its facts make no sense ({type(error).__name__}: {error})"
        return Unmeasured(directory, StoreDamaged.code, msg)


def _measured(directory: str, store: Store) -> SessionStats:
    session = Session(directory, store)
    found = session_stats(session.tab(turns=True, catch_up=False), session.entry_text)
    pending = len(store.pending()) + _waiting(directory)
    return replace(found, directory=directory, pending=pending)


def _measured_bundle(path: str) -> Measured:
    with open(path, "rb") as file:
        members = unpack(file.read()).members
    with tempfile.TemporaryDirectory(prefix="tabshell-") as folder:
        with open(os.path.join(folder, DATABASE), "wb") as file:
            file.write(members[STORE])
        found = measure(folder)
    return replace(found, directory=path)


def _is_bundle(path: str) -> bool:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return is_bundle(file.read(256))
    except OSError:
        return False


def _waiting(directory: str) -> int:
    """How many runs a shim left that nobody took in."""
    try:
        return sum(not name.startswith(".") for name in os.listdir(os.path.join(directory, INBOX)))  # its lock stays
    except OSError:
        return 0
