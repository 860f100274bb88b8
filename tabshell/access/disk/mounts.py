"""Which mounts do not answer: a question to a file on one of them would never come back; no prompt may wait for it.

Only mounts of the kinds that can hang are looked at (network file systems, FUSE, automounts). They are asked by a
thread of their own, which is left behind where no answer comes in time; a mount that answers later is used again from
then on. Without such mounts this costs a look at the mount table when that has changed. Limits: a mount that stops
answering between being asked and being used still holds up one turn.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import threading
from functools import partial

from tabshell.model.aside import aside

#: File systems on which a question may wait for another machine or another process.
MAY_HANG = re.compile(
    r"(?:fuse.*|nfs\d?|cifs|smb\d?|smbfs|ncpfs|9p|afs|autofs|ceph|coda|davfs|glusterfs|gfs2?|lustre|ocfs2|orangefs|beegfs"
    r"|virtiofs|vboxsf)\Z"
)
#: Those of them that are no place for documents, or that the kernel answers for.
_HARMLESS = frozenset({"fusectl", "fuse.lxcfs", "fuse.gvfsd-fuse", "fuse.portal"})
#: Seconds that the mounts have for their answer, all of them together.
ANSWER_S = 0.3
_TABLE = "/proc/self/mountinfo"
_LINKS = 40


class Mounts:
    """The mounts of this process. ``look`` once a turn; then ``behind`` for a path.

    They are asked when the turn has its first question: a turn without any pays nothing, which counts where network
    mounts are always there (9p under WSL, a home on NFS) and a thread each were 0.1 ms each.
    """

    def __init__(self, table: str = _TABLE) -> None:
        self._table = table
        self._changes: select.poll | None = None
        self._descriptor = -1
        self._doubtful: tuple[str, ...] = ()
        self._asked: dict[str, threading.Event] = {}
        self._hung: tuple[str, ...] = ()
        self._looked = False

    def look(self) -> None:
        """What is known of them is to be asked anew."""
        self._looked = False

    @property
    def hung(self) -> tuple[str, ...]:
        """The mount points that do not answer now."""
        if not self._looked:
            self._looked = True
            self._ask_all()
        return self._hung

    def _ask_all(self) -> None:
        if self._changed():
            self._doubtful = self._read()
        if not self._doubtful and not self._hung:
            return
        waiting = [(point, self._answer(point)) for point in self._doubtful]
        left = ANSWER_S
        hung = []
        for point, answered in waiting:
            # one that did not answer before is not waited for again
            if not answered.wait(0.0 if point in self._hung else left):
                hung.append(point)
                left = 0.01
        self._hung = tuple(hung)

    def behind(self, path: str) -> bool:
        """Whether ``path`` leads to a mount that does not answer, links followed without asking it."""
        hung = self.hung
        if not hung:
            return False
        done, rest, links = "", path.split("/"), 0
        while rest:
            name, rest = rest[0], rest[1:]
            if name in ("", "."):
                continue
            if name == "..":
                done = done.rpartition("/")[0]
                continue
            here = f"{done}/{name}"
            if here in hung:
                return True
            try:
                target = os.readlink(here)
            except (OSError, ValueError):
                done = here
                continue
            links += 1
            if links > _LINKS:
                return False
            done = "" if target.startswith("/") else done
            rest = [*target.split("/"), *rest]
        return False

    def _answer(self, point: str) -> threading.Event:
        """Set when the mount has answered; one thread at a time asks it."""
        before = self._asked.get(point)
        if before is not None and not before.is_set():
            return before
        answered = self._asked[point] = threading.Event()
        if not aside(partial(_ask, point, answered)):
            del self._asked[point]  # asked anew at the next turn, and taken for hung in this one
        return answered

    def _changed(self) -> bool:
        """Whether mounts came or went since the last look (the first one included)."""
        if self._changes is None:
            try:
                self._descriptor = os.open(self._table, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                return False
            self._changes = select.poll()
            self._changes.register(self._descriptor, select.POLLERR | select.POLLPRI)
            return True
        return bool(self._changes.poll(0))

    def _read(self) -> tuple[str, ...]:
        try:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            table = b""
            while piece := os.read(self._descriptor, 1 << 16):
                table += piece
        except OSError:
            return ()
        return tuple(dict.fromkeys(_doubtful(os.fsdecode(table))))

    def close(self) -> None:
        """Gives the descriptor back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor, self._changes = -1, None

    def __del__(self) -> None:
        """A process that looks into many sessions keeps no descriptor of those that it has left."""
        self.close()


def _doubtful(table: str) -> list[str]:
    """The mount points in a mount table that may hang."""
    found = []
    for line in table.split("\n"):
        before, _, after = line.partition(" - ")
        kind = after.split(" ", 1)[0]
        words = before.split(" ")
        if MAY_HANG.match(kind) and kind not in _HARMLESS and len(words) > 4:
            found.append(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), words[4]))
    return found


def _ask(point: str, answered: threading.Event) -> None:
    with contextlib.suppress(OSError, ValueError):  # an error is an answer, too
        os.statvfs(point)  # never answered from a cache, as a question for its attributes may be
    answered.set()
