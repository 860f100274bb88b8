"""Parameter expansion: ``$x``, ``${x:-y}``, ``${x%.*}``, ``${x##*/}``, ``${x/a/b}``, ``${x:1:2}``, ``${x^^}``, arrays.

The value of an unset variable is None (unknown), not empty: it may have come with the environment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tabshell.access.bash.arithmetic import evaluate
from tabshell.access.bash.state import Value
from tabshell.access.paths import patterns

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.bash.expand import Expander
    from tabshell.access.bash.words import Variable

_UNKNOWN = Value(None)


class Parameters:
    """Looks parameters up in the expander's state and applies their operators."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander

    def value(self, part: Variable) -> Value:
        """The value of a parameter expansion as one text."""
        if part.length:
            return self.length(part)
        if part.indirect:
            named = self.plain(part.name, None)
            return _UNKNOWN if not named.text else self.plain(named.text, None)
        if part.name in ("@", "*") or part.index in ("@", "*"):
            values = self.elements(part)
            return _UNKNOWN if values is None else _joined(values)
        return self.operated(self.plain(part.name, part.index), part)

    def many(self, part: Variable) -> tuple[Value, ...] | None:
        """The values of ``"$@"`` or ``"${a[@]}"``, each a word of its own; None for all others."""
        several = part.name == "@" or part.index == "@" or (not part.quoted and "*" in (part.name, part.index))
        if not several or part.length or part.indirect:
            return None
        return self.elements(part)

    def elements(self, part: Variable) -> tuple[Value, ...] | None:
        """All values of ``$@`` or of an array."""
        state = self.expander.state
        if part.name in ("@", "*"):
            values: tuple[Value, ...] | None = state.positional
        else:
            values = state.arrays.get(part.name)
            if values is None and part.name in state.variables:
                values = (state.variables[part.name],)
        if values is None:
            return None
        if part.operator == ":":
            base = (Value(state.name), *values) if part.name in ("@", "*") else values
            return self.sliced(base, part.argument)
        if part.operator in ("", "@"):
            return values
        return tuple(self.operated(value, part) for value in values)

    def plain(self, name: str, index: str | None) -> Value:
        """The value of a variable, a positional or a special parameter."""
        state = self.expander.state
        if name.isdigit():
            number = int(name)
            if number == 0:
                return Value(state.name)
            return state.positional[number - 1] if number <= len(state.positional) else Value("")
        if name == "#":
            return Value(str(len(state.positional)))
        if name in ("PWD", "OLDPWD", "HOME") and name not in state.variables:
            return Value({"PWD": state.cwd, "OLDPWD": state.oldpwd, "HOME": state.home}[name])
        if index is not None and index not in ("@", "*"):
            key = self.expander.single(index).text
            if f"{name}[{key}]" in state.variables:
                return state.variables[f"{name}[{key}]"]
        if name in state.arrays:
            return self.element(state.arrays[name], index)
        return state.variables.get(name, _UNKNOWN)

    def element(self, values: tuple[Value, ...], index: str | None) -> Value:
        """One element of an array; of one whose content is not known, whatever it holds."""
        if len(values) == 1 and values[0].text is None:
            return values[0]
        at = 0 if index is None else evaluate(index, self.expander.number)
        if at is None or not -len(values) <= at < len(values):
            return _UNKNOWN
        return values[at]

    def length(self, part: Variable) -> Value:
        """``${#x}``, ``${#a[@]}``."""
        if part.index in ("@", "*") or part.name in ("@", "*"):
            values = self.elements(part)
            return _UNKNOWN if values is None else Value(str(len(values)))
        text = self.plain(part.name, part.index).text
        return _UNKNOWN if text is None else Value(str(len(text)))

    def operated(self, value: Value, part: Variable) -> Value:
        """A value after its operator."""
        operator = part.operator
        if not operator or operator == "@":
            return value
        if operator in (":-", "-", ":=", "="):
            # Unknown is most often unset: the word that stands there is what a reader would expect.
            kept = value.text or (value.text is not None and operator[0] != ":")
            return value if kept else self.expander.single(part.argument)
        if operator in (":+", "+"):
            there = value.text or (value.text is not None and operator == "+")
            return self.expander.single(part.argument) if there else Value("")
        if operator in (":?", "?") or value.text is None:
            return value
        return Value(self.changed(value.text, operator, part.argument), value.shows, value.lines)

    def changed(self, text: str, operator: str, argument: str) -> str | None:
        """A text after its operator."""
        if operator == ":":
            return self.substring(text, argument)
        if operator in ("^", "^^", ",", ",,"):
            change: Callable[[str], str] = str.upper if operator[0] == "^" else str.lower
            return change(text) if len(operator) == 2 else change(text[:1]) + text[1:]
        if operator in ("/", "//"):
            return self.replaced(text, argument, every=operator == "//")
        pattern = self.expander.pattern(argument)
        if pattern is None:
            return None
        match = patterns.compiled(pattern).match
        if len(text) > 4096:
            return None
        sizes = range(len(text) + 1) if len(operator) == 1 else range(len(text), -1, -1)
        for size in sizes:
            if operator[0] == "#" and match(text[:size]):
                return text[size:]
            if operator[0] == "%" and match(text[len(text) - size :]):
                return text[: len(text) - size]
        return text

    def replaced(self, text: str, argument: str, *, every: bool) -> str | None:
        """``${x/pattern/text}``."""
        raw, _, replacement = _split_pattern(argument)
        anchor = raw[:1] if raw[:1] in ("#", "%") and not every else ""
        pattern = self.expander.pattern(raw[len(anchor) :])
        by = self.expander.single(replacement).text
        if pattern is None or by is None:
            return None
        source = patterns.compiled(pattern).pattern.removesuffix(r"\Z")
        source = {"#": r"\A", "%": ""}.get(anchor, "") + f"(?:{source})" + (r"\Z" if anchor == "%" else "")
        try:
            return re.sub(source, lambda _: by, text[:65536], count=0 if every else 1, flags=re.S)
        except (re.error, RecursionError):
            return None

    def substring(self, text: str, argument: str) -> str | None:
        """``${x:1:2}``."""
        found = self.bounds(argument, len(text))
        return None if found is None else text[found[0] : found[1]]

    def sliced(self, values: tuple[Value, ...], argument: str) -> tuple[Value, ...] | None:
        """``${a[@]:1:2}``."""
        found = self.bounds(argument, len(values))
        return None if found is None else values[found[0] : found[1]]

    def bounds(self, argument: str, size: int) -> tuple[int, int] | None:
        """First and last index of a slice."""
        first, _, count = argument.partition(":")
        start = evaluate(first, self.expander.number)
        if start is None:
            return None
        start = max(size + start, 0) if start < 0 else start
        if not count:
            return start, size
        length = evaluate(count, self.expander.number)
        if length is None:
            return None
        return start, size + length if length < 0 else start + length


def _split_pattern(argument: str) -> tuple[str, str, str]:
    """``pattern/replacement`` at the first slash that is not quoted."""
    match = re.match(r"((?:\\.|'[^']*'|\"[^\"]*\"|[^/\\'\"])*)(/?)(.*)", argument, re.S)
    return (match[1], match[2], match[3]) if match else (argument, "", "")


def _joined(values: tuple[Value, ...]) -> Value:
    texts = [value.text for value in values]
    shows = tuple(show for value in values for show in value.shows)
    if any(text is None for text in texts):
        return Value(None, shows)
    return Value(" ".join(text for text in texts if text is not None), shows)
