"""The registry: every agent that tabshell knows, and which one a command line starts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from tabshell.agents.agent import Agent
from tabshell.agents.claude_code import ClaudeCode
from tabshell.agents.codex import Codex
from tabshell.agents.copilot import Copilot
from tabshell.agents.gemini import Gemini
from tabshell.agents.mini_swe_agent import MiniSweAgent
from tabshell.agents.neutral import Generic
from tabshell.agents.opencode import OpenCode
from tabshell.agents.persistent import ANTHROPIC_TOOL, SWE_REX, TERMINUS
from tabshell.agents.pi import Pi
from tabshell.agents.qwen import Qwen

GENERIC: Agent = Generic()
_KNOWN: tuple[Agent, ...] = (
    ClaudeCode(), Codex(), Gemini(), Qwen(), Copilot(), Pi(), OpenCode(), MiniSweAgent(), SWE_REX, TERMINUS,
    ANTHROPIC_TOOL, GENERIC,
)  # fmt: skip
AGENTS: dict[str, Agent] = {agent.name: agent for agent in _KNOWN}
#: Other words by which a person may name an agent.
ALIASES = {
    "claude": "claude-code",
    "gemini-cli": "gemini",
    "qwen-code": "qwen",
    "copilot-cli": "copilot",
    "mini": "mini-swe-agent",
    "open-code": "opencode",
    "tmux": "terminus",
}
#: What the path of an npm package tells of the program in it.
_PACKAGES = {
    "claude-code": "claude-code",
    "gemini-cli": "gemini",
    "qwen-code": "qwen",
    "pi-coding-agent": "pi",
    "opencode-ai": "opencode",
    "opencode-linux": "opencode",
    "@openai/codex": "codex",
    "@github/copilot": "copilot",
}
_INTERPRETERS = frozenset({"node", "nodejs", "bun", "deno", "npx", "bunx", "python", "python3", "uvx", "env"})


class Recognised(NamedTuple):
    """``program`` is the index of the agent's own word among those of the call."""

    agent: Agent
    program: int


def by_name(name: str) -> Agent | None:
    """The agent that a person means, or None."""
    key = name.lower()
    return AGENTS.get(ALIASES.get(key, key))


def recognise(argv: Sequence[str]) -> Recognised:
    """The agent that these words start; ``generic`` for a program that nobody knows."""
    for at, word in enumerate(argv):
        base = os.path.basename(word)
        if base.split(".")[0] in _INTERPRETERS or (at and (word.startswith("-") or "=" in base)):
            continue
        name = _agent_of(word)
        return Recognised(AGENTS[name], at) if name else Recognised(GENERIC, 0)
    return Recognised(GENERIC, 0)


def _agent_of(word: str) -> str | None:
    stem = os.path.basename(word).removesuffix(".js").removesuffix(".mjs").removesuffix(".exe")
    for agent in _KNOWN:
        if stem in agent.programs:
            return agent.name
    for package, name in _PACKAGES.items():
        if package in word:
            return name
    return None
