"""Gemini CLI: the recording bash first on PATH, its hooks by an extension in a private home.

Seen with 0.61.0. ``GEMINI_CLI_HOME`` moves its home: ours holds links to everything in the person's
``~/.gemini`` (so a login stays where it is and is read from there) and, under ``extensions``, ours beside links
to theirs. Its hooks are told an output whole; the model gets the first 8,000 and the last 32,000 characters of
one over 40,000. ``stop_hook_active`` is false again after the retry used a tool: the session's own flag counts.
"""

from __future__ import annotations

import json
import os
import re

from tabshell.agents import claude_style
from tabshell.agents.agent import EventKind, Launch, Overlay, Setting, StatusPlace
from tabshell.agents.json_settings import with_hooks
from tabshell.agents.payload import Call, Json, Shown, flat, inner, raw, text_of, texts_of, whole_number
from tabshell.model.light import replace
from tabshell.model.records import Action, Gap, Record

#: Characters over which an output is cut, and what stays of it (the agent's own defaults).
LIMIT, HEAD, TAIL = 40_000, 8_000, 32_000
_KINDS: dict[str, EventKind] = {
    "AfterTool": "after-tool",
    "AfterAgent": "stop",
    "SessionStart": "session-start",
    claude_style.SESSION_END: "session-end",
}
_FILE_TOOLS: dict[str, Action] = {
    "read_file": "read",
    "read_many_files": "read",
    "grep_search": "search",
    "search_file_content": "search",
    "glob": "list",
    "list_directory": "list",
    "write_file": "write",
    "replace": "write",
    "edit": "write",
}
_FRAME = re.compile(r"\A(?:<untrusted_context>\n)?(?:Command: .*?\nDirectory: .*?\n)?(?:Output|Stdout): ", re.DOTALL)
_STATUS = re.compile(r"(?:^|\n)Exit Code: (\d+)")
_FRAME_END = re.compile(
    r"(?:\n(?:Error|Stderr|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)*"
    r"(?:\n</untrusted_context>)?\s*\Z"
)
#: Files of a login: linked even before they are there, so that the agent makes them where the person keeps them.
_LINKED = ("oauth_creds.json", "google_accounts.json", "installation_id", "mcp-oauth-tokens.json")


class Gemini(claude_style.Speaker):
    """Gemini CLI."""

    name = "gemini"
    title = "Gemini CLI"
    programs = ("gemini",)
    status: StatusPlace = "stdout"
    events = ("AfterTool", "AfterAgent", "SessionStart")
    kinds = _KINDS
    timeout = 30_000
    comments = True

    def overlay(self, launch: Launch) -> Overlay:
        """A private home of links with our extension in it."""
        home = launch.environment.get("GEMINI_CLI_HOME") or launch.home
        made = home_overlay(launch, ".gemini", home, "gemini-extension.json", self.events, "GEMINI_CLI_HOME", "home")
        return replace(made, environment={**made.environment, **launch.called(launch.found_bash)})

    def record(self, payload: Json, tool: str, given: Json, cwd: str, seconds: float) -> Record | None:
        """See ``claude_style.Speaker``."""
        text = flat(inner(payload, "tool_response").get("llmContent"))
        if tool == "run_shell_command":
            command = text_of(given, "command") or ""
            where = os.path.normpath(os.path.join(cwd, text_of(given, "dir_path", "directory") or ""))
            return Call("gemini", where, seconds).command(command, command_shown(text), exit_status(text))
        action = _FILE_TOOLS.get(tool)
        if action is None:
            return None
        paths = texts_of(given, "file_path", "absolute_path", "dir_path", "path", "paths", "include")
        first = whole_number(given, "start_line", "offset")
        words = [text_of(given, "pattern") or ""]
        return Call("gemini", cwd, seconds).file(tool, action, paths, cut(text), words=words, first_line=first)

    def settings(self, setting: Setting) -> str:
        """See ``claude_style.Speaker``."""
        return os.path.join(setting.environment.get("GEMINI_CLI_HOME") or setting.home, ".gemini", "settings.json")


def home_overlay(
    launch: Launch, dot: str, home: str, manifest: str, events: tuple[str, ...], variable: str, moved: str
) -> Overlay:
    """The overlay of an agent of this family: its folder ``dot`` as links, with an extension of ours.

    ``moved`` tells what ``variable`` names: the ``home`` above the folder, or the ``folder`` itself.
    """
    theirs = os.path.join(home, dot)
    ours = f"home/{dot}"
    there = dot in launch.names(home)  # a link into a folder that is not there could not be written through
    names = dict.fromkeys((*launch.names(theirs), *(_LINKED if there else ())))
    links = [(f"{ours}/{name}", os.path.join(theirs, name)) for name in names if name != "extensions"]
    extensions = os.path.join(theirs, "extensions")
    installed = [name for name in launch.names(extensions) if name != "tabshell"]
    links += [(f"{ours}/extensions/{name}", os.path.join(extensions, name)) for name in installed]
    about: Json = {"name": "tabshell", "version": "1.0.0"}
    hooks = with_hooks({}, events, launch.hook, timeout=30_000)
    extension = f"{ours}/extensions/tabshell"
    files = (
        (f"{extension}/{manifest}", json.dumps({**about, **hooks}, indent=1)),
        (f"{extension}/hooks/hooks.json", json.dumps(hooks, indent=1)),
    )
    where = os.path.join(launch.folder, "home", dot) if moved == "folder" else os.path.join(launch.folder, "home")
    return Overlay(launch.argv, {variable: where}, files, tuple(links))


def cut(text: str) -> Shown:
    """What the model is shown of a tool's text."""
    if len(text) <= LIMIT:
        return raw(text), None
    head = raw(text[:HEAD])
    return head + raw(text[-TAIL:]), Gap(len(head), len(raw(text[HEAD:-TAIL])))


def command_shown(text: str) -> Shown:
    """What the model is shown of a command's output, without the frame around it."""
    start, end = _FRAME.match(text), _FRAME_END.search(text)
    first, last = start.end() if start else 0, end.start() if end else len(text)
    output = text[first:last]
    if output == "(empty)":
        return b"", None
    if len(text) <= LIMIT:
        return raw(output), None
    head = raw(text[first:HEAD])
    kept_from = max(len(text) - TAIL, first)
    return head + raw(text[kept_from:last]), Gap(len(head), max(len(raw(text[HEAD:kept_from])), 1))


def exit_status(text: str) -> int | None:
    """The exit status that the frame tells (success is told by its absence); None without a frame."""
    if _FRAME.match(text) is None:
        return None
    found = list(_STATUS.finditer(text[-400:]))
    return int(found[-1][1]) if found else 0
