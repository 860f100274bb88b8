"""``tabshell install`` and ``tabshell uninstall``: show the change, ask, make it."""

from __future__ import annotations

import os

import click

from tabshell.agents.agent import Installation
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
    plan = plan_install(known, os.environ)
    if not plan.changes:
        click.echo(f"{known.title}: installed already")
        return 0
    if not _agreed(plan, yes, dry_run):
        return 0 if dry_run else 1
    apply(known, plan, os.environ, keep=True)
    click.echo(f"{known.title}: installed")
    for note in plan.notes:
        click.echo(note)
    return 0


@click.command()
@click.argument("agent", shell_complete=complete_agents)
@_YES
@_DRY
def uninstall(agent: str, yes: bool, dry_run: bool) -> int:
    """Takes tabshell's hooks out of the configuration of AGENT again."""
    known = agent_named(agent)
    plan = plan_uninstall(known, os.environ)
    if not plan.changes:
        click.echo(f"{known.title}: nothing of tabshell's is installed")
        return 0
    if not _agreed(plan, yes, dry_run):
        return 0 if dry_run else 1
    apply(known, plan, os.environ, keep=False)
    click.echo(f"{known.title}: uninstalled")
    return 0


def _agreed(plan: Installation, yes: bool, dry_run: bool) -> bool:
    click.echo(described(plan))
    if dry_run:
        return False
    agreed = yes or click.confirm("Make this change?", default=True)
    if not agreed:
        click.echo("Nothing was changed.")
    return agreed
