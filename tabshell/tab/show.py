"""One entry, requirement or note by its id (``tab show``)."""

from __future__ import annotations

from collections.abc import Mapping

from tabshell.errors import Refused
from tabshell.model.facts import NoteAdded, RequirementReopened, RequirementResolved
from tabshell.model.light import TYPE_CHECKING
from tabshell.model.state import Entry, Requirement, Tab
from tabshell.tab.log import anchor, command_line
from tabshell.tab.paging import page_of
from tabshell.tab.plain import requirement_line
from tabshell.tab.wording import clip, ids, known, number_of, remarks
from tabshell.text.harmless import harmless, harmless_excerpt

if TYPE_CHECKING:
    from tabshell.tab.evidence import TextOf

#: An excerpt longer than this (characters) is shown in pages of whole lines.
PAGE_CHARS = 30_000


def named(tab: Tab, word: str) -> Entry | Requirement | NoteAdded:
    """What ``word`` (``L2``, ``r3``, ``N1``) names; refused with the known ids if it names nothing."""
    letter = word[:1].lower()
    number = number_of(letter, word)
    if number is None or letter not in ("l", "r", "n"):
        msg = f"no id {clip(harmless(word), 60)}; ids are L1 (entry), r1 (requirement) and n1 (note): tab list"
        raise Refused(msg, "unknown-id")
    kind, sign = {"l": ("entry", "L"), "r": ("requirement", "r"), "n": ("note", "n")}[letter]
    all_of: Mapping[int, Entry | Requirement | NoteAdded]
    all_of = tab.entries if letter == "l" else tab.requirements if letter == "r" else tab.notes
    found = all_of.get(number)
    if found is None:
        msg = f"no {kind} {sign}{number}; known: {known(sign, all_of)}"
        raise Refused(msg, f"unknown-{kind}")
    return found


def entry_text(entry: Entry, text: str, page: int | None = 1) -> str:
    """The entry's anchor, its command, and the text as first seen (page by page if it is long)."""
    head = [anchor(entry), f"command: {command_line(entry)}"]
    said = remarks(entry)
    if len(entry.turns) > 1:
        said.append("shown again in turn " + ", ".join(map(str, entry.turns[1:])))
    if said:
        head.append(f"({'; '.join(said)})")
    shown = page_of(pages(text), 1, page)
    body = "".join(shown.items)
    footer = shown.footer(f"tab show L{entry.id}")
    text = "\n".join([*head, "---", harmless_excerpt(body.removesuffix("\n"))])
    return "\n".join([text, *footer]) if footer else text


def pages(text: str) -> list[str]:
    """``text`` cut into pages at line ends; a line longer than a page is cut within."""
    if len(text) <= PAGE_CHARS:
        return [text]
    found, start = [], 0
    while start < len(text):
        end = start + PAGE_CHARS
        if end < len(text):
            break_at = text.rfind("\n", start, end)
            end = break_at + 1 if break_at > start else end
        found.append(text[start:end])
        start = end
    return found


def requirement_text(tab: Tab, item: Requirement, text_of: TextOf) -> str:
    """A requirement, what it is closed against, and its history."""
    from tabshell.tab.evidence import cited_lines  # noqa: PLC0415 - an entry needs none of it
    from tabshell.text.terms import query  # noqa: PLC0415

    lines = [requirement_line(item), f"added in turn {item.added.turn}"]
    for cited in cited_lines(tab, item, query(item.text), text_of):
        line = f": {clip(harmless(cited.line), 160)}" if cited.index is not None else " (by its path)"
        lines.append(f"    closed against: L{cited.entry} {harmless(cited.path)}{line}")
    if item.resolution and item.resolution.quote:
        lines.append(f"    quote: {harmless(item.resolution.quote)}")
    lines += [f"turn {step.turn}: {_step(step)}" for step in item.history]
    return "\n".join(lines)


def note_text(note: NoteAdded) -> str:
    """A note with its turn."""
    return f"n{note.id} (turn {note.turn}): {harmless_excerpt(note.text)}"


def _step(step: RequirementResolved | RequirementReopened) -> str:
    if isinstance(step, RequirementReopened):
        return "reopened"
    given = ids("L", step.refs, most=len(step.refs)) or harmless(step.reason or "")
    return f"{step.status} ({given})"
