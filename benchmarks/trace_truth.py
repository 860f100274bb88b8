"""Tracing against known truth: three sessions with 120 sourced, 30 computed, 30 invented, 20 left-out values.

    python benchmarks/trace_truth.py [--workspaces DIR] [--seed N] [--rounds N] [-v]

Without ``--workspaces`` the sessions come from invented companies (``fixtures/reports``); with it, each session is
made of files of one sub-folder of DIR. Every round draws new files and values. Prints what was traced right.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "fixtures" / "reports"))

from reports import Made, Truth, make  # noqa: E402
from session import tab_of  # noqa: E402
from world import shown_of_company, shown_of_folder  # noqa: E402

from tabshell.audit.missing import find_missing  # noqa: E402
from tabshell.audit.trace import Traced  # noqa: E402
from tabshell.audit.tracing import prepare, trace  # noqa: E402
from tabshell.documents import extract  # noqa: E402

FORMATS = (("docx", "md"), ("xlsx", "pdf"), ("pptx", "md", "docx"))
COUNTS = ((40, 10, 10, 7), (40, 10, 10, 7), (40, 10, 10, 6))


def sessions(seed: int, workspaces: Path | None) -> list[Made]:
    """Three sessions with their truth."""
    folders = sorted(p for p in workspaces.iterdir() if p.is_dir())[:3] if workspaces else []
    made = []
    for n in range(3):
        shown = shown_of_folder(folders[n], seed + n) if folders else shown_of_company(seed + n)
        made.append(make(shown, seed + n, FORMATS[n], COUNTS[n]))
    return made


def check(made: Made, verbose: bool = False) -> Counter[str]:
    """What came out for one session, counted."""
    tab, entry_text = tab_of(made)
    documents = [extract(data, name) for name, data in made.files.items()]
    evidence = prepare(tab, entry_text, documents)
    traces = trace(evidence, documents)
    counts: Counter[str] = Counter()
    for item in made.truth:
        if item.status == "missing":
            continue
        found = find(item, traces, documents)
        outcome = judge(item, found)
        counts[f"{item.status}: {outcome}"] += 1
        if verbose and outcome != "right" and (item.status, outcome) != ("invented", "no source"):
            shown = [(s.path, s.line, s.text.strip()[:90], s.agreement) for s in found.sources[:2]] if found else None
            print(
                f"{item.status:9} {outcome:12} {item.text!r} in {item.sentence!r} ({item.deliverable})\n"
                f"     true {item.places[:3]}\n     got {found and found.status} {found and found.formula} {shown}"
            )
    missing = find_missing(tab, evidence, documents)
    wanted = [t for t in made.truth if t.status == "missing"]
    for item in wanted:
        hit = any(m.requirement_text == item.sentence and item.text.strip("$€¥%") in m.value.text for m in missing)
        counts[f"missing: {'right' if hit else 'overlooked'}"] += 1
        if verbose and not hit:
            print("missing  overlooked", item.text, "|", item.sentence)
    counts["missing: reported in all"] += len(missing)
    return counts


def find(item: Truth, traces, documents) -> Traced | None:
    """The traced value for a truth: same deliverable, same text, in the block with the same words."""
    for document, result in zip(documents, traces, strict=True):
        if document.name != item.deliverable:
            continue
        for traced in result.traced:
            same = traced.mention.value.text.strip("(). ") == item.text.strip("(). ") or _same_number(traced, item)
            if same and _fits(traced, item, document):
                return traced
    return None


def _same_number(traced: Traced, item: Truth) -> bool:
    return _squeezed(traced.mention.value.text) == _squeezed(item.text)


def _squeezed(text: str) -> str:
    return (
        "".join(text.replace(",", "").split()).rstrip(".0") if "." in text else "".join(text.replace(",", "").split())
    )


def _fits(traced: Traced, item: Truth, document) -> bool:
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
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for n in range(options.rounds):
        for made in sessions(options.seed + 10 * n, options.workspaces):
            total += check(made, options.v)
    for name in sorted(total):
        status = name.partition(":")[0]
        whole = sum(v for k, v in total.items() if k.startswith(status + ":") and "reported" not in k)
        print(f"{name:28} {total[name]:5}  {100 * total[name] / whole:5.1f} %")


if __name__ == "__main__":
    main()
