"""One call of a utility: what it is given, and how it says what it does.

A utility is a function ``Call -> Stream``: it reads its options and operands, adds drafts of acts, and
returns what flows to its standard output. It never touches the disk but through ``call.files``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tabshell.access.acts import Roots
from tabshell.access.bash.state import State, absolute
from tabshell.access.bash.streams import Draft, Lines, Stream
from tabshell.access.paths.fuel import Fuel

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tabshell.access.acts import Passage, Verb
    from tabshell.access.bash.expand import Field
    from tabshell.model.files import FileInfo, Files


class Shell(Protocol):
    """What wrappers and interpreters ask of the walk."""

    files: Files
    fuel: Fuel
    state: State
    inexact: bool

    def invoke(self, fields: list[Field], stdin: Stream, node: str) -> Stream:
        """Runs expanded words as a simple command (no aliases, no functions unless named so)."""

    def nested(self, text: str, arguments: list[Field], stdin: Stream, name: str = "bash") -> Stream:
        """Runs a script text in a shell of its own with positional parameters."""

    def register(self, draft: Draft) -> Draft:
        """Takes up a new act and gives it its place in the order."""

    def loop(self) -> AbstractContextManager[None]:
        """A context in which acts are marked as looped and merged per command."""

    def each(self, fields: list[Field], turn: Callable[[Field], Stream]) -> list[Stream]:
        """``turn`` for every field, as the turns of a loop."""

    def text_of(self, path: str) -> str | None:
        """The text of a small file (or of what this very command wrote into it)."""


@dataclass(slots=True)
class Call:
    """``name`` is the program's base name, ``args`` the words after it, ``stdin`` what it can read."""

    name: str
    args: list[Field]
    stdin: Stream
    shell: Shell
    node: str
    program: str = ""

    @property
    def files(self) -> Files:
        """The disk."""
        return self.shell.files

    @property
    def cwd(self) -> str:
        """The directory it runs in."""
        return self.shell.state.cwd

    def path(self, text: str) -> str:
        """An operand as an absolute path."""
        return absolute(self.cwd, text)

    def info(self, operand: Field) -> FileInfo | None:
        """What the disk says of an operand; None also when too many were asked about."""
        if not operand.known or operand.stream is not None or "\n" in operand.text or not self.shell.fuel.visit(8):
            return None
        return self.files.info(self.path(operand.text))

    def trees(self, operands: list[Field]) -> Roots | None:
        """The directories among some operands, as trees that are walked."""
        found = tuple(self.path(o.text) for o in operands if (info := self.info(o)) is not None and info.kind == "dir")
        return Roots(found) if found else None

    def act(self, verb: Verb, operands: list[Field], passage: Passage = "verbatim", **more: Any) -> Draft:  # noqa: ANN401 - fields of Draft
        """A new act on ``operands``. ``more`` are fields of ``Draft``."""
        named = [operand for operand in operands if operand.stream is None and (operand.text or not operand.known)]
        draft = Draft(verb, self.name, more.pop("cwd", self.cwd), self.node, 0, passage=passage)
        draft.paths = [absolute(draft.cwd, operand.text) for operand in named if operand.known]
        draft.words = [operand.text for operand in named if operand.known]
        draft.exact = not self.shell.inexact and all(o.known and o.exact for o in named)
        for name, value in more.items():
            setattr(draft, name, value and draft.exact if name == "exact" else value)
        return self.shell.register(draft)

    def write(self, targets: list[Field], sources: list[str], **more: Any) -> Draft:  # noqa: ANN401 - fields of Draft
        """A new act that writes ``targets``."""
        verb: Verb = more.pop("verb", "write")
        draft = self.act(verb, [], "nothing", **more)
        draft.targets = [self.path(t.text) for t in targets if t.known and t.text]
        draft.sources = sources
        draft.words = [t.text for t in targets if t.known and t.text]
        draft.exact = draft.exact and all(t.known and t.exact for t in targets)
        return draft

    def through(self, passage: Passage) -> Stream:
        """Standard input as it leaves this filter; an act of its own where it is a file (``< f``)."""
        if self.stdin.file is None:
            return Stream(self.stdin.weaken(passage).drafts, None, None, self.stdin.literal)
        path, word = self.stdin.file
        draft = self.act("read", [], passage)
        draft.paths, draft.words = [path], [word]
        return Stream([draft])

    def input_lines(self) -> Lines | None:
        """The lines of standard input, where known."""
        if self.stdin.file is not None:
            text = self.shell.text_of(self.stdin.file[0])
            return None if text is None else lines_of(text)
        return self.stdin.known()


Utility = Callable[[Call], Stream]


def lines_of(text: str) -> Lines:
    """``text`` as lines."""
    parts = text.split("\n")
    return Lines(tuple(parts[:-1] if parts and parts[-1] == "" else parts))


def separate(operands: list[Field]) -> tuple[list[Field], list[Stream], bool]:
    """Operands that are files, streams of ``<(…)`` among them, and whether ``-`` (standard input) is one."""
    named = [o for o in operands if o.stream is None and o.text not in ("-", "/dev/stdin")]
    streams = [o.stream for o in operands if o.stream is not None]
    dash = any(o.stream is None and o.text in ("-", "/dev/stdin") for o in operands)
    return named, streams, dash


def talk(call: Call) -> Stream:
    """A call that prints something of its own, which belongs to no file (``--help``, a branch's name, ``jobs``)."""
    call.stdin.hide()
    return Stream(literal=True)


def gather(call: Call, operands: list[Field], verb: Verb, passage: Passage, **more: Any) -> Stream:  # noqa: ANN401 - fields of Draft
    """The common shape: files as operands, else standard input; what is shown of each passes ``passage``."""
    named, streams, dash = separate(operands)
    out = Stream()
    if named:
        out.drafts.append(call.act(verb, named, passage, **more))
    for stream in streams:
        out.join(Stream(stream.weaken(passage).drafts, None, None, stream.literal))
    if dash or not operands:
        piped = call.through(passage)
        for draft in piped.drafts:
            if call.stdin.file is not None:
                draft.verb = verb
                draft.lines = more.get("lines", draft.lines)
                draft.numbered = more.get("numbered", False)
        out.join(piped)
    else:
        call.stdin.hide()
    return out
