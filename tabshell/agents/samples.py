"""What each agent does, in small: how it calls bash for a command, and what it tells its hook after reading a file.

``tabshell doctor`` plays these against the real doors of the machine, without the agent and without a model. In:
a command, or a file's path and text. Out: words and environment of the call, or (event, JSON) of the hook.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import NamedTuple


class Called(NamedTuple):
    """A call of bash as an agent makes it; the first word is looked up on PATH if it is no path."""

    argv: tuple[str, ...]
    environment: dict[str, str]


def _claude_code(command: str) -> Called:
    text = f"shopt -u extglob 2>/dev/null || true && eval {shlex.quote(command)} < /dev/null && pwd -P >| /dev/null"
    return Called(("$CLAUDE_CODE_SHELL", "-c", text), {"CLAUDECODE": "1", "CLAUDE_CODE_CHILD_SESSION": "1"})


def _gemini(command: str) -> Called:
    text = (
        "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=/dev/null\n(\n"
        f"  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n{command}\n)\n__code=$?\nexit $__code"
    )
    return Called(("bash", "-c", text), {"GEMINI_CLI": "1"})


_CALLS: dict[str, Callable[[str], Called]] = {
    "claude-code": _claude_code,
    "codex": lambda command: Called(("/bin/bash", "-lc", command), {"CODEX_TOOL_CALL_ID": "1", "CODEX_CI": "1"}),
    "gemini": _gemini,
    "qwen": lambda command: Called(("bash", "-c", command), {"QWEN_CODE": "1"}),
    "copilot": lambda command: Called(("/bin/bash", "-c", command), {"COPILOT_AGENT_SESSION_ID": "1"}),
    "pi": lambda command: Called(("/bin/bash", "-c", command), {"PI_SESSION_ID": "1"}),
    "opencode": lambda command: Called(("$SHELL", "-c", command), {"OPENCODE": "1"}),
    "swe-rex": lambda command: Called(("bash", "-c", command), {}),
    "terminus": lambda command: Called(("bash", "-c", command), {}),
    "anthropic-tool": lambda command: Called(("$SHELL", "-c", command), {}),
    "generic": lambda command: Called(("bash", "-c", command), {}),
}


def shell_call(agent: str, command: str) -> Called | None:
    """How ``agent`` runs ``command``; None where no bash is called."""
    make = _CALLS.get(agent)
    return make(command) if make else None


def hook_call(agent: str, path: str, text: str, cwd: str) -> tuple[str, str] | None:
    """What ``agent`` tells its hook after it read ``path``; None where it has no hook."""
    base = {"session_id": "doctor", "cwd": cwd}
    neutral = {"event": "after-tool", "session": "doctor", "cwd": cwd, "call": "1"}
    told: dict[str, tuple[str, dict[str, object]]] = {
        "claude-code": ("PostToolUse", {
            **base, "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": path},
            "tool_response": {"type": "text", "file": {"filePath": path, "content": text, "startLine": 1}}}),
        "codex": ("PostToolUse", {
            **base, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": f"cat {path}"},
            "tool_response": text}),
        "gemini": ("AfterTool", {
            **base, "hook_event_name": "AfterTool", "tool_name": "read_file", "tool_input": {"file_path": path},
            "tool_response": {"llmContent": text, "returnDisplay": ""}}),
        "qwen": ("PostToolUse", {
            **base, "hook_event_name": "PostToolUse", "tool_name": "read_file", "tool_input": {"file_path": path},
            "tool_response": {"llmContent": text, "returnDisplay": ""}}),
        "copilot": ("postToolUse", {
            "sessionId": "doctor", "cwd": cwd, "toolName": "view", "toolArgs": {"path": path},
            "toolResult": {"resultType": "success", "textResultForLlm": text}}),
        "pi": ("after-tool", {**neutral, "tool": "read", "input": {"path": path}, "output": text}),
        "opencode": ("after-tool", {
            **neutral, "tool": "read", "input": {"filePath": path},
            "output": f"<path>{path}</path>\n<type>file</type>\n<content>\n1: {text}\n(End of file)\n</content>"}),
        "mini-swe-agent": ("after-tool", {**neutral, "command": f"cat {path}", "output": text, "exit": 0}),
        "generic": ("after-tool", {**neutral, "action": "read", "paths": [path], "output": text}),
    }  # fmt: skip
    if agent not in told:
        return None
    event, payload = told[agent]
    return event, json.dumps(payload)
