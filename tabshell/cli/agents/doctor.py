"""``tabshell doctor``: one line for each door."""

from __future__ import annotations

import os

import click

from tabshell.cli.agents.installing import agent_named
from tabshell.cli.agents.probes import examine
from tabshell.cli.options.shared import complete_agents


@click.command()
@click.argument("agent", required=False, shell_complete=complete_agents)
def doctor(agent: str | None) -> int:
    """Proves by live probes that capture works here: for AGENT, or for the doors as such.

    Nothing of yours is changed. Ends with status 1 if a probe failed.
    """
    failed = False
    for finding in examine(agent_named(agent) if agent else None, os.environ):
        click.echo(finding.line())
        failed = failed or finding.outcome == "FAILS"
    return 1 if failed else 0
