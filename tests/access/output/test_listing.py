"""Names of files in an output, whatever a program writes around them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tabshell.access.disk.disk import Disk
from tabshell.access.output.listing import broken_names, mentions
from tabshell.access.output.names import Names
from tabshell.access.output.quoting import spellings, unquoted
from tabshell.access.paths.folders import Folders
from tabshell.text.observation import observe

NAMES = (
    "plain.txt", "with space.md", " leading.txt", "it's mine.txt", 'say "hi".txt', "back\\slash.txt", "tab\tname.txt",
    "two\nlines.txt", "-rf notes.txt", "*.star", "#hash.md", "$HOME.txt", "résumé – draft.md", "日本語 資料.txt",
    "emoji 📈.md", "no_extension", "percent%20.txt", "a&b;c.txt", "file,with,commas.csv", "~tilde", ".hidden",
)  # fmt: skip


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_text("x\n")
    (tmp_path / "sub dir").mkdir()
    (tmp_path / "sub dir" / "inner file.txt").write_text("y\n")
    return tmp_path


def found(command: str, cwd: Path, bases: list[Path] | None = None) -> set[str]:
    """The files that the output of a real command is seen to name, relative to the directory."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "QUOTING_STYLE": ""}
    output = subprocess.run(["bash", "-c", command], cwd=cwd, capture_output=True, check=False, env=environment).stdout
    texts = list(observe(output).lines)
    names = Names(Folders(Disk(), str(cwd)), [str(b) for b in bases or [cwd]])
    every = [*mentions(texts, names, range(len(texts))), *broken_names(texts, names)]
    return {os.path.relpath(m.path, cwd) for m in every if m.kind == "file"}


@pytest.mark.parametrize(
    "command",
    [
        "ls -A", "ls -lA", "ls -AF", "ls -AQ", "ls -Ab", "ls -Aq", "ls -AC -w 160", "ls -AQC -w 160", "ls -1A",
        "ls -A --quoting-style=shell-escape", "ls -lA --quoting-style=shell-escape", "ls -A --color=always",
        "find . -maxdepth 1 -type f", "find . -maxdepth 1 -type f -printf '%f\\n'", "wc -c -- * .h*", "printf '%s\\n' * .h*",
    ],
)  # fmt: skip
def test_odd_names_are_found_in_every_style(command: str, odd: Path) -> None:
    expected = set(NAMES)
    assert found(command, odd) & expected == expected


def test_a_recursive_listing_resolves_under_its_headings(odd: Path) -> None:
    assert "sub dir/inner file.txt" in found("ls -R", odd)
    assert "sub dir/inner file.txt" in found("ls . 'sub dir'", odd, [odd, odd / "sub dir"])


@pytest.mark.skipif(not shutil.which("tree"), reason="tree is not installed")
@pytest.mark.parametrize("options", ["", "-F", "-a", "-s", "-f", "-Q", "--charset=ascii"])
def test_a_tree_resolves_by_its_indentation(options: str, odd: Path) -> None:
    assert "sub dir/inner file.txt" in found(f"tree {options} .", odd)


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.parametrize(
    "command", ["git status", "git status -s", "git ls-files -o", "git add -nA", "git -c core.quotepath=off status -s"]
)
def test_git_writes_names_in_octal_and_quotes(command: str, odd: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=odd, check=True)
    assert {"résumé – draft.md", "日本語 資料.txt", "with space.md", "plain.txt"} <= found(command, odd)


def test_a_name_that_was_cut_off_is_no_mention(odd: Path) -> None:
    assert found("echo plain.tx; echo 'résumé – dra'; echo xplain.txt", odd) == set()


def test_a_name_inside_a_word_is_no_mention(odd: Path) -> None:
    assert "no_extension" not in found("echo no_extensions are here; echo my_no_extension", odd)


def test_a_symlink_shows_its_name_and_not_its_target(odd: Path) -> None:
    (odd / "sub dir" / "far.txt").write_text("z")
    (odd / "near").symlink_to("sub dir/far.txt")
    assert found("ls -l near", odd) == {"near"}


@pytest.mark.parametrize("name", NAMES)
def test_what_bash_quotes_is_unquoted_again(name: str) -> None:
    quoted = subprocess.run(["bash", "-c", 'printf "%s" "${1@Q}"', "_", name], capture_output=True, check=True).stdout
    assert name in unquoted(quoted.decode())


def test_spellings_hold_the_question_mark_and_the_octal_form() -> None:
    assert {"a?b", "a\\tb", "a\\011b"} <= set(spellings("a\tb"))
