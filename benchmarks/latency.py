"""Time from Enter to the next prompt for ``true``, and from the start of the program to the first prompt: plain bash,
script(1), asciinema, and tabshell's door.

All in one run, in turns (ten commands each, so that a busy machine is busy for all); printed as the median, the
fifth percentile and the difference to plain bash, in milliseconds. The door shows a status line after each command,
made by a listener that does nothing else; ``--tabshell COMMAND`` times a whole ``tabshell`` as well. Its first prompt
is to come within 150 ms of the one of bash, in an empty folder and in one with ``--directories`` (a workspace is
watched). Linux.

    python benchmarks/latency.py [--commands 400] [--starts 10] [--tabshell "tabshell -q"] [--directories 4700]
"""

from __future__ import annotations

import argparse
import ctypes
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
from pathlib import Path

from throughput import Silent

from tabshell.shell.bash import find_bash
from tabshell.shell.door import DoorOptions, run

PROMPT = b"@> "
#: Directories of one folder of a large tree.
ROW = 40
#: ``prctl``: what a killed child leaves behind becomes our child.
PR_SET_CHILD_SUBREAPER = 36
STATUS = b"[tab] requirements: none added yet | candidates: 0 unopened | read log: 0 entries | last tab access: never"


class Speaking(Silent):
    """A listener that only has a status line."""

    def command_finished(self, _end):
        return STATUS


class Shell:
    """One shell on a terminal, and how long its commands took (seconds)."""

    def __init__(self, argv: list[str], home: str, cwd: str = ".") -> None:
        self.took: list[float] = []
        began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, {**os.environ, "HOME": home, "TERM": "xterm"})
        self.wait()
        #: Seconds to the first prompt.
        self.started = time.perf_counter() - began

    def wait(self) -> None:
        tail = b""
        while not tail.endswith(PROMPT):
            if not select.select([self.fd], [], [], 30)[0]:
                sys.exit(f"no prompt within half a minute; last: {tail!r}")
            tail = (tail + os.read(self.fd, 65536))[-200:]

    def leave(self) -> None:
        """Ends the shell (asciinema does not leave when its terminal goes away)."""
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def command(self) -> None:
        began = time.perf_counter()
        os.write(self.fd, b"true\r")
        self.wait()
        self.took.append(time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands", type=int, default=400)
    parser.add_argument("--starts", type=int, default=10, help="how often each is started for its first prompt")
    parser.add_argument("--tabshell", help="a tabshell command line to time as well")
    parser.add_argument("--directories", type=int, default=0, help="time first prompts also in a tree of so many")
    parser.add_argument("--behind-the-door", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.behind_the_door:
        sys.exit(run(find_bash(None, os.environ), dict(os.environ), Speaking(), DoorOptions(hold=True)).status)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        home, empty, large = Path(folder, "home"), Path(folder, "empty"), Path(folder, "large")
        home.mkdir()
        empty.mkdir()
        grow(large, options.directories)
        (home / ".bashrc").write_text("PS1='@> '\n")
        ways = {
            "plain bash": ["bash"],
            "script -f": ["script", "-q", "-f", "-c", "bash", f"{folder}/log"],
            "door, status line": [sys.executable, __file__, "--behind-the-door"],
        }
        recorder = shutil.which("asciinema", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        if recorder:
            ways["asciinema"] = [recorder, "rec", "-q", "--overwrite", "-c", "bash", f"{folder}/cast"]
        if options.tabshell:
            ways["tabshell"] = shlex.split(options.tabshell)
        places = {"an empty folder": empty}
        if options.directories and options.tabshell:
            places[f"a tree of {options.directories} directories"] = large
        starts = {place: {name: [] for name in ways} for place in places}
        for _ in range(options.starts):
            for place, cwd in places.items():
                for name, argv in ways.items():
                    shell = Shell(argv, str(home), str(cwd))
                    starts[place][name].append(shell.started)
                    shell.leave()
        shells = {name: Shell(argv, str(home), str(empty)) for name, argv in ways.items()}
        for _ in range(options.commands // 10):
            for shell in shells.values():
                for _ in range(10):
                    shell.command()
        for shell in shells.values():
            shell.leave()
        reap()
    told(f"one `true`, {options.commands} times", {name: shell.took for name, shell in shells.items()})
    for place, times in starts.items():
        told(f"the first prompt in {place}, {options.starts} times", times)


def grow(top: Path, directories: int) -> None:
    """Makes so many directories, in rows, with two files each."""
    top.mkdir()
    for number in range(directories):
        folder = top / f"row{number // ROW}"
        if number % ROW:
            folder /= f"place{number % ROW}"
        folder.mkdir()
        for name in ("a.txt", "b.txt"):
            (folder / name).write_text(f"{number}\n")


def reap() -> None:
    """Waits for what killed shells left behind: a bash that loses its terminal still writes its history, a clerk
    closes its store. What is there after ten seconds (asciinema's writers never end by themselves) is killed."""
    patience = time.monotonic() + 10
    try:
        while True:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                if time.monotonic() > patience:
                    for child in children():
                        os.kill(child, signal.SIGKILL)
                time.sleep(0.05)
    except ChildProcessError:
        pass


def children() -> list[int]:
    """The children of this process."""
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def told(what: str, times: dict[str, list[float]]) -> None:
    """Prints one table."""
    bare = statistics.median(times["plain bash"])
    print(f"{what}: median, fifth percentile, median above plain bash (ms)")
    for name, took in times.items():
        middle, low = statistics.median(took), statistics.quantiles(took, n=20, method="inclusive")[0]
        print(f"{name:18} {middle * 1e3:6.2f} {low * 1e3:6.2f} {(middle - bare) * 1e3:+6.2f}")


if __name__ == "__main__":
    main()
