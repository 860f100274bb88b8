"""How far a long command is, on stderr: by rich where it is installed, and only where a person looks on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

#: Seconds between two drawings.
_REFRESH_S = 0.1


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Gives what is to be called after each of ``total`` steps; it draws nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    try:
        from rich.console import Console  # noqa: PLC0415 - only where it is drawn
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    except ImportError:
        with click.progressbar(length=total, label=what, file=sys.stderr, update_min_steps=16) as plain:
            yield lambda: plain.update(1)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # without its thread, which a process that is forked meanwhile would inherit half of
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(what, total=total)
        drawn = 0.0

        def step() -> None:
            nonlocal drawn
            bar.advance(task)
            if time.monotonic() - drawn > _REFRESH_S:
                drawn = time.monotonic()
                bar.refresh()

        yield step
