"""mini-swe-agent: an environment class of ours around its own, named on its command line.

Seen with 2.4.6. It runs ``/bin/sh -c COMMAND``, so no bash of ours is ever met. The class below (a file in the
sidecar, found by PYTHONPATH) lets its ``LocalEnvironment`` do everything, then tells the hook what came out and
puts the status line behind it. The submit sentinel counts only as the first line of an output: the finish check
is shown in its place once, and the agent goes on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tabshell.agents import neutral
from tabshell.agents.agent import Launch, Overlay, StatusPlace
from tabshell.agents.data import verbatim
from tabshell.agents.payload import Call, Json, flat, raw, text_of, whole_number
from tabshell.model.records import Gap, Record

#: What the model is shown of an output that is longer: so many characters of each end (its default template).
LIMIT, KEPT = 10_000, 5_000
MODULE = "tabshell_mini_swe_agent"
_CLASS = re.compile(r"environment_class\s*=")


def _task(words: Sequence[str]) -> int | None:
    """Which word ends with the task's text: the one behind ``-t`` or ``--task``, or one with both in it."""
    for at, word in enumerate(words):
        if word in ("-t", "--task"):
            return at + 1 if at + 1 < len(words) else None
        if word.startswith("--task=") or (word.startswith("-t") and len(word) > 2):
            return at
    return None


class MiniSweAgent(neutral.Speaker):
    """mini-swe-agent."""

    name = "mini-swe-agent"
    title = "mini-swe-agent"
    programs = ("mini", "mini-swe-agent")
    status: StatusPlace = "hook"
    events = ("after-tool", "stop")

    def overlay(self, launch: Launch) -> Overlay:
        """Our class for its environment; the prompt block behind the task, or behind the first output."""
        words = list(launch.argv)
        if any(_CLASS.search(word) for word in words):
            note = "mini-swe-agent: environment_class is yours, so its commands are not recorded; see docs/how-to"
            return Overlay(launch.argv, notes=(note,))
        if "-c" not in words and "--config" not in words:
            words += ["-c", "mini.yaml"]
        words += ["-c", f"environment.environment_class={MODULE}.TabEnvironment"]
        task = _task(words)
        if task is not None:
            words[task] += f"\n\n{launch.prompt}"
        settings = {"hook": list(launch.hook), "prompt": launch.prompt if task is None else ""}
        python = ":".join(part for part in (launch.folder, launch.environment.get("PYTHONPATH", "")) if part)
        files = ((f"{MODULE}.py", verbatim("mini_swe_agent.py")), ("tabshell_settings.json", json.dumps(settings)))
        return Overlay(tuple(words), {"PYTHONPATH": python}, files)

    def record(self, payload: Json, cwd: str) -> Record | None:
        """See ``neutral.Speaker``."""
        command = text_of(payload, "command")
        if command is None:
            return None
        seconds = (whole_number(payload, "duration_ms") or 0) / 1000
        call, status = Call("mini-swe-agent", cwd, seconds), whole_number(payload, "exit")
        text = flat(payload.get("output"))
        if len(text) < LIMIT:
            return call.command(command, (raw(text), None), status)
        head, tail = raw(text[:KEPT]), raw(text[-KEPT:])
        shown = head + tail, Gap(len(head), len(raw(text[KEPT:-KEPT])))
        return call.command(command, shown, status)
