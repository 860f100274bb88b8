"""The witness: which files of the workspace were opened while a command ran (Linux, inotify, no privilege).

A hint for the classifier where a script opens files that no command names; never the only evidence. ``collect``
empties the kernel's queue and may be called as often as one likes (``fileno`` becomes readable when there is
something); ``take`` gives the files opened since the last ``take``. Blind spots: files reached through a hard link
outside, files opened within a directory in the moment it is made, other processes' opens look the same.
Limits: ``DIRECTORIES`` watches; a workspace with more is watched as far as they go, and ``partial`` says so. When the
queue overflows (16,384 events not collected), ``lost`` is set and ``take`` gives None for that turn: the
classifier then works as if there were no witness, so nothing is lost.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
import sys

from tabshell.access.disk.mounts import Mounts

#: Directories that are watched at most (the kernel's own bound is per user, often 65,536 or 8,192).
DIRECTORIES = 8000
#: Distinct files that one turn keeps.
FILES = 50_000
_OPEN, _CREATE, _MOVED_TO, _OVERFLOW, _IGNORED, _ISDIR = 0x20, 0x100, 0x80, 0x4000, 0x8000, 0x40000000
_ONLYDIR, _DONT_FOLLOW = 0x01000000, 0x02000000
_NONBLOCK, _CLOEXEC = 0o4000, 0o2000000
_EVENT = struct.Struct("iIII")
_SKIPPED = frozenset({b".git", b".hg", b".svn"})


class Witness:
    """Watches ``workspace`` (absolute). Use ``Witness.start``; close it when the session ends."""

    def __init__(self, descriptor: int, libc: ctypes.CDLL) -> None:
        self._descriptor = descriptor
        self._libc = libc
        self._folders: dict[int, bytes] = {}
        self._opened: dict[bytes, None] = {}
        self.partial = False
        self.lost = False
        mounts = Mounts()
        mounts.look()
        #: Mounts that do not answer: to watch them would wait for ever.
        self._silent = frozenset(map(os.fsencode, mounts.hung))
        mounts.close()

    @classmethod
    def start(cls, workspace: str) -> Witness | None:
        """A running witness, or None where the system has none (no Linux, no watches left, unreadable)."""
        if not sys.platform.startswith("linux"):
            return None
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            descriptor = libc.inotify_init1(_NONBLOCK | _CLOEXEC)
        except (OSError, AttributeError):
            return None
        if descriptor < 0:
            return None
        witness = cls(descriptor, libc)
        witness._watch_tree(os.fsencode(workspace))
        if not witness._folders:
            witness.close()
            return None
        return witness

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._descriptor

    def _watch_tree(self, top: bytes) -> None:
        queue = [top]
        while queue:
            folder = queue.pop()
            if folder in self._silent:
                continue
            if not self._watch(folder):
                return
            try:
                with os.scandir(folder) as entries:
                    queue += [e.path for e in entries if e.is_dir(follow_symlinks=False) and e.name not in _SKIPPED]
            except OSError:
                continue

    def _watch(self, folder: bytes) -> bool:
        """False when there is no room for another watch."""
        if len(self._folders) >= DIRECTORIES:
            self.partial = True
            return False
        mask = _OPEN | _CREATE | _MOVED_TO | _ONLYDIR | _DONT_FOLLOW
        number = self._libc.inotify_add_watch(self._descriptor, ctypes.c_char_p(folder), ctypes.c_uint32(mask))
        if number < 0:
            if ctypes.get_errno() in (errno.ENOSPC, errno.ENOMEM):
                self.partial = True
                return False
            return True
        self._folders[number] = folder
        return True

    def collect(self) -> None:
        """Takes up what the kernel has noted; never blocks."""
        while True:
            try:
                data = os.read(self._descriptor, 1 << 18)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                self.lost = True
                return
            if not data:
                return
            self._note(data)

    def _note(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            number, mask, _, size = _EVENT.unpack_from(data, at)
            name = data[at + _EVENT.size : at + _EVENT.size + size].rstrip(b"\0")
            at += _EVENT.size + size
            if mask & _OVERFLOW:
                self.lost = True
            elif mask & _IGNORED:
                self._folders.pop(number, None)
            elif name and number in self._folders:
                path = self._folders[number] + b"/" + name
                if mask & _ISDIR:
                    if mask & (_CREATE | _MOVED_TO) and name not in _SKIPPED:
                        self._watch_tree(path)
                elif mask & _OPEN:
                    self._keep(path)

    def _keep(self, path: bytes) -> None:
        if len(self._opened) < FILES:
            self._opened[path] = None
        else:
            self.lost = True

    def take(self) -> tuple[str, ...] | None:
        """The files opened since the last call, in order of first sight; None if some were missed."""
        self.collect()
        found = None if self.lost else tuple(os.fsdecode(path) for path in self._opened)
        self._opened.clear()
        self.lost = False
        return found

    def close(self) -> None:
        """Ends the watch."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)
