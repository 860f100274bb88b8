"""Is this call of ``bash`` the model's, or the agent's own?

In: the environment and the words that ``bash`` was called with. Out: what kind of call it is and, for the
model's, its own command without the agent's wrapper. Asked for every command, so this module imports little.

An agent's probe (a snapshot of the environment) and its hooks must pass through untouched: one byte of ours in
them becomes an environment variable, or breaks their JSON. Where an agent is known and the call carries none
of the marks of its tool calls, it is therefore taken for a probe; the agent's after-tool hook still records it
if that was wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from tabshell.text.unwrap import unwrap

CallKind = Literal["tool", "probe", "hook", "unknown"]

#: Set by ``tabshell run`` and inherited by everything that the agent starts.
AGENT = "TABSHELL_AGENT"
#: Set by an agent for the commands of its hooks, and for nothing else.
_HOOK_MARKS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "COPILOT_HOOK_DIR")
#: Agent -> (variables that tell that it runs, variables of which only its tool calls carry all).
_MARKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "claude-code": (("CLAUDECODE",), ("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION")),
    "codex": (("CODEX_CI", "CODEX_TOOL_CALL_ID"), ("CODEX_TOOL_CALL_ID",)),
    "gemini": (("GEMINI_CLI",), ("GEMINI_CLI",)),
    "qwen": (("QWEN_CODE",), ("QWEN_CODE",)),
    "copilot": (("COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"), ("COPILOT_AGENT_SESSION_ID",)),
    "opencode": (("OPENCODE",), ("OPENCODE",)),
    "pi": (("PI_SESSION_ID",), ("PI_SESSION_ID",)),
}
#: Agents that wrap every command: what comes without the wrapper is not the model's.
_ALWAYS_WRAPPED = frozenset({"claude-code"})
#: Short options of bash that take the next word.
_WITH_VALUE = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})


class ShimView(NamedTuple):
    """``command`` is the model's text (None: there is none to record); ``agent`` the agent's name, if known."""

    kind: CallKind
    command: str | None
    agent: str | None


def shim_view(environment: Mapping[str, str], argv: Sequence[str]) -> ShimView:
    """What a call of ``bash`` with these words (the program's name left out) is."""
    agent = running_agent(environment)
    text = command_text(argv)
    if any(mark in environment for mark in _HOOK_MARKS):
        return ShimView("hook", None, agent)
    if text is None:
        checks_syntax = any(word.startswith("-") and not word.startswith("--") and "n" in word for word in argv[:3])
        return ShimView("probe" if checks_syntax else "unknown", None, agent)
    command, rule = unwrap(text)
    if command is None:
        return ShimView("probe", None, agent)
    if agent is None or agent not in _MARKS:
        return ShimView("tool" if rule else "unknown", command, agent or rule)
    if not all(mark in environment for mark in _MARKS[agent][1]):
        return ShimView("probe", None, agent)
    if agent in _ALWAYS_WRAPPED and rule is None:
        return ShimView("probe", None, agent)
    return ShimView("tool", command, agent)


def running_agent(environment: Mapping[str, str]) -> str | None:
    """The agent around this process: the one that ``tabshell run`` started, else the one that its marks tell."""
    told = environment.get(AGENT)
    if told:
        return told
    for agent, (marks, _) in _MARKS.items():
        if any(mark in environment for mark in marks):
            return agent
    return None


def command_text(argv: Sequence[str]) -> str | None:
    """The command of a ``bash … -c COMMAND …``, or None where bash reads it from elsewhere."""
    wanted = False
    words = iter(argv)
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif word in ("-", "--") or not word.startswith(("-", "+")):
            if word in ("-", "--"):
                word = next(words, "")  # noqa: PLW2901 - the first word after the options
            return word if wanted else None
        elif not word.startswith("--") and "c" in word[1:]:
            wanted = True
    return None
