"""A file prepared for comparing: which of its lines, phrases and values stand in a shown line.

Everything is built when it is first asked for: most files are settled by whole lines alone. Texts beyond ``DIRECT``
characters are searched as they are, which is quicker than preparing them for a few rows; texts beyond ``LARGE`` are
not looked at here at all. Lines are looked up all at once (``wanted``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from tabshell.access.output.evidence import casefolded, readings, terms, unescaped, weight, words
from tabshell.access.output.wanted import Wanted

DIRECT, LARGE = 60_000, 6 << 20
#: Shorter texts are prepared even for a single row.
SPARED = 4_000
#: Terms that are looked for one by one in a long text, before all its words are found out; what that costs, and what it
#: costs to bring a text that is not all ASCII to lower case, in times of reading through it.
LOOKS, WORDS, FOLDING = 8, 10, 6
#: Places of a word at which a line, or another word, is looked for.
SPOTS = 60
#: What may stand between two terms side by side, and how much of it.
_BETWEEN, APART = re.compile(r"[\W_]+"), 12
#: What the least value proves that may stand among the command's own words.
VALUE = 0.3
#: Terms of one row that are held against a text, and against a long one.
MOST, MOST_LONG = 200, 32
#: Prefixes that tools put before a line of a file: a line number, diff's marks, uniq's counts, git blame.
_PREFIXES = (
    re.compile(r"^\s*(\d+)(?:[:=\t→-]|\s{1,2}|\s*[│|]\s?)\s?"),
    re.compile(r"^[<>+-]\s?"),
    re.compile(r"^\s*\d+\s"),
    re.compile(r"^\^?[0-9a-f]{7,40} .*?\d+\) "),
)
_TABLES = re.compile(r"create\s+table\s+(?:if not exists\s+)?[\"'`\[]?([^\"'`\](\s]+)", re.IGNORECASE)


class Source:
    """One suspect file's texts, the likeliest decoding first, made by ``load`` when they are needed.

    ``afford`` is asked before: where it says no, ``glance`` gives what can be had cheaply (the first pages of a
    document, or nothing), and the source is ``partial``: that a row is not in it proves nothing.
    """

    def __init__(
        self,
        key: str,
        load: Callable[[], tuple[str, ...]],
        size: int = 0,
        afford: Callable[[], bool] | None = None,
        glance: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self.key = key
        self.size = size
        self.partial = False
        self._texts: tuple[str, ...] | None = None
        self._load = load
        self._spared = False
        self._afford = afford
        self._glance = glance
        #: characters of a long text that were read through in search of something
        self.read = 0
        self._seen: dict[str, bool] = {}
        self._terms: dict[str, bool] = {}
        self._pairs: dict[tuple[str, str], bool] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that the file may show."""
        if self._texts is None:  # no cached property: before Python 3.12 its lock takes longer than a refusal
            affordable = self._afford is None or self._afford()
            self.partial = not affordable
            self._texts = self._load() if affordable else self._glance()
        return self._texts

    def leave(self) -> None:
        """Not looked into, if it was not before: all rows have been found elsewhere."""
        if self._texts is None:
            self.partial, self._texts = True, ()

    @cached_property
    def length(self) -> int:
        """Characters of all its texts."""
        return sum(map(len, self.texts))

    def spare(self) -> None:
        """From now on searched as a long text is, unless it was prepared before: few rows will be held against it."""
        self._spared = True

    @property
    def is_searched(self) -> bool:
        """Whether it is searched as it is, and not prepared."""
        return self.length > (SPARED if self._spared else DIRECT)

    @property
    def large(self) -> bool:
        """Whether it is too large to be prepared."""
        return self.length > LARGE

    @property
    def usable(self) -> bool:
        """Whether there is a text to compare with."""
        return bool(self.texts) and self.length <= LARGE

    @property
    def first_row(self) -> int:
        """Characters that are read through for the first row that is held against a long text."""
        return 0 if not self.is_searched or "runs" in self.__dict__ else (LOOKS + WORDS) * self.length

    @property
    def ready(self) -> bool:
        """Whether a look-up costs no more than reading through the text: short ones are prepared once."""
        return self.is_searched or "_prepared" in self.__dict__

    @cached_property
    def open_end(self) -> str:
        """The last line, folded, if no line break ends it: the next output then goes on behind it."""
        text = self.texts[0] if self.texts else ""
        return "" if text.endswith("\n") else " ".join(text[text.rfind("\n") + 1 :].split())

    @cached_property
    def begins(self) -> str:
        """How its first line begins, folded: enough to be told by."""
        lines = self.texts[0][:200].lstrip().split("\n", 1) if self.texts else [""]
        return " ".join(lines[0].split())[:24]

    def places(self, line: str) -> Iterator[int]:
        """Line numbers at which this folded line stands: as it is written, else by the places of its longest word."""
        for text in self.texts:
            if line in text:
                found = list(self._lines_at(text, line, line))
                yield from found
                if found:
                    continue
            yield from self._lines_at(text, max(line.split(" "), key=len), line)

    @staticmethod
    def _lines_at(text: str, piece: str, line: str) -> Iterator[int]:
        """The lines that are ``line`` when folded, among the first that hold ``piece``."""
        at, number, tried, counted = text.find(piece), 1, 0, 0
        while at >= 0 and tried < SPOTS:
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            tried += 1
            if " ".join(text[start:end].split()) == line:
                number += text.count("\n", counted, start)
                counted = start
                yield number
            at = text.find(piece, end)

    def matching(self, wanted: Wanted) -> Iterator[tuple[int, str]]:
        """Line number, 1-based, and folded line, of those that are wanted; in all decodings."""
        for text in self.texts:
            yield from wanted.among(text)

    @cached_property
    def line_count(self) -> int:
        """Number of lines of the first decoding."""
        text = self.texts[0] if self.texts else ""
        return text.count("\n") + (1 if text and not text.endswith("\n") else 0)

    @cached_property
    def lowered(self) -> str:
        """The whole text in lower case."""
        text = "\n".join(self.texts)
        self.read += 0 if text.isascii() else FOLDING * len(text)
        return casefolded(text)

    @cached_property
    def folded(self) -> str:
        """The same, white space folded: for pieces of lines and for joined lines."""
        return " ".join(self.lowered.split())

    @cached_property
    def _prepared(self) -> tuple[str, frozenset[str]]:
        """All terms, each between single blanks, and as a set."""
        texts = list(self.texts)
        texts += [unescaped(text) for text in self.texts if "\\u" in text or "\\x" in text]
        found = terms("\n".join(texts))
        return " " + " ".join(found) + " ", frozenset(found)

    @property
    def phrases(self) -> str:
        """All terms, each between single blanks: for phrases whatever the layout."""
        return self._prepared[0]

    @property
    def vocabulary(self) -> frozenset[str]:
        """All terms."""
        return self._prepared[1]

    @cached_property
    def runs(self) -> frozenset[bytes]:
        """All runs of letters and digits, for texts that are too long to be prepared."""
        self.read += WORDS * len(self.lowered)
        return words(self.lowered)

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
        if not self.is_searched or "folded" in self.__dict__:
            return piece in self.folded
        if not self.may_hold(piece):
            return False
        if piece in self.lowered:
            return True
        first, _, rest = piece.partition(" ")
        return bool(rest) and any(
            " ".join(self.lowered[at : at + 2 * len(piece) + 80].split()).startswith(piece) for at in self._spots(first)
        )

    def may_hold(self, folded: str) -> bool:
        """Whether the longest word of this text stands somewhere in the file: one look at a long text."""
        longest = max(folded.split(" "), key=len).casefold()
        known = self._seen.get(longest)
        if known is None:
            known = self._seen[longest] = longest in self.lowered
            self.read += len(self.lowered)
        return known

    def _spots(self, word: str, most: int = 40) -> Iterator[int]:
        """The first places at which a word stands in the text in lower case."""
        at, begun = self.lowered.find(word), 0
        while at >= 0 and most:
            self.read += at - begun
            yield at
            most, begun = most - 1, at
            at = self.lowered.find(word, at + 1)
        self.read += (len(self.lowered) if at < 0 else at) - begun

    def has(self, term: str) -> bool:
        """Whether a term stands in the file as a whole."""
        if not self.is_searched or "_prepared" in self.__dict__:
            return term in self.vocabulary
        known = self._terms.get(term)
        if known is None:
            if "." not in term and len(self._terms) > LOOKS:
                known = term.encode("utf-8", "surrogateescape") in self.runs
            else:
                known = self._stands(term)
            self._terms[term] = known
        return known

    def _stands(self, term: str) -> bool:
        text, left = self.lowered, 40
        for at in self._spots(term, left):
            end = at + len(term)
            if not text[at - 1 : at].isalnum() and not (text[end : end + 1].isalnum() and not _zeros(text, end)):
                return True
            left -= 1
        return left == 0

    def adjoins(self, words: list[str]) -> bool:
        """Whether these terms stand side by side in the file."""
        if not self.is_searched or "_prepared" in self.__dict__:
            return " " + " ".join(words) + " " in self.phrases
        first, second = words[-2:]
        known = self._pairs.get((first, second))
        if known is None:
            known = self._pairs[first, second] = self._side_by_side(first, second)
        return known

    def _side_by_side(self, first: str, second: str) -> bool:
        """Whether two terms follow each other somewhere in a long text."""
        text = self.lowered
        if len(first) >= len(second):
            return any(_follows(text, at + len(first), second) for at in self._spots(first, SPOTS) if _begins(text, at))
        return any(_precedes(text, at, first) for at in self._spots(second, SPOTS) if _ends(text, at + len(second)))

    def run(self, words: list[str], known: frozenset[str], floor: float) -> tuple[float, float]:
        """What ``words`` (a row's terms) prove, and the share of their weight that is found here.

        Neighbouring terms that stand side by side in the file count in full, lone ones half; three and more in a
        row prove something however short they are. Gives up, with a share of 0, as soon as the share must stay
        under ``floor``.
        """
        words = words[: MOST_LONG if self.is_searched else MOST]
        weights = {word: weight(word) for word in words}
        total = sum(weights[word] for word in words)
        missing = own = 0.0
        there: dict[str, bool] = {}
        for word in sorted(weights, key=lambda w: -weights[w]):
            there[word] = self.has(word)
            if there[word]:
                continue
            if word in known:
                own += weights[word] * words.count(word)
            else:
                missing += weights[word] * words.count(word)
            if missing > (1 - floor) * (total - own) + 1e-9:
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
        if proven < VALUE:
            missing += own
        else:  # what the command itself wrote around values speaks against no file
            total -= own
        return proven, ((total - missing) / total if total else 0.0)


def _zeros(text: str, end: int) -> bool:
    """Whether only a fraction of zeros follows (``200000.0`` shows the term ``200000``)."""
    return re.match(r"\.0+(?!\d)", text[end : end + 8]) is not None


def _begins(text: str, at: int) -> bool:
    """Whether a term may begin here."""
    return at == 0 or not text[at - 1].isalnum()


def _ends(text: str, at: int) -> bool:
    """Whether a term may end here."""
    return not text[at : at + 1].isalnum() or _zeros(text, at)


def _follows(text: str, end: int, term: str) -> bool:
    """Whether a term stands right behind this place, with nothing but marks and blanks in between."""
    match = _BETWEEN.match(text, end, end + APART)
    return match is not None and text.startswith(term, match.end()) and _ends(text, match.end() + len(term))


def _precedes(text: str, start: int, term: str) -> bool:
    """Whether a term stands right before this place."""
    at = text.rfind(term, max(0, start - APART - len(term)), start)
    between = text[at + len(term) : start]
    return at >= 0 and _begins(text, at) and bool(between) and _BETWEEN.fullmatch(between) is not None


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


def forms_of(text: str) -> list[str]:
    """The ways in which a shown row may be read: with and without a prefix, numbers and escapes resolved."""
    return [reading for form in variants(text[:4000]) for reading in readings(form)]


def shown_number(text: str) -> int | None:
    """The source line number that a tool put before the line, if any."""
    match = _PREFIXES[0].match(text)
    return int(match.group(1)) if match and len(match.group(1)) < 10 else None
