"""Is this call of ``bash`` the model's, or the agent's own?

In: the environment and the words that ``bash`` was called with. Out: what kind of call it is and, for the
model's, its own command without the agent's wrapper. Asked for every command, so this module imports little.

An agent's probe (a snapshot of the environment) and its hooks must pass through untouched: one byte of ours in
them becomes an environment variable, or breaks their JSON. Where an agent is known and the call carries none
of the marks of its tool calls, it is therefore taken for a probe; the agent's after-tool hook still records it
if that was wrong.
"""

from __future__ import annotations

from tabshell.text.hints import may_be_wrapped

TYPE_CHECKING = False  # ``typing`` and ``collections.abc`` take longer to import than this module to answer
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

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
#: Words behind ``bash`` with which it still only starts a shell to type at.
_SHELL_OPTIONS = frozenset({"-l", "-i", "-il", "-li", "--login", "--norc", "--noprofile"})
#: Short options of bash that take the next word.
_WITH_VALUE = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})


class ShimView:
    """``command`` is the model's text (None: there is none to record); ``agent`` the agent's name, if known."""

    __slots__ = ("agent", "command", "kind")

    def __init__(self, kind: CallKind, command: str | None, agent: str | None) -> None:
        self.kind: CallKind = kind
        self.command = command
        self.agent = agent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShimView) and (self.kind, self.command, self.agent) == (
            other.kind,
            other.command,
            other.agent,
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.command, self.agent))

    def __repr__(self) -> str:
        return f"ShimView({self.kind!r}, {self.command!r}, {self.agent!r})"


def shim_view(environment: Mapping[str, str], argv: Sequence[str]) -> ShimView:
    """What a call of ``bash`` with these words (the program's name left out) is."""
    agent = running_agent(environment)
    text = command_text(argv)
    if any(mark in environment for mark in _HOOK_MARKS):
        return ShimView("hook", None, agent)
    if text is None:
        checks_syntax = any(word.startswith("-") and not word.startswith("--") and "n" in word for word in argv[:3])
        return ShimView("probe" if checks_syntax else "unknown", None, agent)
    command, rule = _unwrapped(text)
    if command is None or _only_starts_a_shell(command):
        return ShimView("probe", None, agent)
    if agent is None or agent not in _MARKS:
        return ShimView("tool" if rule else "unknown", command, agent or rule)
    if not all(mark in environment for mark in _MARKS[agent][1]):
        return ShimView("probe", None, agent)
    if agent in _ALWAYS_WRAPPED and rule is None:
        return ShimView("probe", None, agent)
    return ShimView("tool", command, agent)


def _only_starts_a_shell(command: str) -> bool:
    """``bash --login`` and the like (so tmux starts its shells): the inner one comes to us by PATH and is recorded
    command by command, which it could not be within a recorded shell."""
    words = command.split()
    words = words[1:] if words[:1] == ["exec"] else words
    return words[:1] == ["bash"] and all(word in _SHELL_OPTIONS for word in words[1:])


def _unwrapped(text: str) -> tuple[str | None, str | None]:
    """The command inside an agent's wrapper and the rule that knows it."""
    if not may_be_wrapped(text):
        return text, None
    from tabshell.text.unwrap import unwrap  # noqa: PLC0415 - regular expressions come with it

    return unwrap(text)


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
