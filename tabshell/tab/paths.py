"""Which paths may be candidates, and which lie where deliverables go.

Paths are keys: relative to the workspace with ``/``, absolute outside it.
"""

from __future__ import annotations

from tabshell.model.facts import SessionStarted

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})


def in_version_control(path: str) -> bool:
    """Whether the file belongs to a version control system's own folder."""
    # The cheap test first: listings of 100,000 paths come through here.
    return (path.startswith(".") or "/." in path) and not _VERSION_CONTROL.isdisjoint(path.split("/"))


def out_prefix(session: SessionStarted) -> str | None:
    """What the keys of files under ``--out`` begin with; None where there is no such folder.

    A folder that is or holds the workspace itself counts as none: every source would lie in it.
    """
    if session.out is None:
        return None
    out, workspace = session.out.rstrip("/") + "/", session.workspace.rstrip("/") + "/"
    if workspace.startswith(out):
        return None
    return out.removeprefix(workspace)
