"""``tabshell import``: a recording made elsewhere becomes a session."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from tabshell.errors import ExitStatus, UsageError
from tabshell.recordings.all_recordings import READERS
from tabshell.session.importing import import_file
from tabshell.text.harmless import harmless


@click.command("import")
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--from", "format_name", type=click.Choice(list(READERS)), help="The format [default: looked for].")
@click.option("-w", "--workspace", "copy", type=click.Path(), help="A copy of the files, to confirm against.")
@click.option("--out", type=click.Path(), help="The output folder, as it was called there.")
@click.option("--name", help="A name for the session [default: the file's].")
def import_recording(
    recording: Path, format_name: str | None, copy: str | None, out: str | None, name: str | None
) -> int:
    """Makes a session of RECORDING: a transcript of Claude Code, Codex, Pi, SWE-agent or mini-swe-agent, an
    ATIF trajectory, or an asciicast.

    Its files need not be here; then entries are marked 'unconfirmed'. What could be read before a fault is kept.
    """
    if copy is not None and not os.path.isdir(copy):
        msg = f"no folder {copy!r}; -w names a copy of the recording's files"
        raise UsageError(msg)
    progress = _progress if sys.stderr.isatty() else None
    made = import_file(recording, os.environ, format_name=format_name, copy=copy, name=name, out=out, progress=progress)
    turns = f"{made.turns} turn{'' if made.turns == 1 else 's'}"
    entries = f"{made.entries} log entr{'y' if made.entries == 1 else 'ies'}"
    click.echo(f"{made.directory.name}: {turns}, {entries} ({made.format}, {harmless(recording.name)})")
    if made.fault is None:
        return 0
    fault = harmless(f"{recording}: {made.fault}")
    click.echo(f"tabshell: {fault}; the {turns} before it are in {made.directory.name}", err=True)
    return ExitStatus.RECORDING


def _progress(done: int, every: int) -> None:
    if done % 20 == 0 or done == every:
        sys.stderr.write(f"\rclassifying turn {done} of {every}" + ("\r\x1b[K" if done == every else ""))
        sys.stderr.flush()
