"""A tool call and its result, from any agent's transcript -> one record.

Agents name their tools differently but mean the same few things; ``_SHELLS`` and ``_FILE_TOOLS`` say which.
The result's text is the observation as the model saw it. A tool that nobody knows becomes a record of the
action ``other``: it is a turn, and it says nothing about files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tabshell.model.records import Action, CommandRecord, Record, ToolRecord
from tabshell.recordings.recording import encode
from tabshell.text.unwrap import unwrap


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call. ``at`` is seconds since the epoch (0.0: unknown); ``cwd`` the directory at that moment."""

    name: str
    arguments: Mapping[str, object]
    agent: str
    cwd: str
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """What came back. ``paths_only``: a search that printed the names of files and none of their lines.
    ``failed``: the tool did not do what it was called for; its text is a message then, nothing was read or
    written."""

    text: str = ""
    at: float = 0.0
    exit_code: int | None = None
    paths_only: bool = False
    first_line: int | None = None
    failed: bool = False


UNANSWERED = Result(failed=True)
"""In place of a result that never came."""


class FileTool(NamedTuple):
    """What a file tool does, the arguments that name files, and the one that says what is looked for."""

    action: Action
    paths: tuple[str, ...]
    pattern: str | None = None


_PATH = ("file_path", "path", "filePath", "absolute_path", "filename", "file")
_READ = FileTool("read", (*_PATH, "paths", "file_paths"))
_SEARCH = FileTool("search", ("path", "dir", "dir_path", "directory", "file"), "pattern")
_LIST = FileTool("list", ("path", "dir", "dir_path", "directory"), "pattern")
_WRITE = FileTool("write", (*_PATH, "notebook_path"))

_FILE_TOOLS: dict[str, FileTool] = {
    **dict.fromkeys(("read", "readfile", "viewfile", "view", "readmanyfiles", "notebookread"), _READ),
    **dict.fromkeys(("grep", "grepsearch", "searchfilecontent", "search", "ripgrep"), _SEARCH),
    **dict.fromkeys(("glob", "ls", "listdirectory", "listdir", "find", "listfiles", "findfiles"), _LIST),
    **dict.fromkeys(("write", "writefile", "edit", "multiedit", "replace", "create", "createfile"), _WRITE),
    **dict.fromkeys(("notebookedit", "applypatch", "strreplace", "insert"), _WRITE),
}
"""Tool names, lower case and without underscores."""

_EDITORS = ("strreplaceeditor", "strreplacebasededittool", "fileeditor", "edittool")
"""One tool that views and edits; its ``command`` argument says which."""

_SHELLS: dict[str, str] = {
    **dict.fromkeys(("bash", "executebash", "runshellcommand", "shell", "shellcommand", "terminal"), "command"),
    **dict.fromkeys(("executecommand", "runcommand", "runterminalcmd", "localshell"), "command"),
    "execcommand": "cmd",
    "bashcommand": "keystrokes",
    "computer": "command",
}
"""Shell tools and the argument that holds the command; the first of ``command``, ``cmd`` otherwise."""


def record(call: Call, result: Result) -> Record:
    """The record of one call with its result."""
    name = call.name.rsplit("__", 1)[-1].replace("_", "").lower()
    if name in _SHELLS:
        command = shell_command(call.arguments, _SHELLS[name])
        if command is not None:
            return _command(call, result, command)
    tool = _FILE_TOOLS.get(name, FileTool("other", ()))
    if name in _EDITORS:
        tool = _READ if call.arguments.get("command") == "view" else _WRITE
    return _file_tool(call, result, tool)


def shell_command(arguments: Mapping[str, object], key: str = "command") -> str | None:
    """The command text of a shell tool's arguments; None where there is none.

    A list is an argument vector: ``["bash", "-lc", TEXT]`` is TEXT, any other is quoted together.
    """
    for name in (key, "command", "cmd"):
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return _of_vector([str(word) for word in value])
    return None


def _of_vector(words: list[str]) -> str:
    shell = re.fullmatch(r"(?:.*/)?(?:ba|z|da|k)?sh", words[0]) is not None
    if shell and len(words) == 3 and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    return " ".join(_quote(word) for word in words)


def _quote(word: str) -> str:
    """A word for bash, quoted only where it must be."""
    if re.fullmatch(r"[\w@%+=:,./-]+", word, re.ASCII):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _command(call: Call, result: Result, command: str) -> CommandRecord:
    cwd = call.arguments.get("workdir") or call.arguments.get("dir_path")
    bare = unwrap(command).command
    return CommandRecord(
        door="import",
        command=command if bare is None else bare,
        text_from="import",
        cwd=join(call.cwd, cwd) if isinstance(cwd, str) else call.cwd,
        output=encode(result.text),
        exit_code=result.exit_code,
        started_at=call.at,
        duration_s=max(0.0, result.at - call.at) if call.at and result.at else 0.0,
        agent=call.agent,
        confirmable=False,
    )


def _file_tool(call: Call, result: Result, tool: FileTool) -> ToolRecord:
    paths = _paths(call.arguments, tool.paths)
    action = "other" if result.failed else tool.action
    if action == "search" and result.paths_only:
        action = "list"
    numbered = action == "read" and looks_numbered(result.text)
    return ToolRecord(
        door="import",
        agent=call.agent,
        tool=call.name,
        action=action,
        command=anchor(call, tool, paths),
        cwd=call.cwd,
        paths=paths,
        output=encode(result.text),
        exit_code=result.exit_code,
        started_at=call.at,
        duration_s=max(0.0, result.at - call.at) if call.at and result.at else 0.0,
        numbered=numbered,
        first_line=result.first_line if action == "read" else None,
        confirmable=False,
    )


def _paths(arguments: Mapping[str, object], keys: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            found.append(value)
        elif isinstance(value, list):
            found += [item for item in value if isinstance(item, str) and item]
    return tuple(dict.fromkeys(found))


def anchor(call: Call, tool: FileTool, paths: tuple[str, ...]) -> str:
    """The line by which people know the call: ``Read report.md``, ``Grep "tax" src``."""
    pattern = call.arguments.get(tool.pattern) if tool.pattern else None
    words = [call.name]
    if isinstance(pattern, str):
        words.append('"' + " ".join(pattern.split()) + '"')
    return " ".join([*words, *paths])


def looks_numbered(text: str) -> bool:
    """Whether the lines begin with consecutive line numbers (``cat -n`` and its like), as readers print them.

    Looks at the first forty lines that hold anything; a heading line or two before the first number is fine.
    """
    expected: int | None = None
    good = bad = 0
    for line in [line for line in text.split("\n") if line.strip()][:40]:
        found = _NUMBERED.match(line)
        number = int(found[1]) if found else None
        if number is not None and (expected is None or number >= expected):
            good, expected = good + 1, number + 1
        elif expected is not None:
            bad += 1
    return good > 0 and bad * 10 <= good


_NUMBERED = re.compile(r"\s*(\d{1,7})(?:\t|→|: ?|\| ?)")


def join(directory: str, path: str) -> str:
    """``path`` seen from ``directory``, ``.`` and ``..`` resolved; pure, so symlinks stay."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{directory}/{path}").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)
