# mypy: ignore-errors
# ruff: noqa: ANN201, ANN001, ANN003, ANN202 - untyped, as the class that it extends is
"""tabshell's environment for mini-swe-agent; runs inside that program's own Python.

In: the commands that mini-swe-agent executes. Its ``LocalEnvironment`` does all of that as ever; what came out is
told to the hook program (named in the JSON file beside this one), and what the hook answers is shown behind it.
At the first submission the finish check is shown instead, and the agent goes on. Whatever goes wrong here, the
agent gets what it would have got without this file.
"""

import json
import os
import subprocess
import time
from pathlib import Path

from minisweagent.environments.local import LocalEnvironment
from minisweagent.exceptions import Submitted

_SETTINGS = json.loads(Path(__file__).with_name("tabshell_settings.json").read_text(encoding="utf-8"))
_LIMIT_S = 30


class TabEnvironment(LocalEnvironment):
    """The local environment, with a tab."""

    _unseen = _SETTINGS.get("prompt") or ""

    def execute(self, action, cwd="", **options):
        """One command; see ``LocalEnvironment``."""
        began = time.monotonic()
        submitted = None
        try:
            result = super().execute(action, cwd, **options)
        except Submitted as stop:
            submitted, result = stop, {"output": "", "returncode": 0, "exception_info": ""}
        where = cwd or self.config.cwd or os.getcwd()
        if submitted is not None:
            told = _ask({"event": "stop", "session": _session(), "cwd": where})
            if not told:
                raise submitted
            return {**result, "output": told + "\n"}
        told = _ask({
            "event": "after-tool", "session": _session(), "cwd": where, "tool": "bash",
            "command": action.get("command", ""), "output": result["output"], "exit": result["returncode"],
            "duration_ms": round((time.monotonic() - began) * 1000),
        })  # fmt: skip
        shown = "\n".join(part for part in (told, self._unseen) if part)
        if not shown:
            return result
        self._unseen = ""
        between = "" if not result["output"] or result["output"].endswith("\n") else "\n"
        return {**result, "output": f"{result['output']}{between}{shown}\n"}


def _session():
    return f"{os.getpid()}-{int(Path('/proc/self').stat().st_ctime)}"


def _ask(event):
    try:
        run = subprocess.run(
            _SETTINGS["hook"], input=json.dumps(event).encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=_LIMIT_S, check=False,
        )  # fmt: skip
        return json.loads(run.stdout).get("text")
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
