"""A short digest of the tab for an agent that has lost its context (after a compaction, at a session's start).

At most ``MOST_LINES`` items of each kind, so that a hook can hand it over whole.
"""

from __future__ import annotations

from tabshell.model.state import Tab
from tabshell.tab.log import anchor
from tabshell.tab.plain import header, requirement_line
from tabshell.tab.wording import clip, counted
from tabshell.text.harmless import harmless

MOST_LINES = 20
_WIDTH = 200


def digest(tab: Tab, command: str = "tab") -> str:
    """Where the session stands: task, requirements (open ones first), newest entries, notes, what to call. ``command``
    is how the agent calls ``tab``."""
    lines = ["[tab] This session keeps a running account of the task outside your context."]
    if tab.task:
        lines.append(f"Task: {clip(harmless(tab.task), 2 * _WIDTH)}")
    lines.append(header(tab))
    items = sorted(tab.requirements.values(), key=lambda item: (item.status != "open", item.id))
    lines += _few([requirement_line(item) for item in items], f"{command} list")
    if tab.session.capture:
        count = counted(len(tab.entries), "entry", "entries")
        lines.append(f"Read log: {count}" + (", newest first:" if tab.entries else ""))
        lines += _few(
            [anchor(tab.entries[number]) for number in sorted(tab.entries, reverse=True)], f"{command} list log"
        )
        lines.append(f"Files listed but never opened: {len(tab.candidates)} ({command} list candidates)")
    if tab.notes:
        lines.append("Notes:")
        lines += _few([f"n{n.id} {harmless(n.text)}" for n in reversed(tab.notes.values())], f"{command} list notes")
    lines.append(
        f"{command} list reviews the open requirements, {command} show L<n> reads an entry again, "
        f"{command} help says the rest."
    )
    return "\n".join(lines)


def _few(lines: list[str], command: str) -> list[str]:
    shown = [f"  {clip(line, _WIDTH)}" for line in lines[:MOST_LINES]]
    more = len(lines) - len(shown)
    return [*shown, f"  {more} more: {command}"] if more else shown
