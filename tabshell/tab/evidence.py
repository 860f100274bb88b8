"""Which entries may close a requirement, and the line that speaks for it (S16).

An entry cannot if the agent wrote its content, if it is binary, or if its files lie under ``--out`` or were made
by the agent before they were read; content derived from a source can. The term test compares the words of the
requirement with the entry's paths and excerpt.
"""

from __future__ import annotations

from collections.abc import Callable

from tabshell.model.light import Literal, dataclass
from tabshell.model.state import Entry, Requirement, Tab
from tabshell.tab.paths import out_prefix
from tabshell.text.terms import Query, first_shared_line, fold_white, matching_terms, path_terms

TextOf = Callable[[Entry], str]
Unfit = Literal["own", "binary", "output"]


@dataclass(frozen=True, slots=True)
class CitedLine:
    """A line of an entry that speaks for a requirement: ``index`` is its place in the excerpt, from 0.

    ``index`` is None where only the path shares a term; then ``line`` is empty.
    """

    entry: int
    path: str
    index: int | None
    line: str


def unfit(tab: Tab, entry: Entry) -> Unfit | None:
    """Why ``entry`` can close nothing, or None if it can."""
    logged = entry.logged
    if logged.binary:
        return "binary"
    if logged.own:
        return "own"
    if logged.derived_from:
        return None
    prefix = out_prefix(tab.session)
    if prefix and all(path.startswith(prefix) for path in logged.paths):
        return "output"
    if logged.paths and all(tab.made.get(path, logged.turn) < logged.turn for path in logged.paths):
        return "own"
    return None


def shares_term(asked: Query, entry: Entry, text_of: TextOf) -> bool:
    """Whether the entry's paths or excerpt hold a term of ``asked``; a query without any passes."""
    if not asked.terms:
        return True
    wanted = frozenset(asked.terms)
    if any(not wanted.isdisjoint(path_terms(path, asked)) for path in _all_paths(entry)):
        return True
    return not wanted.isdisjoint(matching_terms(text_of(entry)))


def has_quote(quote: str, text: str) -> bool:
    """Whether ``quote`` stands in ``text``, white space folded in both."""
    return fold_white(quote) in fold_white(text)


def speaking_line(asked: Query, entry: Entry, text: str, quote: str | None = None) -> CitedLine:
    """The line of ``entry`` that the quote begins on, else the first that shares a term with ``asked``."""
    path = entry.logged.paths[0] if entry.logged.paths else ""
    found = _line_of_quote(quote, text) if quote else None
    found = found or first_shared_line(text, asked.terms)
    if found is None:
        return CitedLine(entry.id, path, None, "")
    return CitedLine(entry.id, path, found[0], found[1].strip())


def cited_lines(tab: Tab, item: Requirement, asked: Query, text_of: TextOf) -> list[CitedLine]:
    """For each entry that ``item`` was closed against the line that speaks for it."""
    if item.resolution is None:
        return []
    entries = [tab.entries[number] for number in item.resolution.refs if number in tab.entries]
    return [speaking_line(asked, entry, text_of(entry), item.resolution.quote) for entry in entries]


def _all_paths(entry: Entry) -> tuple[str, ...]:
    return (*entry.logged.paths, *entry.logged.derived_from)


def _line_of_quote(quote: str, text: str) -> tuple[int, str] | None:
    """The line that the folded quote begins on: the last from which on the text still holds it."""
    folded = fold_white(quote)
    lines = text.split("\n")
    if not folded or folded not in fold_white(text):
        return None
    for index, line in enumerate(lines):
        if folded in fold_white(line):
            return index, line
    low, high = 0, len(lines) - 1
    while low < high:  # text from line ``low`` on holds it, from ``high + 1`` on it does not
        middle = (low + high + 1) // 2
        if folded in fold_white("\n".join(lines[middle:])):
            low = middle
        else:
            high = middle - 1
    return low, lines[low]
