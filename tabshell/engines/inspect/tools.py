"""Tools for an Inspect agent: ``bash`` through the session's shim, and the tab's operations as tools of their own.

The shim puts the status line behind the output. Without a tab (the plain variant) the same tool runs the sandbox's
own bash, so that two variants differ in nothing else.
"""

from __future__ import annotations

import re
from typing import Literal

from inspect_ai.tool import Tool, ToolDef, ToolError, tool
from inspect_ai.util import sandbox

from tabshell.engines.inspect.kept import start_tab
from tabshell.engines.recorded import Options, Recorded
from tabshell.engines.sandbox import Ran, SandboxLacks

#: Seconds that a command may run.
TIMEOUT_S = 180
_STATUS = re.compile(r"(?:\A|\n)\[tab\] [^\n]*\n?\Z")


@tool(parallel=False)
def bash(
    timeout: int | None = TIMEOUT_S,
    options: Options | None = None,
    *,
    tab: bool = True,
    status: bool = True,
    login: bool = True,
    sandbox_name: str | None = None,
) -> Tool:
    """A bash tool whose commands are recorded in the sample's session.

    ``options`` are those of the session, which starts with the first command (or earlier, with ``start_tab``).
    ``tab=False`` runs the sandbox's own bash and records nothing; ``options.workspace`` and ``options.user`` count
    there, too. ``status=False`` leaves the status line out. ``login``: a login shell, as Inspect's own tool has it.
    Commands of one message run one after the other: what one wrote the next may read.
    """
    chosen = options or Options()

    async def execute(command: str) -> str:
        """Runs a command in bash and returns what it printed.

        Args:
            command: The command.
        """
        place = sandbox(sandbox_name) if sandbox_name else sandbox()
        try:
            if tab:
                recorded = await _started(chosen, sandbox_name)
                ran: Ran = await recorded.run(place, command, timeout=timeout, login=login, status=status)
            else:
                words = ["bash", *(["--login"] if login else []), "-c", command]
                ran = await place.exec(
                    words, cwd=chosen.workspace, user=chosen.user, timeout=timeout, timeout_retry=False
                )
        except TimeoutError:
            msg = f"The command was ended: it had run for {timeout} seconds."
            raise ToolError(msg) from None
        return shown(ran)

    return execute


async def _started(options: Options, sandbox_name: str | None) -> Recorded:
    try:
        return await start_tab(options, sandbox_name)
    except SandboxLacks as error:
        # the model can do nothing about it: the sample must fail, loudly
        raise RuntimeError(str(error)) from error


def shown(ran: Ran) -> str:
    """What the model is shown of a command: its error messages, its output, and the status line last."""
    status = _STATUS.search(ran.stdout)
    output = ran.stdout[: status.start()] if status else ran.stdout
    parts = [part for part in (ran.stderr.rstrip("\n"), output.rstrip("\n")) if part]
    if ran.returncode != 0 and not parts:
        parts.append(f"(exit status {ran.returncode})")
    if status:
        parts.append(status[0].strip("\n"))
    return "\n".join(parts)


def tab_tools(options: Options | None = None, sandbox_name: str | None = None) -> list[ToolDef]:
    """``add``, ``list``, ``show``, ``resolve`` as tools, for an agent that is not to reach the tab by its shell."""
    chosen = options or Options()

    async def operate(*words: str) -> str:
        recorded = await _started(chosen, sandbox_name)
        place = sandbox(sandbox_name) if sandbox_name else sandbox()
        return shown(await recorded.tab(place, *words))

    async def add(text: str, kind: Literal["requirement", "note"] = "requirement") -> str:
        """States what the task owes, or keeps a note.

        Args:
            text: One requirement a line: one fact, figure or part that the document must have. Or the text of a note.
            kind: "requirement" or "note".
        """
        if kind == "note":
            return await operate("note", text)
        return await operate("add", *[line for line in text.splitlines() if line.strip()])

    async def list_(kind: Literal["requirements", "candidates", "log", "notes"] = "requirements", page: int = 1) -> str:
        """Shows what the tab holds.

        Args:
            kind: "requirements": each beside the best matches from what you read and from files you never opened;
                "candidates": files that you saw listed and never opened, most relevant first; "log": what you read,
                newest first; "notes".
            page: The page of a long list.
        """
        return await operate("list", kind, "--page", str(page))

    async def show(id: str) -> str:  # noqa: A002 - the model's word
        """Shows an entry of the read log again, exactly as you saw it.

        Args:
            id: The entry, such as L3.
        """
        return await operate("show", id)

    async def resolve(id: str, status: Literal["done", "unavailable"], ref: str) -> str:  # noqa: A002
        """Closes a requirement.

        Args:
            id: The requirement, such as r3.
            status: "done", with the entry that its content came from; "unavailable", with a reason.
            ref: For "done" an entry such as L2, or several: L2,L5. For "unavailable": computed, authored, or not in
                the workspace.
        """
        return await operate("resolve", id, status, ref)

    return [ToolDef(one, parallel=False) for one in (add, show, resolve)] + [
        ToolDef(list_, name="list", parallel=False)
    ]
