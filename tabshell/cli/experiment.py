"""``tabshell experiment``: the results of the paper's experiment, run with Inspect, as a table."""

from __future__ import annotations

from pathlib import Path

import click

from tabshell.cli.output import write_out
from tabshell.errors import UsageError


@click.group()
def experiment() -> None:
    """The paper's experiment, run with Inspect AI (inspect eval tabshell/experiment -T tasks=DIR -T variant=NAME)."""


@experiment.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--format", "format_", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
def table(logs: tuple[str, ...], format_: str, output: Path | None) -> None:
    """A table of the variants in LOGS (files, or folders of them), with the paper's numbers beside it.

    Means over the runs (epochs) with their deviation, and the difference to the plain variant with a 95 % interval: a
    bootstrap over tasks, in pairs.
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


@experiment.command()
def variants() -> None:
    """The variants, and the row of the paper's tables that each is."""
    from tabshell.engines.experiment.variants import VARIANTS  # noqa: PLC0415

    for one in VARIANTS.values():
        click.echo(f"{one.name:18} {one.row}")
