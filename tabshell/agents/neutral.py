"""tabshell's own hook JSON: what our plugins send, and what any other harness may send.

In: ``{"event": "after-tool" | "stop" | "session-start" | "session-end" | "compaction" | "digest" | "subagent-stop",
"session": ID, "cwd": DIR, …}``; after a tool also ``tool``, ``input``, ``output`` (as the model is shown it), ``exit``
or ``failed``, ``call``, ``subagent``, ``duration_ms``. For a harness without a module of its own (``generic``):
``command`` for a shell command, else ``action`` (read, search, list, write), ``paths``, ``first_line``.
Out: ``{"text": …}``, to be shown to the model; nothing where there is nothing to show.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from tabshell.agents.agent import EventKind, HookEvent, Installation, Launch, Overlay, Setting, StatusPlace
from tabshell.agents.payload import (
    Call,
    Json,
    dump,
    flat,
    parse,
    raw,
    text_of,
    texts_of,
    whole_number,
)
from tabshell.model.records import Action, Record

_KINDS: dict[str, EventKind] = {
    "after-tool": "after-tool",
    "stop": "stop",
    "session-start": "session-start",
    "session-end": "session-end",
    "digest": "session-start",
    "compaction": "compaction",
    "subagent-stop": "subagent-stop",
}
_ACTIONS: dict[str, Action] = {"read": "read", "search": "search", "list": "list", "write": "write"}


def read(text: str, event: str | None, reading: Callable[[Json, str], Record | None]) -> HookEvent | None:
    """The event in our own JSON; ``reading`` makes the record of a tool."""
    payload = parse(text)
    if payload is None:
        return None
    name = text_of(payload, "event") or event
    session = text_of(payload, "session")
    if name not in _KINDS or session is None:
        return None
    cwd = text_of(payload, "cwd")
    kind = _KINDS[name]
    record = reading(payload, cwd or "/") if kind == "after-tool" else None
    resumed = name == "digest" or text_of(payload, "source") in ("resume", "reload", "fork", "compact")
    return HookEvent(
        kind, name, session, cwd, record, text_of(payload, "call"), text_of(payload, "subagent"), resumed=resumed
    )


def answer(event: HookEvent, text: str) -> str:
    """Our own answer."""
    return dump({"text": text}) if event.kind in ("after-tool", "stop", "session-start") else ""


class Speaker:
    """The half that agents of this JSON have in common; they have nothing to install."""

    @abstractmethod
    def record(self, payload: Json, cwd: str) -> Record | None:
        """The record of a tool; None for one that shows nothing of files."""

    def read_hook(self, text: str, event: str | None) -> HookEvent | None:
        """See ``Agent``."""
        return read(text, event, self.record)

    def answer_hook(self, event: HookEvent, text: str) -> str:
        """See ``Agent``."""
        return answer(event, text)

    def install(self, setting: Setting) -> Installation | None:  # noqa: ARG002
        """None."""
        return None

    def uninstall(self, setting: Setting) -> Installation | None:  # noqa: ARG002
        """None, too."""
        return None


class Generic(Speaker):
    """Any program: the recording bash first on PATH, as ``$SHELL`` and through BASH_ENV."""

    name = "generic"
    title = "any other agent"
    programs: tuple[str, ...] = ()
    status: StatusPlace = "stderr"
    events: tuple[str, ...] = ()

    def overlay(self, launch: Launch) -> Overlay:
        """The three ways in which a program comes to its shell."""
        return Overlay(launch.argv, {"SHELL": launch.bash, **launch.through_bash_env})

    def record(self, payload: Json, cwd: str) -> Record | None:
        """See ``Speaker``."""
        agent = text_of(payload, "agent") or "generic"
        shown = raw(flat(payload.get("output"))), None
        seconds = (whole_number(payload, "duration_ms") or 0) / 1000
        call = Call(agent, cwd, seconds, failed=payload.get("failed") is True)
        command = text_of(payload, "command")
        if command is not None:
            return call.command(command, shown, whole_number(payload, "exit", "exit_code"))
        action = _ACTIONS.get(text_of(payload, "action") or "")
        if action is None:
            return None
        return call.file(
            text_of(payload, "tool") or action,
            action,
            texts_of(payload, "paths", "path"),
            shown,
            words=texts_of(payload, "words", "pattern"),
            first_line=whole_number(payload, "first_line"),
            numbered=payload.get("numbered") is True,
        )
