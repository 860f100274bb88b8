"""A Harbor environment that is this machine: commands run here in a folder, and ``/logs``, ``/app`` … lie in it.

Harbor has environments for containers only. This one stands at the same interface (``BaseEnvironment``), so that its
own Trial drives its own agents for real. A path of the container's in a command, its environment or a transfer is
replaced by the folder's. And an agent to install, which is a shell script.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
from pathlib import Path

from harbor.agents.capabilities import AgentCapabilities
from harbor.agents.installed.base import BaseInstalledAgent
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

_MAPPED = re.compile(r"(?<![\w./-])/(logs|app|tests|installed-agent|solution)(?=$|[^\w.-])")
#: What a container would not have of this process's environment.
_KEPT = ("PATH", "LANG", "LC_ALL", "PYTHONDONTWRITEBYTECODE")


class LocalPlace(BaseEnvironment):
    """This machine."""

    @staticmethod
    def type() -> str:
        return "local-place"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities()

    def _validate_definition(self) -> None:
        return

    @property
    def root(self) -> Path:
        return self.trial_paths.trial_dir.parent / f"{self.trial_paths.trial_dir.name}.place"

    def mapped(self, text: str) -> str:
        return _MAPPED.sub(lambda found: f"{self.root}/{found[1]}", text)

    async def start(self, force_build: bool) -> None:
        for name in ("logs/agent", "logs/verifier", "logs/artifacts", "app", "tests", "home", "tmp"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        files = Path(self.environment_dir) / "files"
        if files.is_dir():
            shutil.copytree(files, self.root / "app", dirs_exist_ok=True)

    async def stop(self, delete: bool) -> None:
        return

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = Path(self.mapped(str(target_path)))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source_path, target)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self.mapped(str(target_dir)), dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.mapped(str(source_path)), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self.mapped(str(source_dir)), target_dir, dirs_exist_ok=True)

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None) -> ExecResult:
        base = {name: os.environ[name] for name in _KEPT if name in os.environ}
        base |= {
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "TMUX_TMPDIR": str(self.root / "tmp"),
        }
        given = {name: self.mapped(value) for name, value in (self._merge_env(env) or {}).items()}
        child = await asyncio.create_subprocess_exec(
            "bash", "-c", self.mapped(command),
            cwd=self.mapped(cwd) if cwd else self.root / "app",
            env={**base, **given},
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        try:
            out, err = await asyncio.wait_for(child.communicate(), timeout_sec)
        except (TimeoutError, asyncio.CancelledError):
            os.killpg(child.pid, signal.SIGKILL)
            await child.wait()
            raise
        return ExecResult(
            stdout=out.decode("utf-8", "replace"), stderr=err.decode("utf-8", "replace"), return_code=child.returncode
        )


class ScriptAgent(BaseInstalledAgent):
    """An agent that nobody knows: a program ``script-agent`` that runs what its first argument says, one bash a line."""

    capabilities = AgentCapabilities()

    @staticmethod
    def name() -> str:
        return "script-agent"

    def get_version_command(self) -> str | None:
        return None

    async def install(self, environment) -> None:
        program = 'printf "%s\\n" "$1" > "$HOME/asked"; while IFS= read -r line; do bash -c "$line"; done < "$HOME/../app/steps"'
        await self.exec_as_agent(
            environment,
            'mkdir -p "$HOME/.local/bin"; cat > "$HOME/.local/bin/script-agent" <<\'EOF\'\n#!/bin/sh\n' + program
            + '\nEOF\nchmod +x "$HOME/.local/bin/script-agent"',
        )  # fmt: skip

    async def run(self, instruction, environment, context) -> None:

        await self.exec_as_agent(
            environment,
            f'export PATH="$HOME/.local/bin:$PATH"; script-agent {shlex.quote(instruction)} 2>&1 | tee /logs/agent/script.txt',
        )

    def populate_context_post_run(self, context) -> None:
        context.n_input_tokens = 1


from tabshell.engines.harbor import with_tabshell  # noqa: E402

TabbedScriptAgent = with_tabshell(ScriptAgent)
