"""What an engine's sandbox must do for us, and what is said where it cannot.

Three operations, those of Inspect's ``SandboxEnvironment``, so that every sandbox that has them works: run a
program, write a file, read a file. Nothing else is asked of an engine. Pure types.
"""

from __future__ import annotations

from typing import Literal, Protocol

from tabshell.errors import TabshellError


class Ran(Protocol):
    """How a program ended; its output as text."""

    @property
    def returncode(self) -> int:
        """The exit status."""
        ...

    @property
    def stdout(self) -> str:
        """Standard output."""
        ...

    @property
    def stderr(self) -> str:
        """Standard error."""
        ...


class Sandbox(Protocol):
    """A place where an agent's commands run. Paths are the sandbox's own; relative ones start at its own folder."""

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # noqa: A002 - the engine's name
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
    ) -> Ran:
        """Runs a program. Raises TimeoutError after ``timeout`` seconds."""
        ...

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Writes a file, its folders too."""
        ...

    async def read_file(self, file: str, text: Literal[False]) -> bytes:
        """Reads a file's bytes."""
        ...


class SandboxLacks(TabshellError):  # noqa: N818
    """A session cannot be kept in this sandbox; the message says what is missing and how to get it."""

    code = "sandbox-lacks"
