"""``tabshell stats``: the paper's measures on own sessions, one or ten thousand."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tabshell.cli.options.shared import open_session
from tabshell.cli.progress import progress
from tabshell.errors import UsageError
from tabshell.store.locate import DATABASE, find, home
from tabshell.text.harmless import harmless

if TYPE_CHECKING:
    from tabshell.audit.stats_expected import ExpectedValue
    from tabshell.audit.stats_tally import GroupBy, Unmeasured
    from tabshell.session.fleet import Measured

#: Of so many directories that could not be measured each is named; the rest is counted.
_NAMED = 20


@click.command()
@click.argument("sessions", nargs=-1)
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "csv", "parquet"]), default="text", show_default=True
)
@click.option(
    "--by", multiple=True, type=click.Choice(["agent", "model", "variant", "name"]), help="Group by this; may repeat."
)
@click.option(
    "-j", "--processes", type=click.IntRange(min=1), help="Processes that measure [default: as many as cores]."
)
@click.option("--expected", type=click.Path(path_type=Path), help="Values a deliverable should have, one a line.")
@click.option("--deliverable", "-d", "deliverables", multiple=True, type=click.Path(), help="Where they should stand.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
def stats(
    sessions: tuple[str, ...],
    format_: str,
    by: tuple[GroupBy, ...],
    processes: int | None,
    expected: Path | None,
    deliverables: tuple[str, ...],
    output: Path | None,
) -> None:
    """Tables 2 and 3, Figures 2, 4 and 5 of the paper, measured on SESSIONS: sessions, bundles or folders of sessions.

    Without SESSIONS: all of yours. What cannot be measured is named on stderr and counted. With --expected and
    --deliverable (and one session): which of the values were shown, delivered, left out, and held by the tab all the
    same.
    """
    from tabshell.cli.reports.stats_files import writer_for  # noqa: PLC0415 - heavy ones only here

    if format_ == "parquet" and (output is None or by or expected):
        msg = "a Parquet file has a row for each session and nothing else: give -o FILE, without --by and --expected"
        raise UsageError(msg)
    found = list(_found(sessions))
    fates = _fates(found, expected, deliverables) if expected is not None else []
    with writer_for(format_, by, fates, output) as writer:
        for one in _measured(found, processes):
            writer.add(one)
    _name(writer.unmeasured)


def _found(words: Sequence[str]) -> Iterator[str | Unmeasured]:
    """The directories that ``words`` mean, each once."""
    from tabshell.session.fleet import find_sessions  # noqa: PLC0415

    sidecars = home(os.environ)
    if not words:
        yield from find_sessions(str(sidecars / "sessions")) if (sidecars / "sessions").is_dir() else ()
        return
    seen: set[str] = set()
    for word in words:
        for one in _meant(word, sidecars):
            if not isinstance(one, str):
                yield one
            elif (real := os.path.realpath(one)) not in seen:
                seen.add(real)
                yield one


def _meant(word: str, sidecars: Path) -> Iterator[str | Unmeasured]:
    from tabshell.session.bundling import is_bundle_file  # noqa: PLC0415
    from tabshell.session.fleet import find_sessions  # noqa: PLC0415

    folder = Path(word)
    if folder.is_dir() and not (folder / DATABASE).exists():
        inside = find_sessions(str(folder.absolute()))
        first = next(inside, None)
        if first is not None:
            yield first
            yield from inside
            return
    if is_bundle_file(folder):
        yield str(folder)
    else:
        yield str(find(word, sidecars))


def _measured(found: Sequence[str | Unmeasured], processes: int | None) -> Iterator[Measured]:
    """The measures of each session, and what cannot be measured."""
    from tabshell.session.fleet import measure_all  # noqa: PLC0415
    from tabshell.session.many import processes_for  # noqa: PLC0415

    directories = [one for one in found if isinstance(one, str)]
    with progress(len(directories), "sessions") as step:
        for one in measure_all(directories, processes_for(len(directories), processes)):
            yield one
            step()
    yield from (one for one in found if not isinstance(one, str))


def _name(unmeasured: Sequence[Unmeasured]) -> None:
    for one in unmeasured[:_NAMED]:
        click.echo(f"tabshell: not measured ({one.code}): {harmless(one.message)}", err=True)
    if len(unmeasured) > _NAMED:
        rest = len(unmeasured) - _NAMED
        click.echo(f"tabshell: and {rest} more; '--format json' names all, under \"unmeasured\"", err=True)


def _fates(directories: Sequence[str | Unmeasured], expected: Path, deliverables: Sequence[str]) -> list[ExpectedValue]:
    from tabshell.audit.stats_expected import outcomes  # noqa: PLC0415
    from tabshell.session.deliverables import documents as read  # noqa: PLC0415
    from tabshell.text.observation import plain  # noqa: PLC0415

    if len(directories) != 1 or not isinstance(directories[0], str):
        msg = f"--expected needs one session, not {len(directories)}; name it"
        raise UsageError(msg)
    try:
        wanted = expected.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        msg = f"cannot read {expected}: {error.strerror}"
        raise UsageError(msg) from error
    with open_session(directories[0]) as session:
        tab = session.tab(turns=True)
        documents = read(deliverables)
        shown = [plain(session.output(number)) for number in tab.turns]
        excerpts = [session.entry_text(entry) for entry in tab.entries.values()]
    return outcomes(wanted, shown, excerpts, documents)
