"""``kill -9`` at random moments of a busy session, again and again: what was finished must be readable afterwards.

Each round starts a real ``tabshell`` on a terminal, types commands into it (files read, listings, requirements added
and resolved, outputs of megabytes, a ``bash -c`` through the session's own shim), and at a moment that the dice give
kills the proxy, bash, a ``tab`` call or a shim (``prompt``: the proxy in the very moment in which a prompt came back).
Then it is checked that

- every command whose prompt came back has its turn, with its whole output; turns, entries and requirements are numbered
  without holes or doubles; every requirement that ``tab add`` printed is there;
- the chain holds to its last event, and ``verify`` finds nothing but gaps;
- the shell goes on where it was not killed, and ends with 137 where it was;
- ``--resume`` goes on with the next number.

    python benchmarks/kills.py [--rounds 200] [--seed 1] [--victims proxy,bash,tab,shim,prompt]

Prints a line for each kind of victim; the exit status is 1 if any round was at fault. A round is repeated alone by
``--rounds 1 --seed N`` with the seed it names.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import os
import pty
import random
import select
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from tabshell.access.disk.disk import Disk
from tabshell.model.facts import EntryLogged, RequirementAdded, TurnEnded, TurnStarted
from tabshell.session import Session
from tabshell.session.whole import all_findings, chain_state

PROMPT = b"@> "
VICTIMS = ("proxy", "bash", "tab", "shim", "prompt")
#: Seconds after the first command within which the kill falls.
LATEST = 1.5
PATIENCE = 60.0


class TerminalGoneError(Exception):
    """The terminal has ended."""


class Shell:
    """A ``tabshell`` on a terminal; ``finished`` are the marks of commands whose prompt came back."""

    def __init__(self, workspace: Path, *words: str) -> None:
        self.finished: list[str] = []
        self.added = 0
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(workspace)
            argv = [sys.executable, "-m", "tabshell", "-q", *words]
            os.execvp(argv[0], argv)
        self.until_prompt()

    def until_prompt(self) -> bytes:
        """What is shown until the next prompt. Raises TerminalGoneError."""
        shown = bytearray()
        while not shown.endswith(PROMPT):
            if not select.select([self.fd], [], [], PATIENCE)[0]:
                raise AssertionError(f"no prompt; last: {bytes(shown[-300:])!r}")
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                data = b""
            if not data:
                raise TerminalGoneError(repr(bytes(shown[-600:])))
            shown += data
        self.seen = bytes(shown[-400:])
        return bytes(shown)

    def run(self, line: str, mark: str | None = None) -> bytes:
        """Types a line and waits for its prompt."""
        try:
            os.write(self.fd, line.encode() + b"\r")
        except OSError:
            raise TerminalGoneError from None
        shown = self.until_prompt()
        if mark is not None:
            self.finished.append(mark)
        self.added += shown.count(b"\nr") if line.startswith("tab add") else 0
        return shown

    def children(self) -> list[int]:
        return [int(word) for word in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def end(self) -> int:
        """Leaves; gives the exit status as ``waitpid`` told it."""
        with contextlib.suppress(TerminalGoneError, OSError):
            for _ in range(3):
                os.write(self.fd, b"exit\r")
                self.until_prompt()
        return self.wait()

    def wait(self) -> int:
        """Waits for the end, reading on; gives the wait status."""
        os.set_blocking(self.fd, False)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                while os.read(self.fd, 1 << 16):
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return status
            select.select([self.fd], [], [], 0.02)
        raise AssertionError("it did not end")


def line(number: int, dice: random.Random, directory: Path) -> str:
    """A command that prints ``mark<number>`` somewhere."""
    mark = f"echo mark{number}"
    return dice.choice(
        (
            f"cat {dice.choice('abcde')}.txt; {mark}",
            f"{mark}; seq {dice.choice((10, 1000, 200_000))}; {mark}",
            f"ls -l; {mark}",
            f"grep -n {dice.choice(('alpha', 'beta'))} *.txt; {mark}",
            f"(cd /; pwd; {mark})",
            f"for i in 1 2 3; do head -n $i a.txt; done | sort; {mark}",
            f"{directory}/bin/bash -c 'cat b.txt; {mark}'; {mark}",
            f"tab add 'alpha total {number}' 'beta total {number}'; {mark}",
            f"tab list; {mark}",
            f"tab resolve r1 unavailable computed; {mark}",
            f"tab note about {number}; tab status; {mark}",
        )
    )


def find_victim(kind: str, shell: Shell) -> int | None:
    """The process to kill; None: there is none of that kind now."""
    if kind == "proxy":
        return shell.pid
    children = shell.children()
    if kind == "bash":
        return children[0] if children else None
    word = b"/tab\0" if kind == "tab" else b"/bin/bash\0-c"
    below = list(children)
    while below:
        pid = below.pop()
        with contextlib.suppress(OSError, ValueError):
            below += [int(w) for w in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            if word in words and pid not in children:
                return pid
    return None


class Killer(threading.Thread):
    """Kills when its moment has come (a ``tab`` or a shim: the first that lives from then on)."""

    def __init__(self, kind: str, shell: Shell, after: float) -> None:
        super().__init__(daemon=True)
        self.kind, self.shell, self.after = kind, shell, after
        self.hit = False
        self.stop = threading.Event()

    def run(self) -> None:
        self.stop.wait(self.after)
        until = time.monotonic() + 20
        while not self.stop.is_set() and time.monotonic() < until:
            with contextlib.suppress(OSError):
                pid = find_victim(self.kind, self.shell)
                if pid is not None:
                    os.kill(pid, signal.SIGKILL)
                    self.hit = True
                    return
            self.stop.wait(0.003)


def one_round(kind: str, seed: int, folder: Path) -> list[str]:
    """Plays one round; gives what was at fault."""
    dice = random.Random(seed)
    workspace = folder / "workspace"
    workspace.mkdir()
    for name in "abcde":
        (workspace / f"{name}.txt").write_text("".join(f"alpha {name} {n}\nbeta {n * 7}\n" for n in range(40)))
    shell = Shell(workspace, "--task", "alpha and beta totals")
    (directory,) = (folder / "home" / "sidecars" / "sessions").iterdir()
    killer = Killer(kind, shell, dice.uniform(0, LATEST))
    at_prompt = dice.randint(1, 12) if kind == "prompt" else 0
    if not at_prompt:
        killer.start()
    number, gone = 0, False
    until = time.monotonic() + LATEST + 20
    while time.monotonic() < until and not (killer.hit and number >= 5 and not killer.is_alive()):
        number += 1
        try:
            shell.run(line(number, dice, directory), f"mark{number}")
            if number == at_prompt:
                os.kill(shell.pid, signal.SIGKILL)
        except TerminalGoneError:
            gone = True
            break
    after = number
    if not gone:  # the shell lives on: it must still record
        for _ in range(3):
            number += 1
            with contextlib.suppress(TerminalGoneError):
                shell.run(line(number, dice, directory), f"mark{number}")
    killer.stop.set()
    status = shell.wait() if gone else shell.end()
    if not at_prompt:
        killer.join()
    faults = [f"killed {kind}: the shell was gone"] if gone and kind in ("tab", "shim") else []
    if kind == "bash" and gone and os.waitstatus_to_exitcode(status) not in (137, -9):
        faults.append(f"bash was killed, tabshell ended with {os.waitstatus_to_exitcode(status)}")
    faults += check(directory, shell)
    faults += resumed(directory, workspace, after)
    return faults


def check(directory: Path, shell: Shell) -> list[str]:
    """What of the record is not as it must be."""
    faults = []
    with Session.open(directory) as session:
        session.catch_up()
        outputs = collections.defaultdict(bytes)
        started = [event.fact for event in session.store.events(TurnStarted)]
        ended = {event.fact.turn for event in session.store.events(TurnEnded)}
        for fact in started:
            outputs[fact.command] += session.output(fact.turn)
        for mark in shell.finished:
            command = next((command for command in outputs if command.endswith((f"echo {mark}", f"{mark})"))), None)
            if command is None:
                faults.append(f"{mark}: its prompt came back and there is no turn")
            elif mark.encode() not in outputs[command]:
                faults.append(f"{mark}: its output is not whole")
        for kind, field in ((TurnStarted, "turn"), (EntryLogged, "id"), (RequirementAdded, "id")):
            numbers = [getattr(event.fact, field) for event in session.store.events(kind)]
            if numbers != list(range(1, len(numbers) + 1)):
                faults.append(f"numbers of {kind.__name__}: {numbers}")
        requirements = sum(1 for _ in session.store.events(RequirementAdded))
        if requirements < shell.added:
            faults.append(f"{shell.added} requirements were acknowledged, {requirements} are there")
        if len(started) - len(ended) > 1:
            faults.append(f"{len(started)} turns began, {len(ended)} ended")
        bad = [f for f in all_findings(session, chain_state(session), Disk(), None) if f.code != "recording-gap"]
        faults += [f"verify: {finding.code} {finding.message}" for finding in bad]
    return faults


def resumed(directory: Path, workspace: Path, after: int) -> list[str]:
    """What is wrong when the session goes on."""
    with Session.open(directory, readonly=True) as session:
        before = session.store.last_number(TurnStarted)
    shell = Shell(workspace, "--resume", str(directory))
    shown = shell.run("cat c.txt; echo again")
    shell.end()
    faults = [] if b"[tab] requirements" in shown else ["no status line after --resume"]
    with Session.open(directory) as session:
        event = session.store.numbered(TurnStarted, before + 1)
        if event is None or not event.fact.command.endswith("echo again"):
            faults.append(f"--resume did not go on with turn {before + 1} (after {after})")
        if b"again" not in session.output(before + 1):
            faults.append("the output after --resume is not there")
        if session.tab().ended is None:
            faults.append("the resumed session has no end")
        findings = all_findings(session, chain_state(session), Disk(), None)
        if any(finding.code != "recording-gap" for finding in findings):
            faults.append(f"verify after --resume: {findings}")
        ended = {event.fact.turn for event in session.store.events(TurnEnded)}
        told = " ".join(finding.message for finding in findings)
        unended = sorted(set(range(1, before + 2)) - ended)
        faults += [
            f"turn {n} was cut off, and verify does not say so" for n in unended if f"turn {n} began" not in told
        ]
    return faults


def play(rounds: int, seed: int, victims: list[str]) -> dict[str, list[str]]:
    """Plays the rounds; gives the faults by victim (an empty list: none)."""
    found: dict[str, list[str]] = {kind: [] for kind in victims}
    for number in range(rounds):
        kind = victims[(seed + number) % len(victims)]
        with tempfile.TemporaryDirectory(prefix="kills-") as name:
            folder = Path(name)
            (folder / "home").mkdir()
            (folder / "home" / ".bashrc").write_text("PS1='@> '\n")
            os.environ.update(HOME=f"{name}/home", TABSHELL_HOME=f"{name}/home/sidecars", TERM="xterm")
            try:
                faults = one_round(kind, seed + number, folder)
            except (AssertionError, TerminalGoneError, OSError) as error:
                faults = [f"{type(error).__name__}: {error}"]
        found[kind] += [f"seed {seed + number}: {fault}" for fault in faults]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--victims", default=",".join(VICTIMS))
    options = parser.parse_args()
    victims = options.victims.split(",")
    began = time.monotonic()
    found = play(options.rounds, options.seed, victims)
    for kind, faults in found.items():
        rounds = sum(1 for number in range(options.rounds) if victims[(options.seed + number) % len(victims)] == kind)
        print(f"{kind:6} killed {rounds:4} times: {len(faults)} faults")
        for fault in faults:
            print(f"    {fault}")
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(1 if any(found.values()) else 0)


if __name__ == "__main__":
    main()
