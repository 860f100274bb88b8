"""``tabshell env``: a session for a harness that starts its shells itself."""

from __future__ import annotations

import os
from typing import Any

import click

from tabshell.cli.options import chosen, session_options
from tabshell.session import Session


@click.command()
@session_options
@click.option("--shell", metavar="PATH", help="The bash to run [default: the one on PATH].")
def env(shell: str | None, **values: Any) -> None:  # noqa: ANN401 - click hands options in by name
    """Starts a session without a process and prints export lines: eval "$(tabshell env --task-file task.md)".

    They set TABSHELL_SESSION, PATH, SHELL and BASH_ENV; a 'bash' that is started with them is recorded.
    """
    from tabshell.cli.launch import env_lines  # noqa: PLC0415
    from tabshell.shell.bash import find_bash  # noqa: PLC0415

    bash = find_bash(shell, os.environ)
    with Session.create(chosen(values, bash=bash.path), os.environ) as session:
        click.echo(env_lines(session, os.environ), nl=False)
