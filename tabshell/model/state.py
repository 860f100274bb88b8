"""What facts add up to. ``tab.fold`` computes it; the tab's texts, the audit and the exports read it."""

from __future__ import annotations

from collections.abc import Mapping

from tabshell.model.facts import (
    EntryLogged,
    FinishChecked,
    NoteAdded,
    RecordingGap,
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    SessionEnded,
    SessionStarted,
    TabAccessed,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.model.light import Literal, dataclass, field

RequirementStatus = Literal["open", "done", "unavailable"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """r<id> with its history, oldest first; ``resolution`` is the last one while it stands."""

    added: RequirementAdded
    status: RequirementStatus
    resolution: RequirementResolved | None
    history: tuple[RequirementResolved | RequirementReopened, ...]

    @property
    def id(self) -> int:
        """Its number."""
        return self.added.id

    @property
    def text(self) -> str:
        """As the agent stated it."""
        return self.added.text


@dataclass(frozen=True, slots=True)
class Entry:
    """L<id> with all turns in which it was shown, first turn first."""

    logged: EntryLogged
    turns: tuple[int, ...]

    @property
    def id(self) -> int:
        """Its number."""
        return self.logged.id


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that was listed and never opened; ``turn`` is where its path was first shown."""

    path: str
    turn: int
    search_hits: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate in its place: ``above`` the threshold or not (None without a task), BM25 ``score`` or 0."""

    candidate: Candidate
    above: bool | None
    score: float


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn; ``ended`` is None while it runs (or if it was cut off), ``files`` until it is classified."""

    started: TurnStarted
    started_at: float
    ended: TurnEnded | None = None
    files: TurnClassified | None = None
    entries: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Tab:
    """The running account of one session. Dicts are keyed by number, in order; do not mutate.

    ``turn`` is the last turn that began. ``candidates`` are keyed by path, in order of first sight.
    ``check`` is the last finish check given since the task text was set (None: not given yet).
    ``turns`` is empty when the fold was asked to leave turns out, and so may ``accesses`` be. ``made`` are the files
    that the agent wrote whole out of no other file, with the turn in which it last did.
    """

    session: SessionStarted
    started_at: float
    task: str | None
    turn: int
    turns: dict[int, Turn]
    requirements: dict[int, Requirement]
    notes: dict[int, NoteAdded]
    entries: Mapping[int, Entry]
    candidates: dict[str, Candidate]
    opened: frozenset[str]
    accesses: tuple[TabAccessed, ...]
    checks: tuple[FinishChecked, ...]
    check: FinishChecked | None
    gaps: tuple[RecordingGap, ...]
    ended: SessionEnded | None
    ended_at: float | None
    made: dict[str, int] = field(default_factory=dict)
