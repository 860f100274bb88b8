"""Measures of many sessions, added up one by one: medians of the amounts, shares of the habits, by group. Pure.

A session costs one float for each amount, whatever was in it, so that a folder of any size can be counted.
"""

from __future__ import annotations

import statistics
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tabshell.audit.stats import SessionStats

AMOUNTS = (
    "requirements", "done_percent", "reviewed_percent", "entries", "files", "excerpt_chars", "unopened", "shown_chars",
)  # fmt: skip
HABITS = (
    "states_before_check", "reviews_before_check", "cites_reviewed", "shows_entry", "operates_after_check",
    "edits_after_check", "opens_listed",
)  # fmt: skip
#: What sessions can be grouped by.
GroupBy = Literal["agent", "model", "variant", "name"]


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A directory whose session cannot be measured; ``code`` is the error's stable word."""

    directory: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Overview:
    """Medians of the amounts and shares (in percent) of the habits, over sessions."""

    sessions: int
    medians: dict[str, float | None]
    shares: dict[str, float]


class Group(NamedTuple):
    """The sessions that are alike in what was asked for: ``values`` in its order."""

    values: tuple[str | None, ...]
    overview: Overview


class _Sums:
    """One group's numbers."""

    def __init__(self) -> None:
        self.sessions = 0
        self.amounts = {name: array("d") for name in AMOUNTS}
        self.habits = dict.fromkeys(HABITS, 0)

    def add(self, one: SessionStats) -> None:
        self.sessions += 1
        for name, values in self.amounts.items():
            value = getattr(one, name)
            if value is not None:
                values.append(value)
        for name in HABITS:
            self.habits[name] += getattr(one, name)

    def overview(self) -> Overview:
        medians = {name: _median(values) for name, values in self.amounts.items()}
        shares = {name: 100 * count / self.sessions for name, count in self.habits.items()}
        return Overview(self.sessions, medians, shares)


def _median(values: array[float]) -> float | None:
    if not values:
        return None
    middle = statistics.median(values)
    return int(middle) if middle.is_integer() else middle


class Tally:
    """Adds sessions up. ``by`` are the fields to group by (none: one group)."""

    def __init__(self, by: Sequence[GroupBy] = ()) -> None:
        self.by = tuple(by)
        #: How many could not be measured, by code.
        self.unmeasured: Counter[str] = Counter()
        self.running = 0
        #: Sessions with turns that are not classified yet, or with something not recorded.
        self.pending = 0
        self.gaps = 0
        self._all = _Sums()
        self._groups: dict[tuple[str | None, ...], _Sums] = {}

    @property
    def sessions(self) -> int:
        """How many were measured."""
        return self._all.sessions

    def add(self, one: SessionStats) -> None:
        """Counts a session."""
        self._all.add(one)
        self.running += not one.ended
        self.pending += one.pending > 0
        self.gaps += one.gaps > 0
        if self.by:
            key = tuple(getattr(one, name) for name in self.by)
            self._groups.setdefault(key, _Sums()).add(one)

    def pass_over(self, one: Unmeasured) -> None:
        """Counts a directory that gave no measures."""
        self.unmeasured[one.code] += 1

    def overview(self) -> Overview:
        """Over all sessions; there must be one."""
        return self._all.overview()

    def groups(self) -> list[Group]:
        """By their values in order, sessions without one last."""
        keys = sorted(self._groups, key=lambda values: [(value is None, value or "") for value in values])
        return [Group(key, self._groups[key].overview()) for key in keys]

    def thirds(self) -> list[tuple[float, float, int]]:
        """The characters shown, in thirds of the sessions: least, most, how many sessions. Empty below three."""
        ordered = sorted(self._all.amounts["shown_chars"])
        if len(ordered) < 3:
            return []
        size = len(ordered) / 3
        parts = [ordered[round(place * size) : round((place + 1) * size)] for place in range(3)]
        return [(part[0], part[-1], len(part)) for part in parts]


def overview(sessions: Iterable[SessionStats]) -> Overview:
    """Over sessions that are there at once; there must be one."""
    tally = Tally()
    for one in sessions:
        tally.add(one)
    return tally.overview()
