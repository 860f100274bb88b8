"""``tabshell sessions``: what there is."""

from __future__ import annotations

import json
import os
import textwrap
import time
from collections.abc import Iterable, Iterator
from itertools import islice

import click

from tabshell.cli.options.shared import json_option
from tabshell.cli.progress import progress
from tabshell.recordings.times import iso
from tabshell.session.many import each, processes_for
from tabshell.session.summary import SessionSummary, summarise
from tabshell.store.locate import home, session_directories
from tabshell.text.harmless import harmless


@click.command()
@json_option
@click.option("-n", "--number", type=click.IntRange(min=0), default=None, help="Only the newest N.")
def sessions(as_json: bool, number: int | None) -> None:
    """Lists the sessions, newest first: id, name, turns, open and resolved requirements, how it ended."""
    sidecars = home(os.environ)
    directories = [str(directory) for directory in islice(session_directories(sidecars), number)]
    if not as_json and not directories:
        click.echo(f"No sessions in {sidecars}. Start one with 'tabshell', or see 'tabshell demo'.")
        return
    found = each(summarise, directories, processes_for(len(directories)), _died)
    if not as_json:
        for row in _rows(found):
            click.echo(row)  # as it comes: the newest can be read while the oldest are looked at
        return
    with progress(len(directories), "sessions") as step:
        for part in _json(found):
            click.echo(part, nl=False)
            step()


def _died(directory: str) -> SessionSummary:
    return SessionSummary(
        os.path.basename(directory), fault="the process that read it died, perhaps for want of memory"
    )


def _json(found: Iterable[SessionSummary]) -> Iterator[str]:
    before = '{\n "schema": "tabshell/1",\n "sessions": ['
    for one in found:
        yield f"{before}\n{textwrap.indent(json.dumps(_object(one), indent=1), '  ')}"
        before = ","
    yield "\n ]\n}\n" if before == "," else f"{before}]\n}}\n"


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


def _rows(found: Iterable[SessionSummary]) -> Iterator[str]:
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
            f"{harmless(one.agent or '-'):12} {harmless(about)}"
        )
