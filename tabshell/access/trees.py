"""Walking a directory tree through ``Files``, within the fuel that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabshell.access.globs import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.acts import Roots
    from tabshell.access.state import Fuel
    from tabshell.model.files import FileInfo, Files

#: Entries of one tree that are looked at.
MAX_ENTRIES = 6_000
_LEFT_OUT = {".git", ".hg", ".svn"}


def entries(
    files: Files, top: str, fuel: Fuel, visit: Callable[[str, str, FileInfo, int], bool], *, order: bool = True
) -> bool:
    """Calls ``visit(relative path, name, info, depth)`` for all below ``top``; a directory is entered where it
    answers True. Returns whether everything was seen."""
    waiting = [("", 1)]
    seen = 0
    while waiting:
        here, depth = waiting.pop()
        below: list[tuple[str, int]] = []
        for name in files.names(f"{top}/{here}" if here else top):
            seen += 1
            if seen > MAX_ENTRIES or not fuel.burn(4):
                return False
            relative = here + name
            info = files.info(f"{top}/{relative}")
            if info is None:
                continue
            if visit(relative, name, info, depth) and info.kind == "dir" and not info.is_link:
                below.append((relative + "/", depth + 1))
        waiting.extend(reversed(below) if order else below)
    return True


def under(files: Files, top: str, fuel: Fuel, roots: Roots) -> tuple[list[str], bool]:
    """Relative paths of the files below ``top`` that ``roots`` admits, and whether all were seen."""
    found: list[str] = []
    include = [compiled(glob) for glob in roots.include]
    exclude = [compiled(glob) for glob in roots.exclude]

    def visit(relative: str, name: str, info: FileInfo, depth: int) -> bool:
        if name in _LEFT_OUT or (name.startswith(".") and not roots.hidden) or any(e.match(name) for e in exclude):
            return False
        if roots.depth is not None and depth > roots.depth:
            return False
        if info.kind == "file" and (not include or any(i.match(name) for i in include)):
            found.append(relative)
        return True

    complete = entries(files, top, fuel, visit)
    return found, complete
