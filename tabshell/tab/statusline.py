"""The one line after every command (S12): what is open, unopened, read, and how long the tab was not used.

ASCII only; built from a ``Standing``, so that a door can print it after each of thousands of turns.
"""

from __future__ import annotations

from tabshell.tab.fold import Standing
from tabshell.tab.wording import counted, ids

OPERATIONS = "ops: tab add list show resolve"


def status_line(now: Standing) -> str:
    """The line, without a line break."""
    fields = [_requirements(now)]
    if now.capture:
        above = "" if now.above is None else f", {now.above} above threshold"
        fields.append(f"candidates: {now.candidates} unopened{above}")
        fields.append(f"read log: {counted(now.entries, 'entry', 'entries')}")
    fields.append(f"last tab access: {_ago(now.since_access)}")
    return "[tab] " + " | ".join([*fields, OPERATIONS])


def _requirements(now: Standing) -> str:
    if not now.open and not now.resolved:
        return "requirements: none added yet"
    which = f" ({ids('r', now.open)})" if now.open else ""
    return f"requirements: {len(now.open)} open{which}, {now.resolved} resolved"


def _ago(turns: int | None) -> str:
    if turns is None:
        return "never"
    return "this turn" if turns == 0 else f"{counted(turns, 'turn')} ago"
