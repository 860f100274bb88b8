"""Secrets out of texts that leave the machine: the common forms of tokens, and patterns of the caller's own.

Each hit becomes ``[redacted]``. Limits: forms are looked for in text as it stands; a secret that a terminal
drew with escape sequences inside is not found, and nothing tells a password in free text from a word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from tabshell.errors import UsageError

MARK = "[redacted]"

SECRETS: dict[str, str] = {
    "AWS access key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{22,}\b",
    "GitLab token": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "Anthropic or OpenAI key": r"\bsk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,}",
    "Google API key": r"\bAIza[0-9A-Za-z_-]{35}",
    "Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    "Hugging Face token": r"\bhf_[A-Za-z0-9]{30,}\b",
    "npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "PyPI token": r"\bpypi-[A-Za-z0-9_-]{50,}",
    "Stripe key": r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b",
    "JSON web token": r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?:.|\n|\r)*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----",
    "password in an address": r"(?<=://)[^\s:/@]{1,64}:[^\s/@]{3,128}(?=@)",
    "authorization header": r"(?<=[Aa]uthorization: [Bb]earer )[A-Za-z0-9._~+/=-]{12,}",
}
"""The forms that are looked for at every export, by what they are."""


class Redactor:
    """Finds what must not leave. ``patterns`` are regular expressions of the caller's; ``scan`` adds the
    common forms of secrets. ``found`` counts the hits by name."""

    def __init__(self, patterns: Iterable[str] = (), *, scan: bool = True) -> None:
        self.found: dict[str, int] = {}
        self._patterns = [(name, re.compile(form)) for name, form in SECRETS.items()] if scan else []
        self._patterns += [(f"pattern {pattern}", _compiled(pattern)) for pattern in patterns]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where in ``text`` something must go: disjoint, in order; overlapping hits are one."""
        hits: list[tuple[int, int]] = []
        for name, pattern in self._patterns:
            for found in pattern.finditer(text):
                if found.end() > found.start():
                    hits.append(found.span())
                    self.found[name] = self.found.get(name, 0) + 1
        merged: list[tuple[int, int]] = []
        for start, end in sorted(hits):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def text(self, text: str) -> str:
        """``text`` with each hit replaced."""
        return self.pieces([text])[0]

    def pieces(self, pieces: Sequence[str]) -> list[str]:
        """The same for a text that comes in pieces: a hit over a border is found, its mark stands where it
        began."""
        spans = self.spans("".join(pieces))
        result, offset = [], 0
        for piece in pieces:
            result.append(_cut(piece, offset, spans))
            offset += len(piece)
        return result

    def value(self, value: object) -> object:
        """A JSON value with every text in it redacted; keys stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--redact {pattern!r} is no regular expression: {error}") from None


def _cut(piece: str, offset: int, spans: list[tuple[int, int]]) -> str:
    """A piece that begins at ``offset`` of the whole text, without the parts of it that lie in ``spans``."""
    kept: list[str] = []
    at = 0
    for start, end in spans[max(0, bisect_right(spans, (offset, offset)) - 1) :]:
        first, last = start - offset, end - offset
        if first >= len(piece):
            break
        if last <= 0:
            continue
        if first >= 0:
            kept += [piece[at:first], MARK]
        at = min(last, len(piece))
    return "".join([*kept, piece[at:]])
