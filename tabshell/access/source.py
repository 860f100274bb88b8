"""A file prepared for comparing: which of its lines, phrases and values stand in a shown line.

Everything is built when it is first asked for: most files are settled by whole lines alone. Files larger than
``LARGE`` bytes are not prepared; single lines are looked up in their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tabshell.access.evidence import terms, unescaped, weight

LARGE = 6 << 20
#: Prefixes that tools put before a line of a file: a line number, diff's marks, uniq's counts, git blame.
_PREFIXES = (
    re.compile(r"^\s*(\d+)(?:[:=\t-]|\s{1,2}|\s*[│|]\s?)\s?"),
    re.compile(r"^[<>+-]\s?"),
    re.compile(r"^\s*\d+\s"),
    re.compile(r"^\^?[0-9a-f]{7,40} .*?\d+\) "),
)
_TABLES = re.compile(r"create\s+table\s+(?:if not exists\s+)?[\"'`\[]?([^\"'`\](\s]+)", re.IGNORECASE)


class Source:
    """One suspect file's text, ``text`` the likeliest decoding, ``others`` further ones."""

    def __init__(self, key: str, texts: tuple[str, ...], size: int = 0) -> None:
        self.key = key
        self.texts = texts
        self.size = size

    @cached_property
    def length(self) -> int:
        """Characters of all its texts."""
        return sum(map(len, self.texts))

    @property
    def large(self) -> bool:
        """Whether it is too large to be prepared."""
        return self.length > LARGE

    @cached_property
    def line_count(self) -> int:
        """Number of lines of the first decoding."""
        text = self.texts[0] if self.texts else ""
        return text.count("\n") + (1 if text and not text.endswith("\n") else 0)

    def places(self, line: str) -> Iterator[int]:
        """Line numbers at which this line stands, compared as it is but for blanks around it."""
        for text in self.texts:
            at = text.find(line)
            tried = 0
            while at >= 0 and tried < 12:
                tried += 1
                start = text.rfind("\n", 0, at) + 1
                end = text.find("\n", at + len(line))
                if not text[start:at].strip() and not text[at + len(line) : end if end >= 0 else len(text)].strip():
                    yield text.count("\n", 0, at) + 1
                    tried = 0
                at = text.find(line, at + len(line))

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Line number, 1-based, and folded line, blank ones left out; of all decodings."""
        for text in self.texts:
            for number, line in enumerate(text.split("\n"), 1):
                folded = " ".join(line.split())
                if folded:
                    yield number, folded

    @cached_property
    def folded(self) -> str:
        """The whole text in lower case, white space folded: for pieces of lines and for joined lines."""
        return " ".join(" ".join(self.texts).split()).casefold()

    @cached_property
    def phrases(self) -> str:
        """All terms, each between single blanks: for phrases whatever the layout."""
        found = list(self.texts)
        found += [unescaped(text) for text in self.texts if "\\u" in text or "\\x" in text]
        return " " + " ".join(terms("\n".join(found))) + " "

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All terms."""
        return frozenset(self.phrases.split(" "))

    @cached_property
    def part_names(self) -> frozenset[str]:
        """Terms of names of tables: naming the parts of a container shows no content."""
        return frozenset(t for name in _TABLES.findall(self.texts[0] if self.texts else "") for t in terms(name))

    def holds(self, folded: str) -> bool:
        """Whether this folded text stands in the file, in any case."""
        return folded.casefold() in self.folded

    def run(self, words: list[str], known: frozenset[str]) -> tuple[float, float]:
        """What ``words`` (a row's terms) prove, and the share of their weight that is found here.

        Neighbouring terms that stand side by side in the file count in full, lone ones half.
        """
        vocabulary, phrases = self.vocabulary, self.phrases
        total = proven = found = 0.0
        at = 0
        while at < len(words):
            word = words[at]
            if word not in vocabulary:
                total += weight(word)
                at += 1
                continue
            end = at + 1
            while end < len(words) and end - at < 12 and " " + " ".join(words[at : end + 1]) + " " in phrases:
                end += 1
            run = words[at:end]
            mass = sum(weight(w) for w in run)
            total += mass
            found += mass
            fresh = sum(weight(w) for w in run if w not in known and w not in self.part_names)
            proven += fresh * (0.5 if len(run) == 1 else 1.0)
            at = end
        return proven, (found / total if total else 0.0)


def variants(text: str) -> list[str]:
    """A shown line, folded, and what is left of it without a tool's prefix."""
    folded = " ".join(text.split())
    found = [folded]
    for pattern in _PREFIXES:
        match = pattern.match(text)
        if match and match.end() < len(text):
            rest = " ".join(text[match.end() :].split())
            if rest and rest not in found:
                found.append(rest)
    return found


def shown_number(text: str) -> int | None:
    """The source line number that a tool put before the line, if any."""
    match = _PREFIXES[0].match(text)
    return int(match.group(1)) if match and len(match.group(1)) < 10 else None
