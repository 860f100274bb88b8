"""Commands over a whole tree: some file holds the words of any text, so more is asked of those that only lie in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.access.output.names import Names
from tabshell.model.accesses import Accesses
from tabshell.model.records import CommandRecord
from tabshell.text.observation import excerpt_text


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Forty folders with a page each, all with the same rule on the first line, and a hidden folder."""
    for number in range(40):
        folder = tmp_path / f"part{number}"
        folder.mkdir()
        (folder / "page.md").write_text(f"---\ntitle: Part {number}\n---\nThe ferry of quay {number} leaves at noon.\n")
    (tmp_path / "part3" / "tariff.md").write_text("Tolls\nA lorry pays 12.40 at the northern gate\n")
    (tmp_path / ".flows").mkdir()
    (tmp_path / ".flows" / "check.yml").write_text("on: push\n")
    return tmp_path


def classified(top: Path, command: str, output: str) -> tuple[Accesses, dict[str, str]]:
    """The accesses of a command, and the text of each file's entries."""
    record = CommandRecord("shim", command, "argument", str(top), output.encode(), 0)
    accesses = Classifier(str(top), None, Disk(60)).classify(record)
    held: dict[str, str] = {}
    for entry in accesses.excerpts:
        for path in entry.paths:
            held[path] = held.get(path, "") + excerpt_text(record.output, entry.spans, entry.screen, 80)
    return accesses, held


def test_rows_with_path_and_line_number_are_all_that_was_shown_of_a_file(top: Path) -> None:
    told = "part3/tariff.md:2:A lorry pays 12.40 at the northern gate\n"
    strange = "some words of a text that stands in no file here\nand another of them\n"
    accesses, held = classified(top, "git show 4f2c; grep -rn lorry .", strange + told + strange)
    assert held["part3/tariff.md"] == told.rstrip("\n")
    assert "part3/tariff.md" in {*accesses.read, *accesses.searched}


def test_a_line_of_marks_proves_nothing_about_one_file_of_many(top: Path) -> None:
    accesses, held = classified(top, 'grep -rh "searched" .', "---\n")
    assert accesses.read == accesses.searched == ()
    assert held == {}


def test_a_line_of_marks_is_shown_of_the_file_that_the_command_names(top: Path) -> None:
    accesses, _ = classified(top, "head -1 part3/page.md", "---\n")
    assert accesses.read == ("part3/page.md",)


def test_one_word_proves_nothing_about_one_file_of_many(top: Path) -> None:
    accesses, _ = classified(top, "grep -rhow 'l[a-z]*' . | sort | uniq -c", "      3 northern\n")
    assert accesses.read == accesses.searched == ()


def test_a_whole_line_proves_that_a_file_of_many_was_shown(top: Path) -> None:
    accesses, held = classified(top, "grep -rh lorry .", "A lorry pays 12.40 at the northern gate\n")
    assert accesses.searched == ("part3/tariff.md",)
    assert held["part3/tariff.md"] == "A lorry pays 12.40 at the northern gate"


@pytest.mark.parametrize("lead", ["", "./"])
def test_names_are_found_whatever_leads_to_them_in_a_tree_of_many_folders(top: Path, lead: str) -> None:
    names = ["part7/page.md", "part3/tariff.md", ".flows/check.yml"]
    shown = "".join(f"  4  11  60 {lead}{name}\n" for name in names)
    accesses, _ = classified(top, "wc `find`", shown)
    assert sorted(accesses.listed) == sorted(names)


def test_names_that_lead_upward_are_found_in_a_tree_of_many_folders(top: Path) -> None:
    accesses, _ = classified(top, "cd part7 && wc -l `find ..`", "4 ../part3/tariff.md\n4 page.md\n")
    assert set(accesses.listed) == {"part3/tariff.md", "part7/page.md"}


def test_links_are_resolved_as_the_system_resolves_them(tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / "deep").mkdir(parents=True)
    (real / "deep" / "f").write_text("x")
    (tmp_path / "way").symlink_to("real/deep")
    links = {
        "absolute": str(real / "deep" / "f"), "plain": "real/deep/f", "dotted": "./real/deep/f", "folder": "real/deep",
        "through": "way/f", "up": "real/../real/deep/f", "chain": "plain", "slash": "real/deep/", "broken": "real/gone",
        "here": ".", "double": "real//deep/f",
    }  # fmt: skip
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    (real / "back").symlink_to("../way/f")
    disk = Disk(60)
    disk.kinds(str(tmp_path))
    for path in [*(tmp_path / name for name in links), tmp_path / "way", tmp_path / "way" / "f", real / "back"]:
        info = disk.info(str(path))
        assert (info.real if info else None) == (os.path.realpath(path) if path.exists() else None), path


def test_a_number_that_stands_only_within_another_is_not_shown(top: Path) -> None:
    (top / "sums.txt").write_text("1420.537\n")
    assert classified(top, "grep fee sums.txt", "0.5\n42\n")[0].searched == ()
    assert classified(top, "grep fee sums.txt", "1420.537\n")[0].searched == ("sums.txt",)


def test_a_value_before_a_listing_is_not_credited_to_a_file_that_the_listing_names(top: Path) -> None:
    (top / "part5" / "fees.csv").write_text("berth,fee\nsix,42\n")
    (top / "part6" / "other.csv").write_text("berth,fee\nsix,41\n")
    shown = "42\npart5/fees.csv\npart6/other.csv\n"
    accesses, _ = classified(top, "grep -rhc . . | tail -1; find . -name '*.csv'; grep -rh lorry .", shown)
    assert accesses.read == accesses.searched == ()
    assert accesses.listed == ("part5/fees.csv", "part6/other.csv")


def test_a_walk_lists_no_more_of_a_huge_folder_than_it_may_see(top: Path) -> None:
    huge = top / "huge"
    huge.mkdir()
    for number in range(60):
        (huge / f"n{number}").write_text("")
    disk = Disk(60)
    some = disk.kinds_within(str(huge), 20)
    assert some is not None
    assert len(some) == 20
    assert not disk.is_scanned(str(huge))
    assert disk.kinds_within(str(huge), 60) is None
    assert len(disk.kinds(str(huge))) == 60


def test_rows_of_dots_begin_no_names_but_paths_with_dots_are_found(top: Path, monkeypatch) -> None:
    followed = []
    follow = Names._from
    monkeypatch.setattr(Names, "_from", lambda *args: followed.append(args) or follow(*args))
    dots = "Currency positions " + ". " * 400 + "99\n"
    accesses, _ = classified(top, "wc `find`", dots * 20 + "4 ./part3/tariff.md\n4 ./.flows/check.yml\n")
    assert accesses.listed == ("part3/tariff.md", ".flows/check.yml")
    assert len(followed) < 200
