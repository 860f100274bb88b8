"""The measures of a session, counted the plain way: every row read by hand, nothing folded, one question after another.

Nothing of ``tabshell.audit`` or ``tabshell.tab`` is used; only what a term is, and how shown bytes become text, is the
program's own. ``measures`` is slow and easy to read; the fast way must give the same.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import zlib
from pathlib import Path

from tabshell.text.observation import excerpt_text
from tabshell.text.terms import matching_terms


class Rows:
    """A store's rows as dictionaries."""

    def __init__(self, store: Path) -> None:
        connection = sqlite3.connect(store)
        self.all = []
        for kind, body, blob, stream, offset in connection.execute(
            "SELECT kind, body, blob, stream, offset FROM events ORDER BY seq"
        ):
            fact = json.loads(body) if body else json.loads(zlib.decompress(blob))
            self.all.append({**fact, "kind": kind})
            if kind == "OutputChunk":
                self.all[-1] |= {"data": zlib.decompress(blob), "stream": stream, "offset": offset}
        connection.close()

    def of(self, *kinds: str) -> list[dict]:
        """Those of some kinds, in order."""
        return [row for row in self.all if row["kind"] in kinds]

    def text(self, entry: dict) -> str:
        """What an entry shows."""
        data = b""
        for start, end in entry["spans"]:
            for chunk in self.of("OutputChunk"):
                if chunk["stream"] == entry["stream"]:
                    at = chunk["offset"]
                    data += chunk["data"][max(0, start - at) : max(0, end - at)]
        return excerpt_text(data, ((0, len(data)),), False, 0)


def measures(directory: Path) -> dict[str, object]:
    """The measures by their names."""
    rows = Rows(directory / "tab.db")
    (started,) = rows.of("SessionStarted")
    stated = rows.of("RequirementAdded")
    entries = rows.of("EntryLogged")
    accesses = rows.of("TabAccessed")
    checks = rows.of("FinishChecked")
    check = checks[0]["turn"] if checks else None
    reviews = [a for a in accesses if a["operation"].startswith("list") and any(ids("r", a))]
    before = [a for a in reviews if check is None or a["turn"] <= check]
    return {
        "session": started["id"],
        "name": started.get("name"),
        "agent": started.get("agent"),
        "model": started.get("model"),
        "variant": started.get("variant"),
        "requirements": len(stated),
        "done_percent": percent(sum(status(rows, r["id"]) == "done" for r in stated), len(stated)),
        "reviewed_percent": reviewed(rows, reviews),
        "entries": len(entries),
        "files": len({p for e in entries if not e.get("own") for p in (e.get("derived_from") or e["paths"])}),
        "excerpt_chars": sum(e["chars"] for e in entries),
        "unopened": unopened(rows, started),
        "shown_chars": sum(turn["output_bytes"] for turn in rows.of("TurnEnded")),
        "states_before_check": any(check is None or r["turn"] <= check for r in stated),
        "reviews_before_check": bool(before),
        "cites_reviewed": cites_reviewed(rows, reviews),
        "shows_entry": any(a["operation"] == "show" and list(ids("L", a)) for a in accesses),
        "operates_after_check": check is not None and any(a["turn"] > check for a in accesses),
        "edits_after_check": check is not None and edits_after(rows, started, check),
        "opens_listed": opens_listed(rows, accesses),
        "ended": rows.all[-1]["kind"] == "SessionEnded",
        "turns": len(rows.of("TurnStarted")),
    }


def percent(part: int, whole: int) -> float | None:
    """The share in percent."""
    return 100 * part / whole if whole else None


def ids(letter: str, access: dict) -> list[int]:
    """The ids of one kind that an access showed."""
    return [int(name[1:]) for name in access["shown"] if name[:1] == letter and name[1:].isdigit()]


def status(rows: Rows, number: int, before_turn: float = float("inf")) -> str:
    """A requirement's status before a turn."""
    found = "open"
    for step in rows.of("RequirementResolved", "RequirementReopened"):
        if step["requirement"] == number and step["turn"] < before_turn:
            found = step.get("status", "open")
    return found


def reviewed(rows: Rows, reviews: list[dict]) -> float | None:
    """Of the open requirements that reviews showed: those beside an entry that shares a term."""
    texts = {r["id"]: r["text"] for r in rows.of("RequirementAdded")}
    entries = {e["id"]: e for e in rows.of("EntryLogged")}
    shown = beside = 0
    for review in reviews:
        terms = [matching_terms(rows.text(entries[n])) for n in ids("L", review) if n in entries]
        for number in ids("r", review):
            if number in texts and status(rows, number, review["turn"]) == "open":
                shown += 1
                beside += any(matching_terms(texts[number]) & words for words in terms)
    return percent(beside, shown)


def cites_reviewed(rows: Rows, reviews: list[dict]) -> bool:
    """Whether a requirement was closed by an entry that a review had shown."""
    stated = {r["id"] for r in rows.of("RequirementAdded")}
    for step in rows.of("RequirementResolved"):
        for review in reviews:
            cited = set(step.get("refs", ())) & set(ids("L", review))
            if cited and step["requirement"] in stated and review["turn"] <= step["turn"]:
                return True
    return False


def edits_after(rows: Rows, started: dict, check: int) -> bool:
    """Whether a file of the output folder was written after the check."""
    out = started.get("out")
    for turn in rows.of("TurnClassified"):
        for path, *_ in turn.get("wrote", ()):
            where = path if path.startswith("/") else f"{started['workspace']}/{path}"
            if turn["turn"] > check and (out is None or where.startswith(f"{out}/")):
                return True
    return False


def opens_listed(rows: Rows, accesses: list[dict]) -> bool:
    """Whether a file was opened that the tab had named."""
    for turn in rows.of("TurnClassified"):
        for path in (*turn.get("read", ()), *turn.get("opened", ())):
            if any(path in a["shown"] and a["turn"] <= turn["turn"] for a in accesses):
                return True
    return False


def unopened(rows: Rows, started: dict) -> int:
    """The files that were listed, and never read, opened or made by the agent. For stores of plain text files only:
    nothing here knows of version control, of outputs that were listed, or of searches."""
    listed = {path for turn in rows.of("TurnClassified") for path in turn.get("listed", ())}
    opened = {p for turn in rows.of("TurnClassified") for p in (*turn.get("read", ()), *turn.get("opened", ()))}
    made = {path for turn in rows.of("TurnClassified") for path, *_ in turn.get("wrote", ())}
    return len(listed - opened - made - {started["workspace"]})


def overview(found: list[dict[str, object]], amounts: tuple[str, ...], habits: tuple[str, ...]) -> dict[str, object]:
    """Medians and shares."""
    numbers = {name: [one[name] for one in found if one[name] is not None] for name in amounts}
    medians = {name: statistics.median(values) if values else None for name, values in numbers.items()}
    return {"medians": medians, "shares": {n: 100 * sum(one[n] for one in found) / len(found) for n in habits}}
