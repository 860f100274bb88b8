"""JSON with places: each object knows where in the file it stands, so that an error can say so.

In: bytes of a JSON document or of JSON lines. Out: ``Node``s, whose accessors either give a value of the
type asked for or raise ``RecordingError`` ("line 12: message.content is missing"). The line of a node deep
inside a document is found only when an error needs it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from tabshell.errors import RecordingError


@dataclass(frozen=True, slots=True)
class Node:
    """One JSON object. ``line`` is where it (or the object around it) begins; ``path`` leads to it from there."""

    value: dict[str, object]
    line: int
    path: str = ""

    def fault(self, message: str) -> RecordingError:
        """An error that names this place."""
        return RecordingError(f"line {self.line}: {message}")

    def name(self, key: str) -> str:
        """The path of one of its members, for messages."""
        return f"{self.path}.{key}" if self.path else key

    def get(self, key: str) -> object:
        """The raw member, None if there is none."""
        return self.value.get(key)

    def text(self, key: str) -> str:
        """A text that must be there."""
        found = self._there(key)
        if not isinstance(found, str):
            raise self.fault(f"{self.name(key)} is {_kind(found)}, not a text")
        return found

    def text_or_none(self, key: str) -> str | None:
        """A text, or None where it is missing or null; anything else is an error."""
        return None if self.value.get(key) is None else self.text(key)

    def number(self, key: str) -> float:
        """A number that must be there."""
        found = self._there(key)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            raise self.fault(f"{self.name(key)} is {_kind(found)}, not a number")
        return found

    def node(self, key: str) -> Node:
        """An object that must be there."""
        found = self._there(key)
        if not isinstance(found, dict):
            raise self.fault(f"{self.name(key)} is {_kind(found)}, not an object")
        return Node(found, self.line, self.name(key))

    def node_or_none(self, key: str) -> Node | None:
        """An object, or None where it is missing or null."""
        return None if self.value.get(key) is None else self.node(key)

    def nodes(self, key: str) -> list[Node]:
        """A list of objects that must be there."""
        found = self._there(key)
        if not isinstance(found, list):
            raise self.fault(f"{self.name(key)} is {_kind(found)}, not a list")
        return [self._element(key, index, item) for index, item in enumerate(found)]

    def nodes_or_none(self, key: str) -> list[Node] | None:
        """A list of objects, or None where it is missing or null."""
        return None if self.value.get(key) is None else self.nodes(key)

    def _element(self, key: str, index: int, item: object) -> Node:
        place = f"{self.name(key)}[{index}]"
        if not isinstance(item, dict):
            raise self.fault(f"{place} is {_kind(item)}, not an object")
        return Node(item, self.line, place)

    def _there(self, key: str) -> object:
        if key not in self.value:
            raise self.fault(f"{self.name(key)} is missing")
        return self.value[key]


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return names.get(type(value), "an object")


def decode(data: bytes) -> str:
    """The text of a recording; a byte order mark is dropped, bytes that are no UTF-8 are an error."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RecordingError(f"line {line}: byte 0x{data[error.start]:02x} is no UTF-8") from None


def parse(text: str, line: int = 1) -> object:
    """A JSON value; ``line`` is where ``text`` begins in its file."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise RecordingError(f"line {line + error.lineno - 1}: no valid JSON: {error.msg}") from None
    except RecursionError:
        raise RecordingError(f"line {line}: JSON is nested too deeply") from None


def json_lines(data: bytes) -> Iterator[Node]:
    """The objects of a JSON-lines file, blank lines passed over. Raises at the first line that is none, so
    that what came before has been given already."""
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            text = decode(raw) if number == 1 else raw.decode("utf-8")
        except (UnicodeDecodeError, RecordingError):
            raise RecordingError(f"line {number}: bytes that are no UTF-8") from None
        if not text.strip():
            continue
        value = parse(text, number)
        if not isinstance(value, dict):
            raise RecordingError(f"line {number}: {_kind(value)}, not an object")
        yield Node(value, number)


def document(data: bytes) -> object:
    """The value of a JSON document."""
    return parse(decode(data))


def element_lines(text: str, key: str | None) -> list[int]:
    """The lines at which the elements of a top-level list begin (``key`` None), or of the list under ``key``
    of a top-level object. For messages: as far as the text can be followed."""
    decoder, lines = json.JSONDecoder(), []
    at = _list_start(text, key, decoder)
    while at is not None and at < len(text) and text[at] not in "]":
        lines.append(text.count("\n", 0, at) + 1)
        try:
            _, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            break
        at = _skip(text, at, " \t\r\n,")
    return lines


def _list_start(text: str, key: str | None, decoder: json.JSONDecoder) -> int | None:
    """The offset of the first element of the list."""
    at = _skip(text, 0, " \t\r\n\ufeff")
    if key is None:
        return _skip(text, at + 1, " \t\r\n") if text[at : at + 1] == "[" else None
    at = _skip(text, at + 1, " \t\r\n")
    while at < len(text) and text[at] == '"':
        name, at = decoder.raw_decode(text, at)
        at = _skip(text, at, " \t\r\n:")
        if name == key:
            return _skip(text, at + 1, " \t\r\n") if text[at : at + 1] == "[" else None
        _, at = decoder.raw_decode(text, at)
        at = _skip(text, at, " \t\r\n,")
    return None


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def elements(data: bytes, value: list[object], key: str | None) -> Iterator[Node]:
    """The objects of a list of a document, each with its own line. Raises at the first that is none."""
    lines = element_lines(decode(data), key)
    for index, item in enumerate(value):
        line = lines[index] if index < len(lines) else 1
        place = f"{key or ''}[{index}]"
        if not isinstance(item, dict):
            raise RecordingError(f"line {line}: {place} is {_kind(item)}, not an object")
        yield Node(item, line, place)
