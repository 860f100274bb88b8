"""File names without ``os``: the same as with it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.model import names

PATHS = st.lists(st.sampled_from(["/", "//", "a", "b.c", "..", " "]), max_size=6).map("".join)


@given(PATHS)
def test_the_directory_of_a_path_is_what_the_standard_library_says(path):
    assert names.dirname(path) == os.path.dirname(path)


@given(PATHS.filter(bool), st.sampled_from(["x", "x/y"]))
def test_a_name_in_a_directory_is_what_the_standard_library_says(directory, name):
    assert names.join(directory, name) == os.path.join(directory, name)


@given(st.binary(max_size=20))
def test_bytes_become_names_and_bytes_again(name):
    assert names.fsdecode(name) == os.fsdecode(name)
    assert names.fsencode(names.fsdecode(name)) == name


@pytest.mark.parametrize("name", ["file", "link", "chain", "folder/../link", "missing", "loose"])
def test_links_are_followed(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("folder/../file")
    (tmp_path / "chain").symlink_to(tmp_path / "link")
    (tmp_path / "loose").symlink_to("nowhere")
    path = str(tmp_path / name)
    assert names.real(path) == os.path.realpath(path)


def test_a_name_that_looks_removed_is_taken_for_what_it_is(tmp_path):
    odd = tmp_path / "x (deleted)"
    odd.write_text("x")
    assert names.real(str(odd)) == os.path.realpath(odd)


def test_one_file_under_two_names_is_the_same(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "c").write_text("x")
    first, second, third = (os.fsencode(tmp_path / name) for name in "abc")
    assert names.same(first, second)
    assert not names.same(first, third)
    with pytest.raises(FileNotFoundError):
        names.same(first, b"/nonexistent")


@pytest.mark.parametrize("program", ["tabshell.cli.tab_client", "tabshell.cli.bash, tabshell.shim.run"])
def test_what_starts_for_every_command_does_without_os(program):
    code = f"import sys; sys.path += {sys.path!r}; import {program}; sys.exit('os' in sys.modules)"
    assert subprocess.run([os.path.realpath(sys.executable), "-IS", "-c", code], timeout=60).returncode == 0


def test_a_tab_that_is_alone_does_without_what_takes_long_to_import():
    needed = "tabshell.cli.tab.call, tabshell.session.session, tabshell.tab.fold, tabshell.tab.statusline"
    dear = {"typing", "datetime", "dataclasses", "pathlib", "hashlib", "inspect", "logging", "numpy"}
    code = f"import sys; sys.path += {sys.path!r}; import {needed}; print(*sorted({dear!r} & set(sys.modules)))"
    ran = subprocess.run([os.path.realpath(sys.executable), "-IS", "-c", code], timeout=60, capture_output=True)
    assert (ran.returncode, ran.stdout) == (0, b"\n")
