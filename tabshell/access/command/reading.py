"""Assignments and ``read``: how values get into variables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabshell.access.bash import nodes
from tabshell.access.bash.arithmetic import evaluate
from tabshell.access.bash.options import parse
from tabshell.access.bash.state import Value

if TYPE_CHECKING:
    from tabshell.access.acts import Passage
    from tabshell.access.bash.streams import Draft
    from tabshell.access.command.walk import Walk


def assign(walk: Walk, assignment: nodes.Assignment) -> None:
    """One assignment into the shell's state."""
    state, name = walk.state, assignment.name
    if assignment.items and all(_KEYED.match(item) for item in assignment.items):
        for item in assignment.items:
            key, _, raw = item[1:].partition("]=")
            _assign_element(walk, name, key, walk.expander.single(raw))
        return
    if assignment.items is not None:
        values = tuple(field.value for field in walk.expander.words(_plain_items(assignment.items)))
        state.arrays[name] = (state.arrays.get(name, ()) if assignment.append else ()) + values
        state.variables.pop(name, None)
        return
    value = walk.expander.single(assignment.value)
    if assignment.index is not None:
        _assign_element(walk, name, assignment.index, value)
        return
    if assignment.append:
        before = state.variables.get(name, Value(""))
        text = None if before.text is None or value.text is None else before.text + value.text
        value = Value(text[-65536:] if text is not None else None, before.shows + value.shows, value.lines)
    state.variables[name] = value
    if name == "IFS" and value.text is None:
        state.variables.pop(name)


_KEYED = re.compile(r"\[[^\]]*\]=")


def _plain_items(items: tuple[str, ...]) -> tuple[str, ...]:
    """``(a [3]=b)`` without the indices."""
    return tuple(re.sub(r"^\[[^\]]*\]=", "", item) for item in items)


def _assign_element(walk: Walk, name: str, index: str, value: Value) -> None:
    values = walk.state.arrays.get(name, ())
    at = evaluate(index, walk.expander.number)
    if at is None:
        key = walk.expander.single(index).text
        if key is not None:
            walk.state.variables[f"{name}[{key}]"] = value
    if at is None or not 0 <= at < len(values):
        walk.state.arrays[name] = (*values, value)
    else:
        walk.state.arrays[name] = (*values[:at], value, *values[at + 1 :])


@dataclass(frozen=True, slots=True)
class Read:
    """A ``read`` command: the variables it fills, or the array, the separators, and where it reads from."""

    names: tuple[str, ...]
    array: str | None
    separator: str | None
    null: bool
    descriptor: int = 0

    @property
    def passage(self) -> Passage:
        """What becomes of a line: it is taken as a whole, or word by word."""
        return "cut" if len(self.names) == 1 and self.array is None else "altered"


def reads_lines(condition: nodes.Node) -> Read | None:
    """The ``read`` that a ``while`` loop turns on, or None."""
    if isinstance(condition, nodes.Sequence) and condition.parts:
        return reads_lines(condition.parts[0][1])
    if not isinstance(condition, nodes.Simple) or condition.words[:1] != ("read",):
        return None
    separator = next((a.value.strip("\"'") for a in condition.assignments if a.name == "IFS"), None)
    return read_words([_bare(word) for word in condition.words[1:]], separator)


def _bare(word: str) -> str:
    return re.sub(r"['\"$]", "", word)


def read_words(words: list[str], separator: str | None) -> Read:
    """The words after ``read``."""
    from tabshell.access.bash.expand import Field  # noqa: PLC0415 - expand imports the state, which is below

    parsed = parse([Field(w, w) for w in words], "adinNptu")
    names = tuple(o.text for o in parsed.operands)
    null = parsed.has("d") and parsed.value("d") in ("", "\\0", "0")
    from_where = parsed.value("u") or ""
    descriptor = int(from_where) if from_where.isdecimal() else 0
    return Read(names or (() if parsed.has("a") else ("REPLY",)), parsed.value("a"), separator, null, descriptor)


def bind_read(walk: Walk, read: Read, line: str | None, shows: tuple[tuple[Draft, Passage], ...]) -> None:
    """Puts a line (None: unknown) into the variables of ``read``."""
    state = walk.state
    if line is None:
        for name in read.names:
            state.variables[name] = Value(None, shows)
        if read.array is not None:
            state.arrays[read.array] = (Value(None, shows),)
        return
    if read.array is not None:
        state.arrays[read.array] = tuple(Value(word, shows) for word in _cut(line, read.separator, -1))
        return
    parts = [line] if len(read.names) == 1 else _cut(line, read.separator, len(read.names) - 1)
    if len(read.names) == 1 and read.separator is None:
        parts = [line.strip()]
    for number, name in enumerate(read.names):
        state.variables[name] = Value(parts[number] if number < len(parts) else "", shows)


def _cut(line: str, separator: str | None, limit: int) -> list[str]:
    if separator == "":
        return [line]
    if separator is None or separator.isspace():
        return line.split(None, limit)
    return line.split(separator[0], limit)
