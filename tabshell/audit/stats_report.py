"""The measures as text, JSON and CSV, with the paper's own numbers beside them. Pure.

JSON and CSV come in pieces, a row a session and then what they add up to, so that no more than a row is held. The
paper's numbers are those of its Table 2, Table 3, Figure 2 and Figure 4, on Workspace-Bench with three models.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

from tabshell.audit.as_json import SCHEMA, Object
from tabshell.audit.stats import SessionStats
from tabshell.audit.stats_expected import ExpectedValue, shares
from tabshell.audit.stats_tally import AMOUNTS, HABITS, Overview, Tally, Unmeasured
from tabshell.text.harmless import harmless

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
#: The columns of a table of sessions, in order.
COLUMNS = (*_ABOUT, *(field.name for field in fields(SessionStats) if field.name not in _ABOUT))
#: The most groups that stand side by side in the text.
_SIDE_BY_SIDE = 5
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


def stats_text(tally: Tally, expected: Sequence[ExpectedValue] = ()) -> str:
    """Two tables (amounts as medians, habits as shares of sessions), groups side by side, and the fate of values."""
    if not tally.sessions:
        return "\n".join(["No sessions.", *_remarks(tally)]) + "\n"
    groups = tally.groups()
    blocks = [_table([(_sessions(tally.sessions), ("here",))], [tally.overview()])]
    for start in range(0, len(groups), _SIDE_BY_SIDE):
        part = groups[start : start + _SIDE_BY_SIDE]
        overviews = [group.overview for group in part]
        names = [f"by {tally.by[0]}", *(f"   {name}" for name in tally.by[1:])]
        heads = [
            (name, tuple(harmless(group.values[place] or "-") for group in part)) for place, name in enumerate(names)
        ]
        heads.append(("   sessions", tuple(f"{over.sessions:,}" for over in overviews)))
        blocks.append(_table(heads, overviews))
    lines = "\n\n".join(blocks).split("\n")
    if thirds := tally.thirds():
        lines += ["", "Characters shown, by thirds of sessions"]
        lines += [
            f"  {name:40}{least:>12,.0f} to {most:,.0f} in {count} sessions"
            for name, (least, most, count) in zip(("low", "middle", "high"), thirds, strict=True)
        ]
    if expected:
        lines += ["", f"What became of {len(expected)} expected values (% of those shown)", *_fates(expected)]
    if remarks := _remarks(tally):
        lines += ["", *remarks]
    return "\n".join(lines) + "\n"


def _table(heads: Sequence[tuple[str, tuple[str, ...]]], columns: Sequence[Overview]) -> str:
    """One column for each overview, below its cells of ``heads``, and the paper's numbers."""
    width = max(12, *(len(cell) + 2 for _, cells in heads for cell in cells))

    def line(name: str, cells: Iterable[str], paper: str = "") -> str:
        return f"{name:42}{''.join(f'{cell:>{width}}' for cell in cells)}   {paper}".rstrip()

    lines = [line(*heads[0], f"paper: {', '.join(MODELS)}"), *(line(*head) for head in heads[1:])]
    lines += ["", "What the tab holds (medians)"]
    lines += [line(f"  {NAMES[n]}", (_shown(over.medians[n]) for over in columns), _paper(n)) for n in AMOUNTS]
    lines += ["", "How the agent works the tab (% of sessions)"]
    lines += [line(f"  {NAMES[n]}", (_shown(over.shares[n]) for over in columns), _paper(n)) for n in HABITS]
    return "\n".join(lines)


def _fates(expected: Sequence[ExpectedValue]) -> Iterator[str]:
    found = shares(expected)
    for name, paper in PAPER_VALUES.items():
        yield f"  {name:40}{_shown(found[name]):>12}   {paper}"
    for value in [value for value in expected if value.outcome == "shown but missing"][:20]:
        yield f"  missing: {harmless(value.text)} ({'in the read log' if value.held else 'not in the read log'})"
    if never := sum(value.outcome == "not shown" for value in expected):
        yield f"  never shown: {never}"


def _remarks(tally: Tally) -> list[str]:
    """What a reader of the numbers must know of the sessions behind them."""
    lines = []
    if tally.running:
        lines.append(f"{_sessions(tally.running)} did not come to an end: running, or cut off")
    if tally.pending:
        lines.append(
            f"{_sessions(tally.pending)} with turns that are not classified yet, whose files are not counted; "
            "'tabshell audit' classifies them"
        )
    if tally.gaps:
        lines.append(f"{_sessions(tally.gaps)} with something that was not recorded")
    if tally.unmeasured:
        kinds = ", ".join(f"{count} {code}" for code, count in sorted(tally.unmeasured.items()))
        lines.append(f"{tally.unmeasured.total()} not measured: {kinds}")
    return lines


def _sessions(count: int) -> str:
    return "1 session" if count == 1 else f"{count} sessions"


def json_head() -> str:
    """What comes before the rows."""
    return f'{{"schema": "{SCHEMA}",\n "sessions": ['


def json_row(one: SessionStats, *, first: bool) -> str:
    """One session, with the comma that parts it from the one before."""
    text = json.dumps({name: getattr(one, name) for name in COLUMNS})
    return f"{'' if first else ','}\n  {text}"


def json_foot(tally: Tally, unmeasured: Sequence[Unmeasured], expected: Sequence[ExpectedValue] = ()) -> str:
    """What comes after the rows: medians, shares, groups, what was not measured, the paper's numbers."""
    found: Object = {"counts": {"sessions": tally.sessions, "running": tally.running, "pending": tally.pending}}
    if tally.sessions:
        over = tally.overview()
        found["medians"], found["shares"] = dict(over.medians), dict(over.shares)
    if tally.by:
        found["groups"] = [
            {**dict(zip(tally.by, values, strict=True)), "sessions": over.sessions,
             "medians": dict(over.medians), "shares": dict(over.shares)}
            for values, over in tally.groups()
        ]  # fmt: skip
    found["unmeasured"] = [{"directory": one.directory, "code": one.code, "message": one.message} for one in unmeasured]
    found["paper"] = {name: dict(zip(MODELS, numbers, strict=True)) for name, numbers in PAPER.items()}
    if expected:
        found["expected"] = [{"text": v.text, "outcome": v.outcome, "held": v.held} for v in expected]
        found["outcomes"] = dict(shares(expected))
        found["paper_outcomes"] = dict(PAPER_VALUES)
    return "\n ],\n " + json.dumps(found, indent=1)[2:] + "\n"


def csv_head() -> str:
    """The names of the columns."""
    return _csv(COLUMNS)


def csv_row(one: SessionStats) -> str:
    """One session, with what it was started with."""
    return _csv(_cell(getattr(one, name)) for name in COLUMNS)


def csv_foot(tally: Tally) -> str:
    """A row of medians and shares over all, one for each group, and the paper's three."""
    rows: list[tuple[str, dict[str, str | None], Overview]] = []
    if tally.sessions:
        rows.append(("median or % of sessions", {}, tally.overview()))
    for values, over in tally.groups():
        rows.append((f"median or % of {_sessions(over.sessions)}", {**dict(zip(tally.by, values, strict=True))}, over))
    lines = []
    for label, about, over in rows:
        cells = {**about, "session": label, **over.medians, **over.shares}
        lines.append(_csv(_cell(cells.get(name)) for name in COLUMNS))
    for place, model in enumerate(MODELS):
        paper = {"session": f"paper: {model}", **{name: numbers[place] for name, numbers in PAPER.items()}}
        lines.append(_csv(_cell(paper.get(name)) for name in COLUMNS))
    return "".join(lines)


def _csv(cells: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _shown(number: float | None) -> str:
    if number is None:
        return "-"
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.1f}"


def _paper(name: str) -> str:
    return ", ".join(_shown(number) for number in PAPER[name])


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):  # shown in a terminal or opened in a spreadsheet, where =, + and @ begin a formula
        return harmless(f"'{value}" if value[:1] in ("=", "+", "@", "\t", "\r") else value)
    return "" if value is None else round(value, 2) if isinstance(value, float) else value
