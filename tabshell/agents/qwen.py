"""Qwen Code: the recording bash first on PATH, hooks by an extension in a private ``QWEN_HOME``.

Seen with 0.24.4, a relative of Gemini CLI that speaks Claude Code's hook protocol. Its hooks are told an output
as the model sees it; a long one with a notice and the marker ``... [CONTENT TRUNCATED] ...`` in its middle.
"""

from __future__ import annotations

import os
import re

from tabshell.agents import claude_style
from tabshell.agents.agent import Launch, Overlay, Setting, StatusPlace
from tabshell.agents.gemini import exit_status, home_overlay
from tabshell.agents.payload import (
    Call,
    Json,
    Shown,
    cut_at,
    flat,
    inner,
    text_of,
    texts_of,
    whole_number,
)
from tabshell.model.records import Action, Record

_FILE_TOOLS: dict[str, Action] = {
    "read_file": "read",
    "read_many_files": "read",
    "grep_search": "search",
    "glob": "list",
    "list_directory": "list",
    "write_file": "write",
    "edit": "write",
    "notebook_edit": "write",
}
_NOTICE = re.compile(
    r"\ATool output was too large and has been truncated\.\n.*?\nTruncated part of the output:\n", re.DOTALL
)
_LEFT_OUT = re.compile(r"\n+---\n\.\.\. \[CONTENT TRUNCATED\] \.\.\.\n---\n+(?:\.\.\.)?")
_FRAME = re.compile(r"\ACommand: .*?\nDirectory: [^\n]*\nOutput: ", re.DOTALL)
_FRAME_END = re.compile(r"\nError: [^\n]*(?:\n(?:Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)*\s*\Z")


class Qwen(claude_style.Speaker):
    """Qwen Code."""

    name = "qwen"
    title = "Qwen Code"
    programs = ("qwen",)
    status: StatusPlace = "stdout"
    events = ("SessionStart", "PostToolUse", "PostToolUseFailure", "PreCompact", "SubagentStop", "Stop")
    timeout = 30_000
    comments = True

    def overlay(self, launch: Launch) -> Overlay:
        """A private ``QWEN_HOME`` of links with our extension in it."""
        theirs = launch.environment.get("QWEN_HOME")
        home, dot = (os.path.split(theirs.rstrip("/"))) if theirs else (launch.home, ".qwen")
        return home_overlay(launch, dot, home, "qwen-extension.json", self.events, "QWEN_HOME", "folder")

    def record(self, payload: Json, tool: str, given: Json, cwd: str, seconds: float) -> Record | None:
        """See ``claude_style.Speaker``."""
        failed = "tool_response" not in payload
        text = text_of(payload, "error") or "" if failed else flat(payload.get("tool_response"))
        if tool == "tool_call":  # its own way to call a tool that it keeps out of the list
            tool, given = text_of(given, "name", "tool_name") or "", inner(given, "args", "arguments", "input")
        if tool == "run_shell_command":
            command = text_of(given, "command") or ""
            where = os.path.normpath(os.path.join(cwd, text_of(given, "directory") or ""))
            inside = _NOTICE.sub("", text)
            return Call("qwen", where, seconds).command(command, command_shown(inside), exit_status(inside))
        action = _FILE_TOOLS.get(tool)
        if action is None:
            return None
        paths = texts_of(given, "file_path", "absolute_path", "path", "paths", "notebook_path")
        offset = whole_number(given, "offset")
        words = [text_of(given, "pattern") or ""]
        first = offset + 1 if offset is not None else None
        call = Call("qwen", cwd, seconds, failed=failed)
        return call.file(tool, action, paths, cut_at(text, _LEFT_OUT), words=words, first_line=first)

    def settings(self, setting: Setting) -> str:
        """See ``claude_style.Speaker``."""
        return os.path.join(
            setting.environment.get("QWEN_HOME") or os.path.join(setting.home, ".qwen"), "settings.json"
        )


def command_shown(text: str) -> Shown:
    """What the model is shown of a command's output, without the frame around it."""
    start, end = _FRAME.match(text), _FRAME_END.search(text)
    output = text[start.end() if start else 0 : end.start() if end else len(text)]
    return (b"", None) if output == "(empty)" else cut_at(output, _LEFT_OUT)
