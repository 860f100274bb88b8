"""Sessions without a shell: a tab of given excerpts, and the reports with known truth."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tabshell.audit.tracing import prepare, trace
from tabshell.documents import extract
from tabshell.model.facts import (
    EntryLogged,
    RequirementAdded,
    RequirementResolved,
    SessionStarted,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.model.state import Entry, Requirement, Tab, Turn

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "fixtures" / "reports"), str(ROOT / "benchmarks")]


@dataclass
class Maker:
    """Builds a tab step by step; ``tab`` and ``text_of`` are what the audit takes."""

    texts: dict[int, str]
    entries: dict[int, Entry]
    requirements: dict[int, Requirement]
    turns: dict[int, Turn]

    def shown(self, path: str, text: str, **facts: object) -> int:
        """Logs an excerpt; gives its number."""
        number = len(self.entries) + 1
        logged = EntryLogged(number, number, "read", (path,), (path,), f"cat {path}", 1, (), len(text), "0" * 64)
        self.texts[number] = text
        self.entries[number] = Entry(replace(logged, **facts), (number,))
        self.turn(f"cat {path}", read=(path,))
        return number

    def turn(self, command: str, read: tuple[str, ...] = (), **ended: object) -> int:
        """Adds a turn; ``ended`` are fields of its end."""
        number = len(self.turns) + 1
        over = replace(TurnEnded(number, 0, 0.1, 1, 0, 0, 100), **ended)
        files = TurnClassified(number, read, (), (), (), (), (), ())
        self.turns[number] = Turn(TurnStarted(number, "pty", command, "history", "/ws"), 1000.0 + number, over, files)
        return number

    def requires(self, text: str, *refs: int, reason: str | None = None, quote: str | None = None) -> int:
        """States a requirement, closed by ``refs`` or with a reason, else open."""
        number = len(self.requirements) + 1
        added = RequirementAdded(number, 1, text)
        status = "done" if refs else "unavailable" if reason else "open"
        step = RequirementResolved(number, 2, status, refs, reason, quote) if status != "open" else None
        self.requirements[number] = Requirement(added, status, step, (step,) if step else ())
        return number

    @property
    def tab(self) -> Tab:
        """The tab so far."""
        started = SessionStarted("20260101-abc", "demo", "/ws", None, "agent", "5.2.15", "0.1.0")
        return Tab(
            started, 1000.0, "report on revenue and staff", len(self.turns), self.turns, self.requirements, {},
            self.entries, {}, frozenset(), (), (), None, (), None, None,
        )  # fmt: skip

    def text_of(self, entry: Entry) -> str:
        """An entry's text."""
        return self.texts[entry.id]


@pytest.fixture
def maker() -> Maker:
    """An empty session."""
    return Maker({}, {}, {}, {})


@pytest.fixture
def traced():
    """Traces a Markdown text against a maker's session: text of each value -> what became of it."""

    def run(maker: Maker, text: str, name: str = "r.md", keys=()):
        document = extract(text.encode() if isinstance(text, str) else text, name)
        found = trace(prepare(maker.tab, maker.text_of, [document], keys), [document])[0]
        return {item.mention.value.text: item for item in found.traced}

    return run
