"""Codex CLI: its hooks by ``-c`` for one run, trusted by their hash and no others with them.

Seen with 0.171.0. Codex starts the shell that the password database names, so a recording bash on PATH is not
met: BASH_ENV leads there. Codex runs no hook that nobody approved; ``hooks.state`` on the command line approves
exactly ours (the hash is SHA-256 over the hook's canonical JSON), where ``--dangerously-bypass-hook-trust``
would approve everyone's. A hook is told the output as the model sees it, but not the exit status.
"""

from __future__ import annotations

import json
import os
import re

from tabshell.agents import claude_style
from tabshell.agents.agent import Launch, Overlay, Setting, StatusPlace
from tabshell.agents.json_settings import hook_command
from tabshell.agents.payload import Call, Json, cut_at, flat, raw, text_of
from tabshell.model.records import Record

#: Seconds that Codex waits for a hook; part of what is hashed.
TIMEOUT = 30
_NOTICE = re.compile(r"\AWarning: truncated output \(original token count: \d+\)\n(?:Total output lines: \d+\n)?\n?")
_LEFT_OUT = re.compile(r"…(?P<tokens>[\d,]+) tokens truncated…|…(?P<size>[\d,]+) chars truncated…")
_LABELS = {
    "SessionStart": "session_start",
    "PostToolUse": "post_tool_use",
    "PreCompact": "pre_compact",
    "SubagentStop": "subagent_stop",
    "Stop": "stop",
}
_SOURCE = "/<session-flags>/config.toml"


class Codex(claude_style.Speaker):
    """Codex CLI."""

    name = "codex"
    title = "Codex CLI"
    programs = ("codex",)
    status: StatusPlace = "stdout"
    events = tuple(_LABELS)
    timeout = TIMEOUT
    notes = ("codex runs no hook before you approve it: start codex once and accept the tabshell hooks (/hooks)",)

    def overlay(self, launch: Launch) -> Overlay:
        """Hooks and their trust as overrides of the configuration, before the person's own words."""
        words: list[str] = []
        trusted = []
        for event, label in _LABELS.items():
            command = hook_command(launch.hook, event)
            hook = f'{{type="command",command={_toml(command)},timeout={TIMEOUT}}}'
            words += ["-c", f"hooks.{event}=[{{hooks=[{hook}]}}]"]
            trusted.append(f"{_toml(f'{_SOURCE}:{label}:0:0')}={{trusted_hash={_toml(hook_hash(label, command))}}}")
        # in its sandbox nothing but the workspace can be written: the session must be, for "tab" and for the record
        words += ["--add-dir", os.path.dirname(launch.folder)]
        words += ["-c", f"hooks.state={{{','.join(trusted)}}}"]
        notes: tuple[str, ...] = ()
        if any(word.startswith("hooks.") for word in launch.argv):
            notes = ("codex: -c hooks.… on the command line takes the place of tabshell's; some of it may not run",)
        return Overlay(launch.words(*words), launch.through_bash_env, notes=notes)

    def record(self, payload: Json, tool: str, given: Json, cwd: str, seconds: float) -> Record | None:
        """See ``claude_style.Speaker``."""
        if tool not in ("Bash", "exec_command", "shell_command", "shell"):
            return None
        command = text_of(given, "command", "cmd")
        if command is None:
            return None
        text = flat(payload.get("tool_response"))
        notice = _NOTICE.match(text)
        shown = cut_at(text[notice.end() :], _LEFT_OUT) if notice else (raw(text), None)
        return Call("codex", text_of(given, "workdir") or cwd, seconds).command(command, shown, None)

    def settings(self, setting: Setting) -> str:
        """See ``claude_style.Speaker``."""
        folder = setting.environment.get("CODEX_HOME") or os.path.join(setting.home, ".codex")
        return os.path.join(folder, "hooks.json")


def hook_hash(label: str, command: str) -> str:
    """What Codex compares before it runs a hook."""
    import hashlib  # noqa: PLC0415 - only where codex is started

    handler = {"async": False, "command": command, "timeout": TIMEOUT, "type": "command"}
    identity = {"event_name": label, "hooks": [handler]}
    canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def _toml(text: str) -> str:
    """A basic TOML string: JSON's escapes are a part of TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
