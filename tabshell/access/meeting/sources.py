"""Suspects -> sources to compare with, as far as the turn's effort goes, and in which order."""

from __future__ import annotations

from functools import partial

from tabshell.access.meeting import entries
from tabshell.access.meeting.claims import Claim
from tabshell.access.meeting.effort import GLANCE, KEPT, NAMED, Effort, price
from tabshell.access.meeting.suspects import Suspect, Trust
from tabshell.access.output.source import Source
from tabshell.access.paths.folders import Folders
from tabshell.model.files import Files

#: Programs that show bytes as they are, and files that need unpacking before they show anything.
_RAW = frozenset(("grep", "egrep", "fgrep", "rg", "cat", "head", "tail", "sed", "sort", "cut"))
_PACKED = (".pdf", ".docx", ".xlsx", ".pptx", ".zip", ".gz", ".xz", ".bz2", ".sqlite", ".db", ".odt", ".ods", ".jar")
#: Programs that show the bytes of a file, not its words.
_BYTES = frozenset(("xxd", "od", "hexdump", "base64", "base32", "strings"))
#: The rank of files that nothing names.
LAST = 2
#: With more files an act does not name a few.
FEW = 16
#: Microseconds for each byte of a file whose text is known already.
KNOWN = 0.0055


def rank(suspect: Suspect, mentioned: frozenset[str]) -> int:
    """Which files are looked into first: the few that a command names, those that the output names, the others."""
    act = suspect.act
    if act is not None and act.roots is None and len(act.paths) <= FEW:
        return 0
    return 1 if suspect.path in mentioned else LAST


def is_undecided(claim: Claim) -> bool:
    """Whether a document was too dear to be read as a whole, and the command's word alone proves nothing."""
    act, trust = claim.suspect.act, claim.suspect.trust
    if not claim.source.partial or claim.rows or act is None or act.utility in _BYTES:
        return False
    named = act.exact and len(act.paths) <= FEW and claim.suspect.path in act.paths
    return named and trust in (Trust.PROGRAM, Trust.NAMED)


class Looked:
    """Makes the sources of one turn's suspects, of which it gets the ``ranks``. ``whole``: keys of those read whatever
    it takes."""

    def __init__(
        self, files: Files, folders: Folders, ranks: list[int], effort: Effort, whole: frozenset[str] = frozenset()
    ) -> None:
        self.files = files
        self.folders = folders
        self.suspects = len(ranks)
        kept = KEPT if min(ranks, default=LAST) < LAST else 0.0
        self.beyond = (NAMED, 0.0, -kept)
        self.effort = effort
        self.whole = whole

    def source(self, suspect: Suspect, place: int) -> Source:
        """A suspect's source, which looks into the file when it is asked. ``place`` is its rank."""
        info = self.folders.info(suspect.path)
        if info is None or info.kind != "file":
            return Source(suspect.key, tuple)
        raw = suspect.act is not None and suspect.act.utility in _RAW and self.suspects > 8
        if raw and suspect.path.lower().endswith(_PACKED):
            return Source(suspect.key, tuple)
        load = partial(entries.texts, self.files, suspect.path, info.size)
        if suspect.key in self.whole:
            return Source(suspect.key, load, info.size)
        beyond = self.beyond[place]
        afford = partial(self._afford, suspect.path, info.size, beyond)
        return Source(suspect.key, load, info.size, afford, partial(self._glance, suspect.path, beyond))

    def _afford(self, path: str, size: int, beyond: float) -> bool:
        if self.effort.left + beyond <= 0:
            return False
        known = entries.is_prepared(self.files, path)
        return self.effort.take(KNOWN * size if known else price(path, size), beyond)

    def _glance(self, path: str, beyond: float) -> tuple[str, ...]:
        cost = GLANCE if path.lower().endswith(".pdf") else GLANCE / 4
        return entries.glance(self.files, path) if self.effort.take(cost, beyond) else ()
