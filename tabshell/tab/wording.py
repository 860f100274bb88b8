"""Small pieces of text that several of the tab's answers share: ids, counts, paths, anchors."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tabshell.model.state import Entry, Requirement
from tabshell.text.harmless import harmless

#: At most so many ids are written out in one line.
SHOWN_IDS = 12


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 entry``, ``2 entries``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def clip(text: str, width: int) -> str:
    """At most ``width`` characters, the cut marked."""
    return text if len(text) <= width else text[: max(0, width - 3)] + "..."


def ids(letter: str, numbers: Sequence[int], most: int = SHOWN_IDS) -> str:
    """``r1, r3``; beyond ``most`` of them ``, +8``."""
    shown = ", ".join(f"{letter}{number}" for number in numbers[:most])
    return f"{shown}, +{len(numbers) - most}" if len(numbers) > most else shown


def number_of(letter: str, word: str) -> int | None:
    """The number in an id of this kind, of nine digits at most (``3`` in ``r3``, ``R3``); None where it is none."""
    digits = word[1:]
    return int(digits) if word[:1].lower() == letter and digits.isdecimal() and len(digits) < 10 else None


def known(letter: str, numbers: Collection[int]) -> str:
    """All ids of a kind: ``L1, L2, L3``, a longer unbroken run as ``L1 to L40``."""
    ordered = sorted(numbers)
    if not ordered:
        return "none"
    if len(ordered) > 3 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{letter}{ordered[0]} to {letter}{ordered[-1]}"
    return ids(letter, ordered)


def paths_of(entry: Entry) -> str:
    """The files of an entry on one line."""
    return ", ".join(harmless(path) for path in entry.logged.paths)


def status_of(item: Requirement) -> str:
    """``open``, ``done: L2, L4`` or ``unavailable: authored``."""
    if item.resolution is None:
        return item.status
    given = ids("L", item.resolution.refs, most=len(item.resolution.refs)) or harmless(item.resolution.reason or "")
    return f"{item.status}: {given}" if given else item.status


def remarks(entry: Entry) -> list[str]:
    """What else is to be said of an entry, in few words."""
    logged = entry.logged
    said = ["search hits"] if logged.kind == "search" else []
    if logged.derived_from:
        said.append("derived from " + ", ".join(harmless(path) for path in logged.derived_from))
    flags = {
        "written by the agent": logged.own,
        "binary": logged.binary,
        "outside the workspace": logged.outside,
        "unconfirmed": logged.unconfirmed,
        "truncated": logged.truncated,
    }
    return said + [words for words, holds in flags.items() if holds]
