"""``tabshell replay``: plays the terminal of a session."""

from __future__ import annotations

import click

from tabshell.cli.options.shared import open_session, session_argument


@click.command()
@session_argument
@click.option("--speed", type=click.FloatRange(0.05, 1000), default=1.0, show_default=True, help="Times as fast.")
@click.option(
    "--idle-limit",
    type=click.FloatRange(0),
    default=2.0,
    show_default=True,
    help="The longest pause, in seconds; 0 keeps pauses as they were.",
)
@click.option("--turn", type=int, metavar="N", help="Only this turn.")
def replay(session: str, speed: float, idle_limit: float, turn: int | None) -> int:
    """Plays SESSION (id, prefix, name, path or 'last') as it was shown.

    Space pauses, '.' goes on to the end of the turn, '+' and '-' change the speed, 'q' or Ctrl-C stops. Into a pipe
    or a file the recorded bytes come at once.
    """
    from tabshell.cli.recordings.player import replay as play  # noqa: PLC0415 - termios only where it plays
    from tabshell.recordings.film import Film  # noqa: PLC0415

    with open_session(session, readonly=True) as opened:
        return play(Film(opened.store), speed=speed, idle_limit=idle_limit or None, turn=turn)
