"""The classifier: one record, what earlier turns left, and the disk -> accesses.

The way: the acts of the command (``walk``), the rows of the output, the paths in it (``listing``), the suspects,
who owns which row (``owners``), who was read (``verdict``), whose entry holds which rows (``attribute``). Content is
decided first; a path counts as listed where it does not stand inside content.
"""

from __future__ import annotations

import traceback

from tabshell.access.command.toolacts import doings_of_tool
from tabshell.access.command.walk import Followed, follow, learn
from tabshell.access.meeting import provenance as origins
from tabshell.access.meeting.turn import Turn
from tabshell.access.memory import Provenance, ShellMemory
from tabshell.access.paths.folders import Folders
from tabshell.model.accesses import Accesses, Reason, Write
from tabshell.model.collection import no_collection
from tabshell.model.files import Files
from tabshell.model.records import Record, ToolRecord

#: Files of one turn of which it is asked what of them the command itself wrote, how long they may be, and how much of
#: their end counts.
LOOKED_INTO, LONGEST, ENDING = 12, 16 << 20, 128 << 10


class Classifier:
    """Classifies the turns of one session in order. ``workspace`` and ``out`` are real absolute paths.

    Never raises for any record: an internal fault becomes an ``Accesses`` whose reasons say so.
    """

    def __init__(self, workspace: str, out: str | None, files: Files, home: str | None = None) -> None:
        self.workspace = workspace
        self.out = out
        self.files = files
        self.home = home
        self.memory = ShellMemory()
        self.provenance = Provenance()

    def classify(self, record: Record) -> Accesses:
        """The accesses of ``record``; remembers what the turn wrote and defined for the turns after it."""
        try:
            with no_collection():
                return self._classify(record)
        except Exception as fault:  # noqa: BLE001 - a fault here must not disturb anybody's shell
            place = traceback.extract_tb(fault.__traceback__)[-1]
            evidence = f"{type(fault).__name__}: {fault} ({place.name}, line {place.lineno})"
            return Accesses(reasons=(Reason("nothing", "internal fault", evidence, ()),))

    def remember(self, record: Record, accesses: Accesses) -> None:
        """Takes up a turn that was classified before (resume): its writes and definitions, nothing else."""
        try:
            self._remember(record, accesses)
        except Exception:  # noqa: BLE001 - what cannot be remembered is only missing later
            return

    def _classify(self, record: Record) -> Accesses:
        self._refresh()
        folders = Folders(self.files, self.workspace)
        followed: Followed | None = None
        if isinstance(record, ToolRecord):
            acts = doings_of_tool(record)
        else:
            followed = follow(record.command, record.cwd, self.home, self.files, self.memory)
            acts = followed.doings
        origins.remember_moved(acts, folders)
        wrote = origins.writes(acts, folders, record.started_at, record.confirmable)
        self._take_up(wrote, record.command)
        accesses = Turn(record, acts, folders, self.files, self.provenance, wrote).accesses()
        if followed:
            followed.leave(record.command, self.memory)
        return accesses

    def _remember(self, record: Record, accesses: Accesses) -> None:
        self._take_up(accesses.wrote, record.command)
        if not isinstance(record, ToolRecord):
            learn(record.command, record.cwd, self.home, self.files, self.memory)

    def _take_up(self, wrote: tuple[Write, ...], command: str) -> None:
        """Remembers what was written; where a file was added to, also which of its lines stand in the command."""
        looked = 0
        for write in wrote:
            text = None
            if write.own and write.appended and looked < LOOKED_INTO:
                looked += 1
                text = self._text(self._absolute(write.path))
            origins.take_up(self.provenance, write, command, text)

    def _text(self, path: str) -> str | None:
        """The end of a plain file."""
        info = self.files.info(path)
        content = self.files.content(path) if info is not None and info.size < LONGEST else None
        if content is None or b"\0" in content[:4096]:
            return None
        return content[-ENDING:].decode("utf-8", "surrogateescape")

    def _absolute(self, key: str) -> str:
        return key if key.startswith("/") else f"{self.workspace.rstrip('/')}/{key}"

    def _refresh(self) -> None:
        refresh = getattr(self.files, "refresh", None)
        if callable(refresh):
            refresh()
