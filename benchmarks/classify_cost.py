# ruff: noqa: E501
"""What classification costs: ``classify_cost.py [--files 2000] [--large] [--growth]``, in a made workspace, with ratios.

Times are those of the processor, so that a busy machine does not spoil them. Typical turns (outputs under 50 KB):
median and 99th percentile. With ``--large``: an output of 64 MiB, one line of 50 MB, a directory of 50,000 names, a
listing of 100,000 paths, each beside the time of counting the output's lines, with the memory that it took. With
``--growth``: the same turns of one session in workspaces of 1,000, 10,000 and 100,000 files, the fastest of five each;
their cost must go with their output, not with what lies around.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.model.accesses import Accesses
from tabshell.model.records import CommandRecord

WORDS = "report budget salary invoice quarter revenue cost travel policy meeting total client north south".split()  # noqa: SIM905


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(4, 12))) + f" {rng.randint(10, 99_999)}"


def workspace(top: Path, files: int, rng: random.Random) -> list[str]:
    """``files`` text files of 1 to 40 KB in folders of fifty."""
    names = []
    for number in range(files):
        folder = top / f"dept{number // 50:03}"
        folder.mkdir(parents=True, exist_ok=True)
        suffix = rng.choice(("md", "txt", "csv"))
        name = f"{rng.choice(WORDS)}_{rng.choice(WORDS)}_{number}.{suffix}"
        lines = (
            sentence(rng).replace(" ", ",") if suffix == "csv" else sentence(rng) for _ in range(rng.randint(20, 600))
        )
        (folder / name).write_text("\n".join(lines) + "\n")
        names.append(f"dept{number // 50:03}/{name}")
    return names


def turns(names: list[str], rng: random.Random, count: int) -> list[str]:
    """Commands as agents type them, by their kinds' shares."""
    made = []
    for _ in range(count):
        name, other, folder = rng.choice(names), rng.choice(names), rng.choice(names).split("/")[0]
        first = rng.randint(1, 100)
        made.append(
            rng.choice(
                [
                    f"cat {name}", f"head -40 {name}", f"sed -n '{first},{first + 60}p' {name}", f"ls -la {folder}",
                    f"ls {folder}", f"find {folder} -name '*.md'", f"grep -n {rng.choice(WORDS)} {name} | head -50",
                    f"grep -rn '{rng.randint(100, 999)}' {folder} | head -40", f"wc -l {folder}/*", f"cut -d, -f1-3 {name} | head",
                    f"cd {folder} && ls | head -20 && cat {name.split('/')[1] if name.startswith(folder) else '*.txt'} | head -100",
                    f"awk '{{print $1, $NF}}' {name} | sort | uniq -c | sort -rn | head -20", f"diff {name} {other} | head -60",
                    f"for f in {folder}/*.csv; do echo \"== $f\"; head -2 $f; done", f"tail -5 {name} {other}", "pwd; date",
                    f"python3 -c \"for i,l in enumerate(open('{name}')):\n  if i<30: print(l.split()[:4])\"",
                ]
            )
        )  # fmt: skip
    return made


def timed(top: Path, command: str, output: bytes, deadline: float = 60) -> tuple[float, Accesses]:
    """Seconds of one classification by a fresh classifier."""
    classifier = Classifier(str(top), None, Disk(deadline))
    record = CommandRecord("pty", command, "history", str(top), output, 0, columns=160)
    begun = time.process_time()
    accesses = classifier.classify(record)
    return time.process_time() - begun, accesses


def typical(top: Path, names: list[str], rng: random.Random, count: int) -> None:
    commands = turns(names, rng, count)
    spent: list[tuple[float, int, str]] = []
    classifier = Classifier(str(top), None, Disk(60))
    for command in commands:
        done = subprocess.run(["bash", "-c", command], cwd=top, capture_output=True, check=False)
        output = (done.stdout + done.stderr).replace(b"\n", b"\r\n")
        if len(output) > 50_000:
            continue
        record = CommandRecord("pty", command, "history", str(top), output, done.returncode, columns=160)
        begun = time.process_time()
        classifier.classify(record)
        spent.append((time.process_time() - begun, len(output), command))
    spent.sort()
    times = [t for t, _, _ in spent]
    print(
        f"typical turns: {len(times)} in {len(names)} files: median {times[len(times) // 2] * 1e3:.1f} ms, "
        f"p90 {times[int(len(times) * 0.9)] * 1e3:.1f} ms, p99 {times[int(len(times) * 0.99)] * 1e3:.1f} ms"
    )
    for t, size, command in spent[-3:]:
        print(f"    slowest: {t * 1e3:.1f} ms, {size} bytes: {command[:110]!r}")


def in_child(name: str, work: Callable[[], None]) -> None:
    """Runs one measurement in a process of its own, so that its memory can be told."""
    sys.stdout.flush()
    import os  # noqa: PLC0415

    pid = os.fork()
    if pid == 0:
        print(f"{name}: ", end="")
        work()
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)


def large(top: Path, label: str, command: str, output: bytes) -> None:
    """Time and memory of one large output, beside reading it once."""
    begun = time.process_time()
    output.count(b"\n")
    read = max(1e-4, time.process_time() - begun)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent, accesses = timed(top, command, output)
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    shown = f"read {len(accesses.read + accesses.searched)}, listed {len(accesses.listed)}, "
    shown += f"entries hold {sum(e.chars for e in accesses.excerpts)} characters"
    print(f"{label}: {spent:.2f} s ({spent / read:.0f} x counting its lines), {memory:.0f} MB more; {shown}")


def larges(top: Path, rng: random.Random) -> None:
    lines = [sentence(rng) for _ in range(20_000)]
    body = "".join(f"{n} {lines[n % 20_000]}\n" for n in range(1_050_000))[: 64 << 20]
    (top / "big.log").write_text(body)
    (top / "line.json").write_text(
        '{"rows": [' + ", ".join(f'"{lines[n % 20_000]}"' for n in range(900_000))[: 50 << 20] + "]}"
    )
    many = top / "many"
    many.mkdir()
    for n in range(50_000):
        (many / f"scan_{n:06}_{WORDS[n % 14]}.tif").touch()
    deep = top / "deep"
    for n in range(1000):
        (deep / f"box{n:04}").mkdir(parents=True)
        for m in range(100):
            (deep / f"box{n:04}" / f"letter_{m:03}_{WORDS[m % 14]}.txt").touch()
    big = (top / "big.log").read_bytes()
    jobs = [
        ("64 MiB by cat", "cat big.log", big.replace(b"\n", b"\r\n")[: 64 << 20]),
        ("64 MiB by grep", "grep -n report big.log", b"".join(b"%d:%s\n" % (n, x) for n, x in enumerate(big.split(b"\n"), 1) if b"report" in x)),
        ("64 MiB by a script", "python3 show.py big.log", big),
        ("one line of 50 MB", "cat line.json", (top / "line.json").read_bytes()),
        ("50,000 names", "ls many", "".join(f"{p.name}\r\n" for p in sorted(many.iterdir())).encode()),
        ("50,000 long rows", "ls -l many", "".join(f"-rw-r--r-- 1 root root 0 May  3 12:00 {p.name}\r\n" for p in sorted(many.iterdir())).encode()),
        ("100,000 paths", "find deep -type f", "".join(f"{p.relative_to(top)}\r\n" for p in sorted(deep.rglob("*.txt"))).encode()),
    ]  # fmt: skip
    for label, command, output in jobs:
        in_child(label, lambda: large(top, "", command, output))  # noqa: B023 - runs at once


def fill(top: Path, start: int, end: int) -> None:
    """Files ``start`` to ``end`` beside the others, a hundred in a folder, a hundred folders in one above."""
    for number in range(start, end):
        folder = top / f"area{number // 10_000:02}" / f"box{number // 100:04}"
        if number % 100 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        (folder / f"letter_{number:06}_{WORDS[number % 14]}.txt").touch()


def growth(top: Path, names: list[str]) -> None:
    """One session's turns in a workspace that grows."""
    name, folder = names[0], names[0].split("/")[0]
    commands = [
        "pwd", f"cat {name}", f"head -40 {name}", "ls", f"ls -la {folder}", f"grep -rn budget {folder} | head -200",
        f"for f in {folder}/*.csv; do echo \"== $f\"; head -2 $f; done", f"find {folder} -name '*.md'", f"wc -l {folder}/*",
        f"grep -c . {name}", "python3 -c 'print(6*7)'", "grep -rn 'budget invoice' . | head -40", "find . -type f | head -20",
        "find . -name '*.csv' | xargs head -qn1 | head -20", "find . -type f | wc -l", "find . -type f",
    ]  # fmt: skip
    table: dict[str, list[str]] = {command: [] for command in commands}
    there = len(names)
    for size in (1_000, 10_000, 100_000):
        fill(top, there, size)
        there = max(there, size)
        classifier = Classifier(str(top), None, Disk(60))
        for command in commands:
            done = subprocess.run(["bash", "-c", command], cwd=top, capture_output=True, check=False)
            output = (done.stdout + done.stderr).replace(b"\n", b"\r\n")
            record = CommandRecord("pty", command, "history", str(top), output, done.returncode, columns=160)
            spent = []
            for _ in range(5):
                begun = time.process_time()
                classifier.classify(record)
                spent.append(time.process_time() - begun)
            table[command].append(f"{min(spent) * 1e3:9.1f} ms {len(output) / 1000:7.0f} KB")
    print("ms of the processor and output, in a workspace of 1,000, 10,000 and 100,000 files:")
    for command, cells in table.items():
        print("".join(cells), "  ", command[:70])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        names = workspace(Path(folder), 500 if options.growth else options.files, rng)
        if options.growth:
            return growth(Path(folder), names)
        typical(Path(folder), names, rng, options.turns)
        if options.large:
            larges(Path(folder), rng)
    return None


if __name__ == "__main__":
    main()
