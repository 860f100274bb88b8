"""A folder of tasks: what is asked, of which files, and what a good deliverable holds.

::

    TASKS/workspace/            the files; shared by all tasks that have none of their own
    TASKS/NAME/task.md          what is asked
    TASKS/NAME/values.txt       values that the deliverable must hold, one a line; ``#`` begins a comment
    TASKS/NAME/rubric.txt       or (or beside it) statements for a judge, one a line
    TASKS/NAME/workspace/       the files of this task alone

Every folder with a ``task.md`` is a task, in the order of names. Raises UsageError, which names the file.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tabshell.errors import UsageError

TASK, VALUES, RUBRIC, WORKSPACE = "task.md", "values.txt", "rubric.txt", "workspace"
#: Where an agent writes its deliverable, below the workspace.
OUT = "model_output"


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """One task."""

    name: str
    text: str
    workspace: Path
    values: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()


def read_tasks(folder: Path) -> list[TaskFolder]:
    """The tasks of a folder."""
    if not folder.is_dir():
        msg = f"no folder of tasks at {folder}; give one with tasks=DIR"
        raise UsageError(msg)
    found = [_read(path.parent, folder) for path in sorted(folder.glob(f"*/{TASK}"))]
    if not found:
        msg = f"{folder} holds no task: a task is a folder in it with a {TASK}"
        raise UsageError(msg)
    return found


def _read(folder: Path, tasks: Path) -> TaskFolder:
    own, shared = folder / WORKSPACE, tasks / WORKSPACE
    workspace = own if own.is_dir() else shared
    if not workspace.is_dir():
        msg = f"the task {folder.name} has no files: neither {own} nor {shared} is a folder"
        raise UsageError(msg)
    text = _text(folder / TASK).strip()
    values, rubric = _lines(folder / VALUES), _lines(folder / RUBRIC)
    if not text:
        msg = f"{folder / TASK} is empty; it must say what is asked"
        raise UsageError(msg)
    if not values and not rubric:
        msg = f"the task {folder.name} cannot be judged: give it a {VALUES} or a {RUBRIC}"
        raise UsageError(msg)
    return TaskFolder(folder.name, text, workspace, values, rubric)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        msg = f"{path} is no UTF-8 text (byte {error.start}); save it as UTF-8"
        raise UsageError(msg) from error


def _lines(path: Path) -> tuple[str, ...]:
    if not path.exists():
        return ()
    lines = (line.strip() for line in _text(path).splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def packed(workspace: Path) -> bytes:
    """A workspace's files as a gzipped tar, made once. Links stay links; owners are left out."""
    stream = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=6, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(workspace.rglob("*")):
            archive.add(path, str(path.relative_to(workspace)), recursive=False, filter=_anonymous)
    return stream.getvalue()


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
