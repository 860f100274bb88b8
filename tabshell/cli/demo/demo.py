"""``tabshell demo``: the five stages on an example workspace."""

from __future__ import annotations

import os
import shutil
import sys

import click


@click.command()
@click.option("--fast", is_flag=True, help="No typing and no pauses.")
@click.option("--keep", is_flag=True, help="Keep the workspace and the session, to look around.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def demo(fast: bool, keep: bool, color: str) -> int:
    """Shows the whole of tabshell in half a minute: a scripted agent works in a real shell on a small office folder,
    from the statement of its task to the audit.

    Everything happens in a temporary directory. Ctrl-C stops.
    """
    from tabshell.cli.demo.stagecraft import FAST, SLOW, Stagecraft, run_demo  # noqa: PLC0415 - only here

    terminal = sys.stdout.isatty()
    auto = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") != "dumb"
    size = shutil.get_terminal_size((100, 40))

    def write(data: bytes) -> None:
        sys.stdout.buffer.write(data if terminal else data.replace(b"\r", b""))
        sys.stdout.buffer.flush()

    show = Stagecraft(
        write,
        colour=auto if color == "auto" else color == "always",
        columns=max(60, size.columns),
        rows=max(20, size.lines) if terminal else 0,
        pace=SLOW if terminal and not fast else FAST,
    )
    return run_demo(show, os.environ, keep=keep)
