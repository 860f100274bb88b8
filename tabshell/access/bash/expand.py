"""Expansion of words as bash does it: braces, tilde, parameters, substitutions, splitting, globs, quote removal.

In: raw words and the state. Out: ``Field``s, the words that a command receives. Where something is not known
(a variable nobody set, the output of an unknown program), the field says so and holds what is known of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabshell.access.bash.arithmetic import evaluate
from tabshell.access.bash.globs import Globber
from tabshell.access.bash.parameters import Parameters
from tabshell.access.bash.state import Value, absolute
from tabshell.access.bash.streams import Lines
from tabshell.access.bash.words import (
    Arithmetic,
    Command,
    Part,
    Process,
    Text,
    Variable,
    brace_expand,
    parse_document,
    parse_word,
)
from tabshell.access.paths import patterns

if TYPE_CHECKING:
    from typing import Protocol

    from tabshell.access.acts import Passage
    from tabshell.access.bash.state import State
    from tabshell.access.bash.streams import Draft, Stream
    from tabshell.access.paths.fuel import Fuel
    from tabshell.model.files import Files

    class Runner(Protocol):
        """What expansion asks of the walk."""

        files: Files
        fuel: Fuel
        state: State

        def substitute(self, source: str) -> Value:
            """The value of ``$(source)``."""

        def feed(self, source: str, direction: str) -> Stream:
            """The stream behind ``<(source)`` or ``>(source)``."""


#: Words in which nothing is expanded or unquoted.
_ORDINARY = re.compile(r"[\w./=:,@%+-]+", re.A).fullmatch
#: Words that one command may have after expansion.
MAX_FIELDS = 10_000
#: Characters of one value; a longer one counts as unknown.
MAX_TEXT = 262_144


@dataclass(slots=True, unsafe_hash=True)  # frozen takes six times as long, and a tree brings thousands of them
class Field:
    """One word as a command receives it; never changed.

    ``raw`` is how it was typed. ``known`` is False where a part could not be told; ``exact`` where the word
    may or may not be there. ``stream``: it is a ``<(…)``. ``shows``: acts whose output it contains.
    """

    text: str
    raw: str
    known: bool = True
    exact: bool = True
    shows: tuple[tuple[Draft, Passage], ...] = ()
    stream: Stream | None = None
    globbed: bool = False

    @property
    def value(self) -> Value:
        """The word as the value of a variable."""
        return Value(self.text if self.known else None, self.shows, None if self.exact else Lines((), exact=False))

    def saying(self, text: str, *, exact: bool = True) -> Field:
        """The same word with another text; ``exact``: whether that is surely the text."""
        return Field(text, self.raw, self.known, self.exact and exact, self.shows, self.stream, self.globbed)


@dataclass(slots=True)
class _Piece:
    """A word in the making: its pattern (quoted specials escaped) and what is known of it."""

    pattern: str = ""
    empty: bool = True
    known: bool = True
    exact: bool = True
    shows: tuple[tuple[Draft, Passage], ...] = ()
    stream: Stream | None = None

    def put(self, text: str, *, quoted: bool) -> None:
        self.pattern += patterns.escape(text) if quoted else text
        self.empty = self.empty and not (quoted or text)


class Expander:
    """Expands the words of one walk."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.parameters = Parameters(self)

    @property
    def state(self) -> State:
        """The shell's state now."""
        return self.runner.state

    def words(self, raws: tuple[str, ...]) -> list[Field]:
        """All fields of the words of a command."""
        out: list[Field] = []
        for raw in raws:
            if _ORDINARY(raw):
                out.append(Field(raw, raw))
                continue
            for alternative in brace_expand(raw):
                out.extend(self.fields(alternative, raw))
                if len(out) > MAX_FIELDS or not self.runner.fuel.burn(3):
                    return out[:MAX_FIELDS]
        return out

    def fields(self, raw: str, shown: str) -> list[Field]:
        """The fields of one word after brace expansion."""
        pieces = self.split(self.tilde(parse_word(raw)))
        out: list[Field] = []
        for piece in pieces:
            if not piece.empty or piece.stream is not None:
                out.extend(self.matched(piece, shown))
            elif not piece.known:
                out.append(Field("", shown, known=False, exact=False, shows=piece.shows))
        return out

    def matched(self, piece: _Piece, shown: str) -> list[Field]:
        """Pathname expansion and quote removal."""
        plain = patterns.unescape(piece.pattern)
        if "noglob" not in self.state.options and patterns.is_pattern(piece.pattern):
            globber = Globber(self.runner.files, self.state.cwd, self.state.options, self.runner.fuel)
            # An unknown part matches anything: what fits is a superset of what was meant.
            paths = globber.expand(piece.pattern)
            exact = piece.exact and piece.known and self.runner.fuel.left > 0
            if paths:
                return [Field(p, shown, True, exact, piece.shows, None, True) for p in paths]
            if "nullglob" in self.state.options:
                return []
            return [Field(plain, shown, piece.known, False, piece.shows)]
        return [Field(plain, shown, piece.known, piece.exact, piece.shows, piece.stream)]

    def tilde(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """``~``, ``~+`` and ``~-`` at the front of a word."""
        first = parts[0] if parts else None
        if not isinstance(first, Text) or first.quoted or not first.text.startswith("~"):
            return parts
        head, slash, rest = first.text.partition("/")
        home = {"~": self.state.home, "~+": self.state.cwd, "~-": self.state.oldpwd}.get(head)
        if home is None:
            return parts
        return (Text(home, True), Text(slash + rest, False), *parts[1:])

    def split(self, parts: tuple[Part, ...]) -> list[_Piece]:
        """Expands the parts and splits what was unquoted at white space."""
        pieces = [_Piece()]
        for part in parts:
            if isinstance(part, Text):
                pieces[-1].put(part.text, quoted=part.quoted)
            elif isinstance(part, Process):
                pieces[-1].stream = self.runner.feed(part.source, part.direction)
                pieces[-1].put("/dev/fd/63", quoted=True)
            else:
                self.insert(pieces, part)
            if len(pieces) > MAX_FIELDS:
                break
        return pieces

    def insert(self, pieces: list[_Piece], part: Part) -> None:
        """Adds the value of an expansion to the last piece, or several pieces."""
        many = self.parameters.many(part) if isinstance(part, Variable) else None
        if many is not None:
            self.insert_many(pieces, many, quoted=isinstance(part, Variable) and part.quoted)
            return
        value = self.value(part)
        quoted = isinstance(part, (Variable, Command, Arithmetic)) and part.quoted
        self.insert_value(pieces, value, quoted=quoted)

    def insert_many(self, pieces: list[_Piece], many: tuple[Value, ...], *, quoted: bool) -> None:
        """The values of ``"$@"``, each a word of its own."""
        for number, value in enumerate(many):
            if number:
                pieces.append(_Piece())
            if quoted and value.text is not None:
                pieces[-1].put(value.text, quoted=True)
                pieces[-1].shows += value.shows
            else:
                self.insert_value(pieces, value, quoted=quoted)

    def insert_value(self, pieces: list[_Piece], value: Value, *, quoted: bool) -> None:
        """One value, split where it is not quoted."""
        last = pieces[-1]
        last.shows += value.shows
        if value.text is None or len(last.pattern) > MAX_TEXT:
            last.empty = last.empty and not quoted
            last.known = last.exact = False
            # Inside a pattern an unknown part stands for anything.
            last.pattern += "" if quoted and last.empty else "*" if last.pattern else ""
            return
        if quoted:
            last.put(value.text, quoted=True)
            last.exact = last.exact and value.exact
            return
        words = self.separated(value)
        if not words:
            return
        if value.text[:1].isspace() and not last.empty:
            pieces.append(_Piece())
        for number, word in enumerate(words[:MAX_FIELDS]):
            if number:
                pieces.append(_Piece(shows=value.shows))
            pieces[-1].put(word.replace("\\", "\\\\"), quoted=False)
            pieces[-1].exact = pieces[-1].exact and value.exact
        if value.text[-1:].isspace():
            pieces.append(_Piece())

    def separated(self, value: Value) -> list[str]:
        """The words of an unquoted value, by IFS."""
        separator = self.state.variables.get("IFS")
        text = value.text or ""
        if separator is None or separator.text is None or separator.text == " \t\n":
            return text.split()
        if separator.text == "":
            return [text]
        for char in separator.text[1:]:
            text = text.replace(char, separator.text[0])
        return [word for word in text.split(separator.text[0]) if word]

    def value(self, part: Part) -> Value:
        """The value of one part, unsplit."""
        if isinstance(part, Text):
            return Value(part.text)
        if isinstance(part, Variable):
            return self.parameters.value(part)
        if isinstance(part, Command):
            return self.runner.substitute(part.source)
        if isinstance(part, Arithmetic):
            number = evaluate(part.source, self.number)
            return Value(None if number is None else str(number))
        return Value("/dev/fd/63")

    def number(self, name: str) -> str | None:
        """A variable's text, for arithmetic (unset is 0)."""
        value = self.state.variables.get(name)
        return value.text if value is not None else None

    def joined(self, parts: tuple[Part, ...]) -> Value:
        """The parts as one text, neither split nor globbed (assignments, redirections, case words)."""
        text: str | None = ""
        shows: tuple[tuple[Draft, Passage], ...] = ()
        values = [self.value(part) for part in self.tilde(parts)]
        if len(values) == 1:
            return values[0]
        for value in values:
            shows += value.shows
            text = None if text is None or value.text is None else text + value.text
        if text is not None and len(text) > MAX_TEXT:
            text = None
        inexact = next((v.lines for v in values if v.lines is not None and not v.lines.exact), None)
        return Value(text, shows, inexact)

    def single(self, raw: str) -> Value:
        """A word's value where no splitting happens."""
        return self.joined(parse_word(raw))

    def document(self, body: str) -> Value:
        """The text of an unquoted here-document."""
        return self.joined(parse_document(body))

    def pattern(self, raw: str) -> str | None:
        """A word as a pattern (``case``, ``${x%pattern}``); None where unknown."""
        out = ""
        for part in self.tilde(parse_word(raw)):
            value = self.value(part)
            if value.text is None:
                return None
            out += patterns.escape(value.text) if getattr(part, "quoted", False) else value.text
        return out

    def path(self, raw: str) -> tuple[str, bool]:
        """The absolute path of a redirection's target and whether it is known."""
        fields = self.words((raw,))
        if len(fields) != 1 or not fields[0].known:
            value = self.single(raw)
            return absolute(self.state.cwd, value.text or ""), value.text is not None
        return absolute(self.state.cwd, fields[0].text), fields[0].exact
