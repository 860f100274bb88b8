"""What the walk knows of the shell at one point: directory, variables, functions, options."""

from __future__ import annotations

import os.path
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

#: Relative paths that need no normalising: most of them.
_CLEAN = re.compile(r"(?:[^./\0][^/\0]*/)*[^./\0][^/\0]*").fullmatch

if TYPE_CHECKING:
    from tabshell.access.acts import Passage
    from tabshell.access.bash.nodes import Node
    from tabshell.access.bash.streams import Draft, Lines


@dataclass(frozen=True, slots=True)
class Value:
    """A variable's value; None: set to something that the walk does not know.

    ``shows`` are acts whose output it holds (``x=$(head -1 f)``), each with the passage it had: whoever
    prints the value shows it. ``lines`` keeps the lines where the text came from a command.
    """

    text: str | None
    shows: tuple[tuple[Draft, Passage], ...] = ()
    lines: Lines | None = None

    @property
    def exact(self) -> bool:
        """Whether this is surely the value."""
        return self.text is not None and (self.lines is None or self.lines.exact)


@dataclass(slots=True)
class State:
    """The shell's state. ``copy`` before a subshell."""

    cwd: str
    home: str | None
    variables: dict[str, Value] = field(default_factory=dict)
    arrays: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    functions: dict[str, tuple[Node, str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    positional: tuple[Value, ...] = ()
    name: str = "bash"
    options: set[str] = field(default_factory=set)
    oldpwd: str | None = None
    stack: list[str] = field(default_factory=list)
    #: text of files that this very command wrote, where known (a script made by a here-document)
    written: dict[str, str] = field(default_factory=dict)
    #: files that further descriptors read (``exec 3< file``): path and word
    inputs: dict[int, tuple[str, str]] = field(default_factory=dict)
    #: where ``exec >file`` sent everything from here on
    sent_to: str | None = None

    def copy(self) -> State:
        """A state of its own for a subshell."""
        return replace(
            self,
            variables=dict(self.variables),
            arrays=dict(self.arrays),
            functions=dict(self.functions),
            aliases=dict(self.aliases),
            options=set(self.options),
            stack=list(self.stack),
            inputs=dict(self.inputs),
        )

    def absolute(self, text: str) -> str:
        """The path that ``text`` names here, normalised."""
        return absolute(self.cwd, text)


def absolute(cwd: str, text: str) -> str:
    """``text`` as an absolute normalised path; ``//`` at the front is one ``/``."""
    bare = text[2:] if text.startswith("./") else text
    if _CLEAN(bare) and cwd != "/":
        return f"{cwd}/{bare}"
    path = os.path.normpath(os.path.join(cwd, text))
    return path[1:] if path.startswith("//") else path
