"""Settings written by hand are changed in one place and nowhere else."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.agents.jsonc import added, read, removed, replaced

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from(["// no", "/* no */", ",]}"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


def plain(value):
    return json.loads(json.dumps(value))


@given(OBJECTS, INDENTS, st.sampled_from(["\n", "\r\n"]), VALUES)
def test_what_is_added_is_there_and_what_is_removed_leaves_every_byte(settings, indent, newline, value):
    text = json.dumps(settings, indent=indent).replace("\n", newline) + newline
    changed = added(text, read(text), "ours", value)
    assert json.loads(changed) == {**plain(settings), "ours": plain(value)}
    root = read(changed)
    assert removed(changed, root, root["ours"]) == text


@given(OBJECTS, INDENTS)
def test_a_text_is_read_as_json_reads_it(settings, indent):
    assert read(json.dumps(settings, indent=indent)).value == plain(settings)


@given(OBJECTS, st.lists(VALUES, max_size=3), INDENTS)
def test_an_item_of_a_list_comes_and_goes(settings, items, indent):
    text = json.dumps({**settings, "list": items}, indent=indent)
    within = read(text)["list"]
    changed = added(text, within, None, {"x": [1]})
    assert json.loads(changed)["list"] == [*plain(items), {"x": [1]}]
    within = read(changed)["list"]
    assert removed(changed, within, within.items[-1]) == text


@given(OBJECTS, VALUES)
def test_any_item_may_go(settings, value):
    text = json.dumps({"first": value, **settings}, indent=2)
    root = read(text)
    for item in root.items:
        left = {name: one for name, one in plain(root.value).items() if name != item.key}
        assert json.loads(removed(text, root, item)) == left


@given(st.text(alphabet='{}[]",:/*1 \n\\', max_size=30))
def test_any_text_is_read_or_refused_in_one_way(text):
    with contextlib.suppress(ValueError):
        assert isinstance(read(text).end, int)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1}', '{"a": 1, "b": 2}'),
        ("{}", '{\n  "b": 2\n}'),
        ('{"a": 1,}', '{"a": 1, "b": 2,}'),
        ('{\n\t"a": 1 // one\n}', '{\n\t"a": 1, // one\n\t"b": 2\n}'),
        ('{\n  "a": 1, // one\n  // end\n}', '{\n  "a": 1, // one\n  "b": 2,\n  // end\n}'),
        ('/* top */ {\n  "a": {}\n}', '/* top */ {\n  "a": {},\n  "b": 2\n}'),
        ('\ufeff{"a": "// no"}', '\ufeff{"a": "// no", "b": 2}'),
    ],
)
def test_it_looks_as_the_person_would_have_written_it(text, told):
    assert added(text, read(text), "b", 2) == told
    root = read(told)
    assert removed(told, root, root["b"]) == text


def test_of_two_members_of_one_name_the_last_counts():
    assert read('{"a": 1, "a": 2}')["a"].value == 2
    assert read("{}")["a"] is None


def test_a_value_is_replaced_in_its_place():
    text = '{"a": null /* why */, "b": 1}'
    assert replaced(text, read(text)["a"], []) == '{"a": [] /* why */, "b": 1}'


@pytest.mark.parametrize("text", ["", "{", '{"a"}', '{"a": }', "{1: 2}", "[1 2]", "{} x", '{"a": tru}', "[" * 100_000])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError, match=r"line 1: |nested too deeply"):
        read(text)


def test_what_is_added_is_indented_as_what_stands_beside_it():
    text = '{\n\t"x": 1,\n    "a": {\n      "c": 1\n    }\n}'
    assert added(text, read(text)["a"], "b", [2]) == text.replace(
        '"c": 1\n', '"c": 1,\n      "b": [\n        2\n      ]\n'
    )
