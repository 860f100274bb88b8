"""Nothing changes: each probe gives the same bytes, status and HISTFILE behind the door as without it (``probes.txt``), or
in the whole of ``tabshell`` (``probes_whole.txt``), which also gives the terminal back as it was."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tabshell.shell.bash import Bash

ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|[ernt\\])")
PLAIN = {b"e": b"\x1b", b"r": b"\r", b"n": b"\n", b"t": b"\t", b"\\": b"\\"}


@dataclass
class Probe:
    name: str
    rc: list[str] = field(default_factory=lambda: ["PS1='@> '"])
    env: dict[str, str] = field(default_factory=dict)
    steps: list[tuple[str, bytes]] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    size: tuple[int, int] = (24, 80)
    prompt = b"@> "


def keys(text: str) -> bytes:
    def one(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code[1:], 16)]) if code.startswith(b"x") else PLAIN[code]

    return ESCAPE.sub(one, text.encode("utf-8"))


def probes(table: str) -> list[Probe]:
    made: list[Probe] = []
    for line in Path(__file__).with_name(table).read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if not line or word == "#":
            continue
        if word == "==":
            made.append(Probe(rest))
        elif word == "rc|":
            made[-1].rc.append(rest)
        elif word == "needs":
            made[-1].needs.append(rest)
        elif word == "size":
            rows, columns = map(int, rest.split())
            made[-1].size = (rows, columns)
        elif word == "env":
            name, _, value = rest.partition("=")
            made[-1].env[name] = value
        else:
            made[-1].steps.append((word, keys(rest) if word == "~" else escapes(rest)))
    return made


def escapes(text: str) -> bytes:
    r"""Keys: ``\e``, ``\r``, ``\xNN`` mean keys where a probe needs them; in quoted shell words they stay as they are."""
    quoted = re.split(r"('[^']*')", text)
    return b"".join(part.encode() if part.startswith("'") and len(part) > 1 else keys(part) for part in quoted)


def play(shell, probe: Probe) -> int:
    ended = False
    for word, value in probe.steps:
        if word == ">":
            shell.line(value, probe.prompt)
        elif word == ">>":
            shell.send(value)
        elif word == "~":
            shell.until(lambda shown, value=value: value in shown)
        elif word == "@":
            shell.until(probe.prompt)
        elif word == "@2":
            shell.until(lambda shown: shown.endswith(b"> ") and not shown.endswith(probe.prompt))
        elif word == "runs":
            shell.until_runs(value.decode())
        elif word == "sleeps":
            shell.settle()
        elif word == "signal":
            shell.kill(getattr(signal, f"SIG{value.decode()}"))
        elif word == "resize":
            shell.settle()
            shell.sent_at = len(shell.seen)
            shell.process.setwinsize(*map(int, value.split()))
        elif word == "end":
            ended = True
    return shell.finish(b"" if ended else b"exit\r")


ALL = probes("probes.txt")
WHOLE = probes("probes_whole.txt")
TABSHELL = ("-m", "tabshell", "-q", "--status", "off")

pytestmark = pytest.mark.slow


def skip_without(probe: Probe) -> None:
    missing = [need for need in probe.needs if not (shutil.which(need) or Path(need).exists())]
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}")


def outcome(kitchen, shell, probe, alike):
    """What was shown, the status, and what the history files hold."""
    status = play(shell, probe)
    files = sorted(kitchen.home.glob(".bash_history")) + sorted(kitchen.home.glob("other"))
    history = [alike(path.read_bytes()) for path in files]
    return alike(shell.seen), 128 - status if status < 0 else status, history


def named(given: list[Probe]) -> dict:
    return {"argvalues": given, "ids": [probe.name.replace(" ", "-") for probe in given]}


@pytest.mark.parametrize("probe", **named(ALL))
def test_a_probe_sees_no_door(probe, kitchen, alike):
    """Bytes, exit status and history file are those of a plain bash."""
    skip_without(probe)
    rc = "\n".join(probe.rc) + "\n"
    plain, behind = (
        outcome(kitchen, kitchen.start(door, rc=rc, env=probe.env, prompt=probe.prompt), probe, alike)
        for door in (False, True)
    )
    assert behind[0] == plain[0]
    assert behind[1:] == plain[1:]


@pytest.mark.parametrize("probe", **named(WHOLE))
def test_a_probe_sees_no_tabshell(probe, kitchen, alike, tmp_path):
    """The same of the program as it is started, and the terminal is given back."""
    skip_without(probe)
    start = {"rc": "\n".join(probe.rc) + "\n", "prompt": None, "size": probe.size}
    start["env"] = {"TABSHELL_HOME": str(tmp_path / "sidecars"), **probe.env}
    python = Bash(sys.executable, sys.executable, (0, 0))
    plain = outcome(kitchen, at_prompt(kitchen.start(False, **start), probe), probe, alike)
    shell = kitchen.start(False, bash=python, arguments=TABSHELL, **start)
    before = shell.attributes()
    behind = outcome(kitchen, at_prompt(shell, probe), probe, alike)
    assert behind[0] == plain[0]
    assert behind[1:] == plain[1:]
    assert shell.attributes() == before


def at_prompt(shell, probe):
    """The shell when it has shown its first prompt, or the beginning of what its first step waits for."""
    if probe.steps[0][0] != "end":
        shell.until(probe.prompt)
    return shell


def test_the_tables_are_long_enough_and_each_name_stands_for_one_probe():
    assert len(ALL) >= 200
    assert len(WHOLE) >= 60
    assert len({probe.name for probe in ALL + WHOLE}) == len(ALL) + len(WHOLE)
