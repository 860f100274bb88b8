"""What filters make of known lines, so that a list of paths can be followed through a pipe.

All take and give ``Lines``. Where a filter picks among lines whose order or presence is not sure, all stay and
the result is inexact; where it changes text in a way not followed here, the result is None.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tabshell.access.bash.streams import Lines

if TYPE_CHECKING:
    from collections.abc import Callable

#: Lines longer than this, in characters, are seldom names; so many characters of them are looked at.
LONG, PROSE = 160, 16_384


def lazily(
    source: Callable[[], Lines | None] | None, change: Callable[[Lines], Lines | None]
) -> Callable[[], Lines | None] | None:
    """``change`` applied when the lines are asked for."""
    if source is None:
        return None

    def compute() -> Lines | None:
        lines = source()
        return None if lines is None else change(lines)

    return compute


def first(count: int | None) -> Callable[[Lines], Lines | None]:
    """``head -n count``; negative: all but the last ones."""

    def change(lines: Lines) -> Lines | None:
        if count is None:
            return None
        if not (lines.exact and lines.ordered):
            return lines.some(lines.values, exact=False)
        return lines.some(lines.values[:count])

    return change


def last(count: int | None, *, start: bool = False) -> Callable[[Lines], Lines | None]:
    """``tail -n count``, or from line ``count`` on (``start``)."""

    def change(lines: Lines) -> Lines | None:
        if count is None:
            return None
        if not (lines.exact and lines.ordered):
            return lines.some(lines.values, exact=False)
        if start:
            return lines.some(lines.values[max(count - 1, 0) :])
        return lines.some(lines.values[-count:] if count else ())

    return change


def between(begin: int, end: int | None) -> Callable[[Lines], Lines | None]:
    """``sed -n 'begin,endp'``."""

    def change(lines: Lines) -> Lines | None:
        if not (lines.exact and lines.ordered):
            return lines.some(lines.values, exact=False)
        return lines.some(lines.values[max(begin - 1, 0) : end])

    return change


def ordered(*, reverse: bool, unique: bool, plain: bool) -> Callable[[Lines], Lines | None]:
    """``sort``. Not ``plain``: by a key or as numbers, so the order is not followed."""

    def change(lines: Lines) -> Lines | None:
        values = tuple(dict.fromkeys(lines.values)) if unique else lines.values
        if not plain:
            return Lines(values, lines.exact, False, lines.null, lines.roots)
        return Lines(tuple(sorted(values, reverse=reverse)), lines.exact, True, lines.null, lines.roots)

    return change


def distinct(lines: Lines) -> Lines | None:
    """``uniq``."""
    kept = [v for i, v in enumerate(lines.values) if not i or lines.values[i - 1] != v]
    return lines.some(tuple(kept))


def matching(pattern: re.Pattern[str] | None, *, invert: bool, only: bool = False) -> Callable[[Lines], Lines | None]:
    """``grep``: lines that match; all of them, inexact, where the pattern is not followed."""

    def change(lines: Lines) -> Lines | None:
        if pattern is None or _is_prose(lines):
            return None if only else lines.some(lines.values, exact=False)
        if only:
            found = tuple(m[0] for value in lines.values for m in pattern.finditer(value) if m[0])
            return lines.some(found)
        return lines.some(tuple(v for v in lines.values if (pattern.search(v) is None) == invert))

    return change


def each(change: Callable[[str], str | None]) -> Callable[[Lines], Lines | None]:
    """A change of every line by itself; None drops the line."""

    def apply(lines: Lines) -> Lines | None:
        if _is_prose(lines):
            return None
        changed = [change(value) for value in lines.values]
        return lines.some(tuple(value for value in changed if value is not None))

    return apply


def _is_prose(lines: Lines) -> bool:
    """Whether this is no list of names but a text, or a table, of long lines: a pattern may take very long on those."""
    return sum(len(value) for value in lines.values if len(value) > LONG) > PROSE


def fields(separator: str | None, numbers: list[int]) -> Callable[[Lines], Lines | None]:
    """``cut -d -f`` (a separator) or ``awk '{print $n}'`` (white space); 0 is the whole line, -1 the last."""

    def change(line: str) -> str | None:
        parts = line.split() if separator is None else line.split(separator)
        if separator is not None and len(parts) == 1:
            return line
        picked = []
        for number in numbers:
            if number == 0:
                picked.append(line)
            elif number < 0:
                picked.append(parts[-1] if parts else "")
            else:
                picked.append(parts[number - 1] if number <= len(parts) else "")
        return (" " if separator is None else separator).join(picked)

    return each(change)


def basic_pattern(
    text: str, *, extended: bool, fixed: bool, ignore_case: bool, whole: bool = False
) -> re.Pattern[str] | None:
    """A POSIX pattern as one of Python's, or None where the two differ too much."""
    flags = re.I if ignore_case else 0
    if fixed:
        return re.compile(re.escape(text), flags)
    source = text if extended else _extended(text)
    source = re.sub(r"\[\[:(\w+):\]\]", lambda m: _CLASSES.get(m[1], "."), source)
    if len(source) > 500 or re.search(r"\\[<>]|\[\[|\(\?|\[[^\]]*(?:&&|--|~~|\|\|)", source) or _NESTED.search(source):
        return None
    try:
        return re.compile(f"(?:{source})" if not whole else f"^(?:{source})$", flags)
    except re.error:
        return None


#: A repeated group with a repetition or a choice in it: such patterns may take for ever.
_NESTED = re.compile(r"\([^()]*[*+|}][^()]*\)[*+{]")
_CLASSES = {
    "space": r"\s",
    "digit": r"\d",
    "alpha": "[A-Za-z]",
    "alnum": "[A-Za-z0-9]",
    "upper": "[A-Z]",
    "lower": "[a-z]",
}


def _extended(basic: str) -> str:
    """A basic regular expression as an extended one: ``\\(`` and ``(`` change places."""

    def swap(match: re.Match[str]) -> str:
        token = match[0]
        if token.startswith("["):
            return token
        return token[1:] if token.startswith("\\") else "\\" + token

    return re.sub(r"\[[^\]]*\]|\\[(){}|+?]|[(){}|+?]", swap, basic)
