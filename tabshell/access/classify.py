"""The classifier: one record, what earlier turns left, and the disk -> accesses."""

from __future__ import annotations

from tabshell.access.memory import Provenance, ShellMemory
from tabshell.model.accesses import Accesses
from tabshell.model.files import Files
from tabshell.model.records import Record


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
        raise NotImplementedError

    def remember(self, record: Record, accesses: Accesses) -> None:
        """Takes up a turn that was classified before (resume): its writes and definitions, nothing else."""
        raise NotImplementedError
