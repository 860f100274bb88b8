"""Two shells, four hooks, two shims and fifty calls of ``tab`` on one session at the same time: nothing is lost and no
number is given twice."""

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
import threading

import pytest

from tabshell.model.facts import EntryLogged, NoteAdded, RequirementAdded, TurnEnded, TurnStarted
from tabshell.session import Session, SessionOptions
from tabshell.session.whole import chain_state

CALLS = 50
LINES = 12


def hooked(directory, workspace, number, faults):
    """One agent's hook, called again and again."""
    for turn in range(4):
        record = {
            "event": "after-tool", "agent": "my-harness", "session": "h1", "cwd": str(workspace),
            "command": f"cat h{number}.txt # {turn}", "output": f"alpha h{number}\nbeta of h{number}\n", "exit": 0,
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "tabshell", "hook", "generic"], input=json.dumps(record), capture_output=True,
            text=True, timeout=120, env={**os.environ, "TABSHELL_SESSION": str(directory)}, cwd=workspace, check=False,
        )  # fmt: skip
        if done.returncode or "not recorded" in done.stderr + done.stdout:
            faults.append(done)


def shimmed(directory, workspace, number, faults):
    for turn in range(6):
        command = f"cat s{number}.txt; echo shim{number}-{turn}"
        done = subprocess.run(
            [directory / "bin" / "bash", "-c", command], capture_output=True, text=True, timeout=120, cwd=workspace,
            env={**os.environ, "TABSHELL_STATUS": "stderr"}, check=False,
        )  # fmt: skip
        if f"shim{number}-{turn}\n" not in done.stdout or "not recorded" in done.stderr:
            faults.append(done)


def called(directory, workspace, number, faults):
    words = ["note", f"note {number}"] if number % 5 == 0 else ["add", f"alpha item {number}", f"beta item {number}"]
    done = subprocess.run(
        [directory / "bin" / "tab", *words], capture_output=True, text=True, timeout=120, cwd=workspace, check=False
    )
    if done.returncode:
        faults.append(done)


def typed(shell, number, faults):
    for turn in range(LINES):
        shown = shell.run(f"cat t{number}.txt; echo typed{number}-{turn}")
        if b"not recorded" in shown:
            faults.append(shown)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_many_writers_at_once_lose_nothing_and_share_no_number(terminal, workspace):
    for name in [f"{kind}{number}" for kind in "hst" for number in range(4)]:
        (workspace / f"{name}.txt").write_text(f"alpha {name}\nbeta of {name}\n")
    with Session.create(SessionOptions(str(workspace), task="alpha and beta"), os.environ) as session:
        directory = session.directory
    shells = [terminal("--resume", str(directory)) for _ in range(2)]
    faults: list[object] = []
    threads = [
        threading.Thread(target=act, args=(*words, faults))
        for act, words in (
            *((typed, (shell, number)) for number, shell in enumerate(shells)),
            *((hooked, (directory, workspace, number)) for number in range(4)),
            *((shimmed, (directory, workspace, number)) for number in range(2)),
            *((called, (directory, workspace, number)) for number in range(CALLS)),
        )
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    for shell in shells:
        shell.leave()

    with Session.open(directory) as session:
        session.catch_up()
        facts = collections.defaultdict(list)
        for event in session.store.events():
            facts[type(event.fact)].append(event.fact)
        outputs = {fact.command: session.output(fact.turn) for fact in facts[TurnStarted]}
        assert chain_state(session).faults == ()
    for kind, field in ((TurnStarted, "turn"), (EntryLogged, "id"), (RequirementAdded, "id"), (NoteAdded, "id")):
        numbers = [getattr(fact, field) for fact in facts[kind]]
        assert numbers == list(range(1, len(numbers) + 1)), kind
    ends = collections.Counter(fact.turn for fact in facts[TurnEnded])
    assert set(ends.values()) == {1}
    assert {f"alpha item {n}" for n in range(CALLS) if n % 5} <= {fact.text for fact in facts[RequirementAdded]}
    assert len(facts[RequirementAdded]) == 2 * sum(1 for n in range(CALLS) if n % 5)
    assert sorted(fact.text for fact in facts[NoteAdded]) == sorted(f"note {n}" for n in range(0, CALLS, 5))
    commands = collections.Counter(fact.command for fact in facts[TurnStarted])
    for number in range(2):
        for turn in range(LINES):
            command = f"cat t{number}.txt; echo typed{number}-{turn}"
            assert commands[command] == 1
            assert outputs[command] == f"alpha t{number}\r\nbeta of t{number}\r\ntyped{number}-{turn}\r\n".encode()
        for turn in range(6):
            assert commands[f"cat s{number}.txt; echo shim{number}-{turn}"] == 1
    for number in range(4):
        for turn in range(4):
            assert commands[f"cat h{number}.txt # {turn}"] == 1
    read = {path for fact in facts[EntryLogged] for path in fact.paths}
    assert {f"{kind}{n}.txt" for kind, most in (("t", 2), ("s", 2), ("h", 4)) for n in range(most)} <= read
