"""Which module holds which command of ``tabshell``, and what the help says of it.

A command is imported when it is called, so that each starts as fast as what it needs. Its module has its name and
stands in the room with what it is made of.
"""

from __future__ import annotations

from importlib import import_module

import click

#: Command -> (module below ``tabshell.cli``, attribute, one-line help). The order is that of ``--help``.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "run": ("agents.run", "run", "start an interactive shell, or an agent, in a session (the default)"),
    "env": ("agents.env", "env", "start a session and print the lines to eval, for harnesses"),
    "demo": ("demo.demo", "demo", "watch the five stages on an example workspace"),
    "tab": ("tab.tab", "tab", "the agent's own command, on a session of your choice"),
    "sessions": ("reports.sessions", "sessions", "list the sessions"),
    "audit": ("reports.audit", "audit", "what happened in a session, and where each number comes from"),
    "trace": ("reports.trace", "trace", "the source of every value of a deliverable"),
    "missing": ("reports.missing", "missing", "values that were shown and that a deliverable lacks"),
    "explain": ("reports.explain", "explain", "why each file of a turn was classified so"),
    "verify": ("reports.verify", "verify", "check the record: hash chain, sources, evidence"),
    "stats": ("reports.stats", "stats", "the paper's measures on own sessions"),
    "experiment": ("reports.experiment", "experiment", "results of the paper's experiment, run with Inspect"),
    "replay": ("recordings.replay", "replay", "play the terminal of a session"),
    "export": ("recordings.export", "export", "write a session in another format"),
    "import": ("recordings.importing", "import_recording", "make a session of a recording made elsewhere"),
    "hook": ("agents.hook", "hook", "what an agent's hooks call"),
    "install": ("agents.install", "install", "put the hooks into an agent's configuration"),
    "uninstall": ("agents.install", "uninstall", "take them out again"),
    "completion": ("options.completion", "completion", "print the completion of bash, zsh or fish"),
    "doctor": ("agents.doctor", "doctor", "prove by a live probe that capture works here"),
}


def command_of(name: str) -> click.Command:
    """The command of that name, imported now."""
    module, attribute, _ = COMMANDS[name]
    command: click.Command = getattr(import_module(f"tabshell.cli.{module}"), attribute)
    return command
