"""What one call of a hook costs: the median and the 90th percentile in milliseconds, per kind of event.

    python benchmarks/hook_cost.py [--calls N]

Each call is what an agent does: it starts the launcher in the sidecar, hands it JSON, reads the answer. Beside them
the bare start of the same Python; ``run`` is under ``tabshell run``, ``installed`` without: the first hook then
starts a clerk that stays for a minute after the last question.
The bound is 120 ms (median) for a tool's hook.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tabshell.cli.agents.launch import prepare
from tabshell.model.records import CommandRecord
from tabshell.session import Session, SessionOptions
from tabshell.session.clerk import clerk

BOUND_MS = 120.0
#: Earlier turns of the session: a hook late in a task must not be slower than one at its beginning.
EARLIER = 100


def payloads(workspace: Path) -> dict[str, dict]:
    base = {"session_id": "bench", "cwd": str(workspace)}
    read = {"type": "text", "file": {"filePath": str(workspace / "a.txt"), "content": "alpha\n", "startLine": 1}}
    return {
        "Read": {**base, "hook_event_name": "PostToolUse", "tool_name": "Read",
                 "tool_input": {"file_path": str(workspace / "a.txt")}, "tool_response": read},
        "Bash": {**base, "hook_event_name": "PostToolUse", "tool_name": "Bash",
                 "tool_input": {"command": "sort a.txt | head -3"}, "tool_response": {"stdout": "alpha", "stderr": ""}},
        "Stop": {**base, "hook_event_name": "Stop"},
        "not ours": {**base, "hook_event_name": "UserPromptSubmit", "prompt": "hello"},
    }  # fmt: skip


def timed(words: list[str], text: bytes, environment: dict[str, str]) -> tuple[float, float]:
    """Milliseconds on the clock, and of the processor (which other programs do not make longer)."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, input=text, stdout=subprocess.DEVNULL, env=environment, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1000, (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--calls", type=int, default=40)
    calls = parser.parse_args().calls
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        (workspace / "a.txt").write_text("alpha\n")
        environment = {**os.environ, "TABSHELL_HOME": f"{folder}/sidecars"}
        with Session.create(SessionOptions(str(workspace)), environment) as session:
            start = prepare(session, ["claude"], environment)
            for number in range(EARLIER):
                text = f"cat a.txt # {number}"
                session.recorder.record(CommandRecord("hook", text, "hook", str(workspace), b"alpha\n", 0))
            session.tab()
            hook = [str(session.directory / "agent" / "tabshell-hook"), "claude-code"]
        rows = {"python -IS": [timed([sys.executable, "-IS", "-c", "pass"], b"", environment) for _ in range(calls)]}
        installed = {name: value for name, value in start.environment.items() if name != "TABSHELL_SESSION"}
        ways = (
            (clerk(session.directory), "run", start.environment),
            (contextlib.nullcontext(), "installed", installed),
        )
        for beside, words, chosen in ways:
            with beside:
                for name, payload in payloads(workspace).items():
                    text = json.dumps(payload).encode()
                    rows[f"{words}: {name}"] = [timed(hook, text, chosen) for _ in range(calls)]
    for name, times in rows.items():
        wall, processor = ([pair[at] for pair in times] for at in (0, 1))
        p90 = sorted(wall)[int(len(wall) * 0.9)]
        middle = statistics.median(wall), p90, statistics.median(processor)
        print("{:20} median {:6.1f} ms   p90 {:6.1f} ms   processor {:6.1f} ms".format(name, *middle))
    slowest = max(
        statistics.median(wall for wall, _ in rows[f"{words}: {name}"])
        for name in ("Read", "Bash")
        for words in ("run", "installed")
    )
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"bound {BOUND_MS:.0f} ms: {'kept' if slowest <= BOUND_MS else 'BROKEN'}")
    return 0 if slowest <= BOUND_MS else 1


if __name__ == "__main__":
    sys.exit(main())
