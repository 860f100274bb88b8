"""A Harbor environment as the sandbox that ``engines.recorded`` and ``engines.homecoming`` work with.

Three operations out of Harbor's own: ``exec`` (a line for bash, where ours takes words and standard input),
``upload_file`` and ``download_file``. Nothing else of an environment is used, so every provider of Harbor's will do.
"""

from __future__ import annotations

import base64
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

#: Standard input of more characters goes by way of a file: a word of a command line has 128 KiB at most.
_INLINE = 60_000


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended."""

    returncode: int
    stdout: str
    stderr: str


class HarborSandbox:
    """A ``Sandbox`` over a ``BaseEnvironment``."""

    def __init__(self, environment: Any) -> None:  # noqa: ANN401 - Harbor is not imported here
        self._environment = environment

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # noqa: A002 - the sandbox's name
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,  # noqa: ARG002
    ) -> Ended:
        """Runs a program."""
        command = shlex.join(cmd)
        if input is not None:
            data = base64.b64encode(input.encode() if isinstance(input, str) else input).decode()
            if len(data) > _INLINE:
                path = f"/tmp/tabshell-{uuid4().hex}"  # noqa: S108 - in the sandbox, removed below
                await self.write_file(path, input)
                command = f"{command} < {path}; status=$?; rm -f {path}; exit $status"
            else:
                command = f"printf %s {data} | base64 -d | {command}"
        done = await self._environment.exec(command, cwd=cwd, env=env, timeout_sec=timeout, user=user)
        return Ended(done.return_code, done.stdout or "", done.stderr or "")

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Writes a file; it belongs to the environment's user, not to root who brings it."""
        with tempfile.TemporaryDirectory(prefix="tabshell-") as folder:
            local = Path(folder) / "file"
            local.write_bytes(contents.encode() if isinstance(contents, str) else contents)
            await self._environment.upload_file(local, file)
        owner = self._environment.default_user
        if owner is not None:
            await self._environment.exec(f"chown {shlex.quote(str(owner))} {shlex.quote(file)}", user="root")

    async def read_file(self, file: str, text: Literal[False]) -> bytes:  # noqa: ARG002
        """Reads a file's bytes."""
        with tempfile.TemporaryDirectory(prefix="tabshell-") as folder:
            local = Path(folder) / "file"
            await self._environment.download_file(file, local)
            return local.read_bytes()
