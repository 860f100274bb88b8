"""``tabshell export``: a session in another format, on standard output or into a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from tabshell.cli.options import open_session, session_argument
from tabshell.session import Session

Exporter = Callable[[Session], bytes]


def _json(session: Session) -> bytes:
    from tabshell.audit.as_json import dumps  # noqa: PLC0415
    from tabshell.session.whole import export_object  # noqa: PLC0415

    return (dumps(export_object(session)) + "\n").encode("ascii")


#: Format -> what writes it.
FORMATS: dict[str, Exporter] = {"json": _json}


@click.command()
@session_argument
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="json", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
def export(session: str, format_: str, output: Path | None) -> None:
    """Writes SESSION (id, prefix, name, path or 'last') in another format."""
    with open_session(session) as opened:
        data = FORMATS[format_](opened)
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        output.write_bytes(data)
