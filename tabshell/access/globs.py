"""Pathname expansion as bash does it, against ``Files``: ``*``, ``?``, ``[…]``, ``**``, extended globs.

A pattern is text in which every quoted special character has a backslash before it. Results are sorted, dot
files only where asked for, and at most ``MAX_PATHS``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from tabshell.access.state import absolute

if TYPE_CHECKING:
    from tabshell.access.state import Fuel
    from tabshell.model.files import Files

#: More paths than this are never expanded to; the caller marks the act as inexact.
MAX_PATHS = 10_000

_SPECIAL = re.compile(r"(?<!\\)(?:\\\\)*([*?\[]|[?*+@!]\()")
_CLASSES = {
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s",
    "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "word": r"\w", "print": " -~",
    "graph": "!-~", "cntrl": r"\x00-\x1f",
}  # fmt: skip


def is_pattern(text: str) -> bool:
    """Whether ``text`` holds an unquoted special character."""
    return _SPECIAL.search(text) is not None


def escape(text: str) -> str:
    """``text`` as a pattern that matches itself only."""
    return re.sub(r"([\\*?\[\]!+@(|)])", r"\\\1", text)


def unescape(pattern: str) -> str:
    """The literal text of a pattern (quote removal)."""
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.S)


@lru_cache(maxsize=1024)
def compiled(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """A regular expression that matches whole texts as ``pattern`` does."""
    source = _Translator(pattern).translate()
    try:
        return re.compile(source + r"\Z", re.S | (re.I if ignore_case else 0))
    except re.error:
        return re.compile(re.escape(unescape(pattern)) + r"\Z", re.S)


class _Translator:
    """One pattern -> source of a regular expression."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def translate(self, stop: str = "") -> str:
        out: list[str] = []
        pattern = self.pattern
        while self.at < len(pattern):
            char = pattern[self.at]
            if stop and char in stop:
                break
            if char in "?*+@!" and pattern.startswith("(", self.at + 1):
                out.append(self.group(char))
            elif char == "\\":
                out.append(re.escape(pattern[self.at + 1 : self.at + 2]))
                self.at += 2
            elif char == "*":
                while pattern.startswith("*", self.at):
                    self.at += 1
                out.append(".*")
            elif char == "?":
                out.append(".")
                self.at += 1
            elif char == "[":
                out.append(self.bracket())
            else:
                out.append(re.escape(char))
                self.at += 1
        return "".join(out)

    def group(self, kind: str) -> str:
        self.at += 2
        branches: list[str] = []
        while self.at < len(self.pattern):
            branches.append(self.translate("|)"))
            self.at += 1
            if self.pattern[self.at - 1 : self.at] != "|":
                break
        inner = "|".join(branches)
        if kind == "!":
            rest = self.translate("|)")
            return f"(?!(?:{inner}){rest}\\Z).*{rest}"
        return f"(?:{inner})" + {"?": "?", "*": "*", "+": "+", "@": ""}[kind]

    def bracket(self) -> str:
        pattern, start = self.pattern, self.at
        at = start + 1
        negated = pattern[at : at + 1] in ("!", "^") and at < len(pattern)
        at += negated
        body = ""
        first = True
        while at < len(pattern) and (pattern[at] != "]" or first):
            named = re.compile(r"\[:(\w+):\]").match(pattern, at)
            if named:
                body += _CLASSES.get(named[1], "")
                at = named.end()
            else:
                escaped = pattern[at] == "\\"
                char = pattern[at + escaped : at + escaped + 1]
                body += "\\" + char if char in "\\]^[" or (escaped and char == "-") else char
                at += 1 + escaped
            first = False
        if at >= len(pattern):
            self.at = start + 1
            return re.escape("[")
        self.at = at + 1
        return f"[{'^' if negated else ''}{body}]"


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
        names = self.files.names(absolute(self.cwd, base or "."))
        if not self.fuel.burn(2 + len(names) // 4):
            return []
        match = compiled(part, ignore_case=self.ignore_case).match
        dots = self.dots or part.startswith((".", "\\."))
        hits = [base + name for name in names if (dots or not name.startswith(".")) and match(name)]
        if last:
            return hits
        return [hit + "/" for hit in hits if self.fuel.burn(3) and self.kind(hit) == "dir"]

    def everything(self, base: str, *, last: bool) -> list[str]:
        """``**``: directories under ``base`` (and files, where it stands last)."""
        out: list[str] = [] if last else [base]
        waiting = [base]
        while waiting and len(out) < MAX_PATHS and self.fuel.burn(4):
            here = waiting.pop()
            for name in self.files.names(absolute(self.cwd, here or ".")):
                if (name.startswith(".") and not self.dots) or not self.fuel.burn(3):
                    continue
                info = self.files.info(absolute(self.cwd, here + name))
                is_dir = info is not None and info.kind == "dir"
                if is_dir and info is not None and not info.is_link:
                    waiting.append(here + name + "/")
                if last or is_dir:
                    out.append(here + name + ("" if last else "/"))
        return out

    def kind(self, path: str) -> str | None:
        info = self.files.info(absolute(self.cwd, path or "."))
        return info.kind if info is not None else None


def _segments(pattern: str) -> list[str]:
    """``pattern`` cut at its slashes (those inside brackets or groups are never matched, so they count)."""
    return re.split(r"/+(?=[^/])|/+$", pattern)
