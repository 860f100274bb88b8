"""``tabshell tab``: the agent's command, on the session of the environment or one that a person names."""

from __future__ import annotations

import os

import click

from tabshell.store.locate import find, home


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False)
@click.option("--session", help="A session other than $TABSHELL_SESSION: id, prefix, name, path or 'last'.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def tab(session: str | None, words: tuple[str, ...]) -> int:
    """The same program as 'tab' in the session's shell; see 'tab help'."""
    from tabshell.cli.tab import main  # noqa: PLC0415 - not click's: it must start fast in the session itself

    wanted = session or os.environ.get("TABSHELL_SESSION") or "last"
    return main(list(words), find(wanted, home(os.environ)))
