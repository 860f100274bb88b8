"""Whether bytes stand in a large file, in whatever order they are asked for."""

from hypothesis import given
from hypothesis import strategies as st

from tabshell.access.disk.disk import Disk


def test_pieces_are_found_in_any_order_also_twice_and_overlapping(tmp_path):
    file = tmp_path / "big.txt"
    file.write_bytes(b"alpha\nbeta\ngamma\nbeta again\n")
    pieces = [b"gamma", b"alpha", b"beta", b"beta again", b"again\n", b"alpha\nbeta", b"gamma", b"missing", b"alpha"]
    assert Disk().holds(str(file), pieces) == [True] * 7 + [False, True]


def test_a_file_that_cannot_be_read_holds_nothing(tmp_path):
    assert Disk().holds(str(tmp_path / "none"), [b"a", b"b"]) == [False, False]


@given(st.binary(min_size=1, max_size=40), st.lists(st.binary(min_size=1, max_size=4), max_size=8))
def test_the_answer_is_that_of_a_plain_search(tmp_path_factory, content, pieces):
    file = tmp_path_factory.mktemp("holds") / "f"
    file.write_bytes(content)
    assert Disk().holds(str(file), pieces) == [piece in content for piece in pieces]
