"""Tools for an Inspect agent: ``bash`` through the session's shim, and the tab's operations as tools of their own.

The shim puts the status line behind the output. Without a tab (the plain variant) the same tool runs the sandbox's
own bash, so that two variants differ in nothing else.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable
from typing import Literal

from inspect_ai.model._generate_config import active_generate_config  # there is no public way to it
from inspect_ai.tool import Tool, ToolDef, ToolError, tool

from tabshell.engines.inspect.kept import place_of, start_tab
from tabshell.engines.recorded import Options, Recorded
from tabshell.engines.sandbox import Ran, SandboxLacks
from tabshell.text.cut import cut, joined

#: Seconds that a command may run.
TIMEOUT_S = 180
#: Bytes of a tool's answer that Inspect hands on unless told otherwise, and those of them that are ours: the status
#: line, the line that says what is missing.
_ALLOWED, _OWN = 16 << 10, 1 << 10
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
        place, most = place_of(sandbox_name), most_shown()
        try:
            if tab:
                recorded = await _started(chosen, sandbox_name)
                ran: Ran = await recorded.run(place, command, timeout=timeout, login=login, status=status, most=most)
            else:
                words = ["bash", *(["--login"] if login else []), "-c", command]
                ran = await place.exec(
                    words, cwd=chosen.workspace, user=chosen.user, timeout=timeout, timeout_retry=False
                )
        except TimeoutError:
            msg = f"The command was ended: it had run for {timeout} seconds."
            raise ToolError(msg) from None
        return shown(ran, most)

    return execute


async def _started(options: Options, sandbox_name: str | None) -> Recorded:
    try:
        return await start_tab(options, sandbox_name)
    except SandboxLacks as error:
        # the model can do nothing about it: the sample must fail, loudly
        raise RuntimeError(str(error)) from error


def most_shown() -> int:
    """Bytes of an output that the model is shown at most: what Inspect allows (16 KiB, or ``--max-tool-output``), but
    for our own lines. 0: all, where Inspect cuts nothing."""
    given = active_generate_config().max_tool_output
    allowed = _ALLOWED if given is None else given
    return max(allowed - _OWN, allowed // 2)


def shown(ran: Ran, most: int = 0) -> str:
    """What the model is shown of a command: its error messages, its output, of both at most ``most`` bytes from their
    beginning and their end, and the status line last."""
    status = _STATUS.search(ran.stdout)
    output = ran.stdout[: status.start()] if status else ran.stdout
    text = cut(joined(ran.stderr, output), most)
    # a sandbox of this machine tells a signal as Python does, the others as a shell does
    code = ran.returncode if ran.returncode >= 0 else 128 - ran.returncode
    parts = [text or f"(exit status {code})"] if text or code else []
    if status:
        parts.append(status[0].strip("\n"))
    return "\n".join(parts)


def tab_tools(options: Options | None = None, sandbox_name: str | None = None) -> list[ToolDef]:
    """``add``, ``list``, ``show``, ``resolve`` as tools, for an agent that is not to reach the tab by its shell."""
    tab = _Operations(options or Options(), sandbox_name)
    tools: dict[str, Callable[..., Awaitable[str]]] = {
        "add": tab.add,
        "show": tab.show,
        "resolve": tab.resolve,
        "list": tab.list,
    }
    return [ToolDef(_function(operation), name=name, parallel=False) for name, operation in tools.items()]


def _function(operation: Callable[..., Awaitable[str]]) -> Callable[..., Awaitable[str]]:
    """A method as a function of its own: Inspect hangs its registration on what it is given."""

    @functools.wraps(operation)
    async def call(*words: object, **named: object) -> str:
        return await operation(*words, **named)

    return call


class _Operations:
    """The operations on the tab of the running sample. Their docstrings are what the model reads of them."""

    def __init__(self, options: Options, sandbox_name: str | None) -> None:
        self._options = options
        self._sandbox_name = sandbox_name

    async def _operate(self, *words: str) -> str:
        recorded = await _started(self._options, self._sandbox_name)
        return shown(await recorded.tab(place_of(self._sandbox_name), *words))

    async def add(self, text: str, kind: Literal["requirement", "note"] = "requirement") -> str:
        """States what the task owes, or keeps a note.

        Args:
            text: One requirement a line: one fact, figure or part that the document must have. Or the text of a note.
            kind: "requirement" or "note".
        """
        if kind == "note":
            return await self._operate("note", text)
        return await self._operate("add", *[line for line in text.splitlines() if line.strip()])

    async def list(
        self, kind: Literal["requirements", "candidates", "log", "notes"] = "requirements", page: int = 1
    ) -> str:
        """Shows what the tab holds.

        Args:
            kind: "requirements": each beside the best matches from what you read and from files you never opened;
                "candidates": files that you saw listed and never opened, most relevant first; "log": what you read,
                newest first; "notes".
            page: The page of a long list.
        """
        return await self._operate("list", kind, "--page", str(page))

    async def show(self, id: str) -> str:  # noqa: A002 - the model's word
        """Shows an entry of the read log again, exactly as you saw it.

        Args:
            id: The entry, such as L3.
        """
        return await self._operate("show", id)

    async def resolve(self, id: str, status: Literal["done", "unavailable"], ref: str) -> str:  # noqa: A002
        """Closes a requirement.

        Args:
            id: The requirement, such as r3.
            status: "done", with the entry that its content came from; "unavailable", with a reason.
            ref: For "done" an entry such as L2, or several: L2,L5. For "unavailable": computed, authored, or not in
                the workspace.
        """
        return await self._operate("resolve", id, status, ref)
