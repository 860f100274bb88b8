"""``tabshell audit``: the report on a session."""

from __future__ import annotations

from pathlib import Path

import click

from tabshell.cli.options.shared import open_session, session_argument
from tabshell.cli.output import write_text
from tabshell.model.collection import no_collection
from tabshell.session.deliverables import reading


@click.command()
@session_argument
@click.option("--format", "format_", type=click.Choice(["text", "json", "html"]), default="text", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--deliverable", "-d", "deliverables", multiple=True, type=click.Path(), help="A document to trace.")
def audit(session: str, format_: str, output: Path | None, deliverables: tuple[str, ...]) -> None:
    """What happened in SESSION (id, prefix, name, path or 'last'), and where each number comes from.

    The first screen is the summary: requirements, values without a source, values left out, files never opened,
    whether the record holds.
    """
    with no_collection(), open_session(session) as opened:
        with reading(opened, deliverables) as begun:
            from tabshell.access.disk.disk import Disk  # noqa: PLC0415 - heavy ones are loaded meanwhile
            from tabshell.audit.as_json import dumps  # noqa: PLC0415
            from tabshell.audit.as_text import audit_text  # noqa: PLC0415
            from tabshell.audit.audit_json import audit_object  # noqa: PLC0415
            from tabshell.session.auditing import audit_session  # noqa: PLC0415
            from tabshell.session.whole import seen_bytes  # noqa: PLC0415

            found = audit_session(opened, begun, Disk())
        if format_ == "html":
            from tabshell.session.html import audit_html  # noqa: PLC0415

            text = audit_html(opened, found)
        elif format_ == "json":
            text = dumps(audit_object(found, seen_bytes(opened))) + "\n"
        else:
            text = audit_text(found)
    write_text(text, output)
