"""Where the content of written files came from."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.model.accesses import Write
from tabshell.model.records import CommandRecord


@pytest.fixture
def shell(tmp_path: Path):
    """Runs commands through one classifier; the files are made by the test."""
    for name in ("a.txt", "b.txt", "c.csv"):
        (tmp_path / name).write_text(f"words of {name} 4711\n")
    classifier = Classifier(str(tmp_path), None, Disk(60))

    def run(command: str, output: str = "", **made: str):
        for name, text in made.items():
            path = tmp_path / name.replace("__", "/").replace("_txt", ".txt")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return classifier.classify(CommandRecord("shim", command, "argument", str(tmp_path), output.encode(), 0))

    run.top = tmp_path
    run.classifier = classifier
    return run


def test_a_redirection_derives_its_target_from_what_flowed_in(shell) -> None:
    accesses = shell("cat a.txt b.txt | sort > out_txt", out_txt="")
    assert accesses.wrote == () or accesses.wrote[0].sources == ("a.txt", "b.txt")
    (shell.top / "out.txt").write_text("words of a.txt 4711\n")
    (write,) = shell("cat a.txt b.txt | sort > out.txt").wrote
    assert write == Write("out.txt", ("a.txt", "b.txt"), own=False, appended=False)


def test_copies_into_a_folder_come_each_from_its_namesake(shell) -> None:
    wrote = shell("cp a.txt b.txt dir/", dir__a_txt="words of a.txt 4711\n", dir__b_txt="words of b.txt 4711\n").wrote
    assert {w.path: w.sources for w in wrote} == {"dir/a.txt": ("a.txt",), "dir/b.txt": ("b.txt",)}


def test_content_is_followed_over_several_files_and_a_move(shell) -> None:
    shell("sort a.txt > one.txt", one_txt="words of a.txt 4711\n")
    shell("head -1 one.txt > two.txt", two_txt="words of a.txt 4711\n")
    (shell.top / "two.txt").rename(shell.top / "three.txt")
    shell("mv two.txt three.txt")
    (entry,) = shell("cat three.txt", "words of a.txt 4711\n").excerpts
    assert entry.derived_from == ("one.txt", "a.txt")
    assert not entry.own


def test_a_file_edited_in_place_stays_what_it_was(shell) -> None:
    (write,) = shell("sed -i s/words/text/ a.txt").wrote
    assert (write.sources, write.appended) == ((), True)
    (entry,) = shell("cat a.txt", "words of a.txt 4711\n").excerpts
    assert (entry.derived_from, entry.own) == ((), False)


def test_only_the_line_that_was_appended_is_own(shell) -> None:
    shell("echo 'Agreed on 3141.' >> a.txt", a_txt="words of a.txt 4711\nAgreed on 3141.\n")
    (mine,) = shell("tail -1 a.txt", "Agreed on 3141.\n").excerpts
    (both,) = shell("cat a.txt", "words of a.txt 4711\nAgreed on 3141.\n").excerpts
    assert (mine.own, both.own) == (True, False)


def test_a_copy_of_ones_own_file_is_own_too(shell) -> None:
    shell(
        "echo 'my thought 2718' > own.txt; cp own.txt twin.txt",
        own_txt="my thought 2718\n",
        twin_txt="my thought 2718\n",
    )
    (entry,) = shell("cat twin.txt", "my thought 2718\n").excerpts
    assert entry.own


def test_a_write_that_failed_is_none(shell) -> None:
    assert shell("sort a.txt > nowhere/x.txt", "bash: nowhere/x.txt: No such file or directory\n").wrote == ()


def test_editing_a_thousand_files_in_place_takes_no_square_of_time(shell) -> None:
    folder = shell.top / "many"
    folder.mkdir()
    for number in range(1000):
        (folder / f"{number}.txt").write_text("x\n")
    begun = time.process_time()
    wrote = shell("find many -name '*.txt' | xargs sed -i s/x/y/").wrote
    assert time.process_time() - begun < 2
    assert all(write.sources == () for write in wrote)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("cp -r docs away", "away/sub/b.md"),
        ("tar czf away.tgz docs", "away.tgz"),
        ("zip -qr away.zip docs", "away.zip"),
    ],
)
def test_what_is_shown_of_a_copied_or_packed_tree_comes_from_its_files(tmp_path, command, shown):
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "docs" / "sub" / "b.md").write_text("ferry timetable of the outer islands\n")
    classifier = Classifier(str(tmp_path), None, Disk())
    started = time.time()
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    classifier.classify(CommandRecord("pty", command, "history", str(tmp_path), b"", 0, started))
    show = {"away.tgz": "tar xzOf away.tgz", "away.zip": "unzip -p away.zip"}.get(shown, f"cat {shown}")
    output = b"ferry timetable of the outer islands\n"
    found = classifier.classify(CommandRecord("pty", show, "history", str(tmp_path), output, 0, time.time()))
    assert found.read == (shown, "docs/sub/b.md")


MOVES = [
    ("mv docs moved", "moved"),
    ("mv docs moved/", "moved"),
    ("mkdir into && mv docs into", "into/docs"),
    ("mv docs between && mv between end", "end"),
    ("mkdir into && mv a.txt docs into/", "into/docs"),
    ("mkdir into && mv -t into docs", "into/docs"),
]


@pytest.mark.parametrize(("command", "there"), MOVES)
def test_files_in_a_moved_folder_take_their_past_along(shell, command: str, there: str) -> None:
    def run(text: str, output: str = "") -> tuple:
        if not output:
            subprocess.run(["bash", "-c", text], cwd=shell.top, check=True, env={"PATH": "/usr/bin:/bin"})
        return shell(text, output).excerpts

    run("mkdir docs; sort a.txt > docs/sorted.txt; echo 'my own 2718' > docs/own.txt")
    (write,) = [w for w in run_and_wrote(shell, command) if w.path.endswith("/") and w.moved_from == last_of(command)]
    assert write.path == f"{there}/"
    (derived,) = run(f"cat {there}/sorted.txt", "words of a.txt 4711\n")
    (mine,) = run(f"cat {there}/own.txt", "my own 2718\n")
    assert derived.paths[0] == f"{there}/sorted.txt"
    assert derived.derived_from == ("a.txt",)
    assert mine.own


def run_and_wrote(shell, command: str) -> tuple[Write, ...]:
    subprocess.run(["bash", "-c", command], cwd=shell.top, check=True, env={"PATH": "/usr/bin:/bin"})
    return shell(command).wrote


def last_of(command: str) -> str:
    """The folder that the last move takes away."""
    return "between/" if "between" in command else "docs/"


def test_a_moved_folder_is_no_file_that_was_listed(shell) -> None:
    (shell.top / "docs").mkdir()
    (shell.top / "docs").rename(shell.top / "moved")
    accesses = shell("mv -v docs moved", "renamed 'docs' -> 'moved'\n")
    assert accesses.listed == ()
    assert accesses.wrote == (Write("moved/", (), own=False, appended=False, moved_from="docs/"),)


def test_words_of_a_move_that_found_nothing_are_no_files(shell) -> None:
    accesses = shell("ls; mv two words.txt two words.bak", "a.txt two words.txt\ntwo\n")
    assert accesses.listed == ("a.txt",)
    accesses = shell("echo two; mv two twice", "two\n")
    assert accesses.listed == ()


def test_a_file_that_was_shown_moved_and_removed_is_a_file(shell) -> None:
    accesses = shell("ls -1 old.txt; mv old.txt older.txt; rm older.txt", "old.txt\n")
    assert accesses.listed == ("old.txt",)
