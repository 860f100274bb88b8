"""Walks every command of a collection and says whether any raised, and how long they took.

Usage: ``python benchmarks/real_commands.py COMMANDS.jsonl.gz [WORKSPACE]``. The collection holds one JSON object a line
with a ``command``. Each is walked as if typed in WORKSPACE (default: the current directory), with the real disk behind
it. Times are of the processor, so that other work on the machine does not count. Exit status 1 where a walk raised or
took longer than ``LIMIT_MS``.
"""

from __future__ import annotations

import gc
import gzip
import json
import os
import sys
import time
import traceback

from tabshell.access.command.walk import doings
from tabshell.access.disk.disk import Disk
from tabshell.access.memory import ShellMemory

#: No command may take longer than this, in milliseconds.
LIMIT_MS = 50.0


def commands(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", errors="surrogateescape") as stream:
        return [json.loads(line)["command"] for line in stream]


def main():
    workspace = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else ".")
    texts = commands(sys.argv[1])
    doings("ls", workspace, None, Disk(), ShellMemory())
    times, raised, unparsed, acts = [], 0, 0, 0
    gc.disable()
    for text in texts:
        memory, disk = ShellMemory(), Disk()
        begun = time.thread_time()
        try:
            result = doings(text, workspace, os.path.expanduser("~"), disk, memory)
        except Exception:  # noqa: BLE001 - every fault is to be counted
            raised += 1
            print("raised:", repr(text[:300]))
            traceback.print_exc()
            continue
        finally:
            times.append(((time.thread_time() - begun) * 1000, text))
        unparsed += not result.parsed
        acts += len(result.acts)
    times.sort(key=lambda item: item[0])
    count = len(times)
    print(f"{count} commands, {acts} acts, {unparsed} not (wholly) bash, {raised} raised")
    print(f"ms: p50 {times[count // 2][0]:.2f}  p99 {times[int(count * 0.99)][0]:.2f}  max {times[-1][0]:.2f}")
    for took, text in times[-5:]:
        print(f"  {took:7.2f} ms  {text[:120]!r}")
    return 1 if raised or times[-1][0] > LIMIT_MS else 0


if __name__ == "__main__":
    sys.exit(main())
