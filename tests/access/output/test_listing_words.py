"""Lines of which no word begins a name are passed over; trying each of their places would find nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tabshell.access.disk.disk import Disk
from tabshell.access.output.listing import BINARY, Mention, mentions
from tabshell.access.output.names import Names
from tabshell.access.paths.folders import Folders

NAMES = (
    "report.txt", "two words.md", "v1.", "v2..", "a(b).txt", "=c", "[d] e", "f;g", "it's", "h@i", "$j", "k'l", ".dot",
    "m\\n", "o\tp", "q,r", "Zoë.txt", "s’t", "-", "u=v", "w.x.y", "{z}", "no:5", "#1", "~tilde", "?", "\udce9",
)  # fmt: skip
MARKS = (
    " ", "  ", "\t", ":", ";", ",", "=", "(", ")", "[", "]", "{", "}", "<", ">", "|", "@", '"', "'", "`", "*", ".", "..",
    "/", "./", "../", "-", "$'", "\\", "’", "“", "├", "é", "a/", "x", "== ", "diff --git a/", "-> ", BINARY, "sub/", "WS/",
    "WS", " /far/", "/far/report.txt ", "-rw-r--r-- 1 root root 7 May  3 12:00 ",
)  # fmt: skip


class Careful(Names):
    """Names that try each place of each line."""

    def may_hold(self, text: str, section: str | None) -> bool:
        return True


@pytest.fixture(scope="module", params=[NAMES, NAMES[:4], ("...", "report.txt"), NAMES[5:9]])
def workspace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("top") / "ws"
    for folder in ("", "sub", "sub/far"):
        (top / folder).mkdir(parents=True)
        for name in request.param:
            (top / folder / name).write_text("x\n")
    (top / "sub" / "deep one.txt").write_text("x\n")
    return top


pieces = st.lists(st.sampled_from((*NAMES, *MARKS, "deep one.txt", "sub", "far")), min_size=1, max_size=7).map("".join)


@example(lines=["-rw-r--r-- 1 root root 7 May  3 12:00 ."], headed=False)
@example(lines=["drwxr-xr-x 1 root root 7 May  3 12:00 .."], headed=True)
@example(lines=[".:"], headed=False)
@example(lines=["./."], headed=False)
@example(lines=["/usr/share/doc/a-report.txt", "12\t/usr/share/report.txt", "report.txt"], headed=False)
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(pieces, min_size=1, max_size=4), headed=st.booleans())
def test_what_stands_in_a_line_is_found_whether_its_words_are_looked_at_first_or_not(
    workspace: Path, lines: list[str], headed: bool
) -> None:
    texts = [line.replace("WS", str(workspace)) for line in (["sub/far:"] if headed else []) + lines]
    found: list[list[Mention]] = []
    for make in (Names, Careful):
        names = make(Folders(Disk(60), str(workspace)), [str(workspace)], [str(workspace / "sub" / "deep one.txt")])
        found.append(list(mentions(texts, names, range(len(texts)))))
    assert found[0] == found[1]


def test_lines_of_text_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "report-1.txt").write_text("x\n")
    (tmp_path / "two words.md").write_text("x\n")
    names = Names(Folders(Disk(60), str(tmp_path)), [str(tmp_path)])
    assert not names.may_hold("Total receipts | 1,204.5 | 77 of all", None)
    assert names.may_hold("see (report-1.txt) of", None)
    assert names.may_hold("the two words", None)
    assert names.may_hold(f"in {tmp_path}/", None)


@pytest.mark.parametrize(
    "row", ["{path}", "131 4 -rw-r--r-- 1 root root 7 May  3 12:00 {path}", "{path} 7 root", "a {path} b"]
)
def test_words_of_a_path_elsewhere_begin_no_name(tmp_path: Path, row: str) -> None:
    (tmp_path / "report.txt").write_text("x\n")
    names = Names(Folders(Disk(), str(tmp_path)), [str(tmp_path)])
    assert not names.may_hold(row.format(path="/far/report.txt/x"), None)
    assert names.may_hold(row.format(path=f"{tmp_path}/report.txt"), None)
    assert names.may_hold(row.format(path="report.txt"), None)
    assert names.may_hold(row.format(path="/far,report.txt"), None)
