"""Conditions in a Python script that pick among names: ``if f.endswith(".csv")``, ``p.suffix in (…)``, and slices."""

from __future__ import annotations

import ast
import os.path
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tabshell.access.python.values import Texts

    Test = Callable[[str], bool | None]


@contextmanager
def narrowed(names: dict[str, Texts | None], condition: ast.expr) -> Iterator[None]:
    """Within, variables that ``condition`` speaks of hold only the members for which it may be true.

    A condition that is not understood leaves all members, as inexact, where a variable has several.
    """
    before: dict[str, Texts | None] = {}
    for name in {n.id for n in ast.walk(condition) if isinstance(n, ast.Name)}:
        value = names.get(name)
        if value is None or value.many or len(value.members) < 2:
            continue
        before[name] = value
        kept = []
        exact = value.exact
        for member in value.members:
            result = _holds(condition, name, member.text)
            exact = exact and result is not None
            if result is not False:
                kept.append(member)
        names[name] = replace(value, members=tuple(kept), exact=exact)
    try:
        yield
    finally:
        names.update(before)


def _holds(node: ast.expr, name: str, text: str) -> bool | None:
    """Whether a condition is true for ``name`` = ``text``; None where that is not known."""
    if isinstance(node, ast.BoolOp):
        results = [_holds(value, name, text) for value in node.values]
        decisive = isinstance(node.op, ast.Or)
        if decisive in results:
            return decisive
        return None if None in results else not decisive
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _holds(node.operand, name, text)
        return None if inner is None else not inner
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _method(node, node.func, name, text)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node, name, text)
    return None


def _method(node: ast.Call, func: ast.Attribute, name: str, text: str) -> bool | None:
    if func.attr in ("exists", "is_file", "isfile"):
        return True
    subject = _text(func.value, name, text)
    values = _constants(node.args[0]) if len(node.args) == 1 else []
    if subject is None or not values or func.attr not in ("startswith", "endswith"):
        return None
    return subject.startswith(tuple(values)) if func.attr == "startswith" else subject.endswith(tuple(values))


def _compared(node: ast.Compare, name: str, text: str) -> bool | None:
    operator, right = node.ops[0], node.comparators[0]
    if isinstance(operator, (ast.In, ast.NotIn)):
        needle, haystack = _constants(node.left), _text(right, name, text)
        if needle and haystack is not None:
            return (needle[0] in haystack) == isinstance(operator, ast.In)
        subject, values = _text(node.left, name, text), _constants(right)
        return None if subject is None or not values else (subject in values) == isinstance(operator, ast.In)
    subject, values = _text(node.left, name, text), _constants(right)
    if subject is None or len(values) != 1 or not isinstance(operator, (ast.Eq, ast.NotEq)):
        return None
    return (subject == values[0]) == isinstance(operator, ast.Eq)


def _constants(node: ast.expr) -> list[str]:
    elements = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    values = [e.value for e in elements if isinstance(e, ast.Constant)]
    strings = [v for v in values if isinstance(v, str)]
    return strings if len(strings) == len(elements) else []


def _text(node: ast.expr, name: str, text: str) -> str | None:
    """``f``, ``f.lower()``, ``p.suffix``, ``os.path.basename(f)`` for a known ``f``."""
    if isinstance(node, ast.Name):
        return text if node.id == name else None
    if isinstance(node, ast.Attribute):
        inner = _text(node.value, name, text)
        parts: dict[str, Callable[[str], str]] = {
            "suffix": lambda t: os.path.splitext(t)[1],
            "name": os.path.basename,
            "stem": lambda t: os.path.splitext(os.path.basename(t))[0],
        }
        return parts[node.attr](inner) if inner is not None and node.attr in parts else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("lower", "upper", "strip"):
            inner = _text(node.func.value, name, text)
            change: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "strip": str.strip}
            return None if inner is None else change[node.func.attr](inner)
        if node.func.attr == "basename" and node.args:
            inner = _text(node.args[0], name, text)
            return None if inner is None else os.path.basename(inner)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        return _text(node.args[0], name, text)
    return None


def sliced(value: Texts, index: ast.expr) -> Texts:
    """``value[index]``; exact where the order of a sequence is known."""
    sure = value.exact and value.ordered
    if isinstance(index, ast.Slice):
        bounds = [_number(bound) for bound in (index.lower, index.upper, index.step)]
        if not sure or any(
            b is None and e is not None for b, e in zip(bounds, (index.lower, index.upper, index.step), strict=True)
        ):
            return replace(value, many=True, exact=False)
        return replace(value, members=value.members[slice(*bounds)], many=True)
    number = _number(index)
    if sure and number is not None and -len(value.members) <= number < len(value.members):
        return replace(value, members=(value.members[number],), many=False)
    return replace(value, many=False, exact=len(value.members) == 1 and value.exact)


def _number(node: ast.expr | None) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return None
