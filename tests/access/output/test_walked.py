"""What a recursive listing shows of directories outside the workspace names no files of ours."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.access.output.walked import Walked
from tabshell.access.paths.folders import Folders
from tabshell.model.records import CommandRecord


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace in a tree, and beside it a directory with files called like its own."""
    for name in ("top/work/report.md", "top/work/sub/plan.txt", "top/other/report.md", "top/other/sub/plan.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x\n")
    return tmp_path


def listed(command: str, place: Path) -> set[str]:
    """The files of the workspace that a real command's output is seen to list."""
    work = place / "top" / "work"
    output = subprocess.run(["bash", "-c", command], cwd=work, capture_output=True, check=True).stdout
    record = CommandRecord("shim", command, "argument", str(work), output, 0)
    return set(Classifier(str(work), None, Disk()).classify(record).listed)


@pytest.mark.parametrize("options", ["-R", "-lR", "-laR", "-1R"])
def test_names_under_headings_outside_are_not_those_of_the_workspace(options: str, place: Path) -> None:
    assert listed(f"ls {options} {place}/top/other", place) == set()
    assert listed(f"ls {options} ../other", place) == set()


@pytest.mark.parametrize("options", ["-R", "-lR", "-laR", "-1R"])
def test_the_workspace_within_a_listed_tree_is_listed(options: str, place: Path) -> None:
    assert listed(f"ls {options} {place}/top", place) == {"report.md", "sub/plan.txt"}
    assert listed(f"ls {options} ..", place) == {"report.md", "sub/plan.txt"}
    assert listed(f"ls {options}", place) == {"report.md", "sub/plan.txt"}


def test_other_programs_beside_the_listing_are_seen(place: Path) -> None:
    assert listed(f"echo '{place}/top/other:'; ls; ls -R {place}/top/other | head -1", place) >= {"report.md"}


def test_an_owner_called_like_a_directory_is_no_name(place: Path) -> None:
    user = "root" if os.geteuid() == 0 else os.environ.get("USER", "nobody")
    (place / "top" / "work" / user).mkdir()
    (place / "top" / "work" / user / "inner.txt").write_text("x\n")
    assert listed("ls -l", place) == {"report.md"}
    assert listed(f"ls -l {user}", place) == {f"{user}/inner.txt"}


def test_a_heading_holds_until_the_next_blank_row() -> None:
    rows = ["/usr:", "a", "b:", "", "/work/ws:", "a", "", "'/usr/a b':", "c", "", "/:", "usr", "", "/wo:", "ws"]
    following = Walked("/work/ws", Folders(Disk(), "/work/ws"), ["/"])
    away = [row for row in rows if following.is_away(row)]
    assert away == ["/usr:", "a", "b:", "'/usr/a b':", "c", "/wo:", "ws"]
