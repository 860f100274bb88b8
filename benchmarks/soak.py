"""One session for a very long time: does it stay as small and as quick as it began?

A real ``tabshell`` on a terminal gets thousands of commands of an agent's kind (whole files and parts of them,
listings, searches, requirements added and resolved, reviews) over a workspace of its own making, every tenth of which
prints megabytes. Printed at the end, each with what it is held to:

- memory: the proxy's resident set, highest after the first thousand turns and at the end (under 150 MB);
- latency: from Enter to the next prompt for ``true``, which is asked between the others; the last thousand turns
  against the first (within 10 %), each by its lower quartile and as a multiple of what a plain bash took meanwhile for
  a loop of about that length (how busy the machine was then); beside it the proxy's own CPU time;
- store: the size of ``tab.db`` against what the session showed, compressed as one zlib stream of the store's own level
  (at most 1.2 times);
- idle: CPU time of the proxy while nobody types (under 0.5 %);
- the record: every turn there, and the chain whole.

    python benchmarks/soak.py [--turns 10000] [--megabytes 2000] [--seed 1] [--keep DIRECTORY] [--json F]

The exit status is 1 where one of these does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import random
import select
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

from tabshell.session import Session
from tabshell.store.chain import check

PROMPT = b"@> "
WORDS = [
    "invoice",
    "travel",
    "standard",
    "article",
    "region",
    "total",
    "annual",
    "report",
    "payment",
    "reserve",
    "budget",
    "meeting",
    "supplier",
    "harbour",
    "transfer",
    "quarter",
    "interest",
    "treasury",
    "office",
    "ledger",
    "balance",
    "revenue",
    "council",
    "permit",
    "station",
]
TASK = "annual report of travel payments by region"
#: Every so many turns one is a bulk output, and one is ``true``, whose time is taken.
BULK_EVERY = 10
#: What the plain bash does while ours does ``true``.
YARDSTICK = "for ((n = 0; n < 800; n++)); do :; done"
#: How often ``true`` is asked each time where the first turns and the last are compared.
PAIRS = 5
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def make_workspace(folder: Path, dice: random.Random, files: int, size: int) -> list[str]:
    """Text files in folders, and ``bulk.log`` of ``size`` bytes; gives the paths of the small ones."""
    paths = []
    for number in range(files):
        path = folder / WORDS[number % len(WORDS)] / f"{dice.choice(WORDS)}_{number:04d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(sentence(dice) for _ in range(dice.randint(20, 120))))
        paths.append(str(path.relative_to(folder)))
    with open(folder / "bulk.log", "w", encoding="ascii") as log:
        while log.tell() < size:
            log.writelines(sentence(dice) for _ in range(1000))
    return paths


def sentence(dice: random.Random) -> str:
    words = " ".join(dice.choice(WORDS) for _ in range(dice.randint(4, 12)))
    return f"{words} {dice.randint(1, 999_999):,}\n"


class Shell:
    """A program on a terminal, its output counted and compressed as it comes."""

    def __init__(self, words: list[str], workspace: Path, home: Path) -> None:
        self.shown = 0
        self.packed = 0
        self._packer = zlib.compressobj(1)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(workspace)
            environment = {**os.environ, "HOME": str(home), "TERM": "xterm", "TABSHELL_HOME": str(home / "sidecars")}
            os.execvpe(words[0], words, environment)
        self.until_prompt()

    def until_prompt(self) -> None:
        tail = b""
        while not tail.endswith(PROMPT):
            if not select.select([self.fd], [], [], 600)[0]:
                sys.exit(f"no prompt within ten minutes; last: {tail!r}")
            data = os.read(self.fd, 1 << 16)
            self.shown += len(data)
            self.packed += len(self._packer.compress(data))
            tail = (tail + data)[-200:]

    def run(self, command: str) -> float:
        """Types a line; seconds until the next prompt."""
        began = time.perf_counter()
        os.write(self.fd, command.encode() + b"\r")
        self.until_prompt()
        return time.perf_counter() - began

    def cpu(self) -> float:
        """Seconds of CPU time so far, of all its threads."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> int:
        """Resident bytes."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * PAGE

    def leave(self) -> None:
        """Ends the shell; the finish check may hold it once."""
        os.write(self.fd, b"exit\r")
        try:
            while True:
                data = os.read(self.fd, 1 << 16)
                if data.endswith(PROMPT):
                    os.write(self.fd, b"exit\r")
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        self.packed += len(self._packer.flush())


def command(turn: int, dice: random.Random, paths: list[str], bulk: int) -> str:
    """What an agent might type at this turn."""
    if turn % BULK_EVERY == 0:
        return f"tail -c +{dice.randint(1, 2 * bulk)} bulk.log | head -c {bulk}"
    path = dice.choice(paths)
    kind = dice.random()
    if kind < 0.35:
        return f"cat {path}"
    if kind < 0.55:
        first = dice.randint(1, 15)
        return f"sed -n {first},{first + dice.randint(1, 20)}p {path}"
    if kind < 0.70:
        return f"grep -n {dice.choice(WORDS)} {path}"
    if kind < 0.80:
        return f"ls -l {path.partition('/')[0]}"
    if kind < 0.90:
        return f"echo {dice.randint(1, 999)}; head -n 5 {path}"
    if kind < 0.94:
        return f"tab add 'total {dice.choice(WORDS)} payment {turn}'"
    if kind < 0.97:
        return f"tab resolve r{dice.randint(1, max(1, turn // 60))} unavailable computed"
    return dice.choice(["tab status", "tab list --page 1", "tab show L1", "cd .", "# a note"])


class Course:
    """What was measured on the way: seconds of ``true`` (ours and bare), of the proxy's processor a turn, bytes."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self.asked: list[tuple[int, float, float]] = []
        self.burnt: list[float] = []
        self.memory: list[int] = []
        self.part = min(1000, turns // 3)
        self.began = time.monotonic()

    def told(self, turn: int, proxy: Shell) -> str:
        """Where it is."""
        recent, _ = self.quick(turn - self.part)
        cpu = sum(self.burnt[-self.part :]) / self.part * 1e3
        return (
            f"{turn:6} turns, {proxy.shown / 1e6:7.0f} MB shown, {self.memory[-1] / 1e6:5.0f} MB resident, "
            f"`true` {recent:.2f} ms, proxy's CPU {cpu:.2f} ms a turn, {time.monotonic() - self.began:.0f} s"
        )

    def ask(self, turn: int, proxy: Shell, plain: Shell) -> None:
        """Takes the times of ``true`` and the yardstick: several times in the first part and the last."""
        for _ in range(1 if self.part < turn <= self.turns - self.part else PAIRS):
            self.asked.append((turn, proxy.run("true"), plain.run(YARDSTICK)))

    def quick(self, after: int, until: int | None = None) -> tuple[float, float]:
        """Milliseconds between two turns for ``true`` and the yardstick: what a quarter of them stays below."""
        asked = [pair for pair in self.asked if after < pair[0] <= (until or self.turns)]
        ours, bare = (statistics.quantiles(times, n=4)[0] * 1e3 for times in list(zip(*asked, strict=True))[1:])
        return ours, bare

    def ends(self) -> dict[str, float]:
        """The first part of the way beside the last."""
        part = self.part
        (first, bare_first), (last, bare_last) = self.quick(0, part), self.quick(self.turns - part)
        return {
            "memory_first_mb": max(self.memory[: max(1, part // 100)]) / 1e6,
            "memory_last_mb": self.memory[-1] / 1e6,
            "memory_most_mb": max(self.memory) / 1e6,
            "latency_first_ms": first,
            "latency_last_ms": last,
            "bare_first_ms": bare_first,
            "bare_last_ms": bare_last,
            "cpu_first_ms": sum(self.burnt[:part]) / part * 1e3,
            "cpu_last_ms": sum(self.burnt[-part:]) / part * 1e3,
        }


def soak(options: argparse.Namespace, folder: Path) -> dict[str, float]:
    dice = random.Random(options.seed)
    workspace, home = folder / "workspace", folder / "home"
    workspace.mkdir()
    home.mkdir()
    (home / ".bashrc").write_text("PS1='@> '\n")
    bulk = options.megabytes * 10**6 // max(1, options.turns // BULK_EVERY)
    paths = make_workspace(workspace, dice, 600, 3 * bulk)
    proxy = Shell([sys.executable, "-m", "tabshell", "-q", "--task", TASK], workspace, home)
    plain = Shell(["bash"], workspace, home)
    course = Course(options.turns)
    for turn in range(1, options.turns + 1):
        before = proxy.cpu()
        if turn % BULK_EVERY == 5:
            course.ask(turn, proxy, plain)
        else:
            proxy.run(command(turn, dice, paths, bulk))
        course.burnt.append(proxy.cpu() - before)
        if turn % 100 == 0 or turn % course.part == 0:
            course.memory.append(proxy.memory())
        if turn % course.part == 0:
            print(course.told(turn, proxy), flush=True)
    idle = idle_cpu(proxy, options.idle)
    proxy.leave()
    plain.leave()
    (directory,) = (home / "sidecars" / "sessions").iterdir()
    return {
        **course.ends(),
        **stored(directory),
        "megabytes": proxy.shown / 1e6,
        "packed_mb": proxy.packed / 1e6,
        "idle_percent": idle,
        "expected_turns": options.turns,
    }


def stored(directory: Path) -> dict[str, float]:
    """What the store says of it."""
    with Session.open(directory, readonly=True) as session:
        turns = sum(1 for event in session.store.events() if type(event.fact).__name__ == "TurnEnded")
        faults = len(list(check(session.store.stored())))
    return {"turns": turns, "chain_faults": faults, "store_mb": (directory / "tab.db").stat().st_size / 1e6}


def idle_cpu(proxy: Shell, seconds: float) -> float:
    """Percent of one CPU that the proxy takes while nobody types."""
    time.sleep(1)
    before = proxy.cpu()
    time.sleep(seconds)
    return (proxy.cpu() - before) / seconds * 100


def report(found: dict[str, float]) -> bool:
    """Prints each figure beside what it is held to; False if one does not hold."""
    first, last = (found[f"latency_{end}_ms"] / found[f"bare_{end}_ms"] for end in ("first", "last"))
    latency = last / first
    store = found["store_mb"] / found["packed_mb"]
    lines = [
        (found["memory_most_mb"] < 150, f"memory     {found['memory_first_mb']:.0f} MB after the first thousand turns, "
         f"{found['memory_last_mb']:.0f} at the end, {found['memory_most_mb']:.0f} at most (under 150)"),
        (latency <= 1.1, f"latency    `true` {found['latency_first_ms']:.2f} ms in the first thousand turns, "
         f"{found['latency_last_ms']:.2f} in the last; {first:.2f} and {last:.2f} times the loop: {latency:.2f} "
         "(at most 1.10)"),
        (True, f"           plain bash took {found['bare_first_ms']:.2f} and {found['bare_last_ms']:.2f} ms; CPU "
         f"{found['cpu_first_ms']:.2f} ms a turn, then {found['cpu_last_ms']:.2f}"),
        (store <= 1.2, f"store      {found['store_mb']:.0f} MB for {found['packed_mb']:.0f} MB of compressed output: "
         f"{store:.2f} (at most 1.20)"),
        (found["idle_percent"] < 0.5, f"idle       {found['idle_percent']:.2f} % CPU (under 0.5)"),
        (found["turns"] >= found["expected_turns"] and not found["chain_faults"],
         f"record     {found['turns']:.0f} turns, {found['megabytes']:.0f} MB, "
         f"{found['chain_faults']:.0f} faults in the chain"),
    ]  # fmt: skip
    for holds, line in lines:
        print(f"{'ok  ' if holds else 'MISS'} {line}")
    return all(holds for holds, _ in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--idle", type=float, default=30.0, help="seconds of idling that are measured")
    parser.add_argument("--keep", type=Path, help="a fresh directory for everything, which is left there")
    parser.add_argument("--json", type=Path, help="where the figures are written")
    options = parser.parse_args()
    subprocess.run(["sync"], check=False)
    if options.keep:
        options.keep.mkdir(parents=True)
        found = soak(options, options.keep)
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = soak(options, Path(folder))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    sys.exit(0 if report(found) else 1)


if __name__ == "__main__":
    main()
