"""How an agent of Harbor's is started through ``tabshell run``: shell functions before its command line. Pure.

Harbor starts an agent by a line of bash that names its program (``claude …``, ``codex exec …``), after lines that
change PATH. A function of that name comes before everything on PATH, so the line itself stays as it is.
"""

from __future__ import annotations

import re
import shlex

from tabshell.engines.recorded import Recorded

#: Harbor's name of an agent -> its program.
PROGRAMS = {
    "aider": "aider",
    "claude-code": "claude",
    "cline-cli": "cline",
    "codex": "codex",
    "copilot-cli": "copilot",
    "cursor-cli": "cursor-agent",
    "gemini-cli": "gemini",
    "goose": "goose",
    "kimi-cli": "kimi",
    "mini-swe-agent": "mini-swe-agent",
    "opencode": "opencode",
    "pi": "pi",
    "qwen-coder": "qwen",
}
_INSIDE = "tabshell.engines.inside"


def command_line(recorded: Recorded) -> tuple[str, ...]:
    """How ``tabshell`` itself is called in the sandbox."""
    if "-m" in recorded.program:
        return tuple("tabshell" if word == _INSIDE else word for word in recorded.program)
    return (*recorded.program[:-1], recorded.program[-1].replace(_INSIDE, "tabshell.cli.tabshell"))


def starts(command: str, program: str) -> bool:
    """Whether the line may start the program: its name stands in it as a word."""
    return re.search(rf"(?<![\w./-]){re.escape(program)}(?![\w./-])", command) is not None


def through(recorded: Recorded, command: str, program: str) -> str:
    """The line, with the program started in the session."""
    run = shlex.join([*command_line(recorded), "run", "-q", "--resume", recorded.session, "--", program])
    return f'{program}() {{ {run} "$@"; }}; {command}'


def shell(recorded: Recorded) -> str:
    """A line that starts an interactive shell in the session, after the login profile."""
    run = shlex.join([*command_line(recorded), "run", "-q", "--resume", recorded.session, "--status", "stdout"])
    return f"bash --login -c {shlex.quote(f'cd {shlex.quote(recorded.workspace)}; exec {run}')}"
