"""``tabshell stats``: the paper's measures on own sessions."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tabshell.cli.output import write_out
from tabshell.errors import TabshellError, UsageError
from tabshell.session import Session
from tabshell.store.locate import DATABASE, find, home, session_directories

if TYPE_CHECKING:
    from tabshell.audit.stats import ExpectedValue, SessionStats

#: From this many sessions on, processes share the work.
_PARALLEL_FROM = 24


@click.command()
@click.argument("sessions", nargs=-1)
@click.option("--format", "format_", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option("--expected", type=click.Path(path_type=Path), help="Values a deliverable should have, one a line.")
@click.option("--deliverable", "-d", "deliverables", multiple=True, type=click.Path(), help="Where they should stand.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
def stats(
    sessions: tuple[str, ...],
    format_: str,
    expected: Path | None,
    deliverables: tuple[str, ...],
    output: Path | None,
) -> None:
    """Tables 2 and 3, Figures 2, 4 and 5 of the paper, measured on SESSIONS: sessions or folders of sessions.

    Without SESSIONS: all of yours. With --expected and --deliverable (and one session): which of the values were
    shown, delivered, left out, and held by the tab all the same.
    """
    from tabshell.audit.as_json import dumps  # noqa: PLC0415 - heavy ones only here
    from tabshell.audit.stats_report import stats_csv, stats_object, stats_text  # noqa: PLC0415

    directories = list(_directories(sessions))
    fates = _fates(directories, expected, deliverables) if expected is not None else []
    measured, faults = _measure(directories)
    for fault in faults:
        click.echo(f"tabshell: {fault}", err=True)
    if format_ == "csv":
        text = stats_csv(measured)
    elif format_ == "json":
        text = dumps(stats_object(measured, fates)) + "\n"
    else:
        text = stats_text(measured, fates)
    write_out(text.encode("utf-8", "surrogateescape"), output)


def _directories(words: Sequence[str]) -> Iterator[Path]:
    sidecars = home(os.environ)
    if not words:
        yield from session_directories(sidecars)
    for word in words:
        inside = _sessions_in(Path(word))
        yield from inside or [find(word, sidecars)]


def _sessions_in(folder: Path) -> list[Path]:
    """The sessions of a state directory, or of a folder of sessions; none where it is a session itself, or neither."""
    if not folder.is_dir() or (folder / DATABASE).exists():
        return []
    if (folder / "sessions").is_dir():
        return list(session_directories(folder))
    return [database.parent for database in sorted(folder.glob(f"*/{DATABASE}"))]


def _measure(directories: Sequence[Path]) -> tuple[list[SessionStats], list[str]]:
    """The measures of each session, and a line for each that cannot be read."""
    if len(directories) < _PARALLEL_FROM:
        results = [measure_one(directory) for directory in directories]
    else:
        from concurrent.futures.process import ProcessPoolExecutor  # noqa: PLC0415 - only for many

        with ProcessPoolExecutor() as pool:
            running = pool.map(measure_one, directories, chunksize=16)
            with click.progressbar(running, length=len(directories), label="sessions", file=sys.stderr) as bar:
                results = list(bar)
    return [one for one in results if not isinstance(one, str)], [one for one in results if isinstance(one, str)]


def measure_one(directory: Path) -> SessionStats | str:
    """One session's measures, or why they cannot be had."""
    from tabshell.audit.stats import session_stats  # noqa: PLC0415

    try:
        with Session.open(directory, readonly=True) as session:
            return session_stats(session.tab(turns=True, catch_up=False), session.entry_text)
    except TabshellError as error:
        return f"{directory.name}: {error}"


def _fates(directories: Sequence[Path], expected: Path, deliverables: Sequence[str]) -> list[ExpectedValue]:
    from tabshell.audit.stats import outcomes  # noqa: PLC0415
    from tabshell.session.auditing import readable  # noqa: PLC0415
    from tabshell.text.observation import plain  # noqa: PLC0415

    if len(directories) != 1:
        msg = f"--expected needs one session, not {len(directories)}; name it"
        raise UsageError(msg)
    try:
        wanted = expected.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        msg = f"cannot read {expected}: {error.strerror}"
        raise UsageError(msg) from error
    with Session.open(directories[0]) as session:
        tab = session.tab(turns=True)
        documents = [one.document for one in readable(tab, deliverables) if one.document is not None]
        shown = [plain(session.output(number)) for number in tab.turns]
        excerpts = [session.entry_text(entry) for entry in tab.entries.values()]
    return outcomes(wanted, shown, excerpts, documents)
