"""``tabshell env``: a session for a harness that starts its shells itself."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from tabshell.cli.options.shared import chosen, complete_sessions, open_session, session_options
from tabshell.errors import UsageError
from tabshell.session import Session


@click.command()
@session_options
@click.option("--shell", metavar="PATH", help="The bash to run [default: the one on PATH].")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in the place of lines to eval.")
@click.option(
    "--end",
    "over",
    metavar="SESSION",
    shell_complete=complete_sessions,
    help="End this session, started by an earlier call, and print the head of its record.",
)
def env(shell: str | None, as_json: bool, over: str | None, **values: Any) -> None:  # noqa: ANN401 - click hands options in by name
    """Starts a session without a process and prints export lines: eval "$(tabshell env --task-file task.md)".

    They set TABSHELL_SESSION, PATH, SHELL and BASH_ENV; a 'bash' that is started with them is recorded. Afterwards
    tabshell env --end "$TABSHELL_SESSION" says that the session is over.
    """
    from tabshell.cli.agents.launch import env_lines, env_values  # noqa: PLC0415
    from tabshell.shell.bash import find_bash  # noqa: PLC0415

    if over is not None:
        return _end(over)
    bash = find_bash(shell, os.environ)
    with Session.create(chosen(values, bash=bash.path), os.environ) as session:
        if as_json:
            answer = {"schema": "tabshell/1", "environment": env_values(session, os.environ)}
            click.echo(json.dumps(answer, indent=1))
        else:
            click.echo(env_lines(session, os.environ), nl=False)
    return None


def _end(name: str) -> None:
    """Ends a session that no process of ours watches; what is left in its inbox is taken in before."""
    with open_session(name) as session:
        if not session.writable:
            msg = f"{session.directory} cannot be written, so its end cannot be recorded; see its permissions"
            raise UsageError(msg)
        session.catch_up()
        if session.tab().ended is None:
            session.end(None)
        events, head = session.store.head()
        click.echo(f"[tab] session {session.directory.name} ended: {events} events, head {head}")
