"""The measures as text, JSON and CSV, with the paper's own numbers beside them. Pure.

The paper's numbers are those of its Table 2, Table 3, Figure 2 and Figure 4, on Workspace-Bench with three models.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, fields

from tabshell.audit.as_json import SCHEMA, Object
from tabshell.audit.stats import AMOUNTS, HABITS, ExpectedValue, SessionStats, overview, shares

MODELS = ("GPT-5.4 nano", "DeepSeek V4 Flash", "Gemini 3.8 Flash")
#: Measure -> the paper's numbers by model; None where it gives none.
PAPER: dict[str, tuple[float | None, float | None, float | None]] = {
    "requirements": (4, 5, 4),
    "done_percent": (74.0, 77.7, 50.7),
    "reviewed_percent": (87.1, 88.0, 69.9),
    "entries": (14, 18, 6),
    "files": (5, 11, 5),
    "excerpt_chars": (17_700, 40_200, 12_100),
    "unopened": (147, 166, 294),
    "shown_chars": (None, None, None),
    "states_before_check": (56.9, 100.0, 100.0),
    "reviews_before_check": (24.7, 27.2, 100.0),
    "cites_reviewed": (25.1, 21.6, 76.9),
    "shows_entry": (74.6, 32.4, 8.8),
    "operates_after_check": (72.6, 8.7, 5.1),
    "edits_after_check": (17.1, 5.2, 0.5),
    "opens_listed": (22.7, 54.7, 19.0),
}
#: Figure 2 (the plain agent, GPT-5.4 nano) and Figure 4 (with the tab), in percent.
PAPER_VALUES = {"delivered": 76.2, "shown but missing": 19.8, "other": 4.0, "missing but held": 94.8}
#: What a row of the table says of its session beside the measures.
_ABOUT = ("session", "name", "model", "variant")
NAMES = {
    "requirements": "requirements",
    "done_percent": "resolved as done, %",
    "reviewed_percent": "reviewed beside a matching excerpt, %",
    "entries": "log entries",
    "files": "distinct files",
    "excerpt_chars": "excerpted characters",
    "unopened": "candidates not opened",
    "shown_chars": "characters shown",
    "states_before_check": "states requirements before the check",
    "reviews_before_check": "pulls the review before the check",
    "cites_reviewed": "cites a reviewed entry for done",
    "shows_entry": "re-reads an entry with show",
    "operates_after_check": "operates the tab after the check",
    "edits_after_check": "edits the deliverable after the check",
    "opens_listed": "opens a listed candidate",
}


def stats_text(sessions: Sequence[SessionStats], expected: Sequence[ExpectedValue] = ()) -> str:
    """Two tables (amounts as medians, habits as shares of sessions) and, with expected values, their fate."""
    if not sessions:
        return "No sessions.\n"
    over = overview(sessions)
    what = "1 session" if over.sessions == 1 else f"{over.sessions} sessions"
    lines = [f"{what:42}{'here':>12}   paper: {', '.join(MODELS)}"]
    lines += ["", "What the tab holds (medians)"]
    lines += [f"  {NAMES[name]:40}{_shown(over.medians[name]):>12}   {_paper(name)}" for name in AMOUNTS]
    lines += ["", "How the agent works the tab (% of sessions)"]
    lines += [f"  {NAMES[name]:40}{_shown(over.shares[name]):>12}   {_paper(name)}" for name in HABITS]
    if len(sessions) > 2:
        lines += ["", "Characters shown, by thirds of sessions", *_thirds(sessions)]
    if expected:
        lines += ["", f"What became of {len(expected)} expected values (% of those shown)"]
        found = shares(expected)
        lines += [f"  {name:40}{_shown(found[name]):>12}   {PAPER_VALUES[name]}" for name in PAPER_VALUES]
        lost = [v for v in expected if v.outcome == "shown but missing"]
        lines += [f"  missing: {v.text} ({'in the read log' if v.held else 'not in the read log'})" for v in lost[:20]]
        never = sum(v.outcome == "not shown" for v in expected)
        lines += [f"  never shown: {never}"] if never else []
    return "\n".join(lines) + "\n"


def stats_object(sessions: Sequence[SessionStats], expected: Sequence[ExpectedValue] = ()) -> Object:
    """The same as JSON: each session, the medians and shares, the paper's numbers."""
    found: Object = {"schema": SCHEMA, "sessions": [asdict(one) for one in sessions]}
    if sessions:
        over = overview(sessions)
        found["medians"] = dict(over.medians)
        found["shares"] = dict(over.shares)
    found["paper"] = {name: dict(zip(MODELS, numbers, strict=True)) for name, numbers in PAPER.items()}
    if expected:
        found["expected"] = [{"text": v.text, "outcome": v.outcome, "held": v.held} for v in expected]
        found["outcomes"] = dict(shares(expected))
        found["paper_outcomes"] = dict(PAPER_VALUES)
    return found


def stats_csv(sessions: Sequence[SessionStats]) -> str:
    """One row a session with what it was started with, then a row of medians and shares, then the paper's three."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [field.name for field in fields(SessionStats) if field.name not in _ABOUT]
    writer.writerow([*_ABOUT, *names])
    for one in sessions:
        writer.writerow([_cell(getattr(one, name)) for name in (*_ABOUT, *names)])
    blank = [""] * (len(_ABOUT) - 1)
    if sessions:
        over = overview(sessions)
        both = {**over.medians, **over.shares}
        writer.writerow(["median or % of sessions", *blank, *(_cell(both[name]) for name in names)])
    for place, model in enumerate(MODELS):
        writer.writerow([f"paper: {model}", *blank, *(_cell(PAPER[name][place]) for name in names)])
    return out.getvalue()


def _thirds(sessions: Sequence[SessionStats]) -> list[str]:
    ordered = sorted(one.shown_chars for one in sessions)
    size = len(ordered) / 3
    lines = []
    for place, name in enumerate(("low", "middle", "high")):
        part = ordered[round(place * size) : round((place + 1) * size)]
        lines.append(f"  {name:40}{part[0]:>12,} to {part[-1]:,} in {len(part)} sessions")
    return lines


def _shown(number: float | None) -> str:
    if number is None:
        return "-"
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.1f}"


def _paper(name: str) -> str:
    return ", ".join(_shown(number) for number in PAPER[name])


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return "" if value is None else round(value, 2) if isinstance(value, float) else value
