# ruff: noqa: E501
"""Runs labelled commands live on fresh copies of their workspaces, as records for the classifier.

A copy is an overlay mount where that is allowed, else a plain copy. Two flavours: ``pty`` (one bash for the whole
case on a terminal of 160x50) and ``shim`` (``bash -c`` per command, output through a pipe).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tabshell.access.disk.witness import Witness
from tabshell.model.records import CommandRecord

COLUMNS, ROWS = 160, 50
END = b"\x1eend of command\x1e"
SOURCED = (
    'while IFS= read -r -u {orders} f; do . "$f"; printf "%s\\0%s\\0" "$?" "$PWD" >&{answers}; '
    'printf "\\036end of command\\036" >/dev/tty; done'
)


@dataclass(frozen=True)
class Case:
    """One labelled case: ``commands`` has one element for a single command."""

    id: str
    workspace: str
    cwd: str
    commands: list[str]
    label: dict
    steps: list[dict]
    tags: list[str]
    requires: list[str]
    session: bool


def load(path: Path) -> list[Case]:
    """The cases of a JSON-lines file."""
    cases = []
    for line in path.read_text().splitlines():
        if line.strip():
            d = json.loads(line)
            commands = d.get("commands") or [d["command"]]
            cases.append(
                Case(d["id"], d["workspace"], d["cwd"], commands, d, d.get("steps", []), d["tags"], d["requires"],
                     "commands" in d)
            )  # fmt: skip
    return cases


def missing(case: Case) -> list[str]:
    """Programs and modules that the case needs and that are not here."""
    lacking = []
    for need in case.requires:
        if need.startswith("python:"):
            done = subprocess.run(
                ["python3", "-c", f"import {need[7:]}"], capture_output=True, env=environment(), check=False
            )
            if done.returncode:
                lacking.append(need)
        elif not shutil.which(need, path=environment()["PATH"]):
            lacking.append(need)
    return lacking


def environment() -> dict[str, str]:
    """The environment that the cases were labelled in; this interpreter comes first on PATH."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TABSHELL", "BASH_ENV"))}
    env |= {"LANG": "C.UTF-8", "PAGER": "cat", "GIT_PAGER": "cat", "TZ": "UTC", "TERM": "xterm-256color"}
    env.pop("LC_ALL", None)
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    return env


@contextlib.contextmanager
def fresh(workspace: Path) -> Iterator[tuple[Path, Path, Path]]:
    """A fresh copy of a workspace, an empty folder outside it, and a folder outside it with a file in it."""
    top = Path(tempfile.mkdtemp(prefix="capture-", dir=os.environ.get("CAPTURE_TMP")))
    merged, upper, work = top / "merged" / workspace.name, top / "upper", top / "work"
    for folder in (merged, upper, work, top / "scratch", top / "outside"):
        folder.mkdir(parents=True)
    (top / "outside" / "note.txt").write_text("A note that lies outside of the workspace.\nSecond line 4711.\n")
    options = f"lowerdir={workspace},upperdir={upper},workdir={work}"
    mounted = subprocess.run(
        ["mount", "-t", "overlay", "overlay", "-o", options, str(merged)], capture_output=True, check=False
    )
    if mounted.returncode:
        merged.rmdir()
        subprocess.run(["cp", "-a", "--reflink=auto", str(workspace), str(merged)], check=True)
    try:
        yield merged, top / "scratch", top / "outside"
    finally:
        if not mounted.returncode:
            subprocess.run(["umount", "-l", str(merged)], check=False)
        shutil.rmtree(top, ignore_errors=True)


def filled(command: str, places: tuple[Path, Path, Path]) -> str:
    """The command with its places put in."""
    for name, place in zip(("{WS}", "{SCRATCH}", "{OUTSIDE}"), places, strict=True):
        command = command.replace(name, str(place))
    return command


class Terminal:
    """One bash on a terminal that sources one file after another."""

    def __init__(self, cwd: Path) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        orders, self.orders = os.pipe()
        self.answers, answers = os.pipe()

        def prepare() -> None:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            ["bash", "-c", SOURCED.format(orders=orders, answers=answers)], cwd=cwd, stdin=slave, stdout=slave, stderr=slave, env=environment(),
            preexec_fn=prepare,  # noqa: PLW1509 - one thread only
            pass_fds=(orders, answers, slave),
        )  # fmt: skip
        for descriptor in (slave, orders, answers):
            os.close(descriptor)

    def run(self, command: str, witness: Witness | None, keys: bytes = b"") -> tuple[bytes, int | None, str | None]:
        """Output, exit status and directory after one command."""
        with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as script:
            script.write(command + "\n")
        os.write(self.orders, script.name.encode() + b"\n")
        output, answer, until = b"", b"", time.monotonic() + 60
        waiting = list(keys)
        while answer.count(b"\0") < 2 and time.monotonic() < until:
            ready, _, _ = select.select([self.master, self.answers, *([witness] if witness else [])], [], [], 0.2)
            if witness:
                witness.collect()
            if self.master in ready:
                output += self._read()
            if self.answers in ready:
                piece = os.read(self.answers, 4096)
                answer += piece
                if not piece:
                    break
            if not ready and waiting:
                os.write(self.master, bytes([waiting.pop(0)]))
        while END not in output and time.monotonic() < until:  # the terminal may deliver after the pipe
            if select.select([self.master], [], [], 0.2)[0]:
                piece = self._read()
                if not piece:
                    break
                output += piece
        output = output.replace(END, b"")
        os.unlink(script.name)
        if answer.count(b"\0") < 2:
            return output, None, None
        status, cwd = answer.split(b"\0")[:2]
        return output, int(status), os.fsdecode(cwd)

    def _read(self) -> bytes:
        try:
            return os.read(self.master, 1 << 16)
        except OSError:
            return b""

    def close(self) -> None:
        for descriptor in (self.orders, self.answers, self.master):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()


def piped(command: str, cwd: str, witness: Witness | None) -> tuple[bytes, int, str]:
    """One ``bash -c`` with its output through a pipe."""
    ending, told = os.pipe()
    os.set_inheritable(told, True)
    text = f"trap 'pwd >&{told}' EXIT\n{command}"
    process = subprocess.Popen(
        ["bash", "-c", text], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=environment(), pass_fds=(told,),
    )  # fmt: skip
    os.close(told)
    assert process.stdout
    output = b""
    descriptor = process.stdout.fileno()
    while True:
        ready, _, _ = select.select([descriptor, *([witness] if witness else [])], [], [], 60)
        if witness:
            witness.collect()
        if descriptor in ready:
            piece = os.read(descriptor, 1 << 16)
            if not piece:
                break
            output += piece
        elif not ready:
            break
    status = process.wait()
    with os.fdopen(ending, "rb") as stream:
        after = stream.read().decode("utf-8", "surrogateescape").strip().split("\n")[-1]
    return output, status, after or cwd


def records(case: Case, places: tuple[Path, Path, Path], flavour: str, witnessed: bool) -> Iterator[CommandRecord]:
    """The case's commands as records, one after the other, each before the next is run."""
    workspace = places[0]
    cwd = os.path.normpath(workspace / case.cwd)
    witness = Witness.start(str(workspace)) if witnessed else None
    terminal = Terminal(Path(cwd)) if flavour == "pty" else None
    try:
        for command in case.commands:
            text = filled(command, places)
            if witness:
                witness.take()
            begun = time.time()
            if terminal:
                output, status, after = terminal.run(text, witness)
            else:
                output, status, after = piped(text, cwd, witness)
            yield CommandRecord(
                door="pty" if terminal else "shim",
                command=text,
                text_from="argument",
                cwd=cwd,
                output=output,
                exit_code=status,
                started_at=begun,
                duration_s=time.time() - begun,
                cwd_after=after,
                columns=COLUMNS if terminal else 0,
                opened=witness.take() if witness else None,
            )
            cwd = after or cwd
    finally:
        if terminal:
            terminal.close()
        if witness:
            witness.close()
