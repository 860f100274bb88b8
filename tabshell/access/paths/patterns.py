"""Shell patterns: ``*``, ``?``, ``[…]``, extended globs, as regular expressions.

A pattern is text in which every quoted special character has a backslash before it.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SPECIAL = re.compile(r"(?<!\\)(?:\\\\)*([*?\[]|[?*+@!]\()")
_CLASSES = {
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s",
    "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "word": r"\w", "print": " -~",
    "graph": "!-~", "cntrl": r"\x00-\x1f",
}  # fmt: skip


def is_pattern(text: str) -> bool:
    """Whether ``text`` holds an unquoted special character."""
    return ("*" in text or "?" in text or "[" in text or "(" in text) and _SPECIAL.search(text) is not None


def escape(text: str) -> str:
    """``text`` as a pattern that matches itself only."""
    return re.sub(r"([\\*?\[\]!+@(|)])", r"\\\1", text)


def unescape(pattern: str) -> str:
    """The literal text of a pattern (quote removal)."""
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.S) if "\\" in pattern else pattern


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
                # two of & ~ | or - have a meaning of their own for Python, or shall have one
                special = char in "\\]^[&~|" or (char == "-" and (escaped or (body.endswith("-") and body != "-")))
                body += "\\" + char if special else char
                at += 1 + escaped
            first = False
        if at >= len(pattern):
            self.at = start + 1
            return re.escape("[")
        self.at = at + 1
        return f"[{'^' if negated else ''}{body}]"
