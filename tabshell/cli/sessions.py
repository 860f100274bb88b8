"""``tabshell sessions``: what there is."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable

import click

from tabshell.recordings.times import iso
from tabshell.session.summary import SessionSummary, summarise
from tabshell.store.locate import home, session_directories
from tabshell.text.harmless import harmless


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("-n", "--number", type=int, default=None, help="Only the newest N.")
def sessions(as_json: bool, number: int | None) -> None:
    """Lists the sessions, newest first: id, name, turns, open and resolved requirements, how it ended."""
    sidecars = home(os.environ)
    directories = list(session_directories(sidecars))[:number]
    found = [summarise(directory) for directory in directories]
    if as_json:
        click.echo(json.dumps({"schema": "tabshell/1", "sessions": [_object(one) for one in found]}, indent=1))
    elif not found:
        click.echo(f"No sessions in {sidecars}. Start one with 'tabshell', or see 'tabshell demo'.")
    else:
        click.echo("\n".join(_rows(found)))


def _object(one: SessionSummary) -> dict[str, object]:
    return {
        "id": one.id,
        "name": one.name,
        "workspace": one.workspace,
        "agent": one.agent,
        "turns": one.turns,
        "open": one.open,
        "resolved": one.resolved,
        "started_at": None if one.fault else iso(one.started_at),
        "ended_at": None if one.ended_at is None else iso(one.ended_at),
        "complete": one.ended,
        "fault": one.fault,
    }


def _rows(found: Iterable[SessionSummary]) -> Iterable[str]:
    yield f"{'SESSION':22} {'STARTED':16} {'TURNS':>5} {'OPEN':>4} {'DONE':>4}  {'END':7} {'AGENT':12} NAME, WORKSPACE"
    for one in found:
        if one.fault:
            yield f"{one.id:22} cannot be read: {harmless(one.fault)}"
            continue
        started = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.started_at))
        end = "clean" if one.ended else "-"
        about = f"{one.name}, {one.workspace}" if one.name else one.workspace
        yield (
            f"{one.id:22} {started:16} {one.turns:5} {one.open:4} {one.resolved:4}  {end:7} "
            f"{(one.agent or '-'):12} {harmless(about)}"
        )
