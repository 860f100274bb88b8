"""JSON as the store writes and reads it is what the standard library makes of the same values."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.store import compact

TEXT = st.text(st.characters(codec=None), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_it_is_the_text_of_the_standard_library(value):
    held = [value, {"b": value, "a": 1}]
    assert compact.text(held) == json.dumps(held, separators=(",", ":"))
    assert compact.sorted_text(held) == json.dumps(held, separators=(",", ":"), sort_keys=True)


@given(VALUES)
def test_what_was_written_is_read_again(value):
    assert compact.loads(compact.text([value])) == [value]
    assert compact.scan("  " + compact.text({"a": value}), 2)[0] == {"a": value}


def test_numbers_that_json_has_no_word_for_are_read_as_the_standard_library_reads_them():
    infinite = float("inf")
    assert compact.loads(compact.text([infinite, -infinite])) == [infinite, -infinite]
    assert compact.text([float("nan")]) == json.dumps([float("nan")])
    assert str(compact.loads("[NaN]")) == "[nan]"


@pytest.mark.parametrize("text", ["", "{", "[1,]", "[1] ", " [1]", "nul", '{"a":1}x', '["\x01"]', '{"a" 1}'])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        compact.loads(text)


def test_what_json_cannot_say_is_refused_each_time():
    value = {"a": [object()]}
    for _ in range(2):
        with pytest.raises(TypeError, match="object is not JSON serializable"):
            compact.text(value)


def test_a_python_without_the_functions_in_c_gets_the_package():
    code = (
        "import sys; sys.modules['_json'] = None\n"
        "from tabshell.store import compact\n"
        "import json\n"
        "assert compact.sorted_text({'b': ['\\u20ac'], 'a': 1.5}) == '{\"a\":1.5,\"b\":[\"\\\\u20ac\"]}'\n"
        "assert compact.text([1, {'b': 2}]) == '[1,{\"b\":2}]'\n"
        "assert compact.loads('[1,2]') == [1, 2]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_store_is_read_and_written_without_the_package_json():
    code = (
        "import sys, tabshell.store.database, tabshell.store.kept; assert not {'json', 're', 'enum'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-ISc", f"import sys; sys.path += {sys.path}\n{code}"], check=True)
