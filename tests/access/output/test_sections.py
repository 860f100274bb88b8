"""Several directories listed without their names: real bash prints, each name is found where it was shown from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tabshell.access.classify import Classifier
from tabshell.access.disk.disk import Disk
from tabshell.model.records import CommandRecord

FILES = (
    "README.md", "plan.md", "east/README.md", "east/plan.md", "east/gate.csv", "west/README.md", "west/wall.csv",
    "north/README.md", "north/a hill.md", "north/deep/README.md",
)  # fmt: skip


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"of {name}\n")
    return tmp_path


def below(*folders: str) -> set[str]:
    return {name for name in FILES if str(Path(name).parent) in folders}


@pytest.mark.parametrize(
    ("command", "listed"),
    [
        ("ls east; ls west", below("east", "west")),
        ("ls; ls north", below(".", "north")),
        ("ls west; ls", below("west", ".")),
        ("for d in east west north; do ls $d; done", below("east", "west", "north")),
        ('for d in */; do echo "== $d"; ls "$d"; done', below("east", "west", "north")),
        ('for d in west east; do echo "# $d"; ls -1 "$d" | head -1; done', {"west/README.md", "east/README.md"}),
        ("for d in east west; do (cd $d && ls); done", below("east", "west")),
        ("cd east && ls && cd ../north && ls", below("east", "north")),
        ("wc -l *.md; ls -la west", below(".", "west")),
        ("echo '# north'; ls -F north", below("north")),
        ("cd east; wc -l *; cd ../west; wc -l *", below("east", "west")),
        ("for d in east north; do (cd $d; md5sum *.md); done", below("east", "north") - {"east/gate.csv"}),
        ("ls -R", set(FILES)),
        ("ls east west", below("east", "west")),
        ("find . -maxdepth 1 -type d | sort | while read -r d; do ls $d/*.csv 2>/dev/null; done",
         {"east/gate.csv", "west/wall.csv"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("columns", [0, 80])
def test_a_name_is_listed_from_the_directory_that_was_shown(top, command, listed, columns):
    run = command.replace("ls ", "ls -C ", 1) if columns else command
    done = subprocess.run(["bash", "-c", run], cwd=top, capture_output=True, env={"PATH": "/bin:/usr/bin"}, check=False)
    record = CommandRecord("pty", run, "history", str(top), done.stdout, 0, columns=columns)
    assert set(Classifier(str(top), None, Disk(60)).classify(record).listed) == listed
