"""Directories of one turn: what a listing tells is not asked of the disk again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.access.output.names import FAR
from tabshell.access.paths.folders import Folders
from tabshell.model.files import FileInfo
from tabshell.model.records import CommandRecord


class Counting(Disk):
    """A disk that keeps what it was asked about."""

    def __init__(self) -> None:
        super().__init__(60)
        self.asked: list[str] = []

    def info(self, path: str) -> FileInfo | None:
        """As ``Disk.info``."""
        self.asked.append(path)
        return super().info(path)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A workspace with a folder of forty letters, a link to one of them and a link to the folder."""
    folder = tmp_path / "desk" / "letters"
    folder.mkdir(parents=True)
    for number in range(40):
        (folder / f"letter{number}.txt").write_text(f"Dear reader {number}\n")
    (folder / "latest.txt").symlink_to("letter39.txt")
    (tmp_path / "desk" / "post").symlink_to("letters")
    return tmp_path / "desk"


def test_what_a_listing_holds_and_what_it_does_not_hold_is_named_without_asking(top: Path) -> None:
    disk = Counting()
    folders = Folders(disk, str(top))
    folders.kinds(str(top))
    folders.kinds(f"{top}/letters")
    disk.asked.clear()
    names = [f"letter{number}.txt{end}" for number in range(40) for end in ("", ".gz")]
    assert [folders.key(f"{top}/letters/{name}") for name in names] == [f"letters/{name}" for name in names]
    assert [path for path in disk.asked if path != str(top)] == []


def test_links_are_followed_whether_a_name_behind_them_is_there_or_not(top: Path) -> None:
    folders = Folders(Disk(60), str(top))
    for folder in (str(top), f"{top}/letters", f"{top}/post"):
        folders.kinds(folder)
    assert folders.key(f"{top}/letters/latest.txt") == "letters/letter39.txt"
    assert folders.key(f"{top}/post/letter1.txt") == "letters/letter1.txt"
    assert folders.key(f"{top}/post/letter1.txt.gz") == "letters/letter1.txt.gz"
    assert folders.key(f"{top}/post/../letters/./letter2.txt") == "letters/letter2.txt"


def test_of_a_directory_that_cannot_be_listed_its_files_are_asked(top: Path) -> None:
    class Closed(Disk):
        def kinds(self, path: str) -> dict[str, None]:
            return {}

        def kinds_within(self, path: str, most: int) -> None:
            return None

    folders = Folders(Closed(60), str(top))
    folders.kinds(f"{top}/letters")
    assert folders.key(f"{top}/letters/latest.txt") == "letters/letter39.txt"


def test_packing_a_whole_tree_asks_the_disk_about_no_file_that_is_not_there(top: Path) -> None:
    disk = Counting()
    record = CommandRecord("shim", "gzip $(find letters -name '*.txt')", "argument", str(top), b"", 0)
    Classifier(str(top), None, disk).classify(record)
    assert not [path for path in disk.asked if path.endswith(".gz")]


def test_of_links_far_from_the_workspace_only_so_many_are_asked_as_names_resolve_against(tmp_path: Path) -> None:
    far = tmp_path / "far"
    (tmp_path / "desk").mkdir()
    for number in range(4 * FAR):
        (far / f"box{number:03}").mkdir(parents=True)
        (far / f"z{number:03}").symlink_to(f"box{number:03}")
    disk = Counting()
    record = CommandRecord("shim", f"find {far} | xargs file", "argument", str(tmp_path / "desk"), b"a line\n", 0)
    Classifier(str(tmp_path / "desk"), None, disk).classify(record)
    assert sum(path.rpartition("/")[2].startswith("z") for path in disk.asked) <= FAR
