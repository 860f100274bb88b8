"""The requirements with their status only (``--no-review``, ``--no-capture``): nothing here ranks."""

from __future__ import annotations

from tabshell.model.state import Requirement, Tab
from tabshell.tab.paging import Page
from tabshell.tab.wording import clip, status_of
from tabshell.text.harmless import harmless

#: Characters of a requirement's text in a list.
TEXT_WIDTH = 2000


def plain_text(tab: Tab, page: Page[Requirement]) -> str:
    """The requirements with their status only (``--no-review``, ``--no-capture``)."""
    lines = [header(tab), *(requirement_line(item) for item in page.items), *page.footer("tab list")]
    return "\n".join(lines)


def header(tab: Tab) -> str:
    """How many requirements are open and resolved, or how to begin."""
    if not tab.requirements:
        return (
            "Requirements: none added yet. Add one for each fact, figure or element that the task names: tab add TEXT"
        )
    still_open = sum(1 for item in tab.requirements.values() if item.status == "open")
    return f"Requirements: {still_open} open, {len(tab.requirements) - still_open} resolved"


def requirement_line(item: Requirement) -> str:
    """``r3 [open] text``; of a very long text its beginning (``tab show r3`` gives all of it)."""
    return f"r{item.id} [{status_of(item)}] {harmless(clip(item.text, TEXT_WIDTH))}"
