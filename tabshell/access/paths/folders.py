"""What the classifier asks of directories and paths, on top of ``Files``: kinds, keys, walks.

A *key* is how a file is called everywhere else: relative to the workspace with ``/``, symlinks resolved, absolute
outside. Directories are listed once and asked by dictionary; a file in a listed directory costs no system call.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Protocol, TypeGuard

from tabshell.access.acts import Roots
from tabshell.access.paths.patterns import compiled
from tabshell.model.files import FileInfo, FileKind, Files

#: Directories of version control, never of interest.
CONTROL = frozenset({".git", ".hg", ".svn"})

#: Names that no listing holds.
_DOTS = ("", ".", "..")

#: Names of one directory that are asked for one by one, before it is listed.
ONE_BY_ONE = 2


class KnowsKinds(Protocol):
    """A ``Files`` that tells the kinds of all names in a directory at once."""

    def kinds(self, path: str) -> Mapping[str, FileKind | None]:
        """Name -> kind, None for a symlink."""

    def kinds_within(self, path: str, most: int) -> Mapping[str, FileKind | None] | None:
        """The first ``most`` of them, where there are more; else None, and ``kinds`` knows them all."""

    def is_scanned(self, path: str) -> bool:
        """Whether ``kinds`` of this directory was asked in this turn and costs nothing."""


def _knows_kinds(files: Files) -> TypeGuard[KnowsKinds]:
    """Asked once a turn: looking at a runtime protocol would cost more than classifying a short command."""
    return hasattr(files, "kinds_within")


class Folders:
    """Directories of one turn. ``workspace`` is a real absolute path."""

    def __init__(self, files: Files, workspace: str) -> None:
        self.files = files
        knowing = files if _knows_kinds(files) else None
        self._scan = knowing.kinds if knowing else self._names
        self._within = knowing.kinds_within if knowing else _unbounded
        self._is_scanned = knowing.is_scanned if knowing else _never
        self.workspace = workspace
        self._prefix = workspace.rstrip("/") + "/"
        self._kinds: dict[str, Mapping[str, FileKind | None]] = {}
        self._asked: dict[str, int] = {}
        self._gone: dict[str, dict[str, FileKind | None]] = {}
        self._reals: dict[str, str | None] = {}
        self._keys: dict[str, str | None] = {}
        self._starts: dict[str, str | None] = {}

    def kinds(self, path: str) -> Mapping[str, FileKind | None]:
        """The names in a directory with their kinds (None: must be asked); empty if it is none."""
        known = self._kinds.get(path)
        if known is None:
            known = {} if self._is_absent(path) else self._scan(path)
            if path in self._gone:
                known = {**self._gone[path], **known}
            self._kinds[path] = known
        return known

    def _is_absent(self, path: str) -> bool:
        """Whether the directories above, as far as they were listed, tell that nothing is there."""
        while path:
            above, _, name = path.rpartition("/")
            if name in _DOTS:
                return False
            known = self._kinds.get(above)
            if known is not None:
                return name not in known
            path = above
        return False

    def _names(self, path: str) -> Mapping[str, FileKind | None]:
        return dict.fromkeys(self.files.names(path))

    def remember(self, path: str, kind: FileKind = "file") -> None:
        """A file or directory that a command took away, by its name; listings may still show it."""
        folder, name = os.path.split(path)
        self._gone.setdefault(folder, {})[name] = kind
        self._kinds.pop(folder, None)

    def kind(self, path: str) -> FileKind | None:
        """What ``path`` is, symlinks followed; None if nothing is there."""
        folder, _, name = path.rpartition("/")
        kinds = self._kinds.get(folder)
        if kinds is None:  # who asks for several names of a directory has it listed
            self._asked[folder] = asked = self._asked.get(folder, 0) + 1
            listed = asked > ONE_BY_ONE or self._is_scanned(folder)
            kinds = self.kinds(folder) if listed and folder else None
        if kinds is not None and name not in _DOTS:
            if name not in kinds:
                return None
            if kinds[name] is not None:
                return kinds[name]
        info = self.files.info(path)
        return info.kind if info else None

    def info(self, path: str) -> FileInfo | None:
        """As ``Files.info``."""
        return self.files.info(path)

    def real(self, path: str) -> str:
        """``path`` with symlinks resolved; a path that is not there keeps its name under its real directory."""
        folder, _, name = path.rpartition("/")
        if self._no_link(folder, name):
            return f"{self._real_folder(folder)}/{name}"
        info = self.files.info(path)
        if info:
            return info.real
        return f"{self._real_folder(folder)}/{name}" if folder else path

    def _no_link(self, folder: str, name: str) -> bool:
        """Whether the listing of a directory, if it was listed, tells that a name is no link: what is not there is
        none either."""
        kinds = self._kinds.get(folder)
        if not kinds or name in _DOTS:
            return False
        return kinds.get(name, "file") in ("file", "dir")

    def _real_folder(self, folder: str) -> str:
        if folder not in self._reals:
            above, _, name = folder.rpartition("/")
            kinds = self.kinds(above) if above in self._kinds or self._is_scanned(above) else {}
            if kinds.get(name) == "dir":  # no link
                self._reals[folder] = f"{self._real_folder(above)}/{name}"
            elif info := self.files.info(folder):
                self._reals[folder] = info.real
            else:
                parent, _, name = folder.rpartition("/")
                self._reals[folder] = f"{self._real_folder(parent)}/{name}" if parent else folder
        return self._reals[folder] or folder

    def key(self, path: str) -> str | None:
        """The key of an absolute path; None for what version control keeps for itself."""
        folder, _, name = path.rpartition("/")
        if self._no_link(folder, name):  # its folder's key and its name
            if folder not in self._starts:
                self._starts[folder] = self._key_of(self._real_folder(folder) + "/")
            start = self._starts[folder]
            return None if start is None or name in CONTROL else start + name
        if path not in self._keys:
            self._keys[path] = self._key_of(self.real(path))
        return self._keys[path]

    def _key_of(self, real: str) -> str | None:
        if "/." in real and not CONTROL.isdisjoint(real.split("/")):
            return None
        return real[len(self._prefix) :] if real.startswith(self._prefix) else real

    def is_inside(self, path: str) -> bool:
        """Whether an absolute path lies in the workspace by its name."""
        return path == self.workspace or path.startswith(self._prefix)

    def is_near(self, path: str) -> bool:
        """Whether it lies in the workspace or above it."""
        return self.is_inside(path) or self._prefix.startswith(f"{path.rstrip('/')}/")

    def _kinds_within(self, folder: str, most: int) -> Mapping[str, FileKind | None]:
        """``kinds`` of a directory; some of them where there are more than ``most``, which are not even listed."""
        within = None if folder in self._kinds else self._within(folder, most)
        return self.kinds(folder) if within is None else within

    def walk(self, roots: Roots, limit: int = 20_000) -> Iterator[str]:
        """Absolute paths of the files under ``roots``, as far as ``limit`` names go."""
        room = limit
        for start in roots.directories:
            queue: list[tuple[str, int]] = [(start, 0)]
            while queue and room > 0:
                folder, depth = queue.pop()
                kinds = self._kinds_within(folder, room)
                for name in sorted(kinds):
                    room -= 1
                    if name in CONTROL or (not roots.hidden and name.startswith(".")):
                        continue
                    path = os.path.join(folder, name)
                    kind = kinds[name]
                    if kind == "dir":
                        if roots.depth is None or depth + 1 < roots.depth:
                            queue.append((path, depth + 1))
                    elif (kind == "file" or (kind is None and self.kind(path) == "file")) and _wanted(roots, name):
                        yield path


def _unbounded(_path: str, _most: int) -> None:
    return None


def _never(_path: str) -> bool:
    return False


def _wanted(roots: Roots, name: str) -> bool:
    if roots.include and not any(compiled(glob).match(name) for glob in roots.include):
        return False
    return not any(compiled(glob).match(name) for glob in roots.exclude)
