"""The registry: every agent that tabshell knows, and which one a command line starts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from tabshell.agents.agent import Agent

#: Name -> (module in this package, what makes or is the agent). Imported when asked for: a hook needs one of them.
_WHERE: dict[str, tuple[str, str]] = {
    "claude-code": ("claude_code", "ClaudeCode"),
    "codex": ("codex", "Codex"),
    "gemini": ("gemini", "Gemini"),
    "qwen": ("qwen", "Qwen"),
    "copilot": ("copilot", "Copilot"),
    "pi": ("pi", "Pi"),
    "opencode": ("opencode", "OpenCode"),
    "mini-swe-agent": ("mini_swe_agent", "MiniSweAgent"),
    "swe-rex": ("persistent", "SWE_REX"),
    "terminus": ("persistent", "TERMINUS"),
    "anthropic-tool": ("persistent", "ANTHROPIC_TOOL"),
    "generic": ("neutral", "Generic"),
}


class _Registry(Mapping[str, Agent]):
    """Every agent by its name."""

    def __init__(self) -> None:
        self._loaded: dict[str, Agent] = {}

    def __getitem__(self, name: str) -> Agent:
        if name not in self._loaded:
            module, attribute = _WHERE[name]
            found = getattr(import_module(f"tabshell.agents.{module}"), attribute)
            self._loaded[name] = found() if isinstance(found, type) else found
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


AGENTS: Mapping[str, Agent] = _Registry()
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
    key = ALIASES.get(name.lower(), name.lower())
    return AGENTS[key] if key in _WHERE else None


def recognise(argv: Sequence[str]) -> Recognised:
    """The agent that these words start; ``generic`` for a program that nobody knows."""
    for at, word in enumerate(argv):
        base = os.path.basename(word)
        if base.split(".")[0] in _INTERPRETERS or (at and (word.startswith("-") or "=" in base)):
            continue
        name = _agent_of(word)
        return Recognised(AGENTS[name], at) if name else Recognised(AGENTS["generic"], 0)
    return Recognised(AGENTS["generic"], 0)


def _agent_of(word: str) -> str | None:
    stem = os.path.basename(word).removesuffix(".js").removesuffix(".mjs").removesuffix(".exe")
    for agent in AGENTS.values():
        if stem in agent.programs:
            return agent.name
    for package, name in _PACKAGES.items():
        if package in word:
            return name
    return None
