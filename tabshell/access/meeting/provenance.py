"""Where the content of files came from that turns wrote: what a turn's acts wrote, and what that means later.

A file that took the content of others is *derived* from them; what came from no file (echo, a here-document, a
program's own output) is the agent's *own*, for a file appended to only the lines so written. A moved file takes its
past along, a moved directory (its key ends in ``/``) that of all files below it. A directory that an archive was
unpacked into counts file by file, those changed since the turn began.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from tabshell.access.acts import Act, Doings, Roots
from tabshell.access.memory import Provenance
from tabshell.access.paths.folders import Folders
from tabshell.model.accesses import Write

#: Files that one unpacked archive is followed into.
UNPACKED = 2000
#: Sources that one written file is said to come from at most.
SOURCES = 200


def digest(line: str) -> str:
    """A short name for a line, white space folded."""
    return hashlib.sha256(" ".join(line.split()).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def remember_moved(doings: Doings, folders: Folders) -> None:
    """Takes what was moved away for what is found where it was moved to; the last move first, since it tells of those
    before. What is found nowhere was moved only if the command uses it otherwise: else its words may be no file."""
    used = {path for act in doings.acts for path in act.paths}
    for act in reversed(doings.acts):
        if act.verb != "move":
            continue
        paired = len(act.sources) == len(act.targets)
        for number, path in enumerate(act.sources):
            if folders.kind(path) is None:
                moved_to = folders.kind(act.targets[number]) if paired else None
                if paired and moved_to is None and path not in used:
                    continue
                folders.remember(path, "dir" if moved_to == "dir" else "file")


def writes(doings: Doings, folders: Folders, started_at: float, confirm: bool) -> tuple[Write, ...]:
    """What the acts wrote, in order. ``confirm``: targets must be there now, or have been moved on."""
    found: list[Write] = []
    moved = {source for act in doings.acts if act.verb == "move" for source in act.sources}
    for act in doings.acts:
        if act.verb not in ("write", "copy", "move"):
            continue
        origins = _Origins(act, folders)
        for target in act.targets:
            for path in _files_at(act, target, folders, started_at):
                there = ("file", "dir") if act.verb == "move" else ("file",)
                gone = confirm and folders.kind(path) not in there and path not in moved
                key = None if gone or path.startswith("/dev/") else folders.key(path)
                if key is not None:
                    found.append(origins.write(target, key, path))
    return tuple(found)


class _Origins:
    """Which sources of an act went into which of its targets, looked up once for all of them."""

    def __init__(self, act: Act, folders: Folders) -> None:
        self.act = act
        self.folders = folders
        trees = act.sources if act.verb != "move" else ()
        self.trees = [source for source in trees if folders.kind(source) == "dir"]
        walked = frozenset(self.trees)
        files = [source for source in act.sources if source not in walked]
        self.keys = list(dict.fromkeys(k for k in map(folders.key, files) if k is not None))
        self.known = frozenset(self.keys)
        paired = len(files) == len(act.targets) > 1
        pairs = zip(act.targets, files, strict=True) if paired else ()
        self.pairs = {t: folders.key(s) for t, s in pairs if os.path.basename(t) == os.path.basename(s)}

    def write(self, target: str, key: str, path: str) -> Write:
        """The write of one file of a target: from its namesake, from itself (edited in place), or from all sources."""
        act = self.act
        pair = self.pairs.get(target) or self._namesake(target, path)
        sources = [pair] if pair is not None else [*self.keys, *self._of_trees]
        itself = key in self.known
        if itself and len(self.keys) > 1 and len(act.targets) > 1:
            sources = []
        chosen = tuple(source for source in sources[: SOURCES + 1] if source != key)[:SOURCES]
        if act.verb == "move":
            slash = "/" if self.folders.kind(path) == "dir" else ""
            moved_from = chosen[0] + slash if chosen else None
            return Write(key + slash, (), own=False, appended=False, moved_from=moved_from)
        own = act.literal or (not act.sources and act.verb == "write")
        return Write(key, chosen, own=own, appended=act.appends or itself)

    def _namesake(self, target: str, path: str) -> str | None:
        """The file of a copied tree that stands at the same place as ``path`` under ``target``."""
        relative = path[len(target) + 1 :] if path.startswith(target + "/") else ""
        for tree in self.trees if relative else ():
            for source in (f"{tree}/{relative}", f"{os.path.dirname(tree)}/{relative}"):
                if source != path and source.startswith(tree + "/") and self.folders.kind(source) == "file":
                    return self.folders.key(source)
        return None

    @cached_property
    def _of_trees(self) -> list[str]:
        """The files of the directories that went into an archive."""
        if not self.trees:
            return []
        walked = islice(self.folders.walk(Roots(tuple(self.trees)), SOURCES * 4), SOURCES)
        return [key for key in map(self.folders.key, walked) if key is not None]


def _files_at(act: Act, target: str, folders: Folders, started_at: float) -> Iterator[str]:
    """The target itself, or the files of a directory that came with this turn."""
    if folders.kind(target) != "dir" or act.verb == "move":
        yield target
        return
    if target in act.sources:
        return
    for number, path in enumerate(folders.walk(Roots((target,)), UNPACKED * 4)):
        info = folders.info(path)
        if info and info.ctime >= started_at - 1.5:
            yield path
        if number >= UNPACKED:
            return


def take_up(provenance: Provenance, write: Write, command: str, text: str | None) -> None:
    """Remembers one write. ``text`` is the file's text now, to tell which lines the command itself held."""
    key = write.path
    if write.moved_from is not None:
        _move(provenance, write.moved_from, key)
        return
    old_own = provenance.own.get(key, frozenset()) if write.appended else frozenset()
    sources = list(provenance.derived.get(key, ())) if write.appended else []
    for source in write.sources:
        sources += [source, *provenance.derived.get(source, ())]
    own: frozenset[str] | None = old_own
    if write.own and not write.appended and not write.sources:
        own = None
    elif write.own and old_own is not None:
        own = old_own | _lines_of(command, text)
    for source in write.sources:
        if provenance.own.get(source, frozenset()) is None and not write.appended and len(write.sources) == 1:
            own = None
        elif own is not None:
            own |= provenance.own.get(source) or frozenset()
    _set(provenance, key, tuple(dict.fromkeys(s for s in sources if s != key)), own)


def _lines_of(command: str, text: str | None) -> frozenset[str]:
    """Digests of the lines of a file that stand in the command that wrote it."""
    folded = " ".join(command.split())
    most = len(folded) + 40
    lines = [line for line in (text or "").split("\n")[-2000:] if len(line) < most]
    return frozenset(digest(line) for line in lines if line.strip() and " ".join(line.split()) in folded)


def _set(provenance: Provenance, key: str, sources: tuple[str, ...], own: frozenset[str] | None) -> None:
    if sources:
        provenance.derived[key] = sources
    else:
        provenance.derived.pop(key, None)
    if own is None or own:
        provenance.own[key] = own
    else:
        provenance.own.pop(key, None)


def _move(provenance: Provenance, old: str, new: str) -> None:
    if old.endswith("/"):  # a directory: whatever is known of files below it
        known = [key for key in {**provenance.derived, **provenance.own} if key.startswith(old)]
        for key in known:
            _move(provenance, key, new + key[len(old) :])
        return
    derived = provenance.derived.pop(old, ())
    own = provenance.own.pop(old, frozenset())
    _set(provenance, new, tuple(source for source in derived if source != new), own)


def is_own(provenance: Provenance, key: str, lines: list[str]) -> bool:
    """Whether the agent wrote all of these shown lines of a file itself."""
    if key not in provenance.own:
        return False
    written = provenance.own[key]
    shown = [line for line in lines if line.strip()]
    return written is None or (bool(shown) and all(digest(line) in written for line in shown))
