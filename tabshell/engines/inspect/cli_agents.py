"""CLI agents that Inspect runs in a sandbox (the package inspect-swe: Claude Code, Codex, Gemini CLI), recorded.

inspect-swe finds an agent by ``which`` and starts what it finds. So a program of the agent's name is put in its
place that starts the agent under ``tabshell run`` in the sample's session: its shell and its file tools are recorded
by the door that ``tabshell run`` has for it, whatever model answers over Inspect's bridge. Only ``exec`` and
``write_file`` of the sandbox are used. Where no hook of the agent took the finish check, it is handed to the agent
as a message of the user's, once.

Limit: the agent must be in the sandbox already (``version="sandbox"``), for one that inspect-swe downloads while it
runs is in no place that could be known before.
"""

from __future__ import annotations

import dataclasses
import shlex
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageUser
from inspect_ai.util import SandboxEnvironment

from tabshell.engines.inspect.kept import place_of, start_tab
from tabshell.engines.recorded import OWN_S, Options, Recorded
from tabshell.engines.sandbox import SandboxLacks

#: The folder of an agent's own program, once ours has its place; under its own name, by which it is known.
REAL = ".untabbed"
#: A link stays where it points to, a file is moved; once.
_REPLACE = """set -e
if [ ! -e "$3" ]; then
  mkdir -p "${3%/*}"
  if [ -L "$2" ]; then ln -s "$(readlink -f "$2")" "$3"; else mv "$2" "$3"; fi
fi
chmod 755 "$1"
mv -f "$1" "$2"
"""
#: In the session's directory: the finish check that no hook delivered.
UNSEEN = "unseen-check"


@agent
def recorded_agent(
    inner: Agent,
    program: str,
    options: Options | None = None,
    *,
    sandbox_name: str | None = None,
    replace: bool = False,
) -> Agent:
    """An agent of inspect-swe whose work is recorded: ``recorded_agent(claude_code(version="sandbox"), "claude")``.

    ``program``: its name in the sandbox (claude, codex), or the path of it where inspect-swe does not look for a name
    (gemini). ``replace`` must be true where the sandbox is the machine of the evaluation itself, for there the agent
    that is replaced may be a person's own.
    """

    async def execute(state: AgentState, *args: Any, **kwargs: Any) -> AgentState:  # noqa: ANN401 - the agent's own
        place = place_of(sandbox_name)
        try:
            given = options or Options()
            recorded = await start_tab(
                given if given.agent else dataclasses.replace(given, agent=_name(program)), sandbox_name
            )
            await put_in_place(place, recorded, program, replace=replace)
        except SandboxLacks as error:
            raise RuntimeError(str(error)) from error
        state = await inner(state, *args, **kwargs)
        check = await _unseen(place, recorded)
        if check:
            state.messages.append(ChatMessageUser(content=check))
            state = await inner(state, *args, **kwargs)
        return state

    return execute


async def put_in_place(place: SandboxEnvironment, recorded: Recorded, program: str, *, replace: bool = False) -> str:
    """Puts the recording program where ``program`` is found; gives the path of the agent's own. Raises SandboxLacks.

    Done again for another session it only says which session it is now.
    """
    if recorded.here and not replace:
        msg = (
            f"this sandbox is the machine of the evaluation, where {program!r} may be your own; say replace=True to "
            f"have it replaced by a recording one (its own program is kept beside it, as {REAL}/{program})"
        )
        raise SandboxLacks(msg)
    found = await place.exec(["sh", "-c", f"command -v {shlex.quote(program)}"], user=recorded.user, timeout=OWN_S)
    path = found.stdout.strip()
    if not path.startswith("/"):
        msg = (
            f"there is no {program!r} in this sandbox; install it in the image, and give inspect-swe's agent "
            'version="sandbox"'
        )
        raise SandboxLacks(msg)
    folder = path.rsplit("/", 1)[0]
    real = f"{folder}/{REAL}/{_name(path)}"
    fresh = f"{recorded.session}/{_name(path)}"
    await place.write_file(fresh, program_text(recorded, real))
    words = ["sh", "-c", _REPLACE, "sh", fresh, path, real]
    moved = await place.exec(words, user=recorded.user, timeout=OWN_S)
    if not moved.success:
        msg = (
            f"{path} cannot be replaced in this sandbox ({moved.stderr.strip()}); run it as a user who may, or put the "
            "agent into a folder of the agent's user"
        )
        raise SandboxLacks(msg)
    return real


def _name(program: str) -> str:
    return program.rsplit("/", 1)[-1]


def program_text(recorded: Recorded, real: str) -> str:
    """The program in the agent's place. It runs the agent bare where it is asked for its version only, or where a
    recorded agent starts another one (an agent in a session must not start a session in it)."""
    code = recorded.program[-1].replace(
        "from tabshell.engines.inside import main", "from tabshell.__main__ import main"
    )
    if "-m" in recorded.program:
        start = [*recorded.program[: recorded.program.index("-m")], "-m", "tabshell"]
    else:
        start = [*recorded.program[:-1], code.replace("main(sys.argv[1:])", "main()")]
    words = [
        *start,
        "run",
        "--resume",
        recorded.session,
        "--on-finish",
        f"cat >{shlex.quote(recorded.session)}/{UNSEEN}",
    ]
    home = recorded.session.rsplit("/sessions/", 1)[0]
    script = (
        f'case ${{TABSHELL_SHIM-}}{"${1-}"} in /*|--version|-v) exec {shlex.quote(real)} "$@" ;; esac; '
        f"TABSHELL_HOME={shlex.quote(home)}; export TABSHELL_HOME; "
        f'exec {shlex.join(words)} -- {shlex.quote(real)} "$@"'
    )
    return (
        "#!/bin/sh\n"
        f'":" //; {script}\n'
        "// tabshell: an agent's own program, recorded. sh left with the line above; node, which some call it with,\n"
        "// takes that line for a text and a comment, and starts what sh would.\n"
        'import("node:child_process").then(({ spawnSync }) => {\n'
        '  const ran = spawnSync("/bin/sh", process.argv.slice(1), { stdio: "inherit" });\n'
        "  process.exit(ran.status === null ? 1 : ran.status);\n"
        "});\n"
    )


async def _unseen(place: SandboxEnvironment, recorded: Recorded) -> str:
    file = shlex.quote(f"{recorded.session}/{UNSEEN}")
    script = f"cat {file} 2>/dev/null && rm {file}"
    return (await place.exec(["sh", "-c", script], user=recorded.user, timeout=OWN_S)).stdout.strip()
