"""Long lists in pages, counted from 1 (``--page N``; ``--all`` is one page)."""

from __future__ import annotations

from collections.abc import Sequence

from tabshell.errors import Refused
from tabshell.model.light import Generic, TypeVar, dataclass
from tabshell.tab.wording import counted

Item = TypeVar("Item")

#: Requirements per page of the review; of the other lists.
REQUIREMENTS_PER_PAGE = 10
LINES_PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page: its items, the place of the first (from 0), which page of how many."""

    items: Sequence[Item]
    first: int
    number: int
    pages: int

    def footer(self, command: str) -> list[str]:
        """Where to go on, if there is more than one page."""
        if self.pages == 1:
            return []
        following = f"; next: {command} --page {self.number + 1}" if self.number < self.pages else ""
        return [f"page {self.number} of {self.pages}{following}"]


def page_of(items: Sequence[Item], size: int, number: int | None) -> Page[Item]:
    """Page ``number`` of ``items``, everything for None; refused if there is no such page."""
    pages = max(1, -(-len(items) // size)) if number is not None else 1
    if number is None:
        return Page(items, 0, 1, 1)
    if not 1 <= number <= pages:
        msg = f"no page {number}; there {'is' if pages == 1 else 'are'} {counted(pages, 'page')}"
        raise Refused(msg, "no-such-page")
    first = (number - 1) * size
    return Page(items[first : first + size], first, number, pages)
