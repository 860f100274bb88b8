"""``tabshell hook``: the same as the launcher that installed hooks call, under the program's own name."""

from __future__ import annotations

import click

from tabshell.cli.hook import main
from tabshell.cli.options.shared import complete_agents


@click.command()
@click.argument("agent", shell_complete=complete_agents)
@click.argument("event", required=False)
def hook(agent: str, event: str | None) -> int:
    """What the hooks of AGENT call: its JSON on stdin, the answer on stdout. Always ends with status 0."""
    return main([agent] if event is None else [agent, event])
