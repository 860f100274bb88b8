"""Makes a folder of many recorded sessions quickly, in the sizes that the paper reports, and spoils some of them.

    python benchmarks/fleet_sessions.py FOLDER [--sessions 10000] [--seed 1]

Facts are written through the real store (schema, numbers, hash chain, compression), without a shell: some 40 turns,
5 requirements, 15 log entries, 150 files listed and never opened a session, spread over agents, models and variants.
With ``--spoiled`` every fiftieth is one of: damaged, of a newer version, not tabshell's, empty, running, cut off in
its write-ahead log. The same seed gives the same sessions.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import sys
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from itertools import count
from pathlib import Path

from tabshell.model.accesses import Reason, Span, Write
from tabshell.model.facts import (
    EntryLogged,
    Fact,
    FinishChecked,
    OutputChunk,
    RequirementAdded,
    RequirementReopened,
    RequirementResolved,
    SessionEnded,
    SessionStarted,
    StreamOpened,
    TabAccessed,
    TaskSet,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.store.database import DATABASE, Store

AGENTS = ("claude-code", "codex", "mini-swe-agent", "pi", None)
MODELS = ("model-large", "model-small", None)
VARIANTS = ("full", "no-review", "no-evidence-check", "no-finish-check", None)
WORDS = (  # noqa: SIM905 - read as a sentence
    "revenue headcount lease invoice harbour ferry turnover ledger quarter budget storage roof permit audit payroll "
    "supplier warranty tender depot mooring pension archive survey rota catering insurance freight licence"
).split()
#: What every fiftieth session becomes, in turn.
SPOILED = ("damaged", "newer", "foreign", "empty", "running", "cut off", "bad body", "no store")
_BEGAN = 1_780_000_000.0


class Writer:
    """The facts of one session, turn by turn."""

    def __init__(self, rng: random.Random, number: int) -> None:
        self.rng = rng
        self.at = _BEGAN + number * 40
        self.facts: list[Fact] = []
        self.turns, self.entries = 0, 0
        self.files = [f"{rng.choice(WORDS)}/{rng.choice(WORDS)}_{n:03d}.txt" for n in range(rng.randint(20, 260))]

    def turn(self, command: str, output: str, **files: tuple[object, ...]) -> int:
        """A whole turn through the shim."""
        self.turns += 1
        number, data, seconds = self.turns, output.encode(), self.rng.uniform(0.01, 2)
        self.at += seconds + self.rng.uniform(1, 20)
        named: dict[str, tuple[object, ...]] = dict.fromkeys(
            ("read", "searched", "listed", "wrote", "computed_from", "opened", "reasons"), ()
        )
        self.facts += [
            StreamOpened(number, "shim", False),
            TurnStarted(number, "shim", command, "argument", "/data/task", began_at=self.at),
            OutputChunk(number, 0, ((self.at, len(data), "out"),), data),
            TurnEnded(number, 0, seconds, number, 0, len(data), len(data)),
            TurnClassified(number, **{**named, **files}),  # type: ignore[arg-type]
        ]
        return number

    def read(self, path: str) -> None:
        """Shows a file and logs what was shown."""
        about = self.rng.sample(WORDS, 4)
        lines = [
            f"{self.rng.choice(about)} {self.rng.choice(about)}: {self.rng.uniform(10, 99_999):,.2f} EUR"
            for _ in range(self.rng.randint(10, 90))
        ]
        text = "\n".join(lines) + "\n"
        why = Reason("read", "content", f"{len(lines)} lines of it stand in the output", (path,))
        number = self.turn(f"cat {path}", text, read=(path,), reasons=(why,))
        self.entries += 1
        self.facts.append(
            EntryLogged(
                self.entries, number, "read", (path,), (path,), f"cat {path}", number, (Span(0, len(text)),), len(text),
                sha256(text.encode()).hexdigest(), lines=(1, len(lines)), line_count=len(lines),
            )
        )  # fmt: skip

    def operation(self, words: str, operation: str, shown: tuple[str, ...]) -> int:
        """A call of ``tab``."""
        number = self.turn(f"tab {words}", "".join(f"{name}\n" for name in shown))
        self.facts.append(TabAccessed(number, operation, shown, tuple(f"{n:08x}" for n in range(len(shown)))))
        return number


def facts_of(session: str, number: int, rng: random.Random) -> list[Fact]:
    """All facts of one session."""
    work = Writer(rng, number)
    task = "Write a report: " + ", ".join(rng.sample(WORDS, 8))
    work.facts.append(
        SessionStarted(
            session, f"task-{number % 50:02d}", "/data/task", "/data/task/out", rng.choice(AGENTS), "/bin/bash",
            "0.1.0", model=rng.choice(MODELS), variant=rng.choice(VARIANTS),
        )
    )  # fmt: skip
    work.facts.append(TaskSet(task))
    work.turn("find .", "".join(f"./{path}\n" for path in work.files), listed=tuple(work.files))
    wanted = [f"{rng.choice(WORDS)} of the {rng.choice(WORDS)}" for _ in range(rng.randint(0, 9))]
    check_at = rng.randint(20, 40)
    for step in count():
        _step(work, wanted, step)
        if step == check_at and rng.random() < 0.9:
            work.facts.append(FinishChecked(work.turns, "hook", "open" if wanted else "none", ()))
        if step > check_at and rng.random() < 0.3:
            break
    work.facts.append(SessionEnded(0))
    return work.facts


def _step(work: Writer, wanted: list[str], step: int) -> None:
    rng, reviewed = work.rng, tuple(f"r{n}" for n in range(1, len(wanted) + 1))
    entries = tuple(f"L{n}" for n in rng.sample(range(1, work.entries + 1), min(5, work.entries)))
    roll = rng.random()
    if step == 1 and wanted and rng.random() < 0.9:
        turn = work.operation("add -", "add", reviewed)
        work.facts += [RequirementAdded(n, turn, text) for n, text in enumerate(wanted, start=1)]
        wanted.append("")  # stated: what comes after may name them
    elif roll < 0.45:
        work.read(rng.choice(work.files))
    elif roll < 0.65 or not wanted or wanted[-1]:
        path = f"out/part_{rng.randint(1, 4)}.md" if rng.random() < 0.4 else f"notes_{step}.txt"
        work.turn(f"python3 make.py > {path}", "", wrote=(Write(path, (), True, False),))
    elif roll < 0.75:
        unopened = tuple(rng.sample(work.files, 5))
        work.operation("list", "list requirements", (*reviewed[:-1], *entries, *unopened))
    elif roll < 0.8 and entries:
        work.operation(f"show {entries[0]}", "show", entries[:1])
    elif work.entries:
        number = rng.randint(1, len(wanted) - 1)
        turn = work.operation(f"resolve r{number} done {entries[0]}", "resolve", (f"r{number}",))
        if rng.random() < 0.8:
            work.facts.append(RequirementResolved(number, turn, "done", (int(entries[0][1:]),)))
        elif rng.random() < 0.5:
            work.facts.append(RequirementResolved(number, turn, "unavailable", (), "not in the workspace"))
        else:
            work.facts.append(RequirementReopened(number, turn))


def make_session(sessions: Path, number: int, seed: int, empty: Path) -> Path:
    """One sound session that came to its end; ``empty`` is a store without facts, which is copied."""
    rng = random.Random(f"{seed}/{number}")
    directory = sessions / f"20260601-{number // 3600 % 24:02d}{number // 60 % 60:02d}{number % 60:02d}-{number:06d}"
    for part in ("bin", "inbox"):
        (directory / part).mkdir(mode=0o700, parents=True)
    shutil.copyfile(empty, directory / DATABASE)
    facts = facts_of(directory.name, number, rng)
    times = iter(float(_BEGAN + number * 40 + n) for n in count())
    with Store.open(directory / DATABASE, clock=lambda: next(times)) as store:
        store.append(facts)
    return directory


def spoil(directory: Path, how: str) -> None:
    """Makes of a sound session one that something happened to."""
    store = directory / DATABASE
    if how == "damaged":
        data = store.read_bytes()
        store.write_bytes(data[: len(data) // 3] + b"\xff" * 9000)
    elif how == "newer":
        _execute(store, "PRAGMA user_version = 99")
    elif how == "foreign":
        store.unlink()
        _execute(store, "CREATE TABLE notes (text TEXT)")
    elif how == "empty":
        store.write_bytes(b"")
    elif how == "running":
        _execute(store, "DROP TRIGGER events_are_facts_d", "DELETE FROM events WHERE kind = 'SessionEnded'")
    elif how == "bad body":
        _execute(store, "DROP TRIGGER events_are_facts_u", "UPDATE events SET body = '{' WHERE kind = 'TurnEnded'")
    elif how == "no store":
        store.unlink()
    elif how == "cut off":
        _cut_off(store)


def _execute(store: Path, *statements: str) -> None:
    connection = sqlite3.connect(store)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def _cut_off(store: Path) -> None:
    """As after ``kill -9``: the last turn never ended, and the newest facts are only in the write-ahead log."""
    _execute(store, "DROP TRIGGER events_are_facts_d", "DELETE FROM events WHERE kind = 'SessionEnded'")
    kept = store.with_name("kept.db")
    with Store.open(store) as opened:
        last = opened.last_number(TurnStarted) + 1
        opened.append([TurnStarted(last, "shim", "sleep 1000", "argument", "/data/task")])
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{store}{suffix}", f"{kept}{suffix}")
    for suffix in ("", "-wal"):
        os.replace(f"{kept}{suffix}", f"{store}{suffix}")


def make_fleet(folder: Path, sessions: int, seed: int = 1, *, spoiled: bool = True, processes: int = 2) -> Path:
    """The sessions, in ``folder/sessions``; gives that folder."""
    where = folder / "sessions"
    where.mkdir(parents=True, exist_ok=True)
    parts = [(where, range(start, sessions, processes), seed, spoiled) for start in range(processes)]
    if processes == 1:
        _make_part(*parts[0])
    else:
        with ProcessPoolExecutor(processes) as pool:
            for done in [pool.submit(_make_part, *part) for part in parts]:
                done.result()
    return where


def _make_part(where: Path, numbers: range, seed: int, spoiled: bool) -> None:
    empty = where.parent / f"empty-{numbers.start}.db"
    Store.create(empty).close()
    for number in numbers:
        directory = make_session(where, number, seed, empty)
        if spoiled and number % 50 == 49:
            spoil(directory, SPOILED[number // 50 % len(SPOILED)])
    for leftover in where.parent.glob(f"{empty.name}*"):
        leftover.unlink()


def main() -> None:
    """As a person calls it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sound", action="store_true", help="spoil none")
    given = parser.parse_args()
    sys.stdout.write(f"{make_fleet(given.folder, given.sessions, given.seed, spoiled=not given.sound)}\n")


if __name__ == "__main__":
    main()
