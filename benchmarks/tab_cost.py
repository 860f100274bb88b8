"""What one call of ``tab`` costs, as a new process, on a session of the size that a long task reaches.

Prints for each operation the median and the best of some runs in milliseconds, the ratio to starting the same
Python with nothing to do, and the limit; first in a session that lives (its clerk answers), then in one that nobody
attends (``tab`` does it all itself). ``--cpu`` counts the processor time of the called process instead of elapsed time
(steady on a busy machine; what the clerk spends meanwhile is not in it).
Sessions: 20 requirements, 200 entries of 2 to 4 KB, 300 candidates; and one with 100,000 listed paths.
Exit status 1 if a median is over its limit.

    python benchmarks/tab_cost.py [--runs N] [--cpu]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tabshell.cli.tab_client import Caller, ask
from tabshell.model.accesses import Span
from tabshell.model.facts import (
    EntryLogged,
    OutputChunk,
    RequirementAdded,
    StreamOpened,
    TurnClassified,
    TurnEnded,
    TurnStarted,
)
from tabshell.session import Session, SessionOptions
from tabshell.session.clerk import clerk

TASK = "Compile the quarterly report on travel expenses, headcount and revenue by region from the monthly exports"
WORDS = (  # noqa: SIM905 - a list of quoted words reads worse
    "travel expense report region north south revenue headcount policy standard meals hotel approval manager quarter "
    "invoice supplier contract lease station payroll budget forecast margin total average bonus training audit"
).split()
#: Operation -> limit in milliseconds.
LIMITS = {
    "add": 60,
    "show": 60,
    "resolve": 60,
    "status": 60,
    "list": 150,
    "list log": 60,
    "list candidates": 150,
}
LARGE_LIMIT = 1000


def session(home: Path, *, listed: int, entries: int, requirements: int) -> Session:
    """A session with so much in it."""
    workspace = home / "workspace"
    workspace.mkdir(exist_ok=True)
    made = Session.create(SessionOptions(str(workspace), task=TASK), {"TABSHELL_HOME": str(home / "sidecars")})
    chosen = random.Random(7)
    made.append(StreamOpened(0, "pty", True, 24, 80))
    paths = tuple(
        f"dept{n // 250}/{chosen.choice(WORDS)}/{chosen.choice(WORDS)}_{chosen.choice(WORDS)}_{n}.csv"
        for n in range(listed)
    )
    made.append(
        TurnStarted(0, "pty", "find .", "history", str(workspace)),
        TurnEnded(1, 0, 0.1, 1, 0, 0, 0),
        TurnClassified(1, (), (), paths, (), (), (), ()),
    )
    offset = 0
    for number in range(entries):
        lines = [" ".join(chosen.choices(WORDS, k=9)) + f" {chosen.randint(1, 99_999):,}" for _ in range(40)]
        data = "\n".join(lines).encode()
        path = f"read/{chosen.choice(WORDS)}_{number}.txt"
        digest = hashlib.sha256(data).hexdigest()
        span = Span(offset, offset + len(data))
        made.append(
            OutputChunk(1, offset, ((0.0, len(data), "tty"),), data),
            TurnStarted(0, "pty", f"cat {path}", "history", str(workspace)),
            TurnEnded(0, 0, 0.1, 1, span.start, span.end, len(data)),
            TurnClassified(0, (path,), (), (), (), (), (), ()),
            EntryLogged(0, 0, "read", (path,), (path,), f"cat {path}", 1, (span,), len(data), digest),
        )
        offset = span.end
    made.append(*(RequirementAdded(0, 1, " ".join(chosen.choices(WORDS, k=4))) for _ in range(requirements)))
    return made


def cost(arguments: list[str], runs: int, *, cpu: bool) -> tuple[float, float]:
    """Median and best milliseconds of a process with its output thrown away."""
    spent = []
    devnull = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    for _ in range(runs):
        began = time.perf_counter()
        process = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=[devnull])
        _, status, used = os.wait4(process, 0)
        elapsed = time.perf_counter() - began
        if os.waitstatus_to_exitcode(status):
            sys.exit(f"{' '.join(arguments)} failed")
        spent.append(1000 * (used.ru_utime + used.ru_stime if cpu else elapsed))
    spent.sort()
    return spent[len(spent) // 2], spent[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--cpu", action="store_true", help="processor time instead of elapsed time")
    options = parser.parse_args()
    over = False
    with tempfile.TemporaryDirectory() as folder:
        usual = session(Path(folder), listed=300, entries=200, requirements=20)
        large = session(Path(folder), listed=100_000, entries=5, requirements=2)
        usual.close()
        large.close()
        bare, _ = cost([os.path.realpath(sys.executable), "-IS", "-c", "pass"], options.runs, cpu=options.cpu)
        print(f"{'bare Python':<28}{bare:8.1f} ms")
        print("answered by the clerk")
        with clerk(usual.directory), clerk(large.directory):
            for each in (usual, large):
                while ask(["status"], str(each.directory), Caller()) is None:
                    time.sleep(0.05)
            time.sleep(2)  # as between two commands of an agent: the clerk reads what is new
            over |= series(usual.directory, large.directory, bare, options)
        print("alone")
        over |= series(usual.directory, large.directory, bare, options)
    return int(over)


def series(usual: Path, large: Path, bare: float, options: argparse.Namespace) -> bool:
    """All operations once; whether any is over its limit."""
    over = False
    words = {"add": ["add", "one more item"], "show": ["show", "L7"], "status": ["status"]}
    words["resolve"] = ["resolve", "r1", "unavailable", "computed"]
    for name, limit in LIMITS.items():
        call = [str(usual / "bin/tab"), *words.get(name, name.split())]
        over |= told(name, *cost(call, options.runs, cpu=options.cpu), bare, limit)
    call = [str(large / "bin/tab"), "list", "candidates"]
    over |= told("list candidates, 100,000", *cost(call, 5, cpu=options.cpu), bare, LARGE_LIMIT)
    call = [str(large / "bin/tab"), "status"]
    return over | told("status, 100,000", *cost(call, 5, cpu=options.cpu), bare, LARGE_LIMIT)


def told(name: str, median: float, best: float, bare: float, limit: int) -> bool:
    """Prints one line; whether the median is over the limit."""
    over = median > limit
    verdict = "OVER" if over else "ok"
    print(f"{name:<28}{median:8.1f} ms  best {best:7.1f}  {median / bare:5.1f} x bare  limit {limit} ms  {verdict}")
    return over


if __name__ == "__main__":
    sys.exit(main())
