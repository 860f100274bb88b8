"""Copilot CLI: BASH_ENV (which it heeds only when told), hooks by a plugin folder for one run.

Seen with 1.0.102. The event's name is not in the JSON, so each hook gets it as an argument. ``textResultForLlm``
is the output as the model sees it: one that is too long is a notice and its first 500 characters. The shell's
line ``<shellId: … completed with exit code …>`` is the agent's.
"""

from __future__ import annotations

import json
import os
import re

from tabshell.agents.agent import EventKind, HookEvent, Launch, Overlay, Setting, StatusPlace
from tabshell.agents.json_settings import hook_command
from tabshell.agents.own_file import OwnFile
from tabshell.agents.payload import (
    Call,
    Json,
    Shown,
    dump,
    flat,
    inner,
    parse,
    raw,
    text_of,
    texts_of,
    whole_number,
)
from tabshell.model.records import Action, Gap, Record

#: For installed hooks only, as in ``claude_style``.
_SESSION_END = "sessionEnd"
_KINDS: dict[str, EventKind] = {
    "sessionStart": "session-start",
    _SESSION_END: "session-end",
    "postToolUse": "after-tool",
    "preCompact": "compaction",
    "subagentStop": "subagent-stop",
    "agentStop": "stop",
}
_FILE_TOOLS: dict[str, Action] = {"view": "read", "grep": "list", "glob": "list", "create": "write", "edit": "write"}
_SHELL_END = re.compile(r"\n?<shellId: \S+ completed with exit code (\d+)>\s*\Z")
_NOTICE = re.compile(
    r"\AOutput too large to read at once \((?P<size>[\d.]+) (?P<unit>B|KB|MB|GB)\)\..*?"
    r"\n\nPreview \(first \d+ chars\):\n",
    re.DOTALL,
)
_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}


class Copilot(OwnFile):
    """Copilot CLI."""

    name = "copilot"
    title = "Copilot CLI"
    programs = ("copilot",)
    status: StatusPlace = "hook"
    events = tuple(event for event in _KINDS if event != _SESSION_END)

    def read_hook(self, text: str, event: str | None) -> HookEvent | None:
        """See ``Agent``."""
        payload = parse(text)
        session = text_of(payload, "sessionId", "session_id") if payload else None
        if payload is None or session is None or event is None:
            return None
        cwd = text_of(payload, "cwd")
        kind = _KINDS.get(event, "other")
        record = _record(payload, cwd or "/") if kind == "after-tool" else None
        resumed = text_of(payload, "source") == "resume"
        return HookEvent(kind, event, session, cwd, record, resumed=resumed)

    def answer_hook(self, event: HookEvent, text: str) -> str:
        """See ``Agent``."""
        if event.kind == "stop":
            return dump({"decision": "block", "reason": text})
        if event.kind in ("after-tool", "session-start"):
            return dump({"additionalContext": text})
        return ""

    def overlay(self, launch: Launch) -> Overlay:
        """A plugin folder of this run; ``--bash-env`` unless the person chose otherwise."""
        about = "Keeps the tab of a tabshell session."
        plugin = {"name": "tabshell", "version": "1.0.0", "description": about, "hooks": "hooks.json"}
        words = ["--plugin-dir", os.path.join(launch.folder, "plugin")]
        notes: tuple[str, ...] = ()
        if any(word == "--no-bash-env" or word.startswith("--bash-env") for word in launch.argv):
            notes = ("copilot: --bash-env is yours; without it commands are recorded by the hook alone",)
        else:
            words.append("--bash-env=on")
        files = (
            ("plugin/plugin.json", json.dumps(plugin, indent=1)),
            ("plugin/hooks.json", _hooks(launch.hook, self.events)),
        )
        return Overlay(launch.words(*words), launch.through_bash_env, files, notes=notes)

    def path(self, setting: Setting) -> str:
        """See ``own_file.OwnFile``."""
        folder = setting.environment.get("COPILOT_HOME") or os.path.join(setting.home, ".copilot")
        return os.path.join(folder, "hooks", "tabshell.json")

    def content(self, hook: tuple[str, ...]) -> str:
        """See ``own_file.OwnFile``."""
        return _hooks(hook, tuple(_KINDS))


def _hooks(hook: tuple[str, ...], events: tuple[str, ...]) -> str:
    hooks = {event: [{"type": "command", "bash": hook_command(hook, event), "timeoutSec": 30}] for event in events}
    return json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"


def _record(payload: Json, cwd: str) -> Record | None:
    tool = text_of(payload, "toolName") or ""
    given, result = inner(payload, "toolArgs"), inner(payload, "toolResult")
    text = flat(result.get("textResultForLlm"))
    failed = text_of(result, "resultType") in ("failure", "denied", "rejected")
    if tool in ("bash", "shell"):
        end = _SHELL_END.search(text)
        shown = _shown(text[: end.start()] if end else text)
        command = text_of(given, "command") or ""
        return Call("copilot", cwd).command(command, shown, int(end[1]) if end else None)
    action = _FILE_TOOLS.get(tool)
    if action is None:
        return None
    if tool == "grep" and text_of(given, "output_mode") == "content":
        action = "search"
    paths = texts_of(given, "path", "paths", "file_path")
    words = [text_of(given, "pattern") or ""]
    lines = given.get("view_range")
    first = whole_number({"first": lines[0]}, "first") if isinstance(lines, list) and lines else None
    return Call("copilot", cwd, failed=failed).file(tool, action, paths, _shown(text), words=words, first_line=first)


def _shown(text: str) -> Shown:
    """What the model is shown of an output."""
    notice = _NOTICE.match(text)
    if notice is None:
        return raw(text), None
    kept = raw(text[notice.end() :])
    size = int(float(notice["size"]) * _UNITS[notice["unit"]])
    return kept, Gap(len(kept), max(size - len(kept), 1))
