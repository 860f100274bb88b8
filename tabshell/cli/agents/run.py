"""``tabshell run``: a shell, a command, or an agent in a session."""

from __future__ import annotations

import os
from typing import Any

import click

from tabshell.cli.options.shared import chosen, complete_sessions, session_options
from tabshell.errors import UsageError
from tabshell.model.facts import SessionResumed
from tabshell.session import Session


@click.command(context_settings={"allow_interspersed_args": False})
@session_options
@click.option(
    "--resume",
    metavar="SESSION",
    shell_complete=complete_sessions,
    help="Go on with this session: id, prefix, name, path or 'last'.",
)
@click.option(
    "--status",
    type=click.Choice(["off", "stdout", "stderr"]),
    envvar="TABSHELL_STATUS",
    help="Where the status line goes; off: nothing of ours is shown [default: by the door].",
)
@click.option("-q", "--quiet/--no-quiet", default=False, help="No opening line and no closing line.")
@click.option("--shell", metavar="PATH", help="The bash to run [default: the one on PATH].")
@click.option("--on-finish", metavar="CMD", help="With an agent: run CMD with the finish check on stdin at its end.")
@click.option("-c", "command", metavar="COMMAND", help="Run one command as 'bash -c' does; AGENT ARGS are its $0 $1 …")
@click.argument("agent", nargs=-1, type=click.UNPROCESSED)
def run(agent: tuple[str, ...], command: str | None, **values: Any) -> int:  # noqa: ANN401 - click hands options in by name
    """Starts an interactive bash in a session; after -- an agent with its arguments.

    What the shell shows is recorded, 'tab' is a command in it, a status line follows each command, and the
    first attempt to leave gets a finish check.
    """
    rest = {name: values.pop(name) for name in ("resume", "status", "quiet", "shell", "on_finish")}
    if command is not None:
        return _command(command, agent, values, rest)
    return _agent(agent, values, rest) if agent else _shell(values, rest)


def _agent(words: tuple[str, ...], values: dict[str, Any], rest: dict[str, Any]) -> int:
    from tabshell.agents.all_agents import recognise  # noqa: PLC0415 - agents are not needed for a shell
    from tabshell.cli.agents.attending import at_end, run_piped  # noqa: PLC0415
    from tabshell.cli.agents.launch import prepare  # noqa: PLC0415
    from tabshell.session.clerk import clerk  # noqa: PLC0415
    from tabshell.session.terminal import run_program_recorded  # noqa: PLC0415
    from tabshell.shell.bash import find_bash  # noqa: PLC0415
    from tabshell.shell.door import is_interactive  # noqa: PLC0415

    bash = find_bash(rest["shell"], os.environ)
    with start(values, rest["resume"], bash.path, recognise(words)[0].name) as session:
        prepared = prepare(session, words, os.environ, rest["status"])
        for note in () if rest["quiet"] else prepared.notes:
            click.echo(f"[tab] {note}", err=True)
        with clerk(session.directory):
            if is_interactive(0, 1):
                status = run_program_recorded(session, prepared.argv, prepared.environment)
            else:
                status = run_piped(prepared)
        return at_end(session, prepared, status, rest["on_finish"])


def _shell(values: dict[str, Any], rest: dict[str, Any]) -> int:
    from tabshell.session.terminal import ShellOptions, run_shell  # noqa: PLC0415 - the pty door
    from tabshell.shell.bash import find_bash  # noqa: PLC0415
    from tabshell.shell.door import is_interactive  # noqa: PLC0415

    if not is_interactive(0, 1):
        return _command(None, (), values, rest)
    bash = find_bash(rest["shell"], os.environ)
    with start(values, rest["resume"], bash.path) as session:
        options = ShellOptions(rest["status"] or "stdout", rest["quiet"])
        return run_shell(session, bash, os.environ, options)


def _command(command: str | None, words: tuple[str, ...], values: dict[str, Any], rest: dict[str, Any]) -> int:
    """A command, or what stands on standard input, through the session's own bash (no terminal is opened)."""
    from tabshell.shell.bash import find_bash  # noqa: PLC0415

    bash = find_bash(rest["shell"], os.environ)
    with start(values, rest["resume"], bash.path) as session:
        directory = session.directory
    shim = str(directory / "bin" / "bash")
    arguments = ["bash"] if command is None else ["bash", "-c", command, *words]
    environment = {**os.environ, "TABSHELL_STATUS": rest["status"] or "off"}
    status = os.spawnve(os.P_WAIT, shim, arguments, environment)  # noqa: S606 - the shell is the program
    with Session.open(directory) as session:
        session.catch_up()
        session.end(status)
    return 128 - status if status < 0 else status


def start(values: dict[str, Any], resume: str | None, bash: str, agent: str | None = None) -> Session:
    """A new session, or the one to resume."""
    options = chosen(values, agent=agent, bash=bash)
    if resume is None:
        return Session.create(options, os.environ)
    from tabshell.store.locate import find, home  # noqa: PLC0415

    session = Session.open(find(resume, home(os.environ)))
    if not session.writable:
        msg = f"{session.directory} cannot be written, so the session cannot go on; see its permissions"
        raise UsageError(msg)
    from tabshell import __version__  # noqa: PLC0415

    session.append(SessionResumed(__version__))
    if options.task:
        from tabshell.model.facts import TaskSet  # noqa: PLC0415

        session.append(TaskSet(options.task))
    return session
