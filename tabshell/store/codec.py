"""Facts <-> the columns of one event row. Pure.

A fact's body is canonical JSON (sorted keys, no spaces, ASCII): its fields by name, those left out that equal
their default. Names that are no UTF-8 keep their surrogate escapes (``\\udcXX``). A body over ``PACK_FROM``
characters is stored compressed in the blob instead, the body column then being empty. An output chunk keeps
its bytes, compressed, in the blob.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import starmap

from tabshell.model import facts
from tabshell.model.accesses import Reason, Span, Write
from tabshell.model.facts import Fact, OutputChunk
from tabshell.model.light import Any, NamedTuple, fields_of, get_args
from tabshell.store.compact import loads, sorted_text

#: Bodies from this many characters on are compressed (a listing of 100,000 names is 5 MB of JSON).
PACK_FROM = 4096
#: Outputs up to this many bytes are packed with a window of 1 KB.
_SHORT = 1024
_FACTS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(facts.Fact)}
#: Which field holds the number that the store gives (unique within the kind).
NUMBERED: dict[str, str] = {
    "TurnStarted": "turn",
    "StreamOpened": "stream",
    "EntryLogged": "id",
    "RequirementAdded": "id",
    "NoteAdded": "id",
}


#: Which field else is kept in the number column (unique within the kind): a turn ends, is classified and is shown once.
INDEXED: dict[str, str] = {**NUMBERED, "TurnEnded": "turn", "TurnClassified": "turn", "TurnShown": "turn"}


class Row(NamedTuple):
    """One event as it is stored, without its place in the chain."""

    kind: str
    number: int | None
    body: str
    blob: bytes | None
    stream: int | None = None
    offset: int | None = None
    length: int | None = None


def _spans(value: list[Any]) -> tuple[Span, ...]:
    return tuple(starmap(Span, value))


def _writes(value: list[Any]) -> tuple[Write, ...]:
    return tuple(Write(path, tuple(sources), *rest) for path, sources, *rest in value)


def _reasons(value: list[Any]) -> tuple[Reason, ...]:
    return tuple(Reason(kind, rule, evidence, tuple(paths)) for kind, rule, evidence, paths in value)


_READERS: dict[str, Callable[[list[Any]], tuple[Any, ...]]] = {
    "spans": _spans,
    "silent": _spans,
    "wrote": _writes,
    "reasons": _reasons,
}


class _Shape(NamedTuple):
    kind: type[Any]
    defaults: tuple[tuple[str, Any], ...]
    names: frozenset[str]


def _shape(kind: type[Any]) -> _Shape:
    defaults = fields_of(kind)
    return _Shape(kind, defaults, frozenset(name for name, _ in defaults))


_SHAPES: dict[str, _Shape] = {name: _shape(kind) for name, kind in _FACTS.items()}


def encode(fact: Fact) -> Row:
    """The row of ``fact``; its number is taken as it stands."""
    kind = type(fact).__name__
    fields = {name: value for name, default in _SHAPES[kind].defaults if (value := getattr(fact, name)) != default}
    number = fields.get(INDEXED[kind]) if kind in INDEXED else None
    if isinstance(fact, OutputChunk):
        data, packed = fields.pop("data"), fields.pop("packed", None)
        return Row(kind, None, sorted_text(fields), packed or pack(data), fact.stream, fact.offset, fact.length)
    body = sorted_text(fields)
    if len(body) >= PACK_FROM:
        return Row(kind, number, "", zlib.compress(body.encode("ascii"), 1))
    return Row(kind, number, body, None)


def pack(data: bytes) -> bytes:
    """Output bytes as a blob. For a short output zlib gets short tables: clearing the usual 256 KB takes longer."""
    if len(data) > _SHORT:
        return zlib.compress(data, 1)
    packer = zlib.compressobj(1, zlib.DEFLATED, 10, 1)
    return packer.compress(data) + packer.flush()


def decode(kind: str, body: str, blob: bytes | None) -> Fact | None:
    """The fact of a row; None for a kind that this version does not know. A chunk comes without its bytes."""
    shape = _SHAPES.get(kind)
    if shape is None:
        return None
    if not body and blob is not None:
        body = zlib.decompress(blob).decode("ascii")
    fields = loads(body)
    for name, value in fields.items():
        if type(value) is list:
            if not value:
                fields[name] = ()
            elif name in _READERS:
                fields[name] = _READERS[name](value)
            else:
                fields[name] = tuple(value) if type(value[0]) is not list else _tuples(value)
    if shape.kind is OutputChunk:
        fields["data"] = b""
    if not fields.keys() <= shape.names:  # a field that this version does not know
        fields = {name: value for name, value in fields.items() if name in shape.names}
    fact: Fact = shape.kind(**fields)
    return fact


def kind_names(kinds: tuple[type[Any], ...]) -> tuple[str, ...]:
    """The names under which facts of these types are stored."""
    return tuple(kind.__name__ for kind in kinds)


def _tuples(value: list[Any]) -> tuple[Any, ...]:
    return tuple(_tuples(item) if type(item) is list else item for item in value)
