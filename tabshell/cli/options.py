"""Options and arguments that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tabshell.errors import UsageError
from tabshell.session import Session, SessionOptions
from tabshell.store.locate import find, home

Command = TypeVar("Command", bound=Callable[..., Any])


def session_argument(command: Command) -> Command:
    """SESSION: an id, a unique prefix of one, a name, a path or ``last``."""
    return click.argument("session", default="last")(command)


def open_session(text: str, *, readonly: bool = False) -> Session:
    """The session that a person means, in a bundle (``FILE.tab``) too: that one is read and never written."""
    from tabshell.cli.bundling import is_bundle_file, unpacked  # noqa: PLC0415 - zipfile costs 10 ms

    sidecars = home(os.environ)
    if is_bundle_file(Path(text)):
        return Session.open(unpacked(Path(text), sidecars), readonly=True)
    return Session.open(find(text, sidecars), readonly=readonly)


def session_options(command: Command) -> Command:
    """What a new session may be given."""
    decorators = [
        click.option("--task", metavar="TEXT", help="The task, for ranking and for the finish check."),
        click.option("--task-file", type=click.Path(path_type=Path), help="The same from a file."),
        click.option("-w", "--workspace", default=".", type=click.Path(), help="The folder of documents [default: .]."),
        click.option("--out", type=click.Path(), help="The output folder [default: model_output if there is one]."),
        click.option("--name", help="A name for the session."),
        click.option("--no-capture", is_flag=True, help="Record neither reads nor listings (ablation)."),
        click.option("--no-review", is_flag=True, help="'tab list' shows requirements only (ablation)."),
        click.option("--no-evidence-check", is_flag=True, help="'tab resolve' takes any entry (ablation)."),
        click.option("--no-finish-check", is_flag=True, help="Never hold the first stop (ablation)."),
        click.option("--model", help="The model's name, for statistics."),
        click.option("--variant", help="The name of this variant of an experiment, for statistics."),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def chosen(values: dict[str, Any], *, agent: str | None = None, bash: str | None = None) -> SessionOptions:
    """The session options out of a command's parameters (those of ``session_options``; others stay)."""
    task, task_file = values.pop("task"), values.pop("task_file")
    if task_file is not None:
        if task is not None:
            msg = "--task and --task-file exclude each other; give one"
            raise UsageError(msg)
        try:
            task = task_file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            msg = f"cannot read the task from {task_file}: {error.strerror}"
            raise UsageError(msg) from error
    workspace = values.pop("workspace")
    if not os.path.isdir(workspace):
        msg = f"no folder {workspace!r}; name the folder of documents with -w"
        raise UsageError(msg)
    return SessionOptions(
        workspace=workspace,
        out=values.pop("out"),
        name=values.pop("name"),
        task=task,
        agent=agent,
        capture=not values.pop("no_capture"),
        review=not values.pop("no_review"),
        evidence_check=not values.pop("no_evidence_check"),
        finish_check=not values.pop("no_finish_check"),
        model=values.pop("model"),
        variant=values.pop("variant"),
        bash=bash,
    )
