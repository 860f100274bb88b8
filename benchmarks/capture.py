"""Scores the classifier on labelled commands that are run live: ``capture.py CASES WORKSPACES [options]``.

Each case runs on a fresh copy of its workspace, on a terminal (``--door pty``) or through ``bash -c`` with a pipe
(``--door shim``); its records go to the classifier (``--direct``) or through a recorded session whose export is read.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from doors import exported
from livecases import Case, fresh, load, missing, records
from scores import HEAD, Links, Prediction, Score

from tabshell.access.classify import Classifier
from tabshell.access.command.walk import doings
from tabshell.access.disk.disk import Disk
from tabshell.access.memory import ShellMemory
from tabshell.model.accesses import Accesses
from tabshell.text.observation import excerpt_text


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("workspaces", type=Path)
    parser.add_argument("--door", choices=("pty", "shim"), default="pty")
    parser.add_argument("--direct", action="store_true", help="hand the records straight to the classifier")
    parser.add_argument("--witness", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--errors", type=int, default=1000)
    parser.add_argument("--only", help="ids that begin so, or a tag")
    parser.add_argument("--show", action="store_true", help="print output, reasons and entries of each case")
    parser.add_argument("--live-order", action="store_true", help="score order-dependent cases too")
    parser.add_argument("--json", type=Path, help="write predictions, one per line")
    return parser.parse_args()


def note(said: Prediction, accesses: Accesses, output: bytes, columns: int) -> None:
    """Adds one turn to what is said of the case."""
    read = {p for p in (*accesses.read, *accesses.searched) if not p.startswith("/")}
    said.read |= read
    said.listed |= set(accesses.listed)
    for entry in accesses.excerpts:
        text = excerpt_text(output, entry.spans, entry.screen, columns or 80)
        for path in entry.paths:
            said.held[path] = said.held.get(path, "") + "\n" + text


def recorded(case: Case, options: argparse.Namespace) -> tuple[Prediction, list[float]]:
    """Runs a case through the real door of a recorded session."""
    said = Prediction()
    with fresh(options.workspaces / case.workspace) as places:
        for turn in exported(case, places, options.door):
            said.read |= {p for p in (*turn["read"], *turn["searched"]) if not p.startswith("/")}
            said.listed |= set(turn["listed"])
            for entry in turn["log"]:
                for path in entry["paths"]:
                    said.held[path] = said.held.get(path, "") + "\n" + entry["excerpt"]
            if options.show:
                print(
                    case.id,
                    turn["turn"],
                    repr(turn["command"][:150]),
                    turn["read"],
                    turn["searched"],
                    turn["listed"][:6],
                )
    said.listed -= said.read
    return said, []


def classify(case: Case, options: argparse.Namespace) -> tuple[Prediction, list[float]]:
    """Runs and classifies one case."""
    said, times = Prediction(), []
    with fresh(options.workspaces / case.workspace) as places:
        classifier = Classifier(str(places[0]), None, Disk(deadline=60), None)
        for number, record in enumerate(records(case, places, options.door, options.witness)):
            begun = time.process_time()
            accesses = classifier.classify(record)
            times.append(time.process_time() - begun)
            if times[-1] > 0.05:
                print(f"slow: {times[-1] * 1e3:.0f} ms, {len(record.output)} bytes: {record.command[:150]!r}")
            note(said, accesses, record.output, record.columns)
            fault = [r for r in accesses.reasons if r.rule == "internal fault"]
            if options.show or fault:
                show(case, number, record, accesses)
    said.listed -= said.read
    return said, times


def show(case, number, record, accesses) -> None:
    print(f"--- {case.id}.{number} $ {record.command}")
    print(record.output[:3000].decode("utf-8", "replace"))
    for act in doings(record.command, record.cwd, None, Disk(), ShellMemory()).acts:
        paths = [p.split("merged/")[-1] for p in act.paths[:4]]
        print("   ACT", act.verb, act.utility, act.passage, "exact" if act.exact else "INEXACT", len(act.paths), paths)
        print("       ", act.roots, act.prefixed, act.targets, act.sources[:3])
    for reason in accesses.reasons:
        print(
            "   ", reason.kind, "|", reason.rule, "|", reason.evidence[:150], "|", len(reason.paths), reason.paths[:4]
        )
    for entry in accesses.excerpts:
        print("    ENTRY", entry.kind, entry.paths[:3], entry.spans[:4], entry.chars, "lines", entry.lines)
        print("         ", entry.derived_from, "own" if entry.own else "")
    print("    opened", None if record.opened is None else len(record.opened), "computed", accesses.computed_from[:4])


def main() -> None:
    options = arguments()
    cases = load(options.cases)
    if options.only:
        cases = [c for c in cases if c.id.startswith(options.only) or options.only in c.tags]
    links: dict[str, Links] = {}
    total, single, session = Score(), Score(), Score()
    tags: dict[str, Score] = defaultdict(Score)
    times: list[float] = []
    skipped: list[str] = []
    predictions = []
    for case in cases:
        lacking = missing(case) if case.requires else []
        order = "order-dependent" in case.tags and not options.live_order
        apart = "one-shell" in case.tags and options.door == "shim"  # what a shell keeps is lost between two of them
        if lacking or order or apart:
            skipped.append(f"{case.id} ({', '.join(lacking) or ('order' if order else 'one shell')})")
            continue
        said, spent = (classify if options.direct else recorded)(case, options)
        times += spent
        known = links.setdefault(case.workspace, Links.of(options.workspaces / case.workspace))
        errors = total.add(case.label, said, known)
        (session if case.session else single).add(case.label, said, known)
        for tag in case.tags:
            tags[tag].add(case.label, said, known)
        predictions.append({"id": case.id, "read": sorted(said.read), "listed": sorted(said.listed), "held": said.held})
        if errors and options.errors:
            options.errors -= 1
            print(case.id, " ;; ".join(case.commands).replace("\n", "\\n")[:170])
            for kind, what in errors.items():
                print(f"     {kind} ({len(what)}): {what[:4]}")
    if options.json:
        options.json.write_text("".join(json.dumps(p) + "\n" for p in predictions))
    tell({"ALL": total, "single": single, "sessions": session}, tags, times)
    print(f"skipped {len(skipped)}: {', '.join(skipped)}")


def tell(scores: dict[str, Score], tags: dict[str, Score], times: list[float]) -> None:
    """The table, and how long a command took to classify."""
    print(HEAD)
    for name, score in scores.items():
        print(score.row(name))
    for tag in sorted(tags, key=lambda t: -tags[t].n):
        if tags[tag].n >= 3:
            print(tags[tag].row(tag))
    times.sort()
    if times:
        median, high = times[len(times) // 2] * 1e3, times[int(len(times) * 0.99)] * 1e3
        print(f"classify: median {median:.1f} ms, p99 {high:.1f} ms, max {times[-1] * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
