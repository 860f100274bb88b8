"""The read log as a list, newest first (S15), and the anchor line that every entry is named by."""

from __future__ import annotations

from tabshell.model.state import Entry, Tab
from tabshell.tab.paging import LINES_PER_PAGE, Page, page_of
from tabshell.tab.wording import clip, counted, paths_of, remarks
from tabshell.text.harmless import harmless

#: Characters of a command that the list shows.
COMMAND_WIDTH = 120


def anchor(entry: Entry) -> str:
    """``L2: policies/travel.txt (turn 6, 2286 chars)``."""
    return f"L{entry.id}: {paths_of(entry)} (turn {entry.logged.turn}, {entry.logged.chars} chars)"


def command_line(entry: Entry, width: int | None = None) -> str:
    """The entry's command on one line: its first line, and how many follow."""
    first, *more = entry.logged.command.rstrip("\n").split("\n")
    shown = harmless(first) if width is None else clip(harmless(first), width)
    return f"{shown} (+{counted(len(more), 'line')})" if more else shown


def log_page(tab: Tab, number: int | None) -> tuple[str, Page[Entry]]:
    """The text of ``tab list log`` and the entries on that page (None: all)."""
    numbers = sorted(tab.entries, reverse=True)
    asked = page_of(numbers, LINES_PER_PAGE, number)
    page = Page([tab.entries[key] for key in asked.items], asked.first, asked.number, asked.pages)
    if not numbers:
        return "Read log: no entries yet; every file whose content is shown gets one", page
    lines = [f"Read log: {counted(len(numbers), 'entry', 'entries')}, newest first; tab show L{numbers[0]} shows one"]
    for entry in page.items:
        said = remarks(entry)
        lines.append(anchor(entry) + (f" [{'; '.join(said)}]" if said else ""))
        lines.append(f"    command: {command_line(entry, COMMAND_WIDTH)}")
    return "\n".join([*lines, *page.footer("tab list log")]), page
