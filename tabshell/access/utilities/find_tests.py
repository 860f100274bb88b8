"""The expression of ``find``: its tests evaluated three-valued on visited files, its actions with their hits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tabshell.access.paths.patterns import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.bash.expand import Field
    from tabshell.model.files import FileInfo, FileKind

    Test = Callable[["Entry"], bool | None]

_WITH_VALUE = {
    "-newer", "-anewer", "-cnewer", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-user", "-group", "-uid",
    "-gid", "-perm", "-links", "-inum", "-samefile", "-fstype", "-lname", "-ilname", "-context", "-used", "-xtype",
    "-regextype",
}  # fmt: skip
_KINDS: dict[str, FileKind | None] = {"f": "file", "d": "dir", "o": "other", "l": None}
_UNITS = {"c": 1, "w": 2, "b": 512, "k": 1024, "M": 1024**2, "G": 1024**3}


@dataclass(slots=True)
class Entry:
    """One visited file: as find writes it, its base name, depth, kind (None: a link), path below the start."""

    path: str
    name: str
    depth: int
    kind: FileKind | None
    below: str
    asking: Callable[[str], FileInfo | None]

    def ask(self) -> FileInfo | None:
        """What the disk says of it."""
        return self.asking(self.below)


@dataclass(slots=True)
class Action:
    """``-exec`` and its like with the words of its command, or a printing or deleting action."""

    kind: str
    words: list[Field] = field(default_factory=list)
    together: bool = False
    hits: list[Entry] = field(default_factory=list)
    exact: bool = True


class Expression:
    """The tests and actions after the starting points."""

    def __init__(self, args: list[Field]) -> None:
        self.args = args
        self.at = 0
        self.actions: list[Action] = []
        self.names: list[str] = []
        self.pruned: set[str] = set()
        self.low = 0
        self.high: int | None = None
        self.test = self.alternatives()

    def word(self) -> str:
        """The next word, taken."""
        self.at += 1
        return self.args[self.at - 1].text if self.at <= len(self.args) else ""

    def peek(self) -> str | None:
        """The next word, left."""
        return self.args[self.at].text if self.at < len(self.args) else None

    def alternatives(self) -> Test:
        """``a -o b``, ``a , b``."""
        branches = [self.conjunction()]
        while self.peek() in ("-o", "-or", ","):
            self.at += 1
            branches.append(self.conjunction())
        return branches[0] if len(branches) == 1 else lambda entry: _either(branches, entry)

    def conjunction(self) -> Test:
        """``a -a b``, ``a b``."""
        tests: list[Test] = []
        while (text := self.peek()) not in (None, "-o", "-or", ",", ")"):
            if text in ("-a", "-and"):
                self.at += 1
                continue
            tests.append(self.primary())
        if len(tests) == 1:
            return tests[0]
        return lambda entry: _every(tests, entry)

    def primary(self) -> Test:
        """One test, option or action."""
        text = self.word()
        if text in ("!", "-not"):
            inner = self.primary()
            return lambda entry: None if (result := inner(entry)) is None else not result
        if text == "(":
            inner = self.alternatives()
            if self.peek() == ")":
                self.at += 1
            return inner
        if text in _TESTS:
            return _TESTS[text](self, self.word())
        if text in _WITH_VALUE or text.startswith("-newer"):
            self.at += 1
            return lambda _entry: None
        return self.action(text)

    def action(self, text: str) -> Test:
        """Printing, executing, deleting, pruning, and options without a value."""
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            return self.execution(text)
        if text in ("-print", "-print0", "-ls", "-delete", "-printf", "-fprint", "-fprint0", "-fprintf", "-fls"):
            words = [self.args[self.at]] if text[-1:] in ("f",) and self.at < len(self.args) else []
            self.at += {"-printf": 1, "-fprint": 1, "-fprint0": 1, "-fls": 1, "-fprintf": 2}.get(text, 0)
            return self.performed(Action(text, words))
        if text == "-prune":
            return self.prune
        if text == "-false":
            return lambda _entry: False
        return lambda _entry: (
            True if text in ("-true", "-depth", "-d", "-xdev", "-mount", "-follow", "-quit", "-H", "-L") else None
        )

    def prune(self, entry: Entry) -> bool:
        """``-prune``: nothing below the entry is visited."""
        self.pruned.add(entry.path)
        return True

    def execution(self, kind: str) -> Test:
        """The words of ``-exec`` up to ``;`` or ``{} +``."""
        words: list[Field] = []
        together = False
        while self.at < len(self.args):
            text = self.word()
            if text == ";" or (text == "+" and words and "{}" in words[-1].text):
                together = text == "+"
                break
            words.append(self.args[self.at - 1])
        return self.performed(Action(kind, words, together))

    def performed(self, action: Action) -> Test:
        """An action as a test that notes its hits."""
        self.actions.append(action)

        def hit(entry: Entry) -> bool:
            action.hits.append(entry)
            return True

        return hit


def _every(tests: list[Test], entry: Entry) -> bool | None:
    """All tests in order; an unknown one lets the entry pass, marked unknown."""
    unknown = False
    for test in tests:
        result = test(entry)
        if result is False:
            return False
        unknown = unknown or result is None
    return None if unknown else True


def _either(branches: list[Test], entry: Entry) -> bool | None:
    """The first branch that holds; later ones are not run then."""
    unknown = False
    for branch in branches:
        result = branch(entry)
        if result:
            return True
        unknown = unknown or result is None
    return None if unknown else False


def _name(expression: Expression, pattern: str, *, ignore_case: bool = False) -> Test:
    match = compiled(pattern, ignore_case=ignore_case).match
    expression.names.append(pattern)
    return lambda entry: match(entry.name) is not None


def _path(_expression: Expression, pattern: str, *, ignore_case: bool = False) -> Test:
    match = compiled(pattern, ignore_case=ignore_case).match
    return lambda entry: match(entry.path) is not None


def _type(_expression: Expression, letters: str) -> Test:
    wanted = {_KINDS[letter] for letter in letters.split(",") if letter in _KINDS}
    return lambda entry: entry.kind in wanted


def _depth(expression: Expression, text: str, *, most: bool) -> Test:
    if text.isdecimal() and len(text) < 6:
        if most:
            expression.high = int(text)
        else:
            expression.low = int(text)
    return lambda _entry: True


def _size(_expression: Expression, text: str) -> Test:
    match = re.fullmatch(r"([+-]?)(\d{1,12})([cwbkMG]?)", text)
    if match is None:
        return lambda _entry: None
    unit = _UNITS[match[3] or "b"]
    number = int(match[2])

    def test(entry: Entry) -> bool | None:
        info = entry.ask()
        if info is None:
            return None
        units = -(-info.size // unit)
        return units > number if match[1] == "+" else units < number if match[1] == "-" else units == number

    return test


def _regex(_expression: Expression, text: str, *, ignore_case: bool = False) -> Test:
    from tabshell.access.utilities.texts import basic_pattern  # noqa: PLC0415

    pattern = basic_pattern(text, extended=False, fixed=False, ignore_case=ignore_case, whole=True)
    return lambda entry: None if pattern is None else pattern.match(entry.path) is not None


_TESTS: dict[str, Callable[[Expression, str], Test]] = {
    "-name": _name,
    "-iname": lambda e, t: _name(e, t, ignore_case=True),
    "-path": _path, "-wholename": _path,
    "-ipath": lambda e, t: _path(e, t, ignore_case=True),
    "-iwholename": lambda e, t: _path(e, t, ignore_case=True),
    "-type": _type, "-size": _size, "-regex": _regex,
    "-iregex": lambda e, t: _regex(e, t, ignore_case=True),
    "-maxdepth": lambda e, t: _depth(e, t, most=True),
    "-mindepth": lambda e, t: _depth(e, t, most=False),
}  # fmt: skip
