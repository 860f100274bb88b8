"""One line about a session, read from few rows: ``tabshell sessions`` stays quick on thousands of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tabshell.errors import TabshellError
from tabshell.model.facts import (
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    SessionEnded,
    SessionResumed,
    SessionStarted,
    TurnStarted,
)
from tabshell.store.database import Store
from tabshell.store.locate import DATABASE


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """``ended`` tells a clean end; ``fault`` says why the session cannot be read (the rest is then empty)."""

    id: str
    name: str | None = None
    workspace: str = ""
    agent: str | None = None
    started_at: float = 0.0
    ended_at: float | None = None
    turns: int = 0
    open: int = 0
    resolved: int = 0
    fault: str | None = None

    @property
    def ended(self) -> bool:
        """Whether the session came to a clean end."""
        return self.ended_at is not None


def summarise(directory: Path) -> SessionSummary:
    """The summary of the session in ``directory``; a damaged one becomes a row that says so."""
    try:
        with Store.open(directory / DATABASE, readonly=True) as store:
            return _summary(directory, store)
    except TabshellError as error:
        return SessionSummary(directory.name, fault=str(error))


def _summary(directory: Path, store: Store) -> SessionSummary:
    started, started_at, ended_at = None, 0.0, None
    open_ids: set[int] = set()
    known: set[int] = set()
    kinds = (
        SessionStarted, SessionResumed, SessionEnded, RequirementAdded, RequirementResolved, RequirementReopened,
    )  # fmt: skip
    for event in store.events(*kinds):
        match event.fact:
            case SessionStarted():
                started, started_at = event.fact, event.at
            case SessionResumed():
                ended_at = None
            case SessionEnded():
                ended_at = event.at
            case RequirementAdded(id=number):
                known.add(number)
                open_ids.add(number)
            case RequirementResolved(requirement=number):
                open_ids.discard(number)
            case RequirementReopened(requirement=number):
                open_ids.add(number)
    if started is None:
        return SessionSummary(directory.name, fault="no session in it yet")
    return SessionSummary(
        started.id, started.name, started.workspace, started.agent, started_at, ended_at,
        store.last_number(TurnStarted), len(open_ids), len(known) - len(open_ids),
    )  # fmt: skip
