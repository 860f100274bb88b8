"""A folder of tasks, and the example set."""

from __future__ import annotations

import csv
import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from tabshell.engines.experiment.tasks import packed, read_tasks
from tabshell.errors import UsageError

EXAMPLES = Path(__file__).parents[3] / "fixtures" / "experiment"


def make(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_task_has_its_own_files_or_those_that_all_share(tmp_path):
    make(tmp_path, workspace__a_dot_txt="a", one__task_dot_md="Do.\n", one__values_dot_txt="# no\n12\n\n 4 %\n")
    make(tmp_path, two__task_dot_md="Do.", two__rubric_dot_txt="It is short.\n", two__workspace__b_dot_txt="b")
    one, two = read_tasks(tmp_path)
    assert (one.name, one.text, one.values, one.rubric) == ("one", "Do.", ("12", "4 %"), ())
    assert (one.workspace, two.workspace) == (tmp_path / "workspace", tmp_path / "two" / "workspace")
    assert two.rubric == ("It is short.",)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "holds no task"),
        ({"one__task_dot_md": "Do.", "one__values_dot_txt": "1"}, "the task one has no files"),
        ({"one__task_dot_md": " \n", "one__values_dot_txt": "1", "workspace__a": ""}, "is empty"),
        ({"one__task_dot_md": "Do.", "workspace__a": ""}, "cannot be judged"),
    ],
)
def test_what_is_no_task_is_named(tmp_path, files, said):
    make(tmp_path, **files)
    with pytest.raises(UsageError, match=said):
        read_tasks(tmp_path)


def test_a_folder_that_is_not_there_and_a_text_that_is_none_are_named(tmp_path):
    with pytest.raises(UsageError, match="no folder of tasks"):
        read_tasks(tmp_path / "nowhere")
    make(tmp_path, workspace__a="", one__task_dot_md="")
    (tmp_path / "one" / "task.md").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="no UTF-8"):
        read_tasks(tmp_path)


def test_a_workspace_is_packed_whole_and_the_same_each_time(tmp_path):
    make(tmp_path, sub__a_dot_txt="a\n")
    (tmp_path / "link").symlink_to("sub/a.txt")
    with tarfile.open(fileobj=io.BytesIO(packed(tmp_path))) as archive:
        assert archive.getnames() == ["link", "sub", "sub/a.txt"]
        assert archive.getmember("link").issym()
        assert archive.extractfile("sub/a.txt").read() == b"a\n"


def test_the_example_set_has_ten_tasks_whose_values_stand_in_its_files():
    tasks = read_tasks(EXAMPLES)
    assert len(tasks) == 10
    files = {path: path.read_text() for path in (EXAMPLES / "workspace").rglob("*") if path.is_file()}
    cells = {
        cell
        for path, text in files.items()
        if path.suffix == ".csv"
        for row in csv.reader(text.splitlines())
        for cell in row
    }
    prose = "\n".join(files.values())
    for task in tasks:
        for value in task.values:
            assert value in cells or re.search(rf"\b{re.escape(value)}\b", prose), (task.name, value)


def test_each_script_reads_a_file_that_is_there_and_writes_the_value_that_is_expected():
    for task in read_tasks(EXAMPLES):
        steps = json.loads((EXAMPLES / task.name / "script.json").read_text())
        assert len(steps) == len(task.values)
        for step, value in zip(steps, task.values, strict=True):
            assert (task.workspace / step["file"]).is_file()
            assert value.replace(",", "") in step["line"].replace(",", "")
