"""The hook protocol that Claude Code began and Codex, Qwen Code and Gemini CLI took over; differences are data.

In: ``session_id``, ``cwd``, ``hook_event_name``, ``tool_name``, ``tool_input``, ``tool_response`` (or ``error``
after a failing tool), ``tool_use_id``, ``agent_id`` and ``agent_type`` in a sub-agent. Out:
``hookSpecificOutput.additionalContext`` after a tool and at a session's start, ``decision: block`` with a
``reason`` at a stop.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping

from tabshell.agents.agent import EventKind, HookEvent, Installation, Setting
from tabshell.agents.json_settings import install_hooks, uninstall_hooks
from tabshell.agents.payload import Json, dump, inner, parse, text_of, whole_number
from tabshell.model.records import Record

#: The event at a session's end: for installed hooks only.
SESSION_END = "SessionEnd"
#: The agent's words for events -> ours. What is not here is "other": no answer, nothing recorded.
KINDS: dict[str, EventKind] = {
    "PostToolUse": "after-tool",
    "PostToolUseFailure": "after-tool",
    "Stop": "stop",
    "SessionStart": "session-start",
    SESSION_END: "session-end",
    "PreCompact": "compaction",
    "SubagentStop": "subagent-stop",
}
_RESUMED = ("resume", "compact", "compress")

#: (payload, tool's name, its input, cwd, seconds) -> the record, or None for a tool that shows nothing of files.
Reading = Callable[[Json, str, Json, str, float], Record | None]


def read(text: str, event: str | None, reading: Reading, kinds: Mapping[str, EventKind] = KINDS) -> HookEvent | None:
    """The event in an agent's JSON; None if it is no JSON of this protocol. ``kinds``: the agent's own words."""
    payload = parse(text)
    if payload is None:
        return None
    name = text_of(payload, "hook_event_name") or event
    session = text_of(payload, "session_id")
    if name is None or session is None:
        return None
    cwd = text_of(payload, "cwd")
    kind = kinds.get(name, "other")
    record = None
    if kind == "after-tool":
        duration = (whole_number(payload, "duration_ms") or 0) / 1000
        record = reading(
            payload, text_of(payload, "tool_name") or "", inner(payload, "tool_input"), cwd or "/", duration
        )
    subagent = (text_of(payload, "agent_type") or text_of(payload, "agent_id")) if payload.get("agent_id") else None
    return HookEvent(
        kind,
        name,
        session,
        cwd,
        record,
        text_of(payload, "tool_use_id"),
        subagent,
        resumed=text_of(payload, "source") in _RESUMED,
        busy=_busy(payload),
    )


def _busy(payload: Json) -> bool:
    """Whether a sub-agent still runs, so that the agent will be woken and stop again later."""
    tasks = payload.get("background_tasks")
    listed = [task for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    return any(task.get("type") == "subagent" and task.get("status") == "running" for task in listed)


def answer(event: HookEvent, text: str) -> str:
    """The JSON that shows ``text`` to the model."""
    if event.kind == "stop":
        return dump({"decision": "block", "reason": text})
    if event.kind in ("after-tool", "session-start"):
        return dump({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}})
    return ""


class Speaker:
    """The half that agents of this protocol have in common. ``kinds``: their words for events, ``timeout``: of a hook,
    in their own unit, ``comments``: whether they read a settings file that has some, ``notes``: for who installs."""

    events: tuple[str, ...]
    kinds: Mapping[str, EventKind] = KINDS
    timeout = 30
    comments = False
    notes: tuple[str, ...] = ()

    @abstractmethod
    def record(self, payload: Json, tool: str, given: Json, cwd: str, seconds: float) -> Record | None:
        """See ``Reading``."""

    @abstractmethod
    def settings(self, setting: Setting) -> str:
        """The file in which the person's own hooks stand."""

    def read_hook(self, text: str, event: str | None) -> HookEvent | None:
        """See ``Agent``."""
        return read(text, event, self.record, self.kinds)

    def answer_hook(self, event: HookEvent, text: str) -> str:
        """See ``Agent``."""
        return answer(event, text)

    def install(self, setting: Setting) -> Installation | None:
        """Hooks in the person's own settings."""
        events = (*self.events, SESSION_END)
        path = self.settings(setting)
        return install_hooks(path, setting, events, self.timeout, self.notes, comments=self.comments)

    def uninstall(self, setting: Setting) -> Installation | None:
        """See ``Agent``."""
        return uninstall_hooks(self.settings(setting), setting)
