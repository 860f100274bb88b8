"""The demo: a scripted agent drives the real interactive shell on a terminal of its own, and a narrator explains.

Out goes what that shell shows, byte for byte but for colour on the ``[tab]`` lines, and the narrator's words between.
Everything happens in one temporary directory (a copy of the example workspace, a home, the sidecar); it is removed at
the end unless it is to be kept. Raises DemoFailed where the shell does not answer.
"""

from __future__ import annotations

import re
import select
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ptyprocess import PtyProcess

from tabshell.cli.demo.script import CLOSING, OPENING, SCRIPT, TITLE, Stage, Type
from tabshell.errors import TabshellError

PROMPT = b"agent $ "
WORKSPACE = Path(__file__).with_name("workspace")
#: Seconds that the shell may take to answer one command.
PATIENCE_S = 30.0
#: How much of the audit is shown.
AUDIT_LINES = 36
_RC = "PS1='agent $ '\nunset PROMPT_COMMAND HISTFILE\nbind 'set enable-bracketed-paste off' 2>/dev/null\n"
_TAB_LINE = re.compile(rb"(?m)^(\[tab\] [^\r\n]*)")


class DemoFailed(TabshellError):  # noqa: N818 - what happened, as the other errors
    """The demo's shell did not do what it always does."""

    code = "demo"


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: for each typed character, after each output, after each of the narrator's paragraphs."""

    character: float
    output: float
    paragraph: float


SLOW, FAST = Pace(0.007, 0.45, 1.2), Pace(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Stagecraft:
    """How it is shown. ``write`` takes bytes; ``sleep`` waits."""

    write: Callable[[bytes], None]
    colour: bool
    columns: int
    rows: int
    pace: Pace
    sleep: Callable[[float], None] = time.sleep

    def heading(self, text: str) -> None:
        """A line of its own, between rules."""
        rule = "─" * min(self.columns - 1, 78)
        self._print(f"\n{self._in('1;36', rule)}\n{self._in('1;36', text)}\n")

    def line(self, text: str) -> None:
        """A line as it is."""
        self._print(text + "\n")

    def gap(self) -> None:
        """An empty line."""
        self._print("\n")

    def say(self, text: str) -> None:
        """A paragraph of the narrator's."""
        for line in textwrap.wrap(text, min(self.columns - 4, 76)):
            self._print(f"{self._in('36', '  ' + line)}\n")
        self._print("\n")
        self.sleep(self.pace.paragraph)

    def shell(self, data: bytes) -> None:
        """Bytes of the shell's; its status lines stand out."""
        self.write(_TAB_LINE.sub(b"\x1b[33m\\1\x1b[0m", data) if self.colour else data)

    def _in(self, style: str, text: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.colour else text

    def _print(self, text: str) -> None:
        self.write(text.encode().replace(b"\n", b"\r\n" if self.rows else b"\n"))


class Agent:
    """The scripted agent at the terminal of a real tabshell."""

    def __init__(self, process: PtyProcess, show: Stagecraft) -> None:
        self._process = process
        self._show = show

    def wait_for_prompt(self) -> None:
        """Shows what comes until the prompt stands there, alone at the end; the prompt itself is shown only when
        something is typed at it, so that the narrator may speak before."""
        seen, shown = b"", 0
        while not seen.endswith(PROMPT):
            piece = self._read()
            if piece is None:
                raise DemoFailed(f"the demo's shell ended early: {seen[-300:].decode('utf-8', 'replace').strip()}")
            seen += piece
            ready = len(seen) - _begun(seen, PROMPT)
            self._show.shell(seen[shown:ready])
            shown = ready

    def type(self, command: str) -> None:
        """Types a command, line by line, as fast as the pace allows."""
        self._show.shell(PROMPT)
        per_character = self._show.pace.character / (1 if "\n" not in command else 4)
        for number, line in enumerate(command.split("\n")):
            if number:
                self._until(b"> ")
            for character in line:
                self._process.write(character.encode())
                self._show.sleep(per_character)
                self._echo()
            self._process.write(b"\r")

    def wait_for_end(self) -> int:
        """Shows what comes until the shell is gone; gives its status."""
        while (piece := self._read()) is not None:
            self._show.shell(piece)
        return int(self._process.wait())

    def _echo(self) -> None:
        """Shows what the terminal has echoed so far, without waiting for more."""
        while select.select([self._process.fd], [], [], 0)[0]:
            piece = self._read()
            if piece is None:
                return
            self._show.shell(piece)

    def _until(self, ending: bytes) -> None:
        seen = b""
        while not seen.endswith(ending):
            piece = self._read()
            if piece is None:
                raise DemoFailed("the demo's shell ended in the middle of a command")
            seen += piece
            self._show.shell(piece)

    def _read(self) -> bytes | None:
        """The next bytes, None at the end."""
        if not select.select([self._process.fd], [], [], PATIENCE_S)[0]:
            raise DemoFailed(f"the demo's shell said nothing for {PATIENCE_S:g} s; see 'tabshell doctor'")
        try:
            return bytes(self._process.read(65536))
        except EOFError:
            return None


def _begun(seen: bytes, prompt: bytes) -> int:
    """How many bytes at the end of ``seen`` may be the beginning of the prompt."""
    return next((size for size in range(len(prompt), 0, -1) if seen.endswith(prompt[:size])), 0)


def run_demo(show: Stagecraft, environment: Mapping[str, str], *, keep: bool = False) -> int:
    """Plays the demo; gives 0."""
    folder = Path(tempfile.mkdtemp(prefix="tabshell-demo-"))
    try:
        _play(show, folder, _environment(environment, folder))
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    if keep:
        show.say(
            f"All of it is in {folder}. Look around with TABSHELL_HOME={folder}/sidecars: tabshell audit, "
            "tabshell replay, tabshell explain last 4, tabshell verify --strict."
        )
    else:
        show.say(
            "Start your own: cd into a folder of documents and type tabshell. (tabshell demo --keep keeps this one.)"
        )
    return 0


def _play(show: Stagecraft, folder: Path, environment: dict[str, str]) -> None:
    office = folder / "office"
    task = (office / "task.md").rename(folder / "task.md")
    files = sum(1 for path in office.rglob("*") if path.is_file())
    show.heading(TITLE)
    show.say(OPENING.format(files=files))
    show.say("The task: " + " ".join(task.read_text(encoding="utf-8").split()))
    with _shell(show, office, task, environment) as process:
        agent = Agent(process, show)
        agent.wait_for_prompt()
        for step in SCRIPT:
            if isinstance(step, Type):
                _type(step, agent, show, environment)
                continue
            show.heading(f"({step.letter}) {step.title}") if isinstance(step, Stage) else show.gap()
            show.say(step.text)
    show.heading("Afterwards: what a reviewer sees")
    show.say("tabshell audit last --deliverable out/memo.md")
    _audit(show, office, environment)
    show.say(CLOSING)


def _type(step: Type, agent: Agent, show: Stagecraft, environment: Mapping[str, str]) -> None:
    missing = step.needs is not None and shutil.which(step.needs, path=environment.get("PATH")) is None
    agent.type(step.instead if missing else step.command)
    if step.leaves:
        agent.wait_for_end()
        return
    agent.wait_for_prompt()
    show.sleep(show.pace.output)


def _audit(show: Stagecraft, office: Path, environment: Mapping[str, str]) -> None:
    """The audit of the session, as the command prints it; its first screen."""
    command = [sys.executable, "-m", "tabshell", "audit", "last", "--deliverable", "out/memo.md"]
    done = subprocess.run(command, cwd=office, env=dict(environment), capture_output=True, check=False)
    lines = (done.stdout or done.stderr).decode("utf-8", "replace").splitlines()
    for line in lines[:AUDIT_LINES]:
        show.line(line)
    if len(lines) > AUDIT_LINES:
        show.line(f"… {len(lines) - AUDIT_LINES} more lines; --format html links every value to its excerpt")
    show.gap()


def _environment(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """An environment in which nothing of the person's is touched, with the workspace copied to ``office``."""
    shutil.copytree(WORKSPACE, folder / "office")
    (folder / "home").mkdir()
    (folder / "home" / ".bashrc").write_text(_RC, encoding="utf-8")
    ours = {k: v for k, v in environment.items() if not k.startswith("TABSHELL_") and k not in ("BASH_ENV", "PS1")}
    # no colours from ls and no pager: the demo's screen is its own
    ours |= {"HOME": str(folder / "home"), "TABSHELL_HOME": str(folder / "sidecars"), "PAGER": "cat"}
    ours.setdefault("TERM", "xterm")
    return ours


@contextmanager
def _shell(show: Stagecraft, office: Path, task: Path, environment: dict[str, str]) -> Iterator[PtyProcess]:
    command = [sys.executable, "-m", "tabshell", "run", "-w", str(office), "--task-file", str(task), "--name", "demo"]
    size = (show.rows or 40, show.columns)
    process = PtyProcess.spawn(command, cwd=str(office), env=environment, dimensions=size)
    try:
        yield process
    finally:
        process.close(force=True)
