"""Abstract values of a Python script: the texts that an expression may have, where they are paths or names.

A ``Texts`` stands for one of its members (``many`` False: a loop's variable) or for a sequence of them (``many``).
Each member may keep the path that it was made of (``basename(f)`` keeps ``f``). An expression that is no text is
None. A part of a text that is not known is ``HOLE``, which later matches anything.
"""

from __future__ import annotations

import ast
import os.path
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tabshell.access.acts import Roots

#: Members of one value.
MAX_TEXTS = 2_000
_FIELD = re.compile(r"%[-#0 +]*\d*(?:\.\d+)?[sdifr]")
#: Stands for an unknown part of a text.
HOLE = "\ue000"


@dataclass(frozen=True, slots=True)
class Member:
    """One possible text, and the path that it shows (``basename`` of it, its stem); "" where it is no path."""

    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    """Possible texts. ``exact`` is False where a condition or an unknown part left more or fewer.

    ``is_path``: an object of pathlib, so that ``/`` joins. ``ordered``: the members stand in their real order.
    """

    members: tuple[Member, ...]
    many: bool = False
    exact: bool = True
    is_path: bool = False
    ordered: bool = False

    @property
    def strings(self) -> list[str]:
        """The texts alone."""
        return [member.text for member in self.members]

    def each(self, change: Callable[[str], str], *, keep: bool = False) -> Texts:
        """Every text changed; ``keep``: the new text shows the path that the old one was."""
        return replace(
            self,
            members=tuple(Member(change(m.text), (m.path or m.text) if keep else "") for m in self.members),
        )

    def one(self) -> Texts:
        """An element of this sequence."""
        return replace(self, many=False)

    def all(self) -> Texts:
        """A sequence with these elements."""
        return replace(self, many=True)


@dataclass(slots=True)
class Findings:
    """What a script does to files. Paths are absolute, in the order of the script; each with how it was written.

    ``perhaps``: files that a condition may leave out, or that an unknown function is given. ``exact`` is False where
    something could not be followed. ``shell`` are command lines that it starts.
    """

    reads: dict[str, str] = field(default_factory=dict)
    perhaps: dict[str, str] = field(default_factory=dict)
    prints: dict[str, str] = field(default_factory=dict)
    writes: dict[str, bool] = field(default_factory=dict)
    copies: list[tuple[str, str, str]] = field(default_factory=list)
    roots: list[Roots] = field(default_factory=list)
    shell: list[str] = field(default_factory=list)
    exact: bool = True


def text(value: str) -> Texts:
    """A constant."""
    return Texts((Member(value),))


def texts(values: Iterable[str], *, exact: bool = True, is_path: bool = False) -> Texts:
    """A sequence of constants."""
    members = tuple(Member(v) for v in values)[:MAX_TEXTS]
    return Texts(members, True, exact, is_path)


def union(values: Iterable[Texts | None]) -> Texts | None:
    """Any of several; None where none is a text."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    members = tuple(dict.fromkeys(m for value in known for m in value.members))[:MAX_TEXTS]
    return Texts(members, any(v.many for v in known), all(v.exact for v in known), all(v.is_path for v in known))


def sequence(parts: list[Texts | None]) -> Texts | None:
    """A list or tuple with these elements."""
    found = union(parts)
    return None if found is None else replace(found, many=True, ordered=len(parts) == len(found.members))


def joined(left: Texts | None, right: Texts | None) -> Texts | None:
    """``left + right``; an unknown side is a hole."""
    if left is None and right is None:
        return None
    left, right = left or text(HOLE), right or text(HOLE)
    if left.many or right.many:
        return union((left, right))
    pairs = [(a, b) for a in left.members for b in right.members][:MAX_TEXTS]
    members = tuple(Member(a.text + b.text, a.path or b.path) for a, b in pairs)
    return Texts(members, False, left.exact and right.exact)


def percent(template: Texts, parts: list[Texts | None]) -> Texts:
    """``template % parts``; a field whose part has not one known text becomes a hole."""

    def fill(text_: str) -> str:
        words = iter([p.strings[0] if p is not None and len(p.members) == 1 else HOLE for p in parts])
        return _FIELD.sub(lambda m: next(words, HOLE) if m[0] in ("%s", "%r") else HOLE, text_)

    return template.each(fill)


def path_joined(parts: list[Texts | None]) -> Texts | None:
    """``os.path.join`` and ``Path / name``."""
    result: Texts | None = None
    for number, part in enumerate(parts):
        piece = (part or text(HOLE)).one()
        if number == 0 or result is None:
            result = piece
            continue
        pairs = [(a, b) for a in result.members for b in piece.members][:MAX_TEXTS]
        members = tuple(Member(os.path.join(a.text, b.text)) for a, b in pairs)
        result = Texts(members, False, result.exact and piece.exact)
    return result


def constant(node: ast.Constant) -> Texts | None:
    """A written text or number."""
    if isinstance(node.value, str):
        return text(node.value)
    if isinstance(node.value, bytes):
        return text(node.value.decode("utf-8", "surrogateescape"))
    return text(str(node.value)) if type(node.value) is int else None
