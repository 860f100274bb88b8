"""The short way of long listings answers exactly as the careful way does, and keys need no path for themselves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabshell.access.disk.disk import Disk
from tabshell.access.output.listing import Mention, mentions
from tabshell.access.output.names import Names
from tabshell.access.paths.folders import Folders
from tabshell.text.observation import observe

NAMES = (
    "plain.txt", "with space.md", " leading.txt", "trailing ", "it's mine.txt", '"quoted"', "[draft] a.md", "heading:",
    "|-- branch", "├── twig", "└", "`tick`", "back\\slash", "-", "x", ".hidden", "...", "日本語 資料.txt", "total 4",
    "no\xa0break", "\xa0before", "\ttab", "sub:", "deep:",
)  # fmt: skip
HEADS = (
    "", "./", "sub/", "./sub/", "sub//", "./sub/./", "../", "../ws/", "sub/../", "link/", "./link/", "dead/", "none/",
    "sub/deep/", ".git/", "sub/.git/", "deep/", "heading:/", "WS/", "WS/sub/", "WS/../", "//", "/", "WS/../other/",
)  # fmt: skip
LINES = (
    "",
    " ",
    ".",
    "..",
    ".:",
    "./sub:",
    "sub:",
    "sub/deep:",
    "WS/sub:",
    "link:",
    "total 12",
    "├── sub",
    "├── twig",
    "|-- branch",
    "sub",
    "sub/deep",
    "\ttab",
    "|-- x",
    "x -> y",
)


class Careful(Names):
    """Names without the short way."""

    def plain(self, text: str, section: str | None) -> None:
        return None


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("top")
    folders = ("ws", "ws/sub", "ws/sub/deep", "ws/.git", "ws/sub/.git", "ws/heading:", "ws/sub/sub", "other")
    for folder in folders:
        (top / folder).mkdir()
    for folder in folders:
        for name in NAMES:
            if not (top / folder / name).exists():
                (top / folder / name).write_text("x\n")
    (top / "ws" / "only here.txt").write_text("x\n")
    (top / "ws" / "sub" / "only below.txt").write_text("x\n")
    (top / "ws" / "link").symlink_to("sub")
    (top / "ws" / "out").symlink_to("../other")
    (top / "ws" / "file link").symlink_to("sub/plain.txt")
    (top / "ws" / "dead").symlink_to("nowhere")
    os.mkfifo(top / "ws" / "pipe")
    return top / "ws"


def both(texts: list[str], top: Path, bases: list[Path]) -> tuple[list[Mention], list[Mention]]:
    """The mentions by the short way and by the careful one."""
    found = []
    for make in (Names, Careful):
        folders = Folders(Disk(), str(top))
        deep = [str(top / "sub" / "only below.txt")]
        found.append(list(mentions(texts, make(folders, map(str, bases), deep), range(len(texts)))))
    return found[0], found[1]


more = (
    "only here.txt",
    "only below.txt",
    "link",
    "file link",
    "dead",
    "pipe",
    "sub",
    "deep",
    "missing.txt",
    "",
    ".",
    "..",
)
paths = st.builds(
    "{}{}{}".format, st.sampled_from(HEADS), st.sampled_from(NAMES + more), st.sampled_from(["", "", "", "/", " "])
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.one_of(paths, st.sampled_from(LINES)), min_size=1, max_size=12),
    bases=st.lists(st.sampled_from([".", "sub", "sub/deep", "link", "none", "..", "/"]), min_size=1, max_size=3),
)
def test_lines_of_any_kind_in_any_order_are_answered_alike(workspace: Path, lines: list[str], bases: list[str]) -> None:
    texts = [line.replace("WS", str(workspace)) for line in lines]
    short, careful = both(texts, workspace, [Path(os.path.normpath(workspace / base)) for base in bases])
    assert short == careful


@pytest.mark.parametrize(
    "command",
    [
        "find .", "find . -type f", "find sub link/ -type f", "find $PWD", "find -L .", "find .. -name '*.txt'", "ls -R",
        "ls -aR", "ls -R sub heading:", "ls -1 . sub", "ls -lR", "ls -dQ *", "printf '%s\\n' */*", "ls -RF", "ls -RC",
    ],
)  # fmt: skip
@pytest.mark.parametrize("bases", [["."], ["sub", "."], [".", "sub"]])
def test_real_listings_are_answered_alike_by_the_short_and_the_careful_way(
    command: str, bases: list[str], workspace: Path
) -> None:
    output = subprocess.run(["bash", "-c", command], cwd=workspace, capture_output=True, check=False).stdout
    short, careful = both(list(observe(output).lines), workspace, [workspace / base for base in bases])
    assert short == careful
    assert any(mention.kind == "file" for mention in short)


def test_the_short_way_answers_nearly_all_lines_of_a_plain_listing(workspace: Path) -> None:
    names = Names(Folders(Disk(), str(workspace)), [str(workspace / "sub" / "deep"), str(workspace)])
    assert names.plain("./sub/plain.txt", None) == (f"{workspace}/sub/plain.txt", "file")
    assert names.plain(f"{workspace}/sub/with space.md", None) == (f"{workspace}/sub/with space.md", "file")
    assert names.plain("only below.txt", f"{workspace}/sub") == (f"{workspace}/sub/only below.txt", "file")
    assert names.plain("./sub/missing.txt", None) is None


@pytest.mark.parametrize("folder", ["", "sub", "link", "out", ".git", "sub/.git", "sub/deep", "none", "..", "../other"])
def test_a_key_is_the_same_whether_its_folder_was_listed_before_or_not(folder: str, workspace: Path) -> None:
    directory = os.path.normpath(workspace / folder)
    listed, fresh = Folders(Disk(), str(workspace)), Folders(Disk(), str(workspace))
    listed.kinds(directory)
    for name in (*NAMES, *os.listdir(workspace), "missing.txt"):
        path = f"{directory}/{name}"
        assert listed.key(path) == fresh.key(path)
    assert listed.key(f"{workspace}/link/plain.txt") == "sub/plain.txt"
    assert listed.key(f"{workspace}/file link") == "sub/plain.txt"
    assert listed.key(f"{workspace}/sub/.git/plain.txt") is None
