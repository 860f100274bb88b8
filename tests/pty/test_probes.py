"""Nothing changes: each probe gives the same bytes, status, HISTFILE and terminal behind the door as without it."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|[ernt\\])")
PLAIN = {b"e": b"\x1b", b"r": b"\r", b"n": b"\n", b"t": b"\t", b"\\": b"\\"}


@dataclass
class Probe:
    name: str
    rc: list[str] = field(default_factory=lambda: ["PS1='@> '"])
    env: dict[str, str] = field(default_factory=dict)
    steps: list[tuple[str, bytes]] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    prompt = b"@> "


def keys(text: str) -> bytes:
    def one(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code[1:], 16)]) if code.startswith(b"x") else PLAIN[code]

    return ESCAPE.sub(one, text.encode("utf-8"))


def probes() -> list[Probe]:
    made: list[Probe] = []
    for line in Path(__file__).with_name("probes.txt").read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if not line or word == "#":
            continue
        if word == "==":
            made.append(Probe(rest))
        elif word == "rc|":
            made[-1].rc.append(rest)
        elif word == "needs":
            made[-1].needs.append(rest)
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
        elif word == "end":
            ended = True
    return shell.finish(b"" if ended else b"exit\r")


ALL = probes()

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("probe", ALL, ids=[probe.name.replace(" ", "-") for probe in ALL])
def test_a_probe_sees_no_door(probe, kitchen, alike):
    """Bytes, exit status, history file and terminal settings are those of a plain bash."""
    missing = [need for need in probe.needs if not (shutil.which(need) or Path(need).exists())]
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}")
    results = []
    for door in (False, True):
        shell = kitchen.start(door, rc="\n".join(probe.rc) + "\n", env=probe.env, prompt=probe.prompt)
        status = play(shell, probe)
        files = sorted(kitchen.home.glob(".bash_history")) + sorted(kitchen.home.glob("other"))
        history = [alike(path.read_bytes()) for path in files]
        results.append((alike(shell.seen), 128 - status if status < 0 else status, history))
    plain, behind = results
    assert behind[0] == plain[0]
    assert behind[1:] == plain[1:]


def test_there_are_two_hundred_probes():
    """The table is long enough to mean something, and each name stands for one probe."""
    assert len(ALL) >= 200
    assert len({probe.name for probe in ALL}) == len(ALL)
