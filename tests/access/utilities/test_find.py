"""``find`` against find itself: the same expression names the same files."""

from __future__ import annotations

import subprocess

import pytest

from tabshell.access.command.walk import doings
from tabshell.access.disk.disk import Disk
from tabshell.access.memory import ShellMemory


@pytest.fixture
def folder(tmp_path):
    for name in (
        "a.md",
        "B.MD",
        "c.txt",
        "x y.md",
        ".dot.md",
        "one/a.md",
        "one/two/b.md",
        "one/two/three/c.txt",
        "skip/d.md",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name * 300 if name == "c.txt" else name)
    (tmp_path / "link.md").symlink_to("a.md")
    (tmp_path / "folder").symlink_to("one")
    return tmp_path


@pytest.mark.parametrize(
    "expression",
    [
        "-type f",
        "-name '*.md'",
        "-iname '*.md' -type f",
        "-type f -not -name '*.md'",
        "-type f ! -path './one/*'",
        "-maxdepth 1 -type f",
        "-mindepth 2 -type f",
        "-mindepth 2 -maxdepth 2 -name '*.md'",
        "-path ./skip -prune -o -name '*.md' -print",
        "\\( -name a.md -o -name c.txt \\) -type f",
        "-name one -prune -o -type f -print",
        "-type f -size +1k",
        "-type f -size -2",
        "-regex '.*/[ab]\\.md'",
        "-type l",
        "one skip -name '*.md'",
        "./one/ -type f",
    ],
)
def test_an_expression_names_what_find_names(folder, expression):
    start = "" if not expression[0].isalpha() and not expression.startswith("./") else expression
    command = f"find {start or '. ' + expression}"
    shown = subprocess.run(
        ["bash", "-c", command + (" -print0" if "-print" not in expression else "")],
        cwd=folder,
        capture_output=True,
        check=True,
    ).stdout.decode()
    expected = sorted(filter(None, shown.replace("\n", "\0").split("\0")))
    pipe = " | tr '\\n' '\\0' | xargs -0 stat" if "-print" in expression else " -print0 | xargs -0 stat"
    acts = doings(command + pipe, str(folder), None, Disk(), ShellMemory()).acts
    found = [word for act in acts if act.utility == "stat" for word in act.words]
    assert sorted(found) == expected


def test_unfollowed_tests_leave_files_in_and_say_so(folder):
    acts = doings("find . -type f -newer c.txt | xargs cat", str(folder), None, Disk(), ShellMemory()).acts
    assert not acts[-1].exact
    assert len(acts[-1].paths) >= 8


def test_files_come_in_the_order_in_which_find_comes_to_them(folder):
    """Of two files that are the same, the one that was shown first is told by it."""
    for number in range(40):
        (folder / f"box{number * 7 % 40}").mkdir()
        (folder / f"box{number * 7 % 40}" / "same.ics").write_text("BEGIN\n")
    shown = subprocess.run(["find", ".", "-name", "*.ics"], cwd=folder, capture_output=True, text=True, check=True)
    command = "find . -name '*.ics' -exec cat {} +"
    (act,) = doings(command, str(folder), None, Disk(60), ShellMemory()).acts
    assert [f"./{path.removeprefix(f'{folder}/')}" for path in act.paths] == shown.stdout.splitlines()
