"""Light dataclasses behave as the standard ones do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys

import pytest

from tabshell.model import facts
from tabshell.model.facts import EntrySeen, NoteAdded, SessionEnded, TurnStarted
from tabshell.model.light import NO_DEFAULT, NamedTuple, dataclass, field, fields_of, replace
from tabshell.model.state import Tab


@dataclass(frozen=True, slots=True)
class Point:
    """Two fields, one made anew, one shared default, one property."""

    x: int
    seen: list[int] = field(default_factory=list)
    name: str = "p"
    tags: tuple[str, ...] = field(default=())

    @property
    def twice(self) -> int:
        return 2 * self.x


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    x: int
    seen: list[int] = dataclasses.field(default_factory=list)
    name: str = "p"
    tags: tuple[str, ...] = dataclasses.field(default=())


@dataclass(frozen=True, slots=True)
class Empty:
    """No field at all."""


def test_construction_by_place_by_name_and_by_default():
    assert Point(1, [2], name="q").twice == 2
    assert (Point(1).name, Point(1).tags) == ("p", ())
    first, second = Point(1), Point(1)
    first.seen.append(7)
    assert second.seen == []


@pytest.mark.parametrize("arguments", [(), (1, 2, 3, 4, 5)])
def test_wrong_arguments_are_refused_as_everywhere(arguments):
    with pytest.raises(TypeError):
        Point(*arguments)
    with pytest.raises(TypeError):
        Point(1, nothing=2)


def test_it_shows_itself_as_the_standard_one_does():
    assert repr(Point(1)) == repr(Standard(1)).replace("Standard", "Point")


def test_equality_and_hash_are_by_value_and_class():
    assert NoteAdded(1, 2, "x") == NoteAdded(1, 2, "x")
    assert NoteAdded(1, 2, "x") != NoteAdded(1, 3, "x")
    assert EntrySeen(1, 2) != facts.RequirementReopened(1, 2)
    assert hash(NoteAdded(1, 2, "x")) == hash(NoteAdded(1, 2, "x"))
    assert Empty() == Empty()
    assert len({SessionEnded(0), SessionEnded(0), SessionEnded(None)}) == 2


def test_nothing_can_be_changed_or_added():
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    assert not hasattr(point, "__dict__")


def test_the_standard_functions_work_on_it():
    point = Point(1, [2])
    assert dataclasses.is_dataclass(Point)
    assert dataclasses.replace(point, x=5) == replace(point, x=5) == Point(5, [2])
    assert dataclasses.asdict(point) == dataclasses.asdict(Standard(1, [2]))
    assert [(f.name, f.default) for f in dataclasses.fields(Point)] == [
        (f.name, f.default) for f in dataclasses.fields(Standard)
    ]


def test_it_is_copied_and_pickled():
    note = NoteAdded(1, 2, "x")
    assert copy.deepcopy(note) == note
    assert pickle.loads(pickle.dumps(note)) == note


def test_it_matches_by_place():
    match NoteAdded(1, 2, "x"):
        case NoteAdded(number, _, text):
            assert (number, text) == (1, "x")


def test_fields_are_told_with_their_defaults():
    assert fields_of(NoteAdded) == (("id", NO_DEFAULT), ("turn", NO_DEFAULT), ("text", NO_DEFAULT))
    assert dict(fields_of(TurnStarted))["columns"] == 0


def test_only_frozen_slotted_ones_are_made():
    with pytest.raises(TypeError, match="use the standard module"):
        dataclass(frozen=False, slots=True)


def test_the_model_comes_without_the_costly_modules():
    code = f"import sys; sys.path[:0] = {sys.path!r}; import tabshell.model.state; print('inspect' in sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
    assert dataclasses.fields(Tab)


@pytest.mark.parametrize("times", [1, 100])
def test_the_first_and_the_thousandth_are_made_alike(times):
    """The first instances of a class are made before its constructor is compiled."""

    @dataclass(frozen=True, slots=True)
    class Fresh:
        x: int
        seen: list[int] = field(default_factory=list)
        name: str = "p"

    class Couple(NamedTuple):
        left: int
        right: tuple[int, ...] = ()

    for number in range(times):
        point = Fresh(number, name="q")
        assert (point.x, point.seen, point.name) == (number, [], "q")
        assert Fresh(seen=[1], x=2) == Fresh(2, [1])
        assert Couple(number) == (number, ()) == Couple(left=number)
        assert Couple(number, right=(1,)) == (number, (1,))
        for place, words in (((), {}), ((1, [], "q", 4), {}), ((1,), {"x": 1}), ((1,), {"y": 1})):
            with pytest.raises(TypeError):
                Fresh(*place, **words)
        for place, words in (((), {}), ((1, (), 3), {}), ((1,), {"left": 1}), ((1,), {"middle": 1})):
            with pytest.raises(TypeError):
                Couple(*place, **words)


def test_wrong_arguments_are_told_from_the_first_on():
    class Couple(NamedTuple):
        left: int
        right: int

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'right'"):
        Couple(1)
