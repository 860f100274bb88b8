"""Terminus 2 in a session: its tmux starts the session's shell, and its own second thought carries the finish check.

Terminus lives outside the environment and types into a tmux there. Harbor starts that with ``bash --login``; here the
same line starts ``tabshell run`` after the login profile, so each command is recorded at the terminal and the status
line stands on the screen. When it says for the first time that the task is complete, Harbor asks whether it is sure:
the finish check stands before that question.
"""

from __future__ import annotations

from typing import Any

from tabshell.engines.harbor.agent import Tabbed
from tabshell.engines.harbor.programs import shell
from tabshell.engines.harbor.sandbox import HarborSandbox
from tabshell.engines.recorded import OWN_S, Recorded
from tabshell.engines.sandbox import SandboxLacks
from tabshell.tab.prompt import prompt_block

#: How Harbor starts the shell within tmux.
_STARTS, _SHELL = "tmux new-session", "'bash --login'"


class _Environment:
    """The environment, with the shell of tmux replaced. Everything else is the environment's own."""

    def __init__(self, environment: Any, recorded: Recorded) -> None:  # noqa: ANN401
        self._environment, self._recorded = environment, recorded
        self.replaced = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._environment, name)

    async def exec(self, command: str, *words: Any, **options: Any) -> Any:  # noqa: ANN401
        """Runs a command."""
        if _STARTS in command and _SHELL in command:
            command = command.replace(_SHELL, _quoted(shell(self._recorded)))
            self.replaced = True
        return await self._environment.exec(command, *words, **options)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


class TerminusMixin(Tabbed):
    """Terminus 2."""

    _completing = False
    _check: str | None = None

    async def setup(self, environment: Any) -> None:  # noqa: ANN401
        """The session, then tmux with its shell."""
        self._recorded = await self._start(environment, "")
        through = _Environment(environment, self._recorded)
        await super().setup(through)  # type: ignore[misc]
        self._started = through.replaced
        if not through.replaced:
            msg = (
                "this Harbor starts the shell of Terminus in a way that tabshell does not know, so nothing would be "
                "recorded; take another version of Harbor (0.26 is known)"
            )
            raise SandboxLacks(msg)

    async def run(self, instruction: str, environment: Any, context: Any) -> None:  # noqa: ANN401
        """The agent's run: first the task, which is not known before."""
        recorded = self._recorded
        if recorded is None:
            msg = "run() of Terminus was called before setup(), which starts its shell"
            raise SandboxLacks(msg)
        self._check, self._completing = None, False
        self._place = HarborSandbox(environment)
        tab = [f"{recorded.session}/bin/tab", "task", "-"]
        done = await self._place.exec(tab, input=instruction, cwd=recorded.workspace, timeout=OWN_S)
        if done.returncode != 0:
            self.logger.warning("tabshell: the task was not set: %s", done.stderr.strip())  # type: ignore[attr-defined]
        async with self._ending(environment, recorded, context):
            await super().run(f"{instruction}\n\n{prompt_block()}", environment, context)  # type: ignore[misc]

    async def _handle_llm_interaction(self, *words: Any, **options: Any) -> Any:  # noqa: ANN401
        answer = await super()._handle_llm_interaction(*words, **options)  # type: ignore[misc]
        self._completing = bool(answer[1])
        return answer

    async def _execute_commands(self, *words: Any, **options: Any) -> Any:  # noqa: ANN401
        done = await super()._execute_commands(*words, **options)  # type: ignore[misc]
        if self._completing and self._recorded is not None:
            try:
                self._check = await self._recorded.finish_check(self._place)
            except (SandboxLacks, RuntimeError, OSError) as error:
                self.logger.warning("tabshell: no finish check: %s", error)  # type: ignore[attr-defined]
        return done

    def _get_completion_confirmation_message(self, terminal_output: str) -> str:
        asked: str = super()._get_completion_confirmation_message(terminal_output)  # type: ignore[misc]
        return asked if self._check is None else f"{self._check}\n\n{asked}"
