"""JSON settings that a person wrote by hand, changed where we must and nowhere else. Pure.

In: the text of a settings file, also with comments (``//``, ``/* */``) and commas behind the last item, as editors
and some agents allow. Out: the same text with one item more, or one less; spacing, order, comments and line ends
stay. What ``added`` put in, ``removed`` takes out again to the byte. Raises ValueError, with the line, where the
text is no such JSON.
"""

from __future__ import annotations

import json
import re

from tabshell.model.light import dataclass

_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|(?:/\*[^\r\n]*?\*/[ \t]*)*)(?=\r?\n)")
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|(//[^\n]*|/\*.*?\*/)', re.DOTALL)
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Item:
    """A value with its place. ``begin`` is that of its key in an object; ``comma`` where the comma behind it ends,
    or None. ``items`` are those of an object or array; ``value`` is the whole as Python has it."""

    begin: int
    start: int
    end: int
    key: str | None
    value: object
    items: tuple[Item, ...]
    comma: int | None = None

    def __getitem__(self, key: str) -> Item | None:
        """The item of that key (of several the last, as JSON parsers take it)."""
        return next((item for item in reversed(self.items) if item.key == key), None)


def read(text: str) -> Item:
    """The text as a tree. Raises ValueError."""
    try:
        root = _value(text, _skip(text, 0), None)
    except RecursionError:
        msg = "it is nested too deeply"
        raise ValueError(msg) from None
    if _skip(text, root.end) != len(text):
        raise _wrong(text, _skip(text, root.end))
    return root


def liberty(text: str, *, comments: bool) -> str | None:
    """What a text has, with its line, that a strict parser of JSON would refuse (one that skips ``comments`` or one
    that does not); None where it has nothing of the kind. For texts that ``read`` takes."""
    found = next((comment for comment in _COMMENT.finditer(text) if comment[1]), None)
    if found is not None and not comments:
        return f"a comment in line {text.count(chr(10), 0, found.start()) + 1}"
    bare = _COMMENT.sub(lambda one: re.sub(r"[^\n]", " ", one[0]) if one[1] else one[0], text)
    try:
        json.loads(bare.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        return f"a comma too many before line {error.lineno}, column {error.colno}"
    return None


def added(text: str, within: Item, key: str | None, value: object) -> str:
    """``text`` with ``value`` as the last item of an object (under ``key``) or array that ``read`` gave."""
    mark = text[within.start]
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    newline = "\r\n" if "\r\n" in text else "\n"
    last = within.items[-1] if within.items else None
    indent = _indent_of_items(text, within)
    if indent is None:
        written = name + json.dumps(value, ensure_ascii=False)
        if last is None:
            return f"{text[: within.start + 1]}{written}{text[within.start + 1 :]}"
        at, behind = (last.end, "") if last.comma is None else (last.comma, ",")
        return f"{text[:at]}{'' if behind else ','} {written}{behind}{text[at:]}"
    unit = _unit(text, within, indent)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    written = f"{newline}{indent}{name}{(newline + indent).join(lines)}"
    if last is None:
        closing = {"{": "}", "[": "]"}[mark]
        outer = indent[: len(indent) - len(unit)] if text[within.start + 1] == closing else None
        tail = "" if outer is None else f"{newline}{outer}"
        return f"{text[: within.start + 1]}{written}{tail}{text[within.start + 1 :]}"
    at = last.end if last.comma is None else last.comma
    rest = _REST_OF_LINE.match(text, at)
    line_end = rest.end() if rest and rest.end() < within.end else at
    comma, behind = (",", "") if last.comma is None else ("", ",")
    return f"{text[:at]}{comma}{text[at:line_end]}{written}{behind}{text[line_end:]}"


def removed(text: str, within: Item, item: Item) -> str:
    """``text`` without one of the items of ``within``, and without the comma that it needed."""
    position = within.items.index(item)
    before = within.items[position - 1] if position else None
    begin = item.begin
    while begin > within.start + 1 and text[begin - 1] in " \t":
        begin -= 1
    if text[begin - 1] == "\n":
        begin -= 2 if text[begin - 2] == "\r" else 1
    end = item.end if item.comma is None else item.comma
    if before is None and item is within.items[-1] and not text[end : within.end - 1].strip():
        return f"{text[: within.start + 1]}{text[within.end - 1 :]}"  # nothing is left in it
    if item.comma is None and before is not None and before.comma is not None:
        return f"{text[: before.comma - 1]}{text[before.comma : begin]}{text[end:]}"
    return f"{text[:begin]}{text[end:]}"


def replaced(text: str, item: Item, value: object) -> str:
    """``text`` with another value in the place of one."""
    return f"{text[: item.start]}{json.dumps(value, ensure_ascii=False)}{text[item.end :]}"


def _indent_of_items(text: str, within: Item) -> str | None:
    """The white space before an item on a line of its own; None where all stand on one line."""
    if within.items:
        first = within.items[0].begin
        line = text.rfind("\n", 0, first) + 1
        return text[line:first] if line > within.start and not text[line:first].strip() else None
    if _skip(text, 0) == within.start or "\n" in text[: within.start]:
        line = text.rfind("\n", 0, within.start) + 1
        leading = re.match(r"[ \t]*", text[line:])
        return (leading[0] if leading else "") + _unit(text)
    return None


def _unit(text: str, within: Item | None = None, indent: str = "") -> str:
    """One step of indentation: that of the items of ``within``, else as the first indented line has it."""
    if within is not None:
        line = text.rfind("\n", 0, within.begin) + 1
        outer = text[line : within.begin]
        if not outer.strip() and indent.startswith(outer) and len(indent) > len(outer):
            return indent[len(outer) :]
    first = re.search(r"(?m)^([ \t]+)\S", text)
    return first[1] if first else "  "


def _value(text: str, at: int, key: tuple[str, int] | None) -> Item:
    """The value that begins at ``at``; ``key`` is its name and where that begins."""
    name, begin = key or (None, at)
    mark = text[at : at + 1]
    if mark not in ("{", "["):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except ValueError:
            raise _wrong(text, at) from None
        return Item(begin, at, end, name, value, ())
    items: list[Item] = []
    closing = "}" if mark == "{" else "]"
    here = _skip(text, at + 1)
    while text[here : here + 1] != closing:
        if items and items[-1].comma is None:
            raise _wrong(text, here)
        item = _value(text, *_named(text, here)) if mark == "{" else _value(text, here, None)
        here = _skip(text, item.end)
        comma = here + 1 if text[here : here + 1] == "," else None
        items.append(Item(item.begin, item.start, item.end, item.key, item.value, item.items, comma))
        here = here if comma is None else _skip(text, comma)
    whole = {item.key: item.value for item in items} if mark == "{" else [item.value for item in items]
    return Item(begin, at, here + 1, name, whole, tuple(items))


def _named(text: str, at: int) -> tuple[int, tuple[str, int]]:
    """Where a member's value begins, its key, and where that begins."""
    if text[at : at + 1] != '"':
        raise _wrong(text, at)
    try:
        key, end = _DECODER.raw_decode(text, at)
    except ValueError:
        raise _wrong(text, at) from None
    colon = _skip(text, end)
    if text[colon : colon + 1] != ":":
        raise _wrong(text, colon)
    return _skip(text, colon + 1), (key, at)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _wrong(text: str, at: int) -> ValueError:
    line = text.count("\n", 0, at) + 1
    found = text[at : at + 20].partition("\n")[0]
    return ValueError(f"line {line}: {found!r} was not expected" if found else f"line {line}: it ends too early")
