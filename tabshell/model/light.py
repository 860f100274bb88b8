"""Frozen, slotted dataclasses that start fast: the same decorator for type checkers, a light one at run time.

``tab`` and the shim are new processes for every command of an agent. The standard module costs 10 ms to import
(``inspect`` and ``ast`` come with it) and 0.7 ms for each class (it compiles every method): 35 ms of 80. Here a
class costs one compiled ``__init__``, and that when it has been used some times; the other methods are shared.
``dataclasses.replace``, ``fields`` and ``is_dataclass`` work on the classes; what ``dataclasses`` itself is needed
for is imported then.

``NamedTuple`` does what its namesake of ``typing`` does, compiling nothing before some were made. The other names of
``typing`` that stand here are for modules that start with every ``tab``: that one takes 3 ms.

Limits: always frozen, slotted and compared by value; no inheritance between them, no InitVar, no ClassVar, no
keyword-only fields. ``field`` knows ``default`` and ``default_factory``.
"""

from __future__ import annotations

from operator import attrgetter, itemgetter

__all__ = [
    "NO_DEFAULT",
    "TYPE_CHECKING",
    "Any",
    "AnyStr",
    "Generic",
    "Literal",
    "NamedTuple",
    "NoReturn",
    "TypeVar",
    "cast",
    "dataclass",
    "field",
    "fields_of",
    "get_args",
    "overload",
    "replace",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from dataclasses import dataclass, field, replace
    from typing import Any, AnyStr, Generic, Literal, NamedTuple, NoReturn, TypeVar, cast, get_args, overload
else:
    _MISSING = object()
    Any = AnyStr = NoReturn = object

    class Literal:
        """What ``get_args`` gives back; annotations are not looked at."""

        def __class_getitem__(cls, values: Any) -> tuple[Any, ...]:
            return values if isinstance(values, tuple) else (values,)

    class Generic:
        """A class that takes other types; they are for type checkers alone."""

        __slots__ = ()

        def __class_getitem__(cls, _types: Any) -> type:
            return cls

    def TypeVar(_name: str) -> Any:  # noqa: N802 - it stands for a class
        """Stands for a type."""
        return object

    def cast(_kind: Any, value: Any) -> Any:
        """``value``."""
        return value

    def overload(function: Any) -> Any:
        """The function, which the one behind it replaces."""
        return function

    def get_args(kind: Any) -> tuple[Any, ...]:
        """The members of a union or of a ``Literal`` made here."""
        return kind if isinstance(kind, tuple) else kind.__args__

    def field(*, default: Any = _MISSING, default_factory: Any = _MISSING) -> Any:
        """A field's default, or how to make one."""
        return default if default_factory is _MISSING else _Made(default_factory)

    def dataclass(*, frozen: bool, slots: bool):  # noqa: ANN201 - a class decorator
        """Makes the class a frozen, slotted dataclass."""
        if not (frozen and slots):
            msg = "only frozen, slotted dataclasses are made here; use the standard module"
            raise TypeError(msg)
        return _made

    def replace(instance: Any, /, **changes: Any) -> Any:
        """A copy of ``instance`` with other values in some fields."""
        for name in instance.__slots__:
            changes.setdefault(name, getattr(instance, name))
        return type(instance)(**changes)

    class _Named(type):
        """Makes a named tuple of a class body; the types of its fields are for type checkers alone."""

        def __new__(mcs, name: str, _bases: Any, body: dict[str, Any]) -> type:
            names = list(body["__annotations__"])
            given = [field for field in names if field in body]
            if names[len(names) - len(given) :] != given:
                msg = f"a field of {name} without a default follows one with a default"
                raise TypeError(msg)
            methods = {key: value for key, value in body.items() if key not in names}
            return type.__new__(type, name, (tuple,), {**_tuple_members(tuple(names), body), **methods})

    NamedTuple = type.__new__(_Named, "NamedTuple", (), {})


class _Made:
    """A default that is made anew for each instance."""

    def __init__(self, factory: Any) -> None:
        self.factory = factory


#: Stands where a field has no default.
NO_DEFAULT = object()


def fields_of(kind: type) -> tuple[tuple[str, Any], ...]:
    """The fields of a class made here with their defaults, in order."""
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
    defaults: dict[str, Any] = kind.__defaults__  # type: ignore[attr-defined]
    return tuple((name, defaults.get(name, NO_DEFAULT)) for name in names)


class _Fields:
    """``__dataclass_fields__``, made by the standard module when somebody asks."""

    def __init__(self, names: dict[str, Any], defaults: dict[str, Any]) -> None:
        self._names, self._defaults = names, defaults

    def __get__(self, _instance: object, owner: type) -> Any:
        import dataclasses  # noqa: PLC0415 - the point of this module

        twin = dataclasses.make_dataclass(
            owner.__name__,
            [
                (name, kind, _standard(self._defaults[name])) if name in self._defaults else (name, kind)
                for name, kind in self._names.items()
            ],
        )
        made = twin.__dataclass_fields__  # type: ignore[attr-defined]
        type.__setattr__(owner, "__dataclass_fields__", made)
        return made


def _standard(default: Any) -> Any:
    import dataclasses  # noqa: PLC0415

    if isinstance(default, _Made):
        return dataclasses.field(default_factory=default.factory)
    return dataclasses.field(default=default)


def _made(cls: type) -> type:
    names: dict[str, Any] = dict(cls.__annotations__)
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    members = {name: value for name, value in cls.__dict__.items() if name not in defaults}
    for name in ("__dict__", "__weakref__"):
        members.pop(name, None)
    values = attrgetter(*names) if names else _nothing
    members |= {
        "__slots__": tuple(names),
        "__match_args__": tuple(names),
        "__init__": _compiling(cls, names, defaults),
        "__eq__": lambda self, other: values(self) == values(other) if type(other) is type(self) else NotImplemented,
        "__hash__": lambda self: hash(values(self)),
        "__repr__": _shown,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__getstate__": lambda self: [getattr(self, name) for name in names],
        "__setstate__": _set_state,
        "__defaults__": defaults,
        "__dataclass_fields__": _Fields(names, defaults),
    }
    return type(cls)(cls.__name__, cls.__bases__, members)


#: How many instances are made without a constructor of their own. Compiling one takes as long as making fifty: a call
#: of ``tab`` makes a few of each of twenty classes.
_FEW = 8


def _fitting(
    names: Sequence[str], defaults: Mapping[str, Any], values: tuple[Any, ...], named: dict[str, Any]
) -> list[Any] | None:
    """The values of all fields; None where the arguments do not fit (what is compiled then says why)."""
    given = {**dict(zip(names, values)), **named}  # noqa: B905 - more values than names do not fit
    if len(given) != len(values) + len(named):
        return None
    found = []
    for name in names:
        if name in given:
            found.append(given.pop(name))
        elif name in defaults:
            default = defaults[name]
            found.append(default.factory() if type(default) is _Made else default)
        else:
            return None
    return None if given else found


def _compiling(cls: type, names: dict[str, Any], defaults: dict[str, Any]) -> Any:
    """``__init__`` that makes the first instances as it can, and then compiles the real one."""
    order, left = tuple(names), _FEW

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - it is one
        nonlocal left
        left -= 1
        found = _fitting(order, defaults, values, named) if left >= 0 else None
        if found is None:
            kind = type(self)
            kind.__init__ = _initialiser(cls, names, defaults)
            kind.__init__(self, *values, **named)
            return
        for name, value in zip(order, found, strict=True):
            _set(self, name, value)

    return __init__


_set = object.__setattr__


def _initialiser(cls: type, names: dict[str, Any], defaults: dict[str, Any]) -> Any:
    """``__init__`` with one parameter for each field, compiled as the standard module does."""
    parameters, body = ["self"], []
    known: dict[str, Any] = {"_set": _set, "__name__": cls.__module__}
    for name in names:
        value = name
        if name in defaults:
            default = defaults[name]
            known[f"_d_{name}"] = default
            parameters.append(f"{name}=_d_{name}")
            if isinstance(default, _Made):
                known[f"_f_{name}"] = default.factory
                value = f"_f_{name}() if {name} is _d_{name} else {name}"
        else:
            parameters.append(name)
        body.append(f" _set(self, {name!r}, {value})")
    return _compiled(cls, "__init__", parameters, "\n".join(body) or " pass", known)


def _compiled(cls: type, name: str, parameters: list[str], body: str, known: dict[str, Any]) -> Any:
    exec(f"def {name}({', '.join(parameters)}):\n{body}", known)  # noqa: S102 - field names of our own classes
    made = known[name]
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    return made


try:
    from _collections import _tuplegetter as _at  # type: ignore[import-not-found]
except ImportError:  # another Python than the usual one

    def _at(place: int, doc: str) -> Any:
        return property(itemgetter(place), doc=doc)


def _tuple_members(names: tuple[str, ...], body: dict[str, Any]) -> dict[str, Any]:
    """What a named tuple has, as ``collections.namedtuple`` makes it."""
    defaults = {name: body[name] for name in names if name in body}
    return {
        "__slots__": (),
        "__match_args__": names,
        "_fields": names,
        "_field_defaults": defaults,
        "__new__": _creating(names, defaults),
        "__repr__": _shown_tuple,
        "__getnewargs__": _plain,
        "_make": classmethod(_make),
        "_replace": _replaced,
        "__replace__": _replaced,
        "_asdict": lambda self: dict(zip(names, self, strict=True)),
        **{name: _at(place, f"Alias for field number {place}") for place, name in enumerate(names)},
    }


def _creating(names: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    """``__new__`` that makes the first tuples as it can, and then compiles the real one."""
    left = _FEW

    def __new__(cls: type, *values: Any, **named: Any) -> Any:  # noqa: N807 - it is one
        nonlocal left
        left -= 1
        found = _fitting(names, defaults, values, named) if left >= 0 else None
        if found is not None:
            return tuple.__new__(cls, found)
        kind = next(each for each in cls.__mro__ if each.__dict__.get("_fields") is names)
        parameters = ["_cls", *(f"{name}=_d_{name}" if name in defaults else name for name in names)]
        body = f" return _new(_cls, ({''.join(f'{name}, ' for name in names)}))"
        known = {"_new": tuple.__new__, "__name__": kind.__module__}
        known |= {f"_d_{name}": value for name, value in defaults.items()}
        made = _compiled(kind, "__new__", parameters, body, known)
        kind.__new__ = staticmethod(made)  # type: ignore[method-assign]
        return made(cls, *values, **named)

    return __new__


def _make(cls: Any, values: Iterable[Any]) -> Any:
    made = tuple.__new__(cls, values)
    if len(made) != len(cls._fields):
        msg = f"Expected {len(cls._fields)} arguments, got {len(made)}"
        raise TypeError(msg)
    return made


def _replaced(self: Any, /, **changes: Any) -> Any:
    made = _make(type(self), [changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)])
    if changes:
        msg = f"Got unexpected field names: {list(changes)!r}"
        raise ValueError(msg)
    return made


def _plain(self: Any) -> tuple[Any, ...]:
    return tuple(self)


def _shown_tuple(self: Any) -> str:
    fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
    return f"{type(self).__name__}({fields})"


def _nothing(_self: object) -> tuple[()]:
    return ()


def _shown(self: Any) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
    return f"{type(self).__qualname__}({fields})"


def _refuse(_self: object, name: str, *_value: object) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415

    msg = f"cannot assign to field {name!r}"
    raise FrozenInstanceError(msg)


def _set_state(self: object, state: list[Any]) -> None:
    for name, value in zip(type(self).__slots__, state, strict=True):  # type: ignore[attr-defined]
        object.__setattr__(self, name, value)
