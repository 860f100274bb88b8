"""opencode: the recording bash by ``SHELL`` and its own setting, everything else by a plugin file.

Seen with 1.18.33. Settings for one run come in ``OPENCODE_CONFIG_CONTENT``, which is merged over the person's
own. ``opencode run`` ends when the session is idle, so its finish check is left to ``--on-finish``; a server or
the full-screen program stays and gets it from the plugin. A plugin makes opencode ask npm for its types at each
start: without a network, put ``fetch-retries=0`` into ``~/.npmrc``.
"""

from __future__ import annotations

import json
import os
import re

from tabshell.agents import neutral
from tabshell.agents.agent import Launch, Overlay, Setting, StatusPlace
from tabshell.agents.data import template
from tabshell.agents.own_file import OwnFile
from tabshell.agents.payload import (
    Call,
    Json,
    Shown,
    flat,
    inner,
    parse,
    raw,
    text_of,
    whole_number,
)
from tabshell.model.records import Action, Gap, Record

_FILE_TOOLS: dict[str, Action] = {
    "read": "read", "grep": "search", "glob": "list", "list": "list",
    "write": "write", "edit": "write", "patch": "write",
}  # fmt: skip
_CUT = re.compile(r"\A\.\.\.output truncated\.\.\.\n\n(?:Full output saved to: [^\n]*\n\n)?")
_FILE = re.compile(r"<type>file</type>\n<content>\n(.*?)\n\n\([^\n]*\)\n</content>", re.DOTALL)
_DIRECTORY = re.compile(r"<type>directory</type>\n<entries>\n(.*?)\n\n\([^\n]*\)\n</entries>", re.DOTALL)
_NO_OUTPUT = "(no output)"


class OpenCode(OwnFile, neutral.Speaker):
    """opencode."""

    name = "opencode"
    title = "opencode"
    programs = ("opencode",)
    status: StatusPlace = "hook"
    events = ("session-start", "after-tool", "digest", "stop")

    def overlay(self, launch: Launch) -> Overlay:
        """The plugin as a file in the sidecar, named in the settings of this run."""
        mine = {"plugin": ["file://" + os.path.join(launch.folder, "tabshell.js")]}
        told = launch.environment.get("OPENCODE_CONFIG_CONTENT")
        theirs = parse(told) if told else {}
        if theirs is None:
            note = "opencode: OPENCODE_CONFIG_CONTENT is no plain JSON and stays as it is; file tools are not recorded"
            return Overlay(launch.argv, {"SHELL": launch.bash}, notes=(note,))
        plugins = theirs.get("plugin")
        both = [*(plugins if isinstance(plugins, list) else []), *mine["plugin"]]
        settings = json.dumps({**theirs, "plugin": both})
        notes: tuple[str, ...] = ()
        if "run" in launch.argv[launch.program + 1 : launch.program + 2]:
            notes = ("opencode run ends at once when it is done: its finish check needs --on-finish",)
        called = launch.called(launch.environment.get("SHELL", launch.found_bash))
        return Overlay(
            launch.argv,
            {"SHELL": launch.bash, "OPENCODE_CONFIG_CONTENT": settings, **called},
            (("tabshell.js", self.content(launch.hook)),),
            notes=notes,
        )

    def record(self, payload: Json, cwd: str) -> Record | None:
        """See ``neutral.Speaker``."""
        tool = text_of(payload, "tool") or ""
        given, text = inner(payload, "input"), flat(payload.get("output"))
        if tool == "bash":
            where = os.path.normpath(os.path.join(cwd, text_of(given, "workdir") or ""))
            status = whole_number(payload, "exit")
            return Call("opencode", where).command(text_of(given, "command") or "", _shown(text), status)
        action = _FILE_TOOLS.get(tool)
        if action is None:
            return None
        path = text_of(given, "filePath", "path") or ""
        offset = whole_number(given, "offset")
        numbered = False
        inside = _DIRECTORY.search(text)
        if tool == "read" and inside is not None:
            action, text = "list", inside[1]
        elif tool == "read" and (inside := _FILE.search(text)) is not None:
            numbered, text = True, inside[1]
        words = [text_of(given, "pattern") or ""]
        first = max(offset, 1) if offset is not None else None
        call = Call("opencode", cwd)
        return call.file(tool, action, [path], (raw(text), None), words=words, first_line=first, numbered=numbered)

    def path(self, setting: Setting) -> str:
        """See ``own_file.OwnFile``."""
        base = setting.environment.get("XDG_CONFIG_HOME") or os.path.join(setting.home, ".config")
        return os.path.join(base, "opencode", "plugin", "tabshell.js")

    def content(self, hook: tuple[str, ...]) -> str:
        """See ``own_file.OwnFile``."""
        return template("opencode_plugin.js", json.dumps(list(hook)))


def _shown(text: str) -> Shown:
    """A command's output without opencode's notice; it keeps the tail of what is too long."""
    cut = _CUT.match(text)
    if cut is not None:
        return raw(text[cut.end() :]), Gap(0, 1)
    return (b"", None) if text == _NO_OUTPUT else (raw(text), None)
