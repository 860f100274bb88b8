"""Tracing against known truth: three sessions with 120 sourced, 30 computed, 30 invented, 20 left-out values.

    python benchmarks/trace_truth.py [--workspaces DIR] [--live] [--seed N] [--rounds N] [-v]

Without ``--workspaces`` the sessions come from invented companies (``fixtures/reports``); with it, each session is
made of files of one sub-folder of DIR. ``--live``: every command runs in a session's own bash, requirements are
stated and closed with ``tab``, and the deliverables are traced from disk; else the excerpts are handed to the audit.
Every round draws new files and values. Prints what was traced right, and of the missing values how many were found
and how many of those reported are really missing.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "fixtures" / "reports"))

from live import Desk  # noqa: E402
from reports import Made, Truth, make  # noqa: E402
from session import tab_of  # noqa: E402
from world import files_of, shown_of_company, shown_of_folder  # noqa: E402

from tabshell.audit.missing import Missing, find_missing  # noqa: E402
from tabshell.audit.traced import Trace, Traced  # noqa: E402
from tabshell.audit.tracing import prepare, trace  # noqa: E402
from tabshell.audit.value import Value  # noqa: E402
from tabshell.documents import extract  # noqa: E402
from tabshell.documents.document import Document  # noqa: E402
from tabshell.session import Session  # noqa: E402
from tabshell.session.auditing import missing_from, trace_deliverables  # noqa: E402
from tabshell.session.deliverables import reading  # noqa: E402

FORMATS = (("docx", "md"), ("xlsx", "pdf"), ("pptx", "md", "docx"))
COUNTS = ((40, 10, 10, 6), (40, 20, 10, 12), (40, 0, 10, 2))


class Found(NamedTuple):
    """What the audit says of one session."""

    traces: list[Trace]
    missing: list[Missing]


def sessions(seed: int, workspaces: Path | None, place: Path | None = None) -> Iterator[tuple[Made, Found]]:
    """Three sessions with their truth and what the audit says; live ones under ``place``."""
    folders = sorted(p for p in workspaces.iterdir() if p.is_dir())[:3] if workspaces else []
    for n in range(3):
        shown = shown_of_folder(folders[n], seed + n) if folders else shown_of_company(seed + n)
        if place is None:
            try:
                made = make(shown, seed + n, FORMATS[n], COUNTS[n])
            except RuntimeError as error:  # a drawing with too few numbers
                print(f"session {n} of seed {seed} is left out: {error}")
                continue
            yield made, told(made)
        else:
            desk = Desk(place / f"{seed}-{n}")
            for path, content in files_of(shown, folders[n] if folders else None):
                desk.put(path, content)
            made = make(desk.show(shown), seed + n, FORMATS[n], COUNTS[n])
            desk.keep(made)
            yield made, live(made, desk)


def told(made: Made) -> Found:
    """The audit of excerpts that were only told of."""
    tab, entry_text = tab_of(made)
    documents = [extract(data, name) for name, data in made.files.items()]
    evidence = prepare(tab, entry_text, documents)
    return Found(trace(evidence, documents), find_missing(tab, evidence, documents))


def live(made: Made, desk: Desk) -> Found:
    """The audit of a session on disk."""
    paths = [str(desk.out / name) for name in made.files]
    with Session.open(desk.directory) as session:
        with reading(session, paths) as begun:
            traced = trace_deliverables(session, begun)
        with reading(session, paths) as begun:
            return Found(traced, missing_from(session, begun))


def check(made: Made, found: Found, verbose: bool = False) -> Counter[str]:
    """What came out for one session, counted."""
    counts: Counter[str] = Counter()
    for item in made.truth:
        if item.status == "missing":
            continue
        one = find(item, found.traces)
        outcome = judge(item, one)
        counts[f"{item.status}: {outcome}"] += 1
        if verbose and outcome != "right" and (item.status, outcome) != ("invented", "no source"):
            shown = [(s.path, s.line, s.text.strip()[:200], s.agreement) for s in one.sources[:2]] if one else None
            print(
                f"{item.status:9} {outcome:12} {item.text!r} in {item.sentence!r} ({item.deliverable})\n"
                f"     true {item.places[:3]}\n     got {one and one.status} {one and one.formula} {shown}"
            )
    wanted = {item.sentence: item for item in made.truth if item.status == "missing"}
    hits = set()
    for item in found.missing:
        true = wanted.get(item.requirement_text)
        right = true is not None and squeezed(true.text) in squeezed(item.value.text)
        counts[f"reported: {'missing' if right else 'not asked for'}"] += 1
        if right:
            hits.add(item.requirement_text)
        elif verbose:
            print("reported ", item.value.text, "|", item.requirement_text, "|", item.path, item.line, item.text[:150])
    for text, item in wanted.items():
        counts[f"missing: {'right' if text in hits else 'overlooked'}"] += 1
        if verbose and text not in hits:
            print("missing  overlooked", item.text, "|", text)
    return counts


def find(item: Truth, traces: Sequence[Trace]) -> Traced | None:
    """The traced value for a truth: same deliverable, same number, in the block with the same words."""
    for result in traces:
        if Path(result.document.name).name != item.deliverable:
            continue
        for traced in result.traced:
            if same_text(traced.mention.value, item.text) and fits(traced, item, result.document):
                return traced
    return None


def same_text(value: Value, text: str) -> bool:
    """Whether a value is written so; a spreadsheet may show fewer digits of it than it was given."""
    if squeezed(value.text) == squeezed(text):
        return True
    try:
        return math.isclose(float(squeezed(value.text)), float(squeezed(text)), rel_tol=1e-9)
    except ValueError:
        return False


def squeezed(text: str) -> str:
    """Without what separates digits and what surrounds a value."""
    return "".join(text.replace(",", "").split()).strip("().$€¥")


def fits(traced: Traced, item: Truth, document: Document) -> bool:
    """Whether the words of a truth stand around a traced value."""
    first = max(0, traced.mention.block - 3)
    around = " ".join(" ".join(b.text for b in document.blocks[first : traced.mention.block + 4]).split())
    return " ".join(item.sentence.split())[:24].strip() in around


def judge(item: Truth, found: Traced | None) -> str:
    """right, wrong place, or the status that it got instead."""
    if found is None:
        return "not seen"
    if item.status == "invented":
        return found.status
    if item.status == "computed":
        return "right" if found.status == "computed" else found.status
    if found.status != "sourced":
        return found.status
    return "right" if (found.sources[0].path, found.sources[0].line) in item.places else "wrong place"


def main() -> None:
    """Runs the rounds and prints the shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--workspaces", type=Path)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for n in range(options.rounds):
            place = Path(folder) if options.live else None
            for made, found in sessions(options.seed + 10 * n, options.workspaces, place):
                total += check(made, found, options.v)
    for name in sorted(total):
        status = name.partition(":")[0]
        whole = sum(v for k, v in total.items() if k.startswith(status + ":"))
        print(f"{name:28} {total[name]:5}  {100 * total[name] / whole:5.1f} %")


if __name__ == "__main__":
    main()
