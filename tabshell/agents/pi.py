"""Pi: the recording bash through BASH_ENV, everything else by an extension given with ``-e``.

Seen with 1.6.0. Pi starts ``/bin/bash`` unless its settings name another; BASH_ENV leads from there to the
session's bash without a change to them. Its tools end what they cut with a line in brackets; a failing command
ends with ``Command exited with code N``.
"""

from __future__ import annotations

import json
import os
import re

from tabshell.agents import neutral
from tabshell.agents.agent import Launch, Overlay, Setting, StatusPlace
from tabshell.agents.data import template
from tabshell.agents.own_file import OwnFile
from tabshell.agents.payload import Call, Json, Shown, flat, inner, raw, text_of, whole_number
from tabshell.model.records import Action, Gap, Record

_FILE_TOOLS: dict[str, Action] = {
    "read": "read", "grep": "search", "find": "list", "ls": "list", "write": "write", "edit": "write",
}  # fmt: skip
_STATUS = re.compile(r"\n\nCommand exited with code (\d+)\s*\Z")
_CUT = re.compile(r"\n\n\[(?:Showing (?:lines \d+-\d+ of \d+|last )[^\]]*|\d+ more lines? in file[^\]]*)\]\s*\Z")
_NO_OUTPUT = "(no output)"


class Pi(OwnFile, neutral.Speaker):
    """Pi."""

    name = "pi"
    title = "Pi"
    programs = ("pi",)
    status: StatusPlace = "stdout"
    events = ("session-start", "after-tool", "compaction", "stop")

    def overlay(self, launch: Launch) -> Overlay:
        """The extension as a file in the sidecar."""
        words = launch.words("-e", os.path.join(launch.folder, "tabshell.ts"))
        return Overlay(words, launch.through_bash_env, (("tabshell.ts", self.content(launch.hook)),))

    def record(self, payload: Json, cwd: str) -> Record | None:
        """See ``neutral.Speaker``."""
        tool = text_of(payload, "tool") or ""
        given, text = inner(payload, "input"), flat(payload.get("output"))
        failed = payload.get("failed") is True
        call = Call("pi", cwd, failed=failed)
        if tool == "bash":
            status = _STATUS.search(text)
            output, gap = _shown(text[: status.start()] if status else text)
            code = int(status[1]) if status else (None if failed else 0)
            return call.command(text_of(given, "command") or "", (output, gap), code)
        action = _FILE_TOOLS.get(tool)
        if action is None:
            return None
        offset = whole_number(given, "offset")
        cut = _CUT.search(text)
        shown = raw(text[: cut.start()] if cut else text), None
        words = [text_of(given, "pattern") or ""]
        first = max(offset, 1) if offset is not None else None
        return call.file(tool, action, [text_of(given, "path") or ""], shown, words=words, first_line=first)

    def path(self, setting: Setting) -> str:
        """See ``own_file.OwnFile``."""
        folder = setting.environment.get("PI_CODING_AGENT_DIR") or os.path.join(setting.home, ".pi", "agent")
        return os.path.join(folder, "extensions", "tabshell.ts")

    def content(self, hook: tuple[str, ...]) -> str:
        """See ``own_file.OwnFile``."""
        return template("pi_extension.ts", json.dumps(list(hook)))


def _shown(text: str) -> Shown:
    """A command's output without Pi's own last line; Pi keeps the tail of what is too long."""
    cut = _CUT.search(text)
    if cut is not None:
        return raw(text[: cut.start()]), Gap(0, 1)
    return (b"", None) if text == _NO_OUTPUT else (raw(text), None)
