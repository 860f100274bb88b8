"""A ``find`` that lists 100,000 paths: how much later is the prompt back than in plain bash, how long does
``tab list candidates`` take on it, how much memory does the proxy hold. And ordinary turns in that workspace: how much
later is the prompt back than in plain bash.

    python benchmarks/large_listing.py [--files 100000]

Both shells run on the same PTY size in the same run; times are wall-clock seconds, medians of three.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pexpect

PROMPT = "ready> "


def make_files(root: Path, count: int) -> None:
    """``count`` small files, a hundred in a folder."""
    for number in range(count):
        folder = root / f"department-{number // 1000:03}" / f"project {number // 100:04}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        name = folder / f"report-{number:06}-quarterly.txt"
        name.write_text(f"quarter {number}\n") if number < 1000 else name.touch()


#: Turns as in any workspace: what lies around must not matter to them. Medians of seven.
ORDINARY = (
    "true",
    "ls",
    "cat 'department-000/project 0000/report-000007-quarterly.txt'",
    "ls -l 'department-050/project 0503'",
    "grep -rc quarter 'department-050/project 0503' | head -50",
    "find department-007 -name '*77-*' | head -20",
    "find . -type f | head -40",
)


def spawn(command: list[str], workspace: Path, home: Path) -> pexpect.spawn:
    """The shell at its first prompt."""
    env = {**os.environ, "HOME": str(home), "TABSHELL_HOME": str(home / "sidecars"), "TERM": "dumb"}
    child = pexpect.spawn(command[0], command[1:], cwd=str(workspace), dimensions=(50, 160), timeout=120, env=env)
    child.delaybeforesend = None
    child.expect_exact(PROMPT)
    return child


def timed(child: pexpect.spawn, line: str) -> float:
    """Seconds from Enter to the next prompt."""
    begin = time.perf_counter()
    child.sendline(line)
    child.expect_exact(PROMPT, searchwindowsize=4096)
    return time.perf_counter() - begin


def rss_mb(pid: int) -> float:
    """Peak resident memory of a process, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")


def main() -> None:
    """Runs and prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=100_000)
    count = parser.parse_args().files
    with tempfile.TemporaryDirectory() as scratch:
        workspace, home = Path(scratch, "workspace"), Path(scratch, "home")
        workspace.mkdir()
        home.mkdir()
        (home / ".bashrc").write_text(f"PS1='{PROMPT}'\n")
        make_files(workspace, count)
        plain = spawn(["bash"], workspace, home)
        ours = spawn([sys.executable, "-m", "tabshell", "-q", "--task", "the quarterly report"], workspace, home)
        bare = [timed(plain, "find . -type f") for _ in range(3)]
        recorded = [timed(ours, "find . -type f") for _ in range(3)]
        listed = [timed(ours, "tab list candidates") for _ in range(3)]
        status = [timed(ours, "tab status") for _ in range(3)]
        memory = rss_mb(ours.pid)
        pairs = [[(timed(plain, line), timed(ours, line)) for _ in range(7)] for line in ORDINARY]
        for child in (plain, ours):
            child.close(force=True)
    median = statistics.median
    print(f"files                               {count}")
    print(f"find, plain bash                    {median(bare):7.2f} s")
    print(f"find, tabshell                      {median(recorded):7.2f} s  ({median(recorded) / median(bare):.1f}x)")
    print(f"prompt later than plain bash        {median(recorded) - median(bare):7.2f} s  (at most 1.5)")
    print(f"tab list candidates                 {median(listed):7.2f} s  (at most 1.0)")
    print(f"tab status                          {median(status):7.2f} s")
    print(f"memory of the proxy, peak           {memory:7.0f} MB (at most 200)")
    print("ordinary turns: plain bash, tabshell, later by (ms)")
    for line, both in zip(ORDINARY, pairs, strict=True):
        bare, own = (median(times) * 1e3 for times in zip(*both, strict=True))
        print(f"  {bare:8.1f} {own:8.1f} {own - bare:8.1f}   {line[:80]}")


if __name__ == "__main__":
    main()
