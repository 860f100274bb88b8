"""The objects of ``tab … --json``: those of the export where there is one, else what the text says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tabshell.model.facts import NoteAdded
from tabshell.model.light import TYPE_CHECKING
from tabshell.model.state import Entry, Requirement, Tab
from tabshell.tab.fold import Standing, standing

if TYPE_CHECKING:
    from tabshell.audit.as_json import Object
    from tabshell.model.state import RankedCandidate
    from tabshell.tab.review import Reviewed


def note(fact: NoteAdded) -> Object:
    """A note."""
    return {"id": f"n{fact.id}", "text": fact.text, "turn": fact.turn}


def requirement(item: Requirement) -> Object:
    """A requirement as the export has it."""
    from tabshell.audit.as_json import requirement_object  # noqa: PLC0415 - only for --json

    return requirement_object(item)


def entry(found: Entry, text: str) -> Object:
    """An entry as the export has it."""
    from tabshell.audit.as_json import entry_object  # noqa: PLC0415 - only for --json

    return entry_object(found, text)


def review(tab: Tab, reviewed: Sequence[Reviewed]) -> Object:
    """The review: each requirement with entries and unopened files, and the counts."""
    items: list[Object] = [
        {
            **requirement(each.item),
            "entries": [{"id": f"L{c.entry}", "path": c.path, "line": c.line} for c in each.entries],
            "unopened": list(each.unopened),
        }
        for each in reviewed
    ]
    return {"requirements": items, "counts": _counts(tab)}


def plain(tab: Tab, items: Sequence[Requirement]) -> Object:
    """The requirements without a review."""
    return {"requirements": [requirement(item) for item in items], "counts": _counts(tab)}


def candidates(ranked: Iterable[RankedCandidate]) -> Object:
    """Candidates in their order."""
    from tabshell.audit import as_json  # noqa: PLC0415 - only for --json

    return {"candidates": [as_json.candidate_object(each) for each in ranked]}


def log(entries: Iterable[Entry], text_of: Callable[[Entry], str]) -> Object:
    """Entries with their excerpts."""
    return {"log": [entry(each, text_of(each)) for each in entries]}


def status(now: Standing, line: str) -> Object:
    """The status line and its fields."""
    return {
        "line": line,
        "open": [f"r{number}" for number in now.open],
        "resolved": now.resolved,
        "candidates": now.candidates if now.capture else None,
        "above_threshold": now.above if now.capture else None,
        "entries": now.entries if now.capture else None,
        "last_access_turns_ago": now.since_access,
    }


def finish(tab: Tab, text: str) -> Object:
    """The finish check's state."""
    from tabshell.tab.finish import finish_state  # noqa: PLC0415

    state, still_open = finish_state(tab)
    statuses = [item.status for item in tab.requirements.values()]
    return {
        "state": state,
        "open": [f"r{number}" for number in still_open],
        "done": statuses.count("done"),
        "unavailable": statuses.count("unavailable"),
        "candidates": len(tab.candidates),
        "entries": len(tab.entries),
        "text": text,
    }


def _counts(tab: Tab) -> Object:
    now = standing(tab)
    return {
        "open": len(now.open),
        "resolved": now.resolved,
        "candidates": now.candidates,
        "above_threshold": now.above,
        "entries": now.entries,
    }
