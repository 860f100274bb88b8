"""What an audit costs: 2,000 turns, 1,000 entries, 50 MB of excerpts, a deliverable of 60 pages.

    python benchmarks/audit_cost.py [--scale 1.0] [--growth] [--keep DIR]

Makes a real store, then runs ``tabshell audit`` as a person would, in processes of its own: text and HTML. Limits:
text 3 s, HTML 6 s and 15 MB. ``--growth`` also traces deliverables of 15, 30 and 60 pages against logs of 12, 25
and 50 MB in this process: the time must grow with the deliverable, not with its product with the log.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "fixtures" / "reports"))

from world import GOODS, NAMES, THEMES, TOWNS  # noqa: E402
from writers import Report, write  # noqa: E402

from tabshell.audit.tracing import prepare, trace  # noqa: E402
from tabshell.documents import extract  # noqa: E402
from tabshell.model.accesses import Span  # noqa: E402
from tabshell.model.facts import (  # noqa: E402
    EntryLogged,
    OutputChunk,
    RequirementAdded,
    RequirementResolved,
    StreamOpened,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.session import Session  # noqa: E402
from tabshell.session.options import SessionOptions  # noqa: E402

WORDS = [
    *("annual", "review", "of", "the", "harbour", "office", "shows", "that", "traffic", "between", "northern", "towns"),
    *("has", "grown", "while", "costs", "energy", "and", "crews", "were", "kept", "under", "control", "board"),
    *("decided", "to", "continue", "programme", "without", "changes"),
]


def excerpt(rng: random.Random, size: int) -> str:
    """Prose and tables as office files have them, about ``size`` characters."""
    lines, length = [], 0
    while length < size:
        if rng.random() < 0.5:
            amount, share = rng.uniform(100, 99_999), rng.uniform(1, 99)
            line = f"{rng.choice(TOWNS)} {rng.choice(GOODS)}: {amount:,.2f} EUR, {share:.1f}%"
        else:
            line = " ".join(rng.choices(WORDS, k=12)) + f" {rng.randint(1990, 2024)}"
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines) + "\n"


def logged(turn: int, path: str, stream: int, text: str) -> EntryLogged:
    """An entry for all that a turn showed."""
    spans = (Span(0, len(text.encode())),)
    return EntryLogged(
        0, turn, "read", (path,), (path,), f"cat {path}", stream, spans, len(text), f"{turn:064x}",
        lines=(1, 40), line_count=900,
    )  # fmt: skip


def make_session(directory: Path, turns: int, entries: int, size: int) -> tuple[Path, list[str]]:
    """A session on disk; gives its directory and some lines of its excerpts."""
    rng = random.Random(7)
    workspace = directory / "workspace"
    workspace.mkdir()
    os.environ["TABSHELL_HOME"] = str(directory / "home")
    task = "Write the report on ferry tickets, harbour dues and crew wages of all towns"
    session = Session.create(SessionOptions(str(workspace), task=task), os.environ)
    kept: list[str] = []
    each = size // entries
    for n in range(1, turns + 1):
        text = excerpt(rng, each) if n % (turns // entries) == 0 else "ok\n"
        data = text.encode()
        path = f"files/{rng.choice(THEMES).replace(' ', '_')}_{n}.txt"
        (opened,) = session.store.append([StreamOpened(0, "shim", False)])
        stream = opened.stream
        facts = [
            TurnStarted(n, "shim", f"cat {path}", "argument", str(workspace)),
            OutputChunk(stream, 0, ((time.time(), len(data), "out"),), data),
            TurnEnded(n, 0, 0.01, stream, 0, len(data), len(data)),
            TurnClassified(n, (path,), (), tuple(f"files/listed_{n}_{k}.txt" for k in range(3)), (), (), (), ()),
        ]
        if len(data) > 10:
            facts.append(logged(n, path, stream, text))
            lines = text.split("\n")
            kept += rng.sample(lines[:-1], 2)
        session.store.append(facts)
    facts = [RequirementAdded(0, 1, f"{rng.choice(GOODS)} of {town}") for town in TOWNS]
    session.store.append(facts)
    session.store.append([RequirementResolved(n, turns, "done", (n * 3,)) for n in range(1, 12)])
    session.end(0)
    session.close()
    return session.directory, kept


def make_deliverable(kept: list[str], pages: int, kind: str) -> bytes:
    """A document of so many pages (45 lines each): own prose, values that were shown, values that were not."""
    rng = random.Random(3)
    report = Report("Harbour report")
    for _ in range(pages * 15):
        line = rng.choice(kept)
        roll = rng.random()
        if roll < 0.5:
            report.sentences.append(f"{rng.choice(NAMES)} reports that {line}")
        elif roll < 0.6:
            amount, year = rng.uniform(10_000, 900_000), rng.randint(2015, 2024)
            report.sentences.append(f"The total for {rng.choice(TOWNS)} was {amount:,.2f} in {year}.")
        else:
            report.sentences.append(" ".join(rng.choices(WORDS, k=22)).capitalize() + ".")
    return write(report, kind)


def timed(command: list[str], limit: float, name: str) -> str:
    """Runs a command, prints its time beside the limit, gives its output."""
    start = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - start
    verdict = "ok" if took <= limit else "TOO SLOW"
    print(f"{name:44} {took:6.2f} s   limit {limit:4.1f} s   {verdict}")
    if run.returncode not in (0, 1):
        print(run.stderr[-2000:])
    return run.stdout


def growth(kept: list[str], session: Path) -> None:
    """Traces smaller and larger deliverables against parts of the log."""
    with Session.open(session, readonly=True) as opened:
        tab = opened.tab(turns=True)
        texts = {number: opened.entry_text(entry) for number, entry in tab.entries.items()}
    print("\nseconds to trace       log: " + "".join(f"{share:>8.0%}" for share in (0.25, 0.5, 1)))
    for pages in (15, 30, 60):
        document = extract(make_deliverable(kept, pages, "docx"), "r.docx")
        row = []
        for share in (0.25, 0.5, 1):
            part = dict(list(tab.entries.items())[: int(len(tab.entries) * share)])
            smaller = _with_entries(tab, part)
            start = time.perf_counter()
            trace(prepare(smaller, lambda entry: texts[entry.id], [document]), [document])
            row.append(time.perf_counter() - start)
        print(f"{pages:3} pages                   " + "".join(f"{took:8.2f}" for took in row))


def _with_entries(tab, entries):
    values = {name: getattr(tab, name) for name in type(tab).__annotations__}
    return type(tab)(**{**values, "entries": entries})


def main() -> None:
    """Makes the session, runs the commands."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--kind", default="docx")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = options.keep or Path(folder)
        directory.mkdir(exist_ok=True)
        start = time.perf_counter()
        turns, entries, size = (int(number * options.scale) for number in (2_000, 1_000, 50_000_000))
        session, kept = make_session(directory, turns, entries, size)
        path = directory / f"report.{options.kind}"
        path.write_bytes(make_deliverable(kept, 60, options.kind))
        print(
            f"made {turns} turns, {entries} entries, {size / 1e6:.0f} MB "
            f"in {time.perf_counter() - start:.0f} s: {session}"
        )
        command = [sys.executable, "-m", "tabshell", "audit", str(session), "--deliverable", str(path)]
        text = timed(command, 3.0, "audit, text")
        page = directory / "report.html"
        timed([*command, "--format", "html", "-o", str(page)], 6.0, "audit, HTML")
        size_mb = page.stat().st_size / 1e6 if page.exists() else -1
        print(f"{'HTML file':44} {size_mb:6.2f} MB  limit 15.0 MB  {'ok' if 0 <= size_mb <= 15 else 'TOO LARGE'}")
        print("\n".join(text.split("\n")[:14]))
        if options.growth:
            growth(kept, session)


if __name__ == "__main__":
    main()
