"""``tabshell tab``: the agent's command, on the session of the environment or one that a person names."""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem

from tabshell.cli.options.suggest import sessions
from tabshell.cli.tab.suggest import tab_words
from tabshell.store.locate import find, home


class _Tab(click.Command):
    """Completes as ``tab`` does, not as click would."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Operations, operands, ids; before the first of them our own option."""
        own = super().shell_complete(ctx, incomplete) if not ctx.params.get("words") else []
        return own + tab_words(ctx, incomplete)


@click.command(
    cls=_Tab, context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False
)
@click.option(
    "--session",
    shell_complete=sessions,
    help="A session other than $TABSHELL_SESSION: id, prefix, name, path or 'last'.",
)
@click.argument(
    "words", nargs=-1, type=click.UNPROCESSED, shell_complete=lambda ctx, _parameter, word: tab_words(ctx, word)
)
def tab(session: str | None, words: tuple[str, ...]) -> int:
    """The same program as 'tab' in the session's shell; see 'tab help'."""
    from tabshell.cli.tab.call import main  # noqa: PLC0415 - not click's: it must start fast in the session itself

    wanted = session or os.environ.get("TABSHELL_SESSION") or "last"
    return main(list(words), find(wanted, home(os.environ)))
