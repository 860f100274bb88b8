"""Options and arguments that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tabshell.errors import UsageError
from tabshell.session import Session, SessionOptions
from tabshell.store.locate import find, home

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])


def session_argument(command: Command) -> Command:
    """SESSION: an id, a unique prefix of one, a name, a path or ``last``."""
    return click.argument("session", default="last", shell_complete=complete_sessions)(command)


def session_option(command: Command) -> Command:
    """``--session``, where the arguments are something else."""
    return click.option(
        "--session",
        default="last",
        show_default=True,
        shell_complete=complete_sessions,
        help="Id, prefix, name, path or 'last'.",
    )(command)


def deliverables_argument(command: Command) -> Command:
    """DELIVERABLES: files of a session's output."""
    return click.argument("deliverables", nargs=-1, required=True, type=click.Path())(command)


def json_option(command: Command) -> Command:
    """``--json``: one object in the place of text."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON object.")(command)


def complete_sessions(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What there is for a SESSION, when somebody presses Tab."""
    from tabshell.cli.options.suggest import sessions  # noqa: PLC0415 - only then

    return sessions(context, parameter, incomplete)


def complete_agents(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What there is for an AGENT, when somebody presses Tab."""
    from tabshell.cli.options.suggest import agents  # noqa: PLC0415 - only then

    return agents(context, parameter, incomplete)


def open_session(text: str, *, readonly: bool = False) -> Session:
    """The session that a person means, in a bundle (``FILE.tab``) too: that one is read and never written."""
    from tabshell.session.bundling import is_bundle_file, unpacked  # noqa: PLC0415 - zipfile costs 10 ms

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
        _switch("capture", "record neither reads nor listings (ablation)."),
        _switch("review", "'tab list' shows requirements only (ablation)."),
        _switch("evidence-check", "'tab resolve' takes any entry (ablation)."),
        _switch("finish-check", "never hold the first stop (ablation)."),
        click.option("--model", help="The model's name, for statistics."),
        click.option("--variant", help="The name of this variant of an experiment, for statistics."),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def _switch(name: str, text: str) -> Callable[[Command], Command]:
    """A part of the method that is on unless it is switched off, here or in ``config.toml``."""
    return click.option(f"--{name}/--no-{name}", default=True, help=f"--no-{name}: {text}")


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
        capture=values.pop("capture"),
        review=values.pop("review"),
        evidence_check=values.pop("evidence_check"),
        finish_check=values.pop("finish_check"),
        model=values.pop("model"),
        variant=values.pop("variant"),
        bash=bash,
    )
