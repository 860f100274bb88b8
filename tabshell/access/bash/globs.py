"""Pathname expansion as bash does it, against ``Files``, with ``**``, dotglob, nocaseglob where they are set.

Results are sorted, dot files only where asked for, and at most ``MAX_PATHS``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tabshell.access.bash.state import absolute
from tabshell.access.paths.patterns import compiled, is_pattern, unescape
from tabshell.access.paths.trees import kinds

if TYPE_CHECKING:
    from tabshell.access.paths.fuel import Fuel
    from tabshell.model.files import Files

#: More paths than this are never expanded to; the caller marks the act as inexact.
MAX_PATHS = 10_000


class Globber:
    """Expands patterns in one directory context."""

    def __init__(self, files: Files, cwd: str, options: set[str], fuel: Fuel) -> None:
        self.files = files
        self.cwd = cwd
        self.dots = "dotglob" in options
        self.globstar = "globstar" in options
        self.ignore_case = "nocaseglob" in options
        self.fuel = fuel

    def expand(self, pattern: str) -> list[str]:
        """The paths that match, as bash would write them; empty where none does."""
        prefix = ""
        rest = pattern
        if rest.startswith("/"):
            prefix = "/"
            rest = rest.lstrip("/")
        found = [prefix]
        parts = _segments(rest)
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            found = [path for base in found for path in self.step(base, part, last=last)][:MAX_PATHS]
            if not found:
                break
        return sorted(found)

    def step(self, base: str, part: str, *, last: bool) -> list[str]:
        """``base`` extended by one path segment."""
        if part == "":
            return [base] if self.kind(base) == "dir" else []
        if part == "**" and self.globstar:
            return self.everything(base, last=last)
        if not is_pattern(part):
            path = base + unescape(part)
            if not last:
                return [path + "/"]
            return [path] if self.files.info(absolute(self.cwd, path)) is not None else []
        path = absolute(self.cwd, base or ".")
        found = self.files.names(path) if last else kinds(self.files, path)
        if not self.fuel.burn(2 + len(found) // 4):
            return []
        match = compiled(part, ignore_case=self.ignore_case).match
        dots = self.dots or part.startswith((".", "\\."))
        hits = [name for name in found if (dots or not name.startswith(".")) and match(name)]
        if last or not isinstance(found, dict):
            return [base + name for name in hits]
        return [f"{base}{name}/" for name in hits if (found[name] or self.kind(base + name)) == "dir"]

    def everything(self, base: str, *, last: bool) -> list[str]:
        """``**``: directories under ``base`` (and files, where it stands last)."""
        out: list[str] = [] if last else [base]
        waiting = [base]
        while waiting and len(out) < MAX_PATHS and self.fuel.burn(4):
            here = waiting.pop()
            for name, kind in kinds(self.files, absolute(self.cwd, here or ".")).items():
                if (name.startswith(".") and not self.dots) or not self.fuel.visit():
                    continue
                is_dir = kind == "dir"
                if is_dir:
                    waiting.append(here + name + "/")
                if last or is_dir:
                    out.append(here + name + ("" if last else "/"))
        return out

    def kind(self, path: str) -> str | None:
        """The kind of what lies at ``path``."""
        info = self.files.info(absolute(self.cwd, path or "."))
        return info.kind if info is not None else None


def _segments(pattern: str) -> list[str]:
    """``pattern`` cut at its slashes (those inside brackets or groups are never matched, so they count)."""
    return re.split(r"/+(?=[^/])|/+$", pattern)
