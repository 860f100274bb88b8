"""What the classifier remembers can be written down and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.access.memory import Origin, Provenance, ShellMemory, from_text, to_text

NAMES = st.text(max_size=8)
TEXTS = st.text(alphabet=st.characters(), max_size=20)
LISTS = st.lists(TEXTS, max_size=3).map(tuple)
MEMORIES = st.builds(
    ShellMemory,
    st.dictionaries(NAMES, TEXTS, max_size=3),
    st.dictionaries(NAMES, LISTS, max_size=3),
    st.dictionaries(NAMES, TEXTS, max_size=3),
    st.dictionaries(NAMES, TEXTS, max_size=3),
    LISTS,
    st.frozensets(NAMES, max_size=3),
    st.none() | TEXTS,
    LISTS,
    st.dictionaries(NAMES, st.builds(Origin, LISTS, TEXTS, st.booleans(), st.booleans()), max_size=3),
)
ORIGINS = st.builds(
    Provenance,
    st.dictionaries(NAMES, LISTS, max_size=3),
    st.dictionaries(NAMES, st.none() | st.frozensets(TEXTS, max_size=3), max_size=3),
)


@given(MEMORIES, ORIGINS)
def test_what_was_written_is_read_back_whatever_the_names_are(memory, provenance):
    text = to_text(memory, provenance)
    assert text.isascii()
    assert from_text(text) == (memory, provenance)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"variables": 3}'])
def test_anything_else_raises_one_of_three_errors(text):
    with pytest.raises((ValueError, KeyError, TypeError)):
        from_text(text)


def test_a_copy_does_not_change_with_the_original():
    memory, provenance = ShellMemory({"a": "1"}), Provenance({"b": ("c",)})
    before = memory.copy(), provenance.copy()
    memory.variables["a"] = "2"
    provenance.derived.pop("b")
    assert before == (ShellMemory({"a": "1"}), Provenance({"b": ("c",)}))
