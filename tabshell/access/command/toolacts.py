"""An agent's own file tool as acts: ``Read f`` is a read of f, ``grep`` a search, ``glob`` and ``list`` listings."""

from __future__ import annotations

import os

from tabshell.access.acts import Act, Doings, Roots, Verb
from tabshell.model.records import ToolRecord


def doings_of_tool(record: ToolRecord) -> Doings:
    """The acts of one tool call, so that the same rules judge it as a command."""
    paths = tuple(os.path.normpath(os.path.join(record.cwd, path)) for path in record.paths)
    folders = Roots(paths or (record.cwd,))
    lines = (record.first_line, None) if record.first_line else None

    def act(verb: Verb, index: int, roots: Roots | None = None) -> Act:
        return Act(
            verb,
            record.tool,
            record.cwd,
            record.command,
            index,
            paths=paths,
            words=record.paths,
            roots=roots,
            lines=lines,
            numbered=record.numbered,
        )

    if record.action == "read":
        return Doings((act("read", 0),))
    if record.action == "search":
        return Doings((act("list", 0), act("search", 1, folders)))
    if record.action == "list":
        return Doings((act("list", 0, folders),))
    if record.action == "write":
        written = Act("write", record.tool, record.cwd, record.command, 0, targets=paths, literal=True)
        return Doings((written, act("opaque", 1)))
    return Doings((act("opaque", 0),))
