"""The table of the experiment as text, JSON and CSV, with the paper's numbers beside it. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tabshell.engines.experiment.paper import MODELS, SOURCE, Result, paper_results
from tabshell.engines.experiment.results import BASE, Difference, Row, Spread
from tabshell.engines.experiment.variants import VARIANTS

SCHEMA = "tabshell/1"
#: Measure -> the head of its column. ``complete``: at least 70 % of a task's values or statements.
MEASURES = {"pass_rate": "pass rate", "complete": "complete"}


def table_text(rows: Sequence[Row]) -> str:
    """For people: a block for each model."""
    if not rows:
        return "No attempts in these logs.\n"
    lines = []
    for model in dict.fromkeys(row.model for row in rows):
        lines += [*_block(model, [row for row in rows if row.model == model]), ""]
    lines += [
        f"Means over runs, their deviation in brackets; differences to {BASE!r} with 95 % paired bootstrap intervals",
        f"over tasks. The paper: {SOURCE}; {', '.join(MODELS)}: pass rate / complete.",
    ]
    return "\n".join(lines) + "\n"


def _block(model: str, rows: Sequence[Row]) -> list[str]:
    head = f"{'variant':18}{'runs':>5}{'tasks':>7}"
    for name in MEASURES.values():
        head += f"{name + ', %':>17}{'difference':>25}"
    lines = [model, head + "   paper", "-" * (len(head) + 8)]
    for row in rows:
        first = next(iter(row.measures.values()), None)
        runs = first.runs if first else 0
        line = f"{row.variant:18}{runs:>5}{first.attempts // max(1, runs) if first else 0:>7}"
        for name in MEASURES:
            line += f"{_mean(row.measures.get(name)):>17}{_interval(row.differences.get(name)):>25}"
        lines.append(f"{line}   {_paper(row.variant)}")
        if row.faults:
            lines.append(f"{'':18}{row.faults} of the attempts failed and count as nothing delivered")
    return lines


def _mean(spread: Spread | None) -> str:
    if spread is None:
        return "-"
    return f"{spread.mean:.2f}" + (f" (±{spread.deviation:.2f})" if spread.deviation is not None else "")


def _interval(difference: Difference | None) -> str:
    if difference is None:
        return ""
    return f"{difference.mean:+.2f} [{difference.low:+.2f}, {difference.high:+.2f}]"


def _paper(variant: str) -> str:
    if variant not in VARIANTS:
        return "-"
    results = paper_results(VARIANTS[variant].row)
    return ", ".join(f"{one.pass_rate:.2f} / {one.complete:.2f}" if one else "-" for one in results)


def table_object(rows: Sequence[Row]) -> dict[str, Any]:
    """For programs."""
    return {"schema": SCHEMA, "paper": SOURCE, "rows": [{**asdict(row), "paper": _papers(row.variant)} for row in rows]}


def _papers(variant: str) -> dict[str, Any]:
    if variant not in VARIANTS:
        return {}
    results: tuple[Result | None, ...] = paper_results(VARIANTS[variant].row)
    return {model: asdict(one) for model, one in zip(MODELS, results, strict=True) if one is not None}


def table_json(rows: Sequence[Row]) -> str:
    """The object as text."""
    return json.dumps(table_object(rows), indent=1) + "\n"


def table_csv(rows: Sequence[Row]) -> str:
    """A line for each model, variant and measure."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    head = (
        "model",
        "variant",
        "measure",
        "mean",
        "deviation",
        "runs",
        "attempts",
        "difference",
        "low",
        "high",
        "faults",
    )
    writer.writerow(head)
    for row in rows:
        for name, spread in row.measures.items():
            by = row.differences.get(name)
            apart = (by.mean, by.low, by.high) if by else ("", "", "")
            deviation = "" if spread.deviation is None else spread.deviation
            cells = (spread.mean, deviation, spread.runs, spread.attempts, *apart, row.faults)
            writer.writerow((row.model, row.variant, name, *cells))
    return stream.getvalue()
