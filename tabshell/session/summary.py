"""One line about a session, read from few rows: ``tabshell sessions`` stays quick on thousands of them."""

from __future__ import annotations

import os
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
from tabshell.store.still import read_still


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


def summarise(directory: Path | str) -> SessionSummary:
    """The summary of the session in ``directory``; a damaged one becomes a row that says so."""
    store, name = os.path.join(directory, DATABASE), os.path.basename(directory)
    try:
        if not os.path.isfile(store):
            return SessionSummary(name, fault=f"{store} is not a file")
        return read_still(store, lambda opened: _summary(name, opened))
    except TabshellError as error:
        return SessionSummary(name, fault=str(error))
    except Exception as error:  # noqa: BLE001 - facts that no tabshell wrote must not end the list of the others
        return SessionSummary(name, fault=f"its facts make no sense ({type(error).__name__}: {error})")


def _summary(name: str, store: Store) -> SessionSummary:
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
        return SessionSummary(name, fault="no session in it yet")
    return SessionSummary(
        started.id, started.name, started.workspace, started.agent, started_at, ended_at,
        store.last_number(TurnStarted), len(open_ids), len(known) - len(open_ids),
    )  # fmt: skip
