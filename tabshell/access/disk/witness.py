"""The witness: which files of the workspace were opened while a command ran (Linux, inotify, no privilege).

A hint for the classifier where a script opens files that no command names; never the only evidence. A large tree
takes a tenth of a second to watch, a slow one longer, so that is done aside (``begin``) until ``over``; a turn that
began before has no witness. ``collect`` empties the kernel's queue and may be called as often as one likes (``fileno``
becomes readable when there is something); ``take`` gives the files opened since the last ``take``. Blind spots: files
reached through a hard link outside, files opened within a directory in the moment it is made, other processes' opens
look the same. Limits: ``DIRECTORIES`` watches; a workspace with more is watched as far as they go, and ``partial``
says so. When the queue overflows (16,384 events not collected), ``lost`` is set and ``take`` gives None for that turn:
the classifier then works as if there were no witness, so nothing is lost.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tabshell.model.aside import aside

if TYPE_CHECKING:
    import ctypes

#: Directories that are watched at most (the kernel's own bound is per user, often 65,536 or 8,192).
DIRECTORIES = 8000
#: Distinct files that one turn keeps.
FILES = 50_000
_OPEN, _CREATE, _MOVED_TO, _OVERFLOW, _IGNORED, _ISDIR = 0x20, 0x100, 0x80, 0x4000, 0x8000, 0x40000000
_ONLYDIR, _DONT_FOLLOW = 0x01000000, 0x02000000
_NONBLOCK, _CLOEXEC = 0o4000, 0o2000000
_EVENT = struct.Struct("iIII")
#: Directories between two looks into the queue while they are watched: each of them puts two events in.
_STRETCH = 1000
_SKIPPED = frozenset({b".git", b".hg", b".svn"})


class Witness:
    """Watches ``workspace`` (absolute). Until it is ``over`` that is the work of one thread, from then on of another;
    close it when the session ends."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        self._descriptor = -1
        self._libc: ctypes.CDLL | None = None
        self._error: Callable[[], int] = int
        self._folders: dict[int, bytes] = {}
        self._opened: dict[bytes, None] = {}
        self._silent: frozenset[bytes] = frozenset()
        self._closing = False
        #: Whether all directories are watched that can be.
        self.stands = False
        #: Whether nothing more comes of placing the watches.
        self.over = False
        self.partial = False
        #: Whether what was opened since the last ``take`` may not be known in full, as before the first.
        self.lost = True

    @classmethod
    def start(cls, workspace: str) -> Witness | None:
        """A witness that stands, or None where the system has none (no Linux, no watches left, unreadable)."""
        witness = cls(workspace)
        witness.place()
        if witness.stands:
            witness.take()
            return witness
        witness.close()
        return None

    def begin(self) -> None:
        """Places the watches aside."""
        if not aside(self.place):
            self.over = True

    def place(self) -> None:
        """Places the watches; comes back when it ``stands``, or never can (no Linux, no room)."""
        try:
            with contextlib.suppress(OSError, AttributeError, ImportError, MemoryError):
                self.stands = sys.platform.startswith("linux") and self._place()
        finally:
            self.over = True

    def _place(self) -> bool:
        import ctypes  # noqa: PLC0415 - no prompt shall wait for it

        from tabshell.access.disk.mounts import Mounts  # noqa: PLC0415

        self._libc, self._error = ctypes.CDLL(None, use_errno=True), ctypes.get_errno
        self._libc.inotify_add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._descriptor = self._libc.inotify_init1(_NONBLOCK | _CLOEXEC)
        if self._descriptor < 0:
            return False
        mounts = Mounts()
        mounts.look()
        #: Mounts that do not answer: to watch them would wait for ever.
        self._silent = frozenset(map(os.fsencode, mounts.hung))
        mounts.close()
        self._watch_tree(os.fsencode(self._workspace))
        self.collect()
        return bool(self._folders)

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._descriptor

    def _watch_tree(self, top: bytes) -> None:
        queue = [top]
        while queue and not self._closing:
            folder = queue.pop()
            if folder in self._silent:
                continue
            if not self._watch(folder):
                return
            if not self.over and len(self._folders) % _STRETCH == 0:
                self.collect()
            try:
                with os.scandir(folder) as entries:
                    queue += [e.path for e in entries if e.is_dir(follow_symlinks=False) and e.name not in _SKIPPED]
            except OSError:
                continue

    def _watch(self, folder: bytes) -> bool:
        """False when there is no room for another watch."""
        if self._libc is None or len(self._folders) >= DIRECTORIES:
            self.partial = True
            return False
        mask = _OPEN | _CREATE | _MOVED_TO | _ONLYDIR | _DONT_FOLLOW
        number = self._libc.inotify_add_watch(self._descriptor, folder, mask)
        if number < 0:
            if self._error() in (errno.ENOSPC, errno.ENOMEM):
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
            begin = at + _EVENT.size
            at = begin + size
            if mask & _OVERFLOW:
                self.lost = True
            elif mask & _IGNORED:
                self._folders.pop(number, None)
            elif size and number in self._folders and (not mask & _ISDIR or mask & (_CREATE | _MOVED_TO)):
                name = data[begin:at].rstrip(b"\0")
                path = self._folders[number] + b"/" + name
                if not mask & _ISDIR:
                    if mask & _OPEN:
                        self._keep(path)
                elif name not in _SKIPPED:
                    self._watch_tree(path)

    def _keep(self, path: bytes) -> None:
        if len(self._opened) < FILES:
            self._opened[path] = None
        else:
            self.lost = True

    def take(self) -> tuple[str, ...] | None:
        """The files opened since the last call, in order of first sight; None if some may have been missed."""
        if not self.stands:
            return None
        self.collect()
        found = None if self.lost else tuple(os.fsdecode(path) for path in self._opened)
        self._opened.clear()
        self.lost = False
        return found

    def close(self) -> None:
        """Ends the watch."""
        self._closing = True
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = -1
