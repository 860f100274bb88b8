"""``tabshell doctor [AGENT]``: proves by live probes that capture works on this machine, door by door.

Each probe starts the real door in a throw-away session (its own state directory, its own workspace, below the
person's so that the same file system is tried), runs a known command and looks whether it arrived. Out: one
``Finding`` a line: works, does not, or cannot be told here, and what to do. Nothing of the person's is changed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from tabshell.agents.agent import Agent
from tabshell.agents.all_agents import AGENTS
from tabshell.agents.samples import hook_call, shell_call
from tabshell.cli.agents.installing import plan_install
from tabshell.cli.agents.launch import Start, prepare
from tabshell.cli.commands import COMMANDS, command_of
from tabshell.cli.options.defaults import check_all
from tabshell.config.file import config_path
from tabshell.errors import TabshellError
from tabshell.model.state import Tab
from tabshell.session import Session, SessionOptions
from tabshell.shell.bash import find_bash
from tabshell.store.locate import home

Outcome = Literal["works", "FAILS", "note"]
#: What the probes read, and how long a probe may take (seconds).
TEXT = "the doctor's line\n"
LIMIT_S = 30


class Finding(NamedTuple):
    """One line for the person. ``advice`` says what to do where something does not work."""

    door: str
    outcome: Outcome
    text: str
    advice: str = ""

    def line(self) -> str:
        """As it is printed."""
        tail = f"; {self.advice}" if self.advice else ""
        return f"{self.outcome:5}  {self.door}: {self.text}{tail}"


class _Place(NamedTuple):
    environment: dict[str, str]
    workspace: Path


def examine(agent: Agent | None, environment: Mapping[str, str]) -> Iterator[Finding]:
    """The findings, as they come. ``agent`` None: the doors as such."""
    try:
        bash = find_bash(None, environment)
        yield Finding("bash", "works", f"{bash.path} {'.'.join(map(str, bash.version))}")
    except TabshellError as error:
        yield Finding("bash", "FAILS", str(error), "install bash 4.4 or newer")
        return
    yield _settings(environment)
    sidecars = home(environment)
    try:
        sidecars.mkdir(mode=0o700, parents=True, exist_ok=True)
        room = Path(tempfile.mkdtemp(prefix="doctor-", dir=sidecars))
    except OSError as error:
        yield Finding("sidecar", "FAILS", f"{sidecars}: {error.strerror}", "set TABSHELL_HOME to a writable directory")
        return
    yield Finding("sidecar", "works", str(sidecars))
    try:
        workspace = room / "workspace"
        workspace.mkdir()
        (workspace / "probe.txt").write_text(TEXT)
        place = _Place({**environment, "TABSHELL_HOME": str(room / "state"), "TABSHELL_STATUS": "off"}, workspace)
        yield from _agent_findings(agent, place, environment) if agent else _door_findings(place)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _settings(environment: Mapping[str, str]) -> Finding:
    """Whether the whole of the person's ``config.toml`` makes sense, also the tables of commands not called now."""
    try:
        path = check_all({name: partial(command_of, name) for name in COMMANDS}, environment)
    except TabshellError as error:
        return Finding("settings", "FAILS", str(error))
    return Finding("settings", "works", path or f"none ({config_path(environment) or 'switched off'})")


# -- the doors as such --------------------------------------------------------------------------------------


def _door_findings(place: _Place) -> Iterator[Finding]:
    shim = "look at the session's bin/bash: its first line must name a Python that runs"
    ways = (
        ("shim, bash on PATH", ("bash", "-c", "cat probe.txt"), shim),
        ("shim, $SHELL", ("/bin/sh", "-c", 'exec "$SHELL" -c "cat probe.txt"'), shim),
        ("shim, /bin/bash by BASH_ENV", ("/bin/bash", "-c", "cat probe.txt"), "an agent with hooks records by them"),
    )
    for door, argv, advice in ways:
        yield _probe(door, advice, partial(_recorded, place, "agent", argv))
    yield _probe("tab in a login shell", "a profile unsets BASH_ENV or tab", lambda: _login(place))
    yield _probe("pty", "see 'tabshell run' in a terminal for the message", lambda: _terminal(place))
    yield _probe("hook", "see hook.log beside the sessions", lambda: _hooked(place, AGENTS["generic"]))


def _agent_findings(agent: Agent, place: _Place, environment: Mapping[str, str]) -> Iterator[Finding]:
    found = next((path for name in agent.programs if (path := shutil.which(name))), None)
    if found:
        yield Finding(agent.title, "works", found)
    elif agent.programs:
        names = " or ".join(agent.programs)
        yield Finding(agent.title, "note", f"no {names} on PATH", "name its path in 'tabshell run --'")
    words = (agent.programs[0] if agent.programs else "agent",)
    call = shell_call(agent.name, "cat probe.txt")
    if call is not None:
        advice = "its hook records the commands all the same" if agent.events else "see docs/how-to"
        yield _probe("its shell commands", advice, lambda: _recorded(place, words[0], call.argv, call.environment))
    if agent.name in ("generic", *(name for name, known in AGENTS.items() if known.events)):
        yield _probe("its hook", "see hook.log beside the sessions", lambda: _hooked(place, agent))
    if agent.events or call:
        where = {"hook": "through its hook", "stdout": "behind the output", "stderr": "on stderr"}[agent.status]
        yield Finding("status line", "note", f"shown {where}")
    if agent.events:
        yield _hooks_for_good(agent, environment)
    yield from (Finding(agent.title, "note", text) for text in _ADVICE.get(agent.name, ()))


def _hooks_for_good(agent: Agent, environment: Mapping[str, str]) -> Finding:
    """Whether 'tabshell install' put hooks into the person's own configuration."""
    try:
        plan = plan_install(agent, environment)
    except TabshellError as error:
        return Finding("its settings", "note", str(error))
    if plan.changes:
        return Finding("its settings", "note", "no hooks of ours, or older ones", f"'tabshell install {agent.name}'")
    return Finding("its settings", "works", "hooks of ours are installed")


#: What a probe cannot see here.
_ADVICE: dict[str, tuple[str, ...]] = {
    "codex": (
        "in its sandbox its hook records the commands; under 'tabshell run' the session is made writable there "
        "(--add-dir), so that 'tab' works; with installed hooks add that yourself",
        "installed hooks run only after you approved them in codex (/hooks); under 'tabshell run' ours are approved",
    ),
    "opencode": (
        "'opencode run' ends before a hook can hold it: use --on-finish 'opencode run --continue'",
        "without a network a plugin makes it wait for npm: put fetch-retries=0 into ~/.npmrc",
    ),
    "mini-swe-agent": ("it runs /bin/sh: commands are recorded by an environment class of ours, not by a shell",),
    "gemini": ("its home is a folder of links in the session; settings that it writes anew stay there",),
    "qwen": ("its home is a folder of links in the session; settings that it writes anew stay there",),
}


# -- probes -------------------------------------------------------------------------------------------------


def _probe(door: str, advice: str, probe: Callable[[], str | None]) -> Finding:
    """Runs one probe; it gives None where the command arrived, else what is wrong."""
    try:
        wrong = probe()
    except (OSError, ValueError, TabshellError, subprocess.SubprocessError) as error:
        wrong = f"{type(error).__name__}: {error}"
    return Finding(door, "works", "a command arrived") if wrong is None else Finding(door, "FAILS", wrong, advice)


def _session(place: _Place) -> Session:
    return Session.create(SessionOptions(str(place.workspace)), place.environment)


def _recorded(place: _Place, program: str, argv: tuple[str, ...], more: Mapping[str, str] | None = None) -> str | None:
    """Starts bash as an agent does."""
    with _session(place) as session:
        start = prepare(session, [program], place.environment, "off")
        words = [start.environment.get(argv[0][1:], "bash") if argv[0].startswith("$") else argv[0], *argv[1:]]
        run = _run(words, place, {**start.environment, **(more or {})})
        if run.stdout.decode(errors="replace") != TEXT or run.returncode != 0:
            return f"the command itself failed: {(run.stderr or run.stdout)[-200:].decode(errors='replace').strip()!r}"
        return _arrived(session.tab(turns=True))


def _arrived(tab: Tab) -> str | None:
    commands = [turn.started.command for turn in tab.turns.values()]
    if commands != ["cat probe.txt"]:
        return f"recorded was {commands!r} in the place of 'cat probe.txt'"
    return (
        None if any(entry.logged.paths == ("probe.txt",) for entry in tab.entries.values()) else "no entry came of it"
    )


def _login(place: _Place) -> str | None:
    with _session(place) as session:
        start: Start = prepare(session, ["agent"], place.environment, "off")
        run = _run(["/bin/bash", "-lc", "command -v tab"], place, start.environment)
    found = run.stdout.decode(errors="replace").strip().splitlines()[-1:]
    return None if found and found[0].endswith("/tab") else "'tab' is not found after a login profile"


def _terminal(place: _Place) -> str | None:
    """Types at a shell on a pseudo-terminal of its own."""
    from ptyprocess import PtyProcess  # noqa: PLC0415 - only here

    words = [sys.executable, "-m", "tabshell", "run", "-q", "-w", str(place.workspace)]
    python = os.pathsep.join(sys.path)
    shell = PtyProcess.spawn(words, cwd=str(place.workspace), env={**place.environment, "PYTHONPATH": python})
    try:
        shell.write(b"unset HISTFILE\ncat probe.txt\nexit\nexit\n")  # the history is the person's
        with contextlib.suppress(EOFError):
            while True:
                shell.read(4096)
        shell.wait()  # it stores the last of it behind the end of its output
    finally:
        shell.close(force=True)
    newest = sorted((Path(place.environment["TABSHELL_HOME"]) / "sessions").iterdir())[-1]
    with Session.open(newest) as session:
        commands = [turn.started.command for turn in session.tab(turns=True).turns.values()]
    return None if "cat probe.txt" in commands else f"recorded was {commands!r}"


def _hooked(place: _Place, agent: Agent) -> str | None:
    """Calls the hook as the agent does after it read a file."""
    told = hook_call(agent.name, str(place.workspace / "probe.txt"), TEXT, str(place.workspace))
    if told is None:
        return "it has no hook"
    event, text = told
    with _session(place) as session:
        program = agent.programs[0] if agent.programs else "agent"
        start = prepare(session, [program], place.environment, "stdout")
        launcher = str(session.directory / "agent" / "tabshell-hook")
        run = _run([launcher, agent.name, event], place, start.environment, text.encode())
        if b"[tab] requirements" not in run.stdout:
            log = session.directory / "hook.log"
            return (
                f"no answer: {log.read_text().strip() if log.exists() else run.stderr[-200:].decode(errors='replace')}"
            )
        entries = [entry.logged.paths for entry in session.tab().entries.values()]
    return None if entries == [("probe.txt",)] else f"recorded was {entries!r}"


def _run(
    words: list[str], place: _Place, environment: Mapping[str, str], text: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        words, cwd=place.workspace, env=dict(environment), input=text, capture_output=True, timeout=LIMIT_S, check=False
    )
