"""The real ``Files``: what the disk says, asked once per turn, bounded in bytes and in time.

Answers are kept until ``refresh`` (the classifier calls it at the start of each turn); texts of files stay longer
and are looked up by path, size and times. After ``deadline`` seconds of one turn every further question is
answered with "nothing there", so that a slow mount delays a turn but does not stop it. Only regular files are
opened, never a pipe or a device. Of a mount that does not answer (``disk.mounts``) nothing is asked at all. Limits:
one system call that hangs all the same cannot be broken off from here.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import stat
import subprocess
import time
from _thread import allocate_lock
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice

from tabshell.access.disk.mounts import Mounts
from tabshell.model.aside import aside
from tabshell.model.files import FileInfo, FileKind

#: Bytes of a file that are read for comparing, and characters of text that are kept over turns.
CONTENT = 64 << 20
KEPT = 24 << 20
#: Bytes that are read at once of a file that does not tell its size.
PIECE = 1 << 20
#: Bytes of a large file that are mapped at once.
WINDOW = 8 << 20
#: Pages of a long document that are looked at before the whole of it.
GLANCED = 4
#: Bytes of a document beyond which not even its beginning is looked at.
DEAR = 8 << 20

_KINDS: dict[int, FileKind] = {stat.S_IFREG: "file", stat.S_IFDIR: "dir"}

#: A path with size and times: the same again is the same content.
Version = tuple[str, int, float, float]


class Disk:
    """Answers from the file system. Never raises; see ``model.files.Files``."""

    def __init__(self, deadline: float = 4.0) -> None:
        self.deadline = deadline
        self._texts: OrderedDict[Version, tuple[str, ...]] = OrderedDict()
        self._kept = 0
        self._pdftotext = shutil.which("pdftotext")
        self._digests: dict[tuple[str, int, int, int], str] = {}
        self._mounts = Mounts()
        self.refresh()

    def refresh(self) -> None:
        """Forgets what may have changed since: a new turn."""
        self._mounts.look()
        self._until = time.monotonic() + self.deadline
        self._infos: dict[str, FileInfo | None] = {}
        self._kinds: dict[str, dict[str, FileKind | None]] = {}
        self._reals: dict[str, str] = {}
        self._contents: dict[str, bytes | None] = {}
        self._digesting: dict[tuple[str, int, int, int], _Digest] = {}

    @property
    def late(self) -> bool:
        """Whether this turn's time for the disk is used up."""
        return time.monotonic() > self._until

    def info(self, path: str) -> FileInfo | None:
        """The file behind ``path``, or None if there is none (a broken link is none)."""
        infos = self._infos
        if path in infos:
            return infos[path]
        if time.monotonic() > self._until or (self._mounts.hung and self._mounts.behind(path)):
            return None
        infos[path] = found = self._ask(path)
        return found

    def _ask(self, path: str) -> FileInfo | None:
        try:
            status = os.lstat(path)
            link = stat.S_IFMT(status.st_mode) == stat.S_IFLNK
            if link:
                status = os.stat(path)
            real = self._followed(path) if link else self._real(path)
        except (OSError, ValueError):
            return None
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other")
        return FileInfo(kind, status.st_size, status.st_mtime, status.st_ctime, real, link)

    def _followed(self, path: str) -> str:
        """The resolved path of a link. Where its target is a plain path its directory is resolved once for all."""
        folder, name = os.path.split(path)
        target = os.readlink(path)
        if name in ("", ".", "..") or ".." in target or "//" in target or target.endswith(("/", "/.")):
            return os.path.realpath(path)
        pointed = os.path.join(self._real_folder(folder), target)
        return os.path.realpath(path) if os.path.islink(pointed) else self._real(pointed)

    def _real(self, path: str) -> str:
        """The resolved path of something that is no link itself; its directory is resolved once."""
        folder, _, name = path.rpartition("/")
        if name in ("", ".", "..") or not folder:
            return os.path.realpath(path)
        real = self._reals.get(folder) or self._real_folder(folder)
        return f"{real}/{name}" if real != "/" else f"/{name}"

    def _real_folder(self, folder: str) -> str:
        """A directory with its links resolved; those above it are resolved once."""
        known = self._reals.get(folder)
        if known is None:
            above, name = os.path.split(folder)
            plain = name not in ("", ".", "..") and self._kinds.get(above, {}).get(name) == "dir"
            if not plain and (above == folder or name in ("", ".", "..") or os.path.islink(folder)):
                known = os.path.realpath(folder or ".")
            else:
                known = os.path.join(self._real_folder(above), name)
            self._reals[folder] = known
        return known

    def kinds(self, path: str) -> Mapping[str, FileKind | None]:
        """The names in a directory with their kinds; None where a link must be followed to know."""
        if path not in self._kinds:
            if self.late or self._mounts.behind(path):
                return {}
            self._kinds[path] = self._scan(path)
        return self._kinds[path]

    def kinds_within(self, path: str, most: int) -> Mapping[str, FileKind | None] | None:
        """The first ``most`` names of a directory with more of them; else None, and ``kinds`` has them all."""
        if path in self._kinds or self.late or self._mounts.behind(path):
            return None
        found = self._scan(path, most + 1)
        if len(found) <= most:
            self._kinds[path] = found
            return None
        found.popitem()
        return found

    def is_scanned(self, path: str) -> bool:
        """Whether ``kinds`` of this directory is known for this turn."""
        return path in self._kinds

    @staticmethod
    def _scan(path: str, most: int | None = None) -> dict[str, FileKind | None]:
        found: dict[str, FileKind | None] = {}
        try:
            with os.scandir(path) as entries:
                for entry in entries if most is None else islice(entries, most):
                    if entry.is_file(follow_symlinks=False):
                        found[entry.name] = "file"
                    elif entry.is_symlink():
                        found[entry.name] = None
                    else:
                        found[entry.name] = "dir" if entry.is_dir(follow_symlinks=False) else "other"
        except (OSError, ValueError):
            pass
        return found

    def names(self, path: str) -> tuple[str, ...]:
        """The names in a directory, sorted; empty if it is none."""
        return tuple(sorted(self.kinds(path)))

    def content(self, path: str) -> bytes | None:
        """The bytes of a regular file up to the bound; None if it is unreadable or too large."""
        if path in self._contents:
            return self._contents[path]
        found = self.info(path)
        if found is None or found.kind != "file" or found.size > CONTENT or self.late:
            return None
        try:
            data: bytes | None = _bytes(path, found.size)
        except (OSError, ValueError):
            data = None
        if data is None or len(data) < 1 << 20:
            self._contents[path] = data
        return data

    def text(self, path: str) -> str | None:
        """Text of the file for comparing; None where it is binary and nothing opens it."""
        found = self.texts(path)
        return found[0] if found else None

    def texts(self, path: str) -> tuple[str, ...]:
        """All texts that the file may show (several for an old encoding), the likeliest first."""
        from tabshell.documents.containers import texts  # noqa: PLC0415 - archives and databases load late

        key = self._key(path)
        if key is None:
            return ()
        if key in self._texts:
            self._texts.move_to_end(key)
            return self._texts[key]
        data = self.content(path)
        if data is None:
            return ()
        try:
            pages = self._pages(data, None) if data.startswith(b"%PDF") else None
            found = pages if pages is not None else tuple(texts(data, os.path.basename(path)))
        except (MemoryError, RecursionError, ValueError):
            found = ()
        self._keep(key, found)
        return found

    def _key(self, path: str) -> Version | None:
        found = self.info(path)
        return None if found is None else (path, found.size, found.mtime, found.ctime)

    def is_prepared(self, path: str) -> bool:
        """Whether ``texts`` costs nothing: the file was looked into before and has not changed."""
        return self._key(path) in self._texts

    def glance(self, path: str) -> tuple[str, ...]:
        """The beginning of a document that is dear to read as a whole, else nothing."""
        from tabshell.documents.containers import beginning  # noqa: PLC0415 - archives and databases load late

        info = self.info(path)
        data = self.content(path) if info is not None and info.size <= DEAR else None
        if data is None:
            return ()
        if data.startswith(b"%PDF"):
            return self._pages(data, GLANCED) or ()
        return tuple(beginning(data, os.path.basename(path)))

    def _pages(self, data: bytes, last: int | None) -> tuple[str, ...] | None:
        """The text of a PDF up to page ``last`` by ``pdftotext``: twenty times faster than in Python. None where it
        is not installed or does not come to an end; empty where the pages hold no text."""
        if self._pdftotext is None:
            return None
        left = max(0.1, min(2.5, self._until - time.monotonic()))
        pages = [] if last is None else ["-l", str(last)]
        try:
            done = subprocess.run(
                [self._pdftotext, "-q", "-enc", "UTF-8", *pages, "-", "-"],
                input=data, capture_output=True, timeout=left, check=False,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            return None
        text = done.stdout.decode("utf-8", "replace").replace("\f", "\n")
        return (text,) if text.strip() else ()

    def _keep(self, key: Version, found: tuple[str, ...]) -> None:
        size = sum(map(len, found))
        if size > KEPT // 4:
            return
        self._texts[key] = found
        self._kept += size
        while self._kept > KEPT:
            _, old = self._texts.popitem(last=False)
            self._kept -= sum(map(len, old))

    def holds(self, path: str, pieces: list[bytes]) -> list[bool]:
        """Which of these bytes stand in a file too large to be taken into memory. They come in the order in which
        they were shown, mostly the file's own: each is looked for behind the one before it first. After some in a row
        that are not there no more are looked for."""
        found, behind = [], 0
        if self._mounts.behind(path):
            return [False] * len(pieces)
        try:
            with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as view:
                for piece in pieces:
                    at = -1 if self.late else _find(view, piece, behind, len(view))
                    if at < 0 and not self.late:
                        at = _find(view, piece, 0, behind + len(piece))
                    behind = at if at >= 0 else behind
                    found.append(at >= 0)
        except (OSError, ValueError):
            return [False] * len(pieces)
        return found

    def sha256(self, path: str) -> str | None:
        """The digest of a file's bytes, kept as long as it does not change."""
        key = self._version_to_digest(path)
        if key is None:
            return None
        try:
            if key not in self._digests:
                self._digests[key] = (self._digesting.pop(key, None) or _Digest(path)).value()
            return self._digests[key]
        except (OSError, ValueError):
            return None

    def digest_aside(self, path: str) -> None:
        """Begins with ``sha256`` in a thread, for who has something else to do before it is asked for."""
        key = self._version_to_digest(path)
        if key is not None and key not in self._digests and key not in self._digesting:
            self._digesting[key] = digest = _Digest(path)
            aside(digest.try_value)

    def _version_to_digest(self, path: str) -> tuple[str, int, int, int] | None:
        """What tells one content of a regular file from another; None where it is not to be read (any more)."""
        if self._mounts.behind(path):
            return None
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        key = (path, status.st_ino, status.st_size, status.st_mtime_ns)
        readable = key in self._digests or (stat.S_ISREG(status.st_mode) and not self.late)
        return key if readable else None


class _Digest:
    """The digest of one file, computed by the first who gets to it; who comes second waits until that is over."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held = allocate_lock()
        self._value = ""

    def value(self) -> str:
        """In hexadecimal. Raises OSError, ValueError."""
        with self._held:
            if not self._value:
                digest = hashlib.sha256()
                with open(self._path, "rb") as stream:
                    while piece := stream.read(1 << 20):
                        digest.update(piece)
                self._value = digest.hexdigest()
            return self._value

    def try_value(self) -> None:
        """Computes it; who asks for it is told what is wrong."""
        with suppress(Exception):
            self.value()


def _bytes(path: str, size: int) -> bytes:
    """All bytes of a file that was ``size`` bytes long, up to the bound. No more room is made for them than is needed:
    to have ``CONTENT`` bytes made ready takes five times as long as to read a page. Raises OSError, ValueError."""
    with open(path, "rb", buffering=0) as stream:
        data = stream.read(size + 1) or b""
        if size and len(data) <= size:
            return data
        pieces, left = [data], CONTENT - len(data)  # it grew, or is made as it is read (``/proc``)
        while left > 0 and (piece := stream.read(min(left, PIECE))):
            pieces.append(piece)
            left -= len(piece)
    return b"".join(pieces)


def _find(view: mmap.mmap, piece: bytes, start: int, end: int) -> int:
    """As ``view.find``, letting go of each window that was looked through: what was mapped would count as ours."""
    while start < end:
        at = view.find(piece, start, min(end, start + WINDOW + len(piece) - 1))
        if at >= 0:
            return at
        first = start - start % mmap.PAGESIZE
        if hasattr(view, "madvise"):  # not on every system
            view.madvise(mmap.MADV_DONTNEED, first, min(WINDOW, len(view) - first))
        start += WINDOW
    return -1
