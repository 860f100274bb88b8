"""A file prepared for comparing: which of its lines, phrases and values stand in a shown line.

Everything is built when it is first asked for: most files are settled by whole lines alone. Texts beyond ``DIRECT``
characters are searched as they are, which is quicker than preparing them for a few rows; texts beyond ``LARGE`` are
not looked at here at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

from tabshell.access.output.evidence import terms, unescaped, weight

DIRECT, LARGE = 60_000, 6 << 20
#: Prefixes that tools put before a line of a file: a line number, diff's marks, uniq's counts, git blame.
_PREFIXES = (
    re.compile(r"^\s*(\d+)(?:[:=\t→-]|\s{1,2}|\s*[│|]\s?)\s?"),
    re.compile(r"^[<>+-]\s?"),
    re.compile(r"^\s*\d+\s"),
    re.compile(r"^\^?[0-9a-f]{7,40} .*?\d+\) "),
)
_TABLES = re.compile(r"create\s+table\s+(?:if not exists\s+)?[\"'`\[]?([^\"'`\](\s]+)", re.IGNORECASE)


class Source:
    """One suspect file's texts, the likeliest decoding first, made by ``load`` when they are needed."""

    def __init__(self, key: str, load: Callable[[], tuple[str, ...]], size: int = 0) -> None:
        self.key = key
        self.size = size
        self._load = load

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All texts that the file may show."""
        return self._load()

    @cached_property
    def length(self) -> int:
        """Characters of all its texts."""
        return sum(map(len, self.texts))

    @property
    def large(self) -> bool:
        """Whether it is too large to be prepared."""
        return self.length > LARGE

    @property
    def usable(self) -> bool:
        """Whether there is a text to compare with."""
        return bool(self.texts) and not self.large

    @cached_property
    def open_end(self) -> str:
        """The last line, folded, if no line break ends it: the next output then goes on behind it."""
        text = self.texts[0] if self.texts else ""
        return "" if text.endswith("\n") else " ".join(text[text.rfind("\n") + 1 :].split())

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
    def line_count(self) -> int:
        """Number of lines of the first decoding."""
        text = self.texts[0] if self.texts else ""
        return text.count("\n") + (1 if text and not text.endswith("\n") else 0)

    @cached_property
    def lowered(self) -> str:
        """The whole text in lower case."""
        return "\n".join(self.texts).casefold()

    @cached_property
    def folded(self) -> str:
        """The same, white space folded: for pieces of lines and for joined lines."""
        return " ".join(self.lowered.split())

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
        text = self.texts[0] if self.texts else ""
        if not re.match(r"\s*create ", text, re.IGNORECASE):
            return frozenset()
        return frozenset(t for name in _TABLES.findall(text) for t in terms(name))

    def holds(self, folded: str) -> bool:
        """Whether this folded text stands in the file, in any case."""
        piece = folded.casefold()
        if self.length <= DIRECT or "folded" in self.__dict__:
            return piece in self.folded
        if piece in self.lowered:
            return True
        words = piece.split(" ")
        if len(words) == 1 or words[0] not in self.lowered:
            return False
        return _spaced(tuple(words[:40])).search(self.lowered) is not None

    def has(self, term: str) -> bool:
        """Whether a term stands in the file as a whole."""
        if self.length <= DIRECT or "phrases" in self.__dict__:
            return term in self.vocabulary
        text = self.lowered
        at = text.find(term)
        for _ in range(40):
            if at < 0:
                return False
            end = at + len(term)
            before, after = text[at - 1 : at], text[end : end + 1]
            if not before.isalnum() and not (after.isalnum() and not _zeros(text, end)):
                return True
            at = text.find(term, at + 1)
        return True

    def adjoins(self, words: list[str]) -> bool:
        """Whether these terms stand side by side in the file."""
        if self.length <= DIRECT or "phrases" in self.__dict__:
            return " " + " ".join(words) + " " in self.phrases
        text = self.lowered
        for number, match in enumerate(_side_by_side(tuple(words[-2:])).finditer(text)):
            if not text[match.start() - 1 : match.start()].isalnum() or number > 40:
                return True
        return False

    def run(self, words: list[str], known: frozenset[str], floor: float) -> tuple[float, float]:
        """What ``words`` (a row's terms) prove, and the share of their weight that is found here.

        Neighbouring terms that stand side by side in the file count in full, lone ones half; three and more in a
        row prove something however short they are. Gives up, with a share of 0, as soon as the share must stay
        under ``floor``.
        """
        weights = {word: weight(word) for word in words}
        total = sum(weights[word] for word in words)
        missing = 0.0
        there: dict[str, bool] = {}
        for word in sorted(weights, key=lambda w: -weights[w]):
            there[word] = self.has(word)
            if not there[word]:
                missing += weights[word] * words.count(word)
                if missing > (1 - floor) * total + 1e-9:
                    return 0.0, 0.0
        proven = 0.0
        at = 0
        while at < len(words):
            end = at + 1
            if there[words[at]]:
                while end < len(words) and end - at < 12 and there[words[end]] and self.adjoins(words[at : end + 1]):
                    end += 1
                fresh = sum(weights[w] for w in words[at:end] if w not in known and w not in self.part_names)
                proven += fresh * (0.5 if end - at == 1 else 1.0)
                proven += 0.2 * (end - at - 1) if end - at > 2 and fresh else 0.0
            at = end
        return proven, ((total - missing) / total if total else 0.0)


def _zeros(text: str, end: int) -> bool:
    """Whether only a fraction of zeros follows (``200000.0`` shows the term ``200000``)."""
    return re.match(r"\.0+(?!\d)", text[end : end + 8]) is not None


@lru_cache(maxsize=4096)
def _spaced(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, words)))


@lru_cache(maxsize=4096)
def _side_by_side(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"[\W_]{1,12}".join(map(re.escape, words)) + r"(?![^\W_])")


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
