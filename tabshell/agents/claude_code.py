"""Claude Code: the shim by ``CLAUDE_CODE_SHELL``, hooks and the prompt by a plugin folder for one run.

Seen with 2.1.332. An output over the inline limit reaches the model as its first 2,000 characters (to the last
line break) with a path behind; a failing command's as head and tail around a notice. ``Read`` gives the file's
text without the numbers that the model is shown before each line.
"""

from __future__ import annotations

import json
import os
import re

from tabshell.agents import claude_style
from tabshell.agents.agent import HookEvent, Launch, Overlay, Setting, StatusPlace
from tabshell.agents.json_settings import with_hooks
from tabshell.agents.payload import Call, Json, Shown, cut_at, dump, flat, inner, raw, text_of, whole_number
from tabshell.model.records import Gap, Record

#: Characters of an output that was saved to a file which still stand in the model's context.
PREVIEW = 2000
_WRITERS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
_LEFT_OUT = re.compile(r"\n\n\.\.\. \[(?P<size>[\d,]+) characters truncated\] \.\.\.\n\n")
_EXIT = re.compile(r"Exit code (\d+)\n?")


class ClaudeCode(claude_style.Speaker):
    """Claude Code."""

    name = "claude-code"
    title = "Claude Code"
    programs = ("claude",)
    status: StatusPlace = "hook"
    events = ("SessionStart", "PostToolUse", "PostToolUseFailure", "PreCompact", "SubagentStop", "Stop")

    def answer_hook(self, event: HookEvent, text: str) -> str:
        """See ``Agent``. At a stop as context: a blocking reason would be shown to the model twice."""
        if event.kind == "stop":
            return dump({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}})
        return claude_style.answer(event, text)

    def overlay(self, launch: Launch) -> Overlay:
        """A plugin folder of this run (``--plugin-dir`` may stand many times, so the person's own stay)."""
        plugin = {"name": "tabshell", "version": "1.0.0", "description": "Keeps the tab of a tabshell session."}
        hooks = with_hooks({}, self.events, launch.hook, timeout=30)
        return Overlay(
            launch.words("--plugin-dir", os.path.join(launch.folder, "plugin")),
            {"CLAUDE_CODE_SHELL": launch.bash, **launch.called(launch.environment.get("SHELL", launch.found_bash))},
            (
                ("plugin/.claude-plugin/plugin.json", json.dumps(plugin, indent=1)),
                ("plugin/hooks/hooks.json", json.dumps(hooks, indent=1)),
            ),
        )

    def record(self, payload: Json, tool: str, given: Json, cwd: str, seconds: float) -> Record | None:
        """See ``claude_style.Speaker``."""
        call = Call("claude-code", cwd, seconds, failed="tool_response" not in payload)
        response = inner(payload, "tool_response")
        if tool == "Bash":
            shown, status = _failure(payload) if call.failed else (_shown(response), 0)
            return call.command(text_of(given, "command") or "", shown, status)
        path = text_of(given, "file_path", "path", "notebook_path") or ""
        if tool in _WRITERS:
            return call.file(tool, "other" if call.failed else "write", [path], (b"", None))
        if tool not in ("Read", "Grep", "Glob", "LS"):
            return None
        if call.failed:
            return call.file(tool, "other", [path], (raw(text_of(payload, "error") or ""), None))
        if tool == "Read":
            file = inner(response, "file")
            text, first = text_of(file, "content"), whole_number(file, "startLine")
            told = flat(payload.get("tool_response")) if text is None else text
            return call.file(tool, "read", [path], (raw(told), None), first_line=first)
        hits = tool == "Grep" and text_of(given, "output_mode") == "content"
        told = _names(response) or flat(payload.get("tool_response"))
        words = [text_of(given, "pattern", "glob") or ""]
        return call.file(tool, "search" if hits else "list", [path], (raw(told), None), words=words)

    def settings(self, setting: Setting) -> str:
        """See ``claude_style.Speaker``."""
        folder = setting.environment.get("CLAUDE_CONFIG_DIR") or os.path.join(setting.home, ".claude")
        return os.path.join(folder, "settings.json")


def _shown(response: Json) -> Shown:
    """What the model saw of a successful command."""
    parts = [text_of(response, "stdout") or "", text_of(response, "stderr") or ""]
    text = "\n".join(part for part in parts if part)
    if text_of(response, "persistedOutputPath") is None:
        return raw(text), None
    size = whole_number(response, "persistedOutputSize") or len(text)
    preview = text[:PREVIEW]
    line = preview.rfind("\n")
    if line > PREVIEW // 2:
        preview = preview[: line + 1]
    kept = raw(preview)
    return kept, Gap(len(kept), max(size - len(kept), 1))


def _failure(payload: Json) -> tuple[Shown, int | None]:
    """What the model saw of a failing command, and its exit status."""
    text = text_of(payload, "error") or ""
    status = _EXIT.match(text)
    if status is None:
        return cut_at(text, _LEFT_OUT), None
    return cut_at(text[status.end() :], _LEFT_OUT), int(status[1])


def _names(response: Json) -> str | None:
    """The file names of a Glob or Grep answer, one a line."""
    names = response.get("filenames")
    listed = [name for name in names if isinstance(name, str)] if isinstance(names, list) else None
    content = text_of(response, "content")
    return content or ("\n".join(listed) if listed is not None else None)
