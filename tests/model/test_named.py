"""Named tuples that start fast behave as those of the standard library."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from tabshell.model.accesses import Span, Write
from tabshell.model.light import NamedTuple


class Pair(NamedTuple):
    """Two fields, one with a default, and a method."""

    first: int
    second: str = "s"

    def both(self) -> str:
        return f"{self.first}{self.second}"


class Standard(typing.NamedTuple):
    first: int
    second: str = "s"


def test_fields_defaults_methods_and_comparison():
    assert Pair(1) == (1, "s") == Standard(1)
    assert Pair(second="x", first=2).both() == "2x"
    assert Pair(1)._replace(second="t") == Pair(1, "t")
    assert Pair._fields == Standard._fields
    assert Pair._field_defaults == Standard._field_defaults
    assert repr(Pair(1)) == "Pair(first=1, second='s')"
    assert Pair.__doc__ == "Two fields, one with a default, and a method."
    assert hash(Pair(1)) == hash(Standard(1))
    first, second = Pair(3, "z")
    assert (first, second) == (3, "z")


@pytest.mark.parametrize("arguments", [(), (1, 2, 3)])
def test_wrong_arguments_are_refused(arguments):
    with pytest.raises(TypeError):
        Pair(*arguments)


def test_they_are_pickled_by_their_names():
    for value in (Pair(1), Span(2, 3), Write("a", ("b",), True, False)):
        assert pickle.loads(pickle.dumps(value)) == value
        for again in (
            copy.copy(value),
            copy.deepcopy(value),
            *(pickle.loads(pickle.dumps(value, p)) for p in range(6)),
        ):
            assert (type(again), again) == (type(value), value)


def test_one_is_made_of_another_or_of_values():
    for kind in (Pair, Standard):
        one = kind(1, "x")
        assert type(one._replace(first=5)) is kind
        assert one._replace(first=5) == (5, "x")
        assert one._asdict() == {"first": 1, "second": "x"}
        assert (type(kind._make([1, "x"])), kind._make([1, "x"])) == (kind, one)
        with pytest.raises(TypeError, match="Expected 2 arguments, got 1"):
            kind._make([1])
        with pytest.raises((TypeError, ValueError), match="middle"):
            one._replace(middle=1)
        with pytest.raises(AttributeError):
            one.first = 2
        assert not hasattr(one, "__dict__")


def test_it_matches_by_place_and_by_name():
    match Pair(1, "x"):
        case Pair(first, second=second):
            assert (first, second) == (1, "x")


def test_one_of_a_class_below_it_is_one_of_that_class():
    class Below(Pair):
        """It adds nothing."""

    for number in range(20):
        assert (type(Below(number)), Below(number).both()) == (Below, f"{number}s")
        assert type(Pair(number)) is Pair


def test_the_first_field_that_has_no_default_may_not_follow_one_that_has():
    with pytest.raises(TypeError):
        type(NamedTuple)("Bad", (NamedTuple,), {"__annotations__": {"a": "int", "b": "int"}, "__module__": "x", "a": 1})
