"""The ``tabshell`` command line: how it is read, and how errors end.

Without a command, or with options only, ``run`` is meant. Every TabshellError becomes one line on stderr and its exit
status.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tabshell import __version__
from tabshell.cli.commands import COMMANDS, command_of
from tabshell.cli.options.defaults import WITHOUT, Defaults
from tabshell.errors import ExitStatus, TabshellError
from tabshell.text.harmless import harmless

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Commands(click.Group):
    """A group that imports a command when it is called and falls back to ``run``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, imported now."""
        return command_of(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called, with a person's defaults for it."""
        name, command, rest = super().resolve_command(ctx, args)
        helps = rest[:1] in (["--help"], ["-h"])  # help comes with a broken file, too
        if name and command and name not in WITHOUT and not (helps or ctx.resilient_parsing):
            ctx.default_map = {name: Defaults(name, command, COMMANDS, os.environ)}
        return name, command, rest

    def invoke(self, ctx: click.Context) -> object:
        """The command; where the reader of its output went away that is no error of ours, and nothing to say."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would make a status of 1 of it
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return 141

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, _, help_text) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands, without importing any; for a dash also the options of ``run``, which is meant then."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only when somebody presses Tab

        if incomplete.startswith("-"):
            run = command_of("run")
            return [*click.Command.shell_complete(self, ctx, incomplete), *run.shell_complete(ctx, incomplete)]
        return [
            CompletionItem(name, help=told) for name, (_, _, told) in COMMANDS.items() if name.startswith(incomplete)
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts ``run`` before options that are not the group's own."""
        own = {"--help", "-h", "--version", "-V"}
        completing = ctx.resilient_parsing and not args
        if not completing and (not args or (args[0].startswith("-") and args[0] not in own)):
            args = ["run", *args]
        return super().parse_args(ctx, args)


def _version(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if not asked:
        return
    import platform  # noqa: PLC0415 - only here
    import sqlite3  # noqa: PLC0415

    from tabshell.shell.bash import find_bash  # noqa: PLC0415

    try:
        bash = ".".join(map(str, find_bash(None, os.environ).version))
    except TabshellError:
        bash = "none"
    click.echo(
        f"tabshell {__version__} (bash {bash}, SQLite {sqlite3.sqlite_version}, Python {platform.python_version()})"
    )
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", "-V", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Versions.")
def tabshell() -> None:
    """A transparent shell for agents that keeps a running tab.

    It records what an agent was shown of which file, what it only saw listed, and what its task still owes;
    afterwards a person can ask where each number of the report comes from.

    Start with 'tabshell demo'. Without a command, 'tabshell' starts an interactive bash in a session.
    """


def main(arguments: Sequence[str]) -> int:
    """Runs one command line; gives the exit status."""
    try:
        status = tabshell.main(args=list(arguments), prog_name="tabshell", standalone_mode=False)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        said = io.StringIO()
        error.show(said)
        click.echo(harmless(said.getvalue(), lines=True), nl=False, err=True)
        return ExitStatus.USAGE
    except click.Abort:
        return 130
    except TabshellError as error:
        click.echo(f"tabshell: {harmless(str(error), lines=True)}", err=True)
        return int(error.status)
    return status if isinstance(status, int) else 0
