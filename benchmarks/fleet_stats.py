"""What statistics over a folder of ten thousand sessions cost, and whether they are right.

    python benchmarks/fleet_stats.py [--sessions 10000] [--check N] [--folder DIR]

Makes the sessions (``fleet_sessions.py``; ``--folder`` keeps them and takes those that are there), then runs ``tabshell
stats`` and ``tabshell sessions`` as a person would. Limits on two cores that are otherwise idle: 60 s for ``stats``; at
most 1.5 times the memory of a tenth of the sessions. On a busy machine look at the processor's seconds: half of them
is what two idle cores take. ``--check`` counts N of the sessions the plain way (``fleet_reference.py``, some 30 ms
each; all without a number) and compares every measure, and medians and shares over all where all are checked.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fleet_reference import measures, overview
from fleet_sessions import make_fleet

from tabshell.audit.stats_tally import AMOUNTS, HABITS
from tabshell.session.many import each

LIMIT_S, LIMIT_GROWTH = 60.0, 1.5
#: A process of its own: what the largest of all children took is remembered as long as a process lives.
_TIMED = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
with open(sys.argv[1], "wb") as out:
    done = subprocess.run(sys.argv[2:], stdout=out, stderr=subprocess.DEVNULL)
wall, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([wall, used.ru_utime + used.ru_stime, used.ru_maxrss, done.returncode]))
"""


def run(*words: str, home: Path) -> tuple[float, float, int, bytes]:
    """Seconds on the clock and of processors, and the largest process in KiB, of one command; what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "printed"
        command = [sys.executable, "-c", _TIMED, str(out), sys.executable, "-m", "tabshell", *words]
        told = subprocess.run(command, env={**os.environ, "TABSHELL_HOME": str(home)}, capture_output=True, check=True)
        wall, cpu, largest, status = json.loads(told.stdout)
        assert status == 0
        return wall, cpu, largest, out.read_bytes()


def tenth_of(home: Path, folder: Path) -> Path:
    """A state directory with links to a tenth of the sessions' directories."""
    some = folder / "tenth" / "sessions"
    some.mkdir(parents=True)
    for number, directory in enumerate(sorted((home / "sessions").iterdir())):
        if number % 10 == 0:
            os.makedirs(some / directory.name)
            for name in os.listdir(directory):
                if name.startswith("tab.db"):
                    os.link(directory / name, some / directory.name / name)
    return some.parent


def check(rows: list[dict], whole: dict, count: int | None) -> int:
    """How many of the sessions have another measure the plain way; says so."""
    chosen = rows if count is None else rows[:: max(1, len(rows) // count)][:count]
    plain = list(each(_plain, [row["directory"] for row in chosen], 2, lambda path: {"died": path}))
    wrong = sum(any(row[name] != value for name, value in one.items()) for row, one in zip(chosen, plain, strict=True))
    print(f"{len(chosen):,} sessions counted the plain way: {wrong} differ")
    if count is None:
        same = overview(plain, AMOUNTS, HABITS) == {"medians": whole["medians"], "shares": whole["shares"]}
        print(f"medians and shares over all of them: {'the same' if same else 'DIFFERENT'}")
        wrong += not same
    return wrong


def _plain(directory: str) -> dict[str, object]:
    return measures(Path(directory))


def main() -> int:
    """As a person calls it; 1 where a limit is passed or a number is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--check", type=int, nargs="?", const=None, default=500)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if not (folder / "sessions").is_dir():
            began = time.perf_counter()
            make_fleet(folder, given.sessions)
            print(f"made {given.sessions:,} sessions in {time.perf_counter() - began:.0f} s")
        some = tenth_of(folder, Path(temporary))
        _, _, small, _ = run("stats", str(some), "--format", "json", home=some)
        wall, cpu, large, printed = run("stats", str(folder), "--format", "json", home=folder)
        found = json.loads(printed)
        count = found["counts"]["sessions"] + len(found["unmeasured"])
        print(f"stats over {count:,} directories ({len(found['unmeasured'])} not to be measured):")
        print(f"  {wall:.1f} s on the clock, {cpu:.1f} s of processors ({1000 * cpu / count:.1f} ms a session)")
        print(f"  largest process {large / 1024:.0f} MiB; over a tenth of them {small / 1024:.0f} MiB")
        for words in (("sessions",), ("sessions", "-n", "20"), ("sessions", "--json")):
            seconds, used, _, _ = run(*words, home=folder)
            print(f"{' '.join(words)}: {seconds:.2f} s on the clock, {used:.2f} s of processors")
        wrong = check(found["sessions"], found, given.check)
    return int(wrong > 0 or cpu / 2 > LIMIT_S or large > LIMIT_GROWTH * small)


if __name__ == "__main__":
    sys.exit(main())
