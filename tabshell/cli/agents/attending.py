"""An agent runs in a session and ends: where there is no terminal, and what comes behind it.

``run_piped`` hands it our streams and signals; ``at_end`` gives the finish check that no hook gave, and ends the
session. Raises the errors of ``tabshell.errors``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from types import FrameType

from tabshell.cli.agents.launch import Start
from tabshell.cli.hook import UNANSWERED
from tabshell.session import Session
from tabshell.text.harmless import harmless


def run_piped(start: Start) -> int:
    """Runs the agent on this process's own streams; gives its status as ``Popen`` has it (negative: a signal).

    Signals meant for us are handed on; those that the terminal sends reach the agent by themselves. 127 or 126
    where the program is missing or cannot be run.
    """
    child: subprocess.Popen[bytes] | None = None
    early: list[int] = []
    terminal = os.isatty(0)

    def hand_on(number: int, _frame: FrameType | None) -> None:
        if terminal and number in (signal.SIGINT, signal.SIGQUIT):
            return  # the terminal sent it to the agent, too
        if child is None:
            early.append(number)
        else:
            child.send_signal(number)

    # before the agent starts, so that no signal ends us alone; a handler, unlike ignoring, is not inherited
    handed = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGQUIT)
    before = {number: signal.signal(number, hand_on) for number in handed}
    try:
        child = subprocess.Popen(start.argv, env=start.environment)
        for number in early:
            child.send_signal(number)
        return child.wait()
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        reason = "not found; is it installed?" if missing else error.strerror
        sys.stderr.write(f"tabshell: {harmless(start.argv[0])}: {reason}\n")
        return 127 if missing else 126
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _unseen_check(session: Session) -> str | None:
    """The finish check, where no hook gave it or the agent ended without taking it up."""
    check = session.finish_check("end")
    if check is None and (session.directory / UNANSWERED).exists():
        from tabshell.tab.finish import finish_text  # noqa: PLC0415

        return finish_text(session.tab(), "end")
    return check


def at_end(session: Session, start: Start, status: int, on_finish: str | None = None) -> int:
    """The agent is over: the finish check, if no hook gave it, then the session's end. Gives the exit status.

    ``status`` is negative where a signal ended the agent: then there is no check. ``on_finish`` is a shell
    command; it gets the check on stdin and in ``$TABSHELL_FINISH_CHECK``, and its status is the exit status.
    """
    code = 128 - status if status < 0 else status
    check = _unseen_check(session) if status >= 0 else None
    if check is not None and on_finish is not None:
        environment = {**start.environment, "TABSHELL_FINISH_CHECK": check}
        done = subprocess.run(["/bin/sh", "-c", on_finish], env=environment, input=check.encode(), check=False)
        code = 128 - done.returncode if done.returncode < 0 else done.returncode
    elif check is not None:
        sys.stderr.write(check + "\n")
    session.catch_up()  # nobody may read the session through this program again: statistics only look
    session.end(code if status >= 0 else None)
    return code
