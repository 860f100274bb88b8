"""Candidates while they come and go: listed, searched, opened, written, moved (S14).

A listed file is a candidate until it is opened. A file of which only search hits were shown is one too and
remembers the entries of its hits. What the agent wrote itself is none, nor what lies under ``--out``, outside the
workspace or in a version control folder. A moved file, alone or with its folder, keeps what was known of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tabshell.model.accesses import Write
from tabshell.model.facts import EntryLogged, SessionStarted, TurnClassified
from tabshell.model.light import TYPE_CHECKING, Any
from tabshell.model.state import Candidate, Tab
from tabshell.tab.paths import in_version_control, out_prefix

if TYPE_CHECKING:
    from tabshell.tab.threshold import Threshold


class Unopened:
    """The candidates of a session, the files opened, and the files that the agent made."""

    def __init__(self) -> None:
        self.candidates: dict[str, Candidate] = {}
        self.made: dict[str, int] = {}
        self._opened: set[str] = set()
        self._frozen: frozenset[str] | None = None
        self._out: str | None = None
        self._task: str | None = None
        self._threshold: Threshold | None = None
        self._above: set[str] = set()
        self._unjudged: list[str] = []

    @classmethod
    def of(cls, tab: Tab | None) -> Unopened:
        """A copy of what ``tab`` holds, to go on from."""
        new = cls()
        if tab is not None:
            new.candidates, new.made, new._opened = dict(tab.candidates), dict(tab.made), set(tab.opened)
            new.start(tab.session)
        return new

    @classmethod
    def from_json(cls, values: list[Any]) -> Unopened:
        """What ``as_json`` gave. Raises ValueError or TypeError where it is something else."""
        candidates, made, opened, task, above = values
        new = cls()
        new.candidates = {path: Candidate(path, turn, tuple(hits)) for path, turn, *hits in candidates}
        new.made, new._opened, new._task, new._above = dict(made), set(opened), task, set(above)
        return new

    def as_json(self) -> list[Any]:
        """All that is known, in values that JSON can hold. Paths that were not judged yet count as below."""
        candidates = [(one.path, one.turn, *one.search_hits) for one in self.candidates.values()]
        return [candidates, self.made, list(self._opened), self._task, list(self._above)]

    def start(self, session: SessionStarted) -> None:
        """Takes over where the session's output folder is."""
        self._out = out_prefix(session)

    def opened_now(self) -> frozenset[str]:
        """The files opened so far; the same object until it changes."""
        if self._frozen is None:
            self._frozen = frozenset(self._opened)
        return self._frozen

    def above_threshold(self, task: str | None) -> int | None:
        """How many candidates are above the threshold; None without a task text. Judges each path once."""
        if task is None:
            return None
        if task != self._task:
            self._task, self._threshold = task, None
            self._above.clear()
            self._unjudged = list(self.candidates)
        if self._unjudged:
            from tabshell.tab.threshold import Threshold  # noqa: PLC0415 - most calls of ``tab`` judge nothing

            self._threshold = self._threshold or Threshold(task)
            above = self._threshold.above
            self._above.update(path for path in self._unjudged if path in self.candidates and above(path))
            self._unjudged.clear()
        return len(self._above)

    def classified(self, fact: TurnClassified) -> None:
        """A turn's files: seen first, then written or moved, then opened, as a reader of its output would say."""
        self._see(fact.listed, fact.turn)
        self._see(fact.searched, fact.turn)
        for write in fact.wrote:
            self._wrote(write, fact.turn)
        for path in fact.read:
            self._open(path)
        for path in fact.opened:
            self._open(path)

    def logged(self, fact: EntryLogged) -> None:
        """An entry: a read opens its files and those that its content came from, hits mark theirs."""
        if fact.kind == "read":
            for path in (*fact.paths, *fact.derived_from):
                self._open(path)
            return
        self._see(fact.paths, fact.turn)
        for path in fact.paths:
            if (known := self.candidates.get(path)) and fact.id not in known.search_hits:
                self.candidates[path] = Candidate(path, known.turn, (*known.search_hits, fact.id))

    def _see(self, paths: Sequence[str], turn: int) -> None:
        candidates, opened, made, unjudged = self.candidates, self._opened, self.made, self._unjudged
        nowhere = ("/", self._out) if self._out is not None else ("/",)
        for path in paths:  # listings of 100,000 paths come through here
            if path in candidates or path in opened or path.startswith(nowhere):
                continue
            if path not in made and not (("/." in path or path[:1] == ".") and in_version_control(path)):
                candidates[path] = Candidate(path, turn)
                unjudged.append(path)

    def _eligible(self, path: str) -> bool:
        if path[:1] == "/" or path in self.made or in_version_control(path):
            return False
        return self._out is None or not path.startswith(self._out)

    def _open(self, path: str) -> None:
        self._drop(path)
        if path not in self._opened:
            self._opened.add(path)
            self._frozen = None

    def _drop(self, path: str) -> Candidate | None:
        self._above.discard(path)
        return self.candidates.pop(path, None)

    def _wrote(self, write: Write, turn: int) -> None:
        if write.moved_from is not None:
            self._moved(write.moved_from, write.path)
        elif write.appended:
            return
        elif write.own and not write.sources:
            self.made[write.path] = turn
            self._drop(write.path)
        else:
            self.made.pop(write.path, None)

    def _moved(self, old: str, new: str) -> None:
        if old.endswith("/"):  # a directory: all that is known of files below it
            below = {*self.candidates, *self.made, *self._opened}
            for path in sorted(path for path in below if path.startswith(old)):
                self._moved(path, new + path[len(old) :])
            return
        known = self._drop(old)
        if old in self.made:
            self.made[new] = self.made.pop(old)
            self._drop(new)
            return
        self.made.pop(new, None)
        if old in self._opened:
            self._opened.discard(old)
            self._frozen = None
            self._open(new)
        elif known is not None:
            if new in self._opened:  # what stood under that name before is gone
                self._opened.discard(new)
                self._frozen = None
            self._drop(new)
            if self._eligible(new):
                self.candidates[new] = Candidate(new, known.turn, known.search_hits)
                self._unjudged.append(new)
