"""Which rows of a recursive listing (``ls -R``) stand under directories outside the workspace.

Their names are no files of ours, whatever they are called; a listing of the whole machine has hundreds of thousands
of them. In: row after row. A heading (``dir:``, first or behind a blank row) holds until the next blank row.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from tabshell.access.acts import Act
from tabshell.access.output.sections import LISTS
from tabshell.access.paths.folders import Folders


class Walked:
    """Follows one listing of the directories ``roots`` that was started in ``cwd``."""

    def __init__(self, cwd: str, folders: Folders, roots: Sequence[str]) -> None:
        self._cwd = cwd
        self._folders = folders
        self._roots = tuple(root.rstrip("/") + "/" for root in roots)
        self._at_heading = True
        self._away = False

    def is_away(self, text: str) -> bool:
        """Whether this row names nothing in the workspace. To be asked row after row."""
        if not text or text.isspace():
            self._at_heading, self._away = True, False
            return False
        if self._at_heading and text[-1] == ":":
            self._away = self._lies_outside(text[:-1])
        self._at_heading = False
        return self._away

    def _lies_outside(self, shown: str) -> bool:
        """Whether a directory, one of those that are listed and not shown through a link, is neither in the workspace
        nor above it."""
        if len(shown) > 1 and shown[0] == shown[-1] and shown[0] in "'\"":
            shown = shown[1:-1]
        path = os.path.normpath(os.path.join(self._cwd, shown))
        return f"{path}/".startswith(self._roots) and not self._folders.is_near(path)


def walked(acts: Sequence[Act], folders: Folders) -> Walked | None:
    """That of a command which shows one recursive listing and nothing else, of directories that are no links; else
    None."""
    shown = [act for act in acts if act.passage not in ("counted", "nothing")]
    if len(shown) != 1 or shown[0].utility not in LISTS or shown[0].verb != "list":
        return None
    roots = shown[0].roots
    if roots is None or roots.depth is not None or any(folders.real(root) != root for root in roots.directories):
        return None
    return Walked(shown[0].cwd, folders, roots.directories)
