"""``tabshell install`` and ``tabshell uninstall``: show the change, ask, make it."""

from __future__ import annotations

import os

import click

from tabshell.agents.agent import Agent, Installation
from tabshell.cli.agents.installing import agent_named, apply, described, plan_install, plan_uninstall
from tabshell.cli.options.shared import complete_agents

_YES = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
_DRY = click.option("--dry-run", is_flag=True, help="Only show what would change.")


@click.command()
@click.argument("agent", shell_complete=complete_agents)
@_YES
@_DRY
def install(agent: str, yes: bool, dry_run: bool) -> int:
    """Puts tabshell's hooks into the configuration of AGENT, so that every session of it is recorded.

    Shows the change before it is made; 'tabshell uninstall AGENT' takes exactly it out again.
    """
    known = agent_named(agent)
    return _made(known, plan_install(known, os.environ), installing=True, yes=yes, dry_run=dry_run)


@click.command()
@click.argument("agent", shell_complete=complete_agents)
@_YES
@_DRY
def uninstall(agent: str, yes: bool, dry_run: bool) -> int:
    """Takes tabshell's hooks out of the configuration of AGENT again."""
    known = agent_named(agent)
    return _made(known, plan_uninstall(known, os.environ), installing=False, yes=yes, dry_run=dry_run)


def _made(agent: Agent, plan: Installation, *, installing: bool, yes: bool, dry_run: bool) -> int:
    """Shows the change and makes it, if the person agrees. The exit status."""
    if not plan.changes:
        already = "installed already" if installing else "nothing of tabshell's is installed"
        click.echo(f"{agent.title}: {already}")
        return 0
    click.echo(described(plan))
    if dry_run:
        return 0
    if not yes and not click.confirm("Make this change?", default=True):
        click.echo("Nothing was changed.")
        return 1
    apply(agent, plan, os.environ, keep=installing)
    for line in (f"{agent.title}: {'installed' if installing else 'uninstalled'}", *plan.notes):
        click.echo(line)
    return 0
