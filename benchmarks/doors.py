"""Runs a case through the real doors and reads the session's export: a terminal, or ``bash -c`` through the shim."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pexpect
from livecases import COLUMNS, ROWS, Case, environment, filled

TABSHELL = [sys.executable, "-m", "tabshell"]
PROMPT = "\x1eready\x1e"
RC = (
    f"PS1='{PROMPT}'\nPS2=\nset +H\nbind 'set disable-completion on' 2>/dev/null\n"
    "bind 'set enable-bracketed-paste off' 2>/dev/null\n"
)


def _environment(home: Path) -> dict[str, str]:
    env = environment() | {"HOME": str(home), "TABSHELL_HOME": str(home / "tabs")}
    root = str(Path(__file__).parents[1])
    env["PYTHONPATH"] = f"{root}:{os.environ.get('PYTHONPATH', '')}"
    return env


def exported(case: Case, places: tuple[Path, Path, Path], door: str) -> list[dict]:
    """The session's turns, each with its entries under ``log``, after all commands of the case."""
    home = places[0].parent.parent / "home"
    home.mkdir()
    env = _environment(home)
    _pty(case, places, home, env) if door == "pty" else _shim(case, places, env)
    done = subprocess.run([*TABSHELL, "export", "--format", "json"], capture_output=True, env=env, check=True)
    session = json.loads(done.stdout)
    entries = {entry["id"]: entry for entry in session["log"]}
    for turn in session["turns"]:
        turn["log"] = [entries[name] for name in turn["entries"]] + [
            e for e in entries.values() if turn["turn"] in e["turns"] and e["id"] not in turn["entries"]
        ]
    return session["turns"]


def _pty(case: Case, places: tuple[Path, Path, Path], home: Path, env: dict[str, str]) -> None:
    (home / ".bashrc").write_text(RC)
    cwd = os.path.normpath(places[0] / case.cwd)
    words = ["run", "-q", "--status", "off", "-w", str(places[0])]
    child = pexpect.spawn(
        TABSHELL[0], [*TABSHELL[1:], *words], cwd=cwd, env=env, dimensions=(ROWS, COLUMNS), timeout=60, encoding=None
    )
    child.delaybeforesend = None
    child.expect_exact(PROMPT.encode())
    for command in case.commands:
        child.send(filled(command, places).encode() + b"\n")
        child.expect_exact(PROMPT.encode())
        until = time.monotonic() + 0.15
        while time.monotonic() < until:  # later prompts of the same text
            if child.expect_exact([PROMPT.encode(), pexpect.TIMEOUT], timeout=0.05) == 1:
                break
    child.sendline(b"exit")
    child.expect(pexpect.EOF)
    child.close()


def _shim(case: Case, places: tuple[Path, Path, Path], env: dict[str, str]) -> None:
    done = subprocess.run([*TABSHELL, "env"], cwd=places[0], capture_output=True, text=True, env=env, check=True)
    session = re.search(r"TABSHELL_SESSION=['\"]?([^'\"\n;]+)", done.stdout)
    assert session, done.stdout
    found = [*Path(env["TABSHELL_HOME"]).glob("sessions/*/bin/bash")]
    cwd = os.path.normpath(places[0] / case.cwd)
    for command in case.commands:
        text = filled(command, places)
        subprocess.run(
            [str(found[0]), "-c", text], cwd=cwd, capture_output=True, env=env | {"TABSHELL_SESSION": session.group(1)},
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        # each is classified before the next one changes the files
        subprocess.run([*TABSHELL, "tab", "status"], capture_output=True, env=env, cwd=places[0], check=False)
        moved = re.match(r"cd ([^\s;&]+)\s*(?:&&|;|$)", text)
        cwd = os.path.normpath(os.path.join(cwd, moved.group(1))) if moved else cwd
