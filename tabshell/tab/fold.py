"""Facts in, the tab out. ``fold`` is the whole of it; ``Folder`` is the same, kept up to date event by event.

Folding in two halves equals folding at once. A proxy folds a few events after each of thousands of turns, so
applying an event costs what the event holds, never what the tab holds, and ``Folder.standing`` (the status line)
ranks nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tabshell.errors import StoreDamaged
from tabshell.model.facts import (
    EntryLogged,
    EntrySeen,
    Event,
    FinishChecked,
    NoteAdded,
    RecordingGap,
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    SessionEnded,
    SessionResumed,
    SessionStarted,
    TabAccessed,
    TaskSet,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.model.light import Any, dataclass
from tabshell.model.state import Entry, Requirement, Tab, Turn
from tabshell.tab.unopened import Unopened

#: The operations that count as an access in the status line (S12).
ACCESS_OPERATIONS = frozenset({"add", "note", "list", "show", "resolve", "reopen", "finish"})


@dataclass(frozen=True, slots=True)
class Standing:
    """What the status line tells. ``above`` is None without a task text, ``since_access`` without an access."""

    open: tuple[int, ...]
    resolved: int
    candidates: int
    above: int | None
    entries: int
    since_access: int | None
    capture: bool


def fold(facts: Iterable[Event], tab: Tab | None = None, *, turns: bool = True) -> Tab:
    """The tab that ``facts`` add up to, after ``tab`` if given (which stays as it is)."""
    folder = Folder(tab, turns=turns)
    for event in facts:
        folder.apply(event)
    return folder.tab()


def standing(tab: Tab) -> Standing:
    """What the status line tells of ``tab``."""
    return Folder(tab, turns=False).standing()


class Folder:
    """The tab while it grows. ``turns=False`` leaves ``Tab.turns`` empty (the status line needs none)."""

    def __init__(self, tab: Tab | None = None, *, turns: bool = True) -> None:
        self._keep_turns = turns
        self._session = tab.session if tab else None
        self._started_at = tab.started_at if tab else 0.0
        self._task = tab.task if tab else None
        self._turn = tab.turn if tab else 0
        self._turns: dict[int, Turn] = dict(tab.turns) if tab else {}
        self._requirements: dict[int, Requirement] = dict(tab.requirements) if tab else {}
        self._notes: dict[int, NoteAdded] = dict(tab.notes) if tab else {}
        self._entries: dict[int, Entry] = dict(tab.entries) if tab else {}
        self._accesses: list[TabAccessed] = list(tab.accesses) if tab else []
        self._checks: list[FinishChecked] = list(tab.checks) if tab else []
        self._check = tab.check if tab else None
        self._gaps: list[RecordingGap] = list(tab.gaps) if tab else []
        self._ended = tab.ended if tab else None
        self._ended_at = tab.ended_at if tab else None
        self._unopened = Unopened.of(tab)
        self._last_access = next((a.turn for a in reversed(self._accesses) if a.operation in ACCESS_OPERATIONS), None)
        self._view: Tab | None = None

    def apply(self, event: Event) -> None:
        """Takes one event in. Facts that the tab does not hold (output, sizes) pass."""
        take = _TAKE.get(type(event.fact))
        if take is not None:
            self._view = None
            take(self, event.fact, event.at)

    @property
    def session(self) -> SessionStarted | None:
        """How the session began; None before the fact that says so."""
        return self._session

    @property
    def task(self) -> str | None:
        """The task text."""
        return self._task

    def tab(self) -> Tab:
        """The tab now. Its dicts are live: hold it no longer than until the next ``apply``."""
        if self._session is None:
            msg = "the store holds no session start; it is damaged or not tabshell's"
            raise StoreDamaged(msg)
        if self._view is None:
            self._view = Tab(
                session=self._session,
                started_at=self._started_at,
                task=self._task,
                turn=self._turn,
                turns=self._turns,
                requirements=self._requirements,
                notes=self._notes,
                entries=self._entries,
                candidates=self._unopened.candidates,
                opened=self._unopened.opened_now(),
                accesses=tuple(self._accesses),
                checks=tuple(self._checks),
                check=self._check,
                gaps=tuple(self._gaps),
                ended=self._ended,
                ended_at=self._ended_at,
                made=self._unopened.made,
            )
        return self._view

    def standing(self) -> Standing:
        """What the status line tells, without ranking and without building the tab."""
        still_open = tuple(number for number, item in self._requirements.items() if item.status == "open")
        return Standing(
            open=still_open,
            resolved=len(self._requirements) - len(still_open),
            candidates=len(self._unopened.candidates),
            above=self._unopened.above_threshold(self._task),
            entries=len(self._entries),
            since_access=None if self._last_access is None else max(0, self._turn - self._last_access),
            capture=self._session.capture if self._session else True,
        )

    def _session_started(self, fact: SessionStarted, at: float) -> None:
        self._session, self._started_at = fact, at
        self._unopened.start(fact)

    def _session_resumed(self, _fact: SessionResumed, _at: float) -> None:
        self._ended, self._ended_at = None, None

    def _session_ended(self, fact: SessionEnded, at: float) -> None:
        self._ended, self._ended_at = fact, at

    def _task_set(self, fact: TaskSet, _at: float) -> None:
        if fact.text != self._task:  # a new task re-arms the finish check; the same one again does not
            self._task, self._check = fact.text, None

    def _turn_started(self, fact: TurnStarted, at: float) -> None:
        self._turn = max(self._turn, fact.turn)
        if self._keep_turns:
            self._turns[fact.turn] = Turn(fact, fact.began_at or at)

    def _turn_ended(self, fact: TurnEnded, _at: float) -> None:
        if turn := self._turns.get(fact.turn):
            self._turns[fact.turn] = Turn(turn.started, turn.started_at, fact, turn.files, turn.entries)

    def _turn_classified(self, fact: TurnClassified, _at: float) -> None:
        self._unopened.classified(fact)
        if turn := self._turns.get(fact.turn):
            self._turns[fact.turn] = Turn(turn.started, turn.started_at, turn.ended, fact, turn.entries)

    def _entry_logged(self, fact: EntryLogged, _at: float) -> None:
        self._entries[fact.id] = Entry(fact, (fact.turn,))
        self._unopened.logged(fact)
        self._entry_of_turn(fact.turn, fact.id)

    def _entry_seen(self, fact: EntrySeen, _at: float) -> None:
        if entry := self._entries.get(fact.entry):
            if fact.turn not in entry.turns:
                self._entries[fact.entry] = Entry(entry.logged, (*entry.turns, fact.turn))
            self._entry_of_turn(fact.turn, fact.entry)

    def _entry_of_turn(self, number: int, entry: int) -> None:
        turn = self._turns.get(number)
        if turn is not None and entry not in turn.entries:
            self._turns[number] = Turn(turn.started, turn.started_at, turn.ended, turn.files, (*turn.entries, entry))

    def _requirement_added(self, fact: RequirementAdded, _at: float) -> None:
        self._requirements[fact.id] = Requirement(fact, "open", None, ())

    def _requirement_resolved(self, fact: RequirementResolved, _at: float) -> None:
        if item := self._requirements.get(fact.requirement):
            self._requirements[item.id] = Requirement(item.added, fact.status, fact, (*item.history, fact))

    def _requirement_reopened(self, fact: RequirementReopened, _at: float) -> None:
        if item := self._requirements.get(fact.requirement):
            self._requirements[item.id] = Requirement(item.added, "open", None, (*item.history, fact))

    def _note_added(self, fact: NoteAdded, _at: float) -> None:
        self._notes[fact.id] = fact

    def _tab_accessed(self, fact: TabAccessed, _at: float) -> None:
        self._accesses.append(fact)
        if fact.operation in ACCESS_OPERATIONS:
            self._last_access = fact.turn

    def _finish_checked(self, fact: FinishChecked, _at: float) -> None:
        self._checks.append(fact)
        self._check = fact

    def _recording_gap(self, fact: RecordingGap, _at: float) -> None:
        self._gaps.append(fact)


_TAKE: dict[type, Callable[[Folder, Any, float], None]] = {
    SessionStarted: Folder._session_started,
    SessionResumed: Folder._session_resumed,
    SessionEnded: Folder._session_ended,
    TaskSet: Folder._task_set,
    TurnStarted: Folder._turn_started,
    TurnEnded: Folder._turn_ended,
    TurnClassified: Folder._turn_classified,
    EntryLogged: Folder._entry_logged,
    EntrySeen: Folder._entry_seen,
    RequirementAdded: Folder._requirement_added,
    RequirementResolved: Folder._requirement_resolved,
    RequirementReopened: Folder._requirement_reopened,
    NoteAdded: Folder._note_added,
    TabAccessed: Folder._tab_accessed,
    FinishChecked: Folder._finish_checked,
    RecordingGap: Folder._recording_gap,
}
