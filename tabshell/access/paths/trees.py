"""Walking a directory tree through ``Files``, within the fuel that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tabshell.access.paths.patterns import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.acts import Roots
    from tabshell.access.paths.folders import KnowsKinds
    from tabshell.access.paths.fuel import Fuel
    from tabshell.model.files import FileKind, Files

    Visit = Callable[[str, str, FileKind | None, int], bool]

_LEFT_OUT = {".git", ".hg", ".svn"}
#: Trees too large to be seen whole: looking at a part of them would tell nothing.
_ENDLESS = ("/proc", "/sys", "/dev", "/usr", "/lib")


def kinds(files: Files, path: str, most: int | None = None) -> dict[str, FileKind | None]:
    """The names in a directory, sorted, with their kinds; None for a link or what has gone. Some of them where there
    are more than ``most``."""
    if hasattr(files, "kinds"):
        knowing = cast("KnowsKinds", files)
        some = None if most is None else knowing.kinds_within(path, most)
        all_kinds = knowing.kinds(path) if some is None else some
        return dict(sorted(all_kinds.items())) if len(all_kinds) > 1 else dict(all_kinds)
    found: dict[str, FileKind | None] = {}
    for name in files.names(path):
        info = files.info(f"{path}/{name}")
        found[name] = None if info is None or info.is_link else info.kind
    return found


def entries(files: Files, top: str, fuel: Fuel, visit: Visit) -> bool:
    """Calls ``visit(relative path, name, kind, depth)`` for all below ``top``, a directory's entries before those
    below them; a directory is entered where the answer is True. Returns whether everything was seen."""
    if top == "/" or (top + "/").startswith(tuple(f"{tree}/" for tree in _ENDLESS)):
        return False
    waiting = [("", 1)]
    while waiting:
        here, depth = waiting.pop()
        below: list[tuple[str, int]] = []
        if not fuel.visit(4):
            return False
        for name, kind in kinds(files, f"{top}/{here}".rstrip("/"), fuel.visits + 1).items():
            fuel.visits -= 1  # as ``fuel.visit``, of which so many calls would be felt
            if fuel.visits <= 0:
                return False
            relative = here + name
            if visit(relative, name, kind, depth) and kind == "dir":
                below.append((relative + "/", depth + 1))
        waiting.extend(reversed(below))
    return True


def order(files: Files, top: str) -> Callable[[str], tuple[int, ...]]:
    """A key that puts relative paths below ``top`` into the order in which ``find`` comes to them: as the directories
    hold them, what is in a directory right behind it. Directories that tell no order count as sorted."""
    places: dict[str, dict[str, int]] = {}

    def key(relative: str) -> tuple[int, ...]:
        found: list[int] = []
        here = top
        for name in relative.split("/"):
            known = places.get(here)
            if known is None:
                names = cast("KnowsKinds", files).kinds(here) if hasattr(files, "kinds") else files.names(here)
                known = places[here] = {name: number for number, name in enumerate(names)}
            found.append(known.get(name, len(known)))
            here = f"{here}/{name}"
        return tuple(found)

    return key


def under(files: Files, top: str, fuel: Fuel, roots: Roots) -> tuple[list[str], bool]:
    """Relative paths of the files below ``top`` that ``roots`` admits, and whether all were seen."""
    found: list[str] = []
    include = [compiled(glob) for glob in roots.include]
    exclude = [compiled(glob) for glob in roots.exclude]

    def visit(relative: str, name: str, kind: FileKind | None, depth: int) -> bool:
        if name in _LEFT_OUT or (name.startswith(".") and not roots.hidden) or any(e.match(name) for e in exclude):
            return False
        if roots.depth is not None and depth > roots.depth:
            return False
        if kind != "dir" and (not include or any(i.match(name) for i in include)):
            found.append(relative)
        return True

    complete = entries(files, top, fuel, visit)
    return found, complete
