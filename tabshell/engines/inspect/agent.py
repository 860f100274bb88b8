"""The agent of the experiment: a loop of the model and its tools that stops when the model calls none.

At its first stop a variant may have something to say: the finish check of the tab, or a request to check. Once; the
second stop ends. For an agent of one's own, ``stop_check`` is an ``on_continue`` of Inspect's ``react`` and
``tab_prompt`` the block for its system prompt.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from inspect_ai.agent import Agent, AgentPrompt, AgentState, agent, react
from inspect_ai.agent._types import AgentContinue
from inspect_ai.model import CompactionStrategy
from inspect_ai.tool import Tool, ToolDef
from inspect_ai.util import store

from tabshell.engines.experiment.tasks import OUT
from tabshell.engines.experiment.variants import Variant
from tabshell.engines.inspect.kept import TabRecord, place_of
from tabshell.engines.inspect.tools import TIMEOUT_S, bash, tab_tools
from tabshell.engines.recorded import Options

#: Turns of the model at most, as in the paper.
TURNS = 300
_STOPPED = "tabshell_stopped"

_TOOLS = """\
Workspace tab. The environment keeps a running account of this task, outside your context and outside the folder. You \
reach it with the tools add, list, show and resolve. It holds three kinds of entries:
- Requirements (r1, r2, ...): what the task owes. Only you can state them (add) and close them (resolve).
- Read log (L1, L2, ...): every file whose content you were shown, with the exact text. It fills by itself.
- Candidates: every file that you saw listed and never opened, most relevant first. They fill by themselves.

How to use it:
1. First split the task into requirements with add: one for each fact, figure or element that the document must hold, \
one a line. "State total sales, sales by region and the change since last year" are three requirements.
2. Then work as usual. The [tab] line after each command says what is still open.
3. When you have explored, and before you close anything, call list: it shows where each requirement may find its \
content, in what you have read and in what you have not opened yet.
4. Before you finish, close every requirement with resolve, reading entries again with show where a value must be \
exact. A file that you wrote closes nothing; cite the entry that its content came from.
"""


def tab_prompt(tab: Literal["shell", "tools"] = "shell") -> str:
    """The block for the system prompt: the tab as a shell command, or as tools."""
    if tab == "tools":
        return _TOOLS
    from tabshell.tab.prompt import prompt_block  # noqa: PLC0415

    return prompt_block()


def stop_check(message: str | None = None, *, turns: int | None = None) -> AgentContinue:
    """An ``on_continue``: at the first stop the finish check of the sample's session, else ``message``; then the end.

    ``turns`` ends the loop after that many turns of the model. A session that has nothing to say stops at once.
    """

    async def check(state: AgentState) -> bool | str:
        if turns is not None and sum(one.role == "assistant" for one in state.messages) >= turns:
            return False
        if state.output.message.tool_calls:
            return True
        if store().get(_STOPPED):
            return False
        store().set(_STOPPED, True)
        kept = TabRecord.of(store())
        if kept is not None:
            return await kept.recorded().finish_check(place_of(kept.sandbox_name)) or False
        return message or False

    return check


@agent
def worker(
    variant: Variant,
    options: Options | None = None,
    *,
    tab: Literal["shell", "tools"] = "shell",
    timeout: int = TIMEOUT_S,
    turns: int = TURNS,
    login: bool = True,
    compaction: CompactionStrategy | None = None,
) -> Agent:
    """The agent of a variant. ``options`` are those of its session, but for the variant's own switches."""
    chosen = replace(
        options or Options(),
        variant=variant.name,
        capture=variant.capture,
        review=variant.review,
        evidence_check=variant.evidence_check,
        finish_check=variant.finish_check,
        out=(options.out if options else None) or OUT,
    )
    tools: list[Tool | ToolDef] = [bash(timeout, chosen, tab=variant.tab, login=login)]
    if variant.tab and tab == "tools":
        tools += tab_tools(chosen)
    prompt = AgentPrompt(variant.prompt(chosen.out or OUT, tab_prompt(tab)), None, None, None)
    return react(
        prompt=prompt,
        tools=tools,
        submit=False,
        on_continue=stop_check(variant.stop_message, turns=turns),
        compaction=compaction,
    )
