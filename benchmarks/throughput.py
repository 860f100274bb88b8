"""``cat`` of a large file through a terminal: plain bash, script(1) with a log, asciinema, and tabshell's door.

All in one run, in turns; printed as seconds from Enter to the next prompt (median and least) and as ratios to
``script -f``, and as seconds of processor time that the whole session took, its start and ``cat`` included. The door's
listener does what a recorder has to do at least: SHA-256 over everything, zlib level 1 over the first 64 MiB of an
output. tabshell's prompt comes after all was stored and classified. The large file comes after one short command and a
moment of rest, so that nobody's start is in it (``latency.py`` times starts).

    python benchmarks/throughput.py [--megabytes 200] [--rounds 3] [--tabshell COMMAND]

``--tabshell`` times a whole ``tabshell`` command line as well (``--tabshell "tabshell -q"``).
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import pty
import select
import shlex
import shutil
import signal
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

from tabshell.shell.bash import find_bash
from tabshell.shell.door import DoorOptions, run

PROMPT = b"@> "

#: Seconds of rest before the large file.
REST = 1.0


class Silent:
    """A listener that does nothing and has nothing to say."""

    def output(self, _data, _at):
        pass

    def command_started(self, _start):
        pass

    def command_finished(self, _end):
        return b""

    def stop_attempted(self, _stop):
        return None

    def resized(self, _rows, _columns):
        pass

    def synchronise(self):
        pass

    def settle(self):
        return b""


class Hashing(Silent):
    """A listener that does a recorder's share of the work for each byte."""

    LIMIT = 64 << 20

    def __init__(self):
        self.hash = hashlib.sha256()
        self.packer = zlib.compressobj(1)
        self.size = 0

    def output(self, data, _at):
        self.hash.update(data)
        if self.size < self.LIMIT:
            self.packer.compress(data)
        self.size += len(data)

    def command_started(self, _start):
        self.size = 0


def behind_the_door():
    """Runs the door in this process (started as a child on a terminal)."""
    sys.exit(run(find_bash(None, os.environ), dict(os.environ), Hashing(), DoorOptions()).status)


def seconds(argv: list[str], home: str, command: str) -> tuple[float, float]:
    """Time from Enter to the next prompt, and processor time of everything in the session."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(argv[0], argv, {**os.environ, "HOME": home, "TERM": "xterm"})
    wait_for_prompt(fd)
    os.write(fd, b"echo ready\r")
    wait_for_prompt(fd)
    time.sleep(REST)
    began = time.perf_counter()
    os.write(fd, command.encode() + b"\r")
    wait_for_prompt(fd)
    took = time.perf_counter() - began
    return took, leave(pid, fd)


def leave(pid: int, fd: int) -> float:
    """Ends the shell; gives its processor time. A tabshell that answers with its finish check is told again; asciinema
    does not leave when its terminal goes away."""
    end = time.monotonic() + 10
    with contextlib.suppress(OSError):
        for _ in range(2):
            os.write(fd, b"exit\r")
            while time.monotonic() < end and select.select([fd], [], [], 1)[0] and os.read(fd, 65536):
                pass
    os.close(fd)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    used = os.wait4(pid, 0)[2]
    return used.ru_utime + used.ru_stime


def wait_for_prompt(fd: int) -> None:
    tail = b""
    while not tail.endswith(PROMPT):
        if not select.select([fd], [], [], 120)[0]:
            sys.exit("no prompt within two minutes")
        tail = (tail + os.read(fd, 65536))[-64:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tabshell", help="a tabshell command line to time as well")
    parser.add_argument("--behind-the-door", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.behind_the_door:
        behind_the_door()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        (home / ".bashrc").write_text("PS1='@> '\n")
        text = Path(folder, "text")
        line = b"2026-01-01,some office line with a few figures,1234.56,another column,done\n"
        text.write_bytes(line * (options.megabytes * 1_000_000 // len(line)))
        ways = {
            "plain bash": ["bash"],
            "script -f": ["script", "-q", "-f", "-c", "bash", f"{folder}/log"],
            "door, recording": [sys.executable, __file__, "--behind-the-door"],
        }
        recorder = shutil.which("asciinema", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        if recorder:
            ways["asciinema"] = [recorder, "rec", "-q", "--overwrite", "-c", "bash", f"{folder}/cast"]
        if options.tabshell:
            ways["tabshell"] = shlex.split(options.tabshell)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for _ in range(options.rounds):
            for name, argv in ways.items():
                times[name].append(seconds(argv, str(home), f"cat {text}"))
    base = [middle_and_least(column) for column in zip(*times["script -f"], strict=True)]
    print(f"cat of {options.megabytes} MB, {options.rounds} rounds: seconds until the prompt, of processor time")
    print(f"{'':16} {'median':>7} {'least':>7} {'/script':>8} {'least/':>7} {'cpu':>7} {'/script':>8}")
    for name, values in times.items():
        (middle, least), (_, cpu) = (middle_and_least(column) for column in zip(*values, strict=True))
        print(
            f"{name:16} {middle:7.2f} {least:7.2f} {middle / base[0][0]:7.2f}x {least / base[0][1]:6.2f}x "
            f"{cpu:7.2f} {cpu / base[1][1]:7.2f}x"
        )


def middle_and_least(values: Sequence[float]) -> tuple[float, float]:
    """Median and least."""
    return statistics.median(values), min(values)


if __name__ == "__main__":
    main()
