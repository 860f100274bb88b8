"""``tabshell experiment``: the results of the paper's experiment, run with Inspect, as a table."""

from __future__ import annotations

from pathlib import Path

import click

from tabshell.cli.output import write_out
from tabshell.errors import UsageError


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--format", "format_", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
def experiment(logs: tuple[str, ...], format_: str, output: Path | None) -> None:
    """The variants of the paper's experiment in LOGS of Inspect (files, or folders of them), as a table.

    Means over the runs (epochs) with their deviation, the difference to the plain variant with a 95 % interval (a
    bootstrap over tasks, in pairs), and the paper's numbers beside them. A run is started with
    'inspect eval tabshell/experiment -T tasks=DIR -T variant=NAME'.
    """
    from tabshell.engines.experiment import table as tables  # noqa: PLC0415 - only here
    from tabshell.engines.experiment.results import rows  # noqa: PLC0415

    try:
        from tabshell.engines.inspect.logs import read_attempts  # noqa: PLC0415
    except ImportError as error:
        msg = f"reading logs of Inspect needs {error.name or 'inspect-ai'}; run: pip install 'tabshell[inspect]'"
        raise UsageError(msg) from error
    made = rows(read_attempts(logs), list(tables.MEASURES))
    write = {"text": tables.table_text, "json": tables.table_json, "csv": tables.table_csv}[format_]
    write_out(write(made).encode(), output)
