"""A raw shell word -> its parts: text, parameters, substitutions, with what was quoted.

In: source text of one word (``"$d"/*.txt``, ``${x%.*}``, ``$(ls -t | head -1)``). Out: a tuple of parts in
order. Brace expansion comes before, on the raw text (``brace_expand``). Broken words give what can be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

#: Words that one brace expression may grow to.
MAX_BRACES = 1000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]|[@*#?$!-]")
_BRACED = re.compile(r"(!?)(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])")
_ANSI = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|[uU]([0-9A-Fa-f]{1,8})|(.))", re.S)
_ANSI_NAMES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_SEQUENCE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$")


@dataclass(frozen=True, slots=True)
class Text:
    """Literal characters; unquoted ones may be glob patterns or split."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """``$name``, ``${name[index]op argument}``; ``length`` is ``${#name}``, ``indirect`` ``${!name}``."""

    name: str
    quoted: bool
    operator: str = ""
    argument: str = ""
    index: str | None = None
    length: bool = False
    indirect: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """``$(source)`` or backquotes."""

    source: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``$((source))``."""

    source: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Process:
    """``<(source)`` or ``>(source)``."""

    source: str
    direction: str


Part = Text | Variable | Command | Arithmetic | Process


def closing(text: str, start: int, opener: str, closer: str) -> int:
    """The index after the ``closer`` that matches the ``opener`` at ``start``, quotes respected; else the end."""
    depth = 0
    at = start
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
            continue
        if char == "'":
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end + 1
            continue
        if char == '"':
            at = _end_of_double(text, at)
            continue
        if char == opener:
            depth += 1
        elif char == closer:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return len(text)


def _end_of_double(text: str, start: int) -> int:
    at = start + 1
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
        elif char == '"':
            return at + 1
        elif text.startswith("$(", at):
            at = closing(text, at + 1, "(", ")")
        elif text.startswith("${", at):
            at = closing(text, at + 1, "{", "}")
        else:
            at += 1
    return len(text)


@lru_cache(maxsize=2048)
def parse_word(raw: str) -> tuple[Part, ...]:
    """The parts of ``raw``."""
    return tuple(_Reader(raw).read())


@lru_cache(maxsize=256)
def parse_document(raw: str) -> tuple[Part, ...]:
    """The parts of a here-document's body: expansions count, quotes do not."""
    reader = _Reader(raw)
    reader.double(len(raw), document=True)
    return tuple(reader.parts)


class _Reader:
    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.at = 0
        self.parts: list[Part] = []

    def read(self) -> list[Part]:
        raw = self.raw
        while self.at < len(raw):
            char = raw[self.at]
            if char == "'":
                end = raw.find("'", self.at + 1)
                end = len(raw) if end < 0 else end
                self.add(raw[self.at + 1 : end], quoted=True)
                self.at = end + 1
            elif char == '"':
                end = _end_of_double(raw, self.at)
                self.at += 1
                self.add("", quoted=True)
                self.double(end - 1 if end > self.at and raw[end - 1 : end] == '"' else end)
                self.at = end
            elif char == "\\":
                following = raw[self.at + 1 : self.at + 2]
                if following != "\n":
                    self.add(following, quoted=True)
                self.at += 2
            elif char in "$`":
                self.expansion(quoted=False)
            elif char in "<>" and raw.startswith("(", self.at + 1):
                end = closing(raw, self.at + 1, "(", ")")
                self.parts.append(Process(raw[self.at + 2 : end - 1], char))
                self.at = end
            else:
                self.add(char, quoted=False)
                self.at += 1
        return self.parts

    def add(self, text: str, *, quoted: bool) -> None:
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Text) and last.quoted == quoted:
            self.parts[-1] = Text(last.text + text, quoted)
        else:
            self.parts.append(Text(text, quoted))

    def double(self, end: int, *, document: bool = False) -> None:
        """What stands inside double quotes (or a here-document) up to ``end``."""
        raw = self.raw
        while self.at < end:
            char = raw[self.at]
            if char == "\\" and raw[self.at + 1 : self.at + 2] in ("$", "`", "\\", "\n", "" if document else '"'):
                following = raw[self.at + 1 : self.at + 2]
                if following != "\n":
                    self.add(following, quoted=True)
                self.at += 2
            elif char in "$`":
                self.expansion(quoted=True)
            else:
                stop = self.at + 1
                while stop < end and raw[stop] not in "$`\\":
                    stop += 1
                self.add(raw[self.at : stop], quoted=True)
                self.at = stop

    def expansion(self, *, quoted: bool) -> None:
        raw, at = self.raw, self.at
        if raw[at] == "`":
            self.backquotes(quoted=quoted)
        elif raw.startswith("$((", at) and raw[: closing(raw, at + 1, "(", ")")].endswith("))"):
            end = closing(raw, at + 1, "(", ")")
            self.parts.append(Arithmetic(raw[at + 3 : end - 2], quoted))
            self.at = end
        elif raw.startswith("$(", at):
            end = closing(raw, at + 1, "(", ")")
            self.parts.append(Command(raw[at + 2 : end - 1 if raw[end - 1 : end] == ")" else end], quoted))
            self.at = end
        elif raw.startswith("${", at):
            end = closing(raw, at + 1, "{", "}")
            self.parts.append(_braced(raw[at + 2 : end - 1], quoted=quoted))
            self.at = end
        elif raw.startswith("$'", at) and not quoted:
            self.ansi()
        elif raw.startswith('$"', at) and not quoted:
            self.at += 1
        elif match := _NAME.match(raw, at + 1):
            self.parts.append(Variable(match[0], quoted))
            self.at = match.end()
        else:
            self.add("$", quoted=quoted)
            self.at += 1

    def backquotes(self, *, quoted: bool) -> None:
        match = re.compile(r"`((?:\\.|[^`\\])*)`?", re.S).match(self.raw, self.at)
        if match is None:
            self.at += 1
            return
        inner = re.sub(r'\\([`$\\"])' if quoted else r"\\([`$\\])", r"\1", match[1])
        self.parts.append(Command(inner, quoted))
        self.at = match.end()

    def ansi(self) -> None:
        match = re.compile(r"\$'((?:\\.|[^'\\])*)'?", re.S).match(self.raw, self.at)
        if match is None:
            self.at += 1
            return
        self.add(_ANSI.sub(_ansi_char, match[1]), quoted=True)
        self.at = match.end()


def _ansi_char(match: re.Match[str]) -> str:
    octal, hexadecimal, unicode, other = match.groups()
    if octal:
        return bytes([int(octal, 8) & 255]).decode("utf-8", "surrogateescape")
    if hexadecimal:
        return bytes([int(hexadecimal, 16)]).decode("utf-8", "surrogateescape")
    if unicode:
        code = int(unicode, 16)
        return chr(code) if code < 0x110000 else ""
    return _ANSI_NAMES.get(other, other)


def _braced(inner: str, *, quoted: bool) -> Part:
    """``${…}``: the parameter, an index, and an operator with its argument."""
    if inner in ("#", "!"):
        return Variable(inner, quoted)
    match = _BRACED.match(inner)
    if match is None:
        return Variable("", quoted)
    indirect, length, name = bool(match[1]), bool(match[2]), match[3]
    rest = inner[match.end() :]
    index = None
    if rest.startswith("["):
        end = closing(rest, 0, "[", "]")
        index, rest = rest[1 : end - 1], rest[end:]
    operator = re.match(r":[-=+?]|##?|%%?|//?|\^\^?|,,?|[-=+?:@]", rest)
    if operator is None:
        return Variable(name, quoted, index=index, length=length, indirect=indirect)
    return Variable(name, quoted, operator[0], rest[operator.end() :], index, length, indirect)


def brace_expand(raw: str) -> list[str]:
    """Brace expansion as bash does it, on raw text: ``a{b,c}{1..3}``. Quotes and ``${`` are left alone."""
    if "{" not in raw or ("," not in raw and ".." not in raw):
        return [raw]
    return _braces(raw, 0)[:MAX_BRACES]


def _braces(raw: str, depth: int) -> list[str]:
    start = _first_brace(raw)
    if start is None or depth > 12:
        return [raw]
    begin, end, items = start
    tails = _braces(raw[end:], depth + 1)
    out: list[str] = []
    for item in items:
        for inner in _braces(item, depth + 1):
            for tail in tails:
                if len(out) >= MAX_BRACES:
                    return out
                out.append(raw[:begin] + inner + tail)
    return out


def _first_brace(raw: str) -> tuple[int, int, list[str]] | None:
    at = 0
    while at < len(raw):
        char = raw[at]
        if char == "\\":
            at += 2
        elif char == "'":
            end = raw.find("'", at + 1)
            at = len(raw) if end < 0 else end + 1
        elif char == '"':
            at = _end_of_double(raw, at)
        elif raw.startswith("${", at):
            at = closing(raw, at + 1, "{", "}")
        elif raw.startswith("$(", at):
            at = closing(raw, at + 1, "(", ")")
        elif char == "{":
            end = closing(raw, at, "{", "}")
            items = _items(raw[at + 1 : end - 1]) if raw[end - 1 : end] == "}" else []
            if items:
                return at, end, items
            at += 1
        else:
            at += 1
    return None


def _items(inner: str) -> list[str]:
    """The alternatives of a brace's inside; none where it is no brace expression."""
    if match := _SEQUENCE.match(inner):
        return _steps(match[1], match[2], match[3])
    items: list[str] = []
    depth = begin = at = 0
    while at < len(inner):
        char = inner[at]
        if char == "\\":
            at += 1
        elif char in "'\"":
            at = (_end_of_double(inner, at) if char == '"' else inner.find("'", at + 1) + 1 or len(inner)) - 1
        elif char in "{(":
            depth += 1
        elif char in "})":
            depth -= 1
        elif char == "," and depth == 0:
            items.append(inner[begin:at])
            begin = at + 1
        at += 1
    return [*items, inner[begin:]] if items else []


def _steps(first: str, last: str, step: str | None) -> list[str]:
    if first.lstrip("-").isdigit() != last.lstrip("-").isdigit():
        return []
    stride = abs(int(step)) if step and int(step) else 1
    if first.lstrip("-").isdigit():
        low, high = int(first), int(last)
        padded = any(len(t.lstrip("-")) > 1 and t.lstrip("-").startswith("0") for t in (first, last))
        width = max(len(first), len(last)) if padded else 0
        numbers = range(low, high + 1, stride) if low <= high else range(low, high - 1, -stride)
        return [str(n).zfill(width) for n in numbers[:MAX_BRACES]]
    low, high = ord(first), ord(last)
    codes = range(low, high + 1, stride) if low <= high else range(low, high - 1, -stride)
    return [chr(code) for code in codes]
