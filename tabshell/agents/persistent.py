"""Programs that keep one shell and type into it: SWE-ReX, Terminus (tmux), Anthropic's reference bash tool.

None has hooks; their shells are recorded by the session's bash itself, command by command. What differs is how
they come to it: SWE-ReX and tmux look ``bash`` up on PATH, the reference tool starts ``/bin/bash``, which reads
BASH_ENV. Their sentinels come off a command in ``text.unwrap``.
"""

from __future__ import annotations

from tabshell.agents.agent import HookEvent, Installation, Launch, Overlay, Setting, StatusPlace
from tabshell.model.light import dataclass


@dataclass(frozen=True, slots=True)
class PersistentShell:
    """One of them."""

    name: str
    title: str
    programs: tuple[str, ...] = ()
    status: StatusPlace = "stdout"
    events: tuple[str, ...] = ()

    def read_hook(self, text: str, event: str | None) -> HookEvent | None:  # noqa: ARG002 - it has no hooks
        """None: no such agent calls a hook."""
        return None

    def answer_hook(self, event: HookEvent, text: str) -> str:  # noqa: ARG002
        """Nothing, too."""
        return ""

    def overlay(self, launch: Launch) -> Overlay:
        """Where it may look for its shell."""
        return Overlay(launch.argv, {"SHELL": launch.bash, **launch.through_bash_env})

    def install(self, setting: Setting) -> Installation | None:  # noqa: ARG002
        """None: it is used as a library, from a program that ``tabshell run`` or ``tabshell env`` starts."""
        return None

    def uninstall(self, setting: Setting) -> Installation | None:  # noqa: ARG002
        """None, too."""
        return None


SWE_REX = PersistentShell("swe-rex", "SWE-ReX", ("swerex-remote",))
TERMINUS = PersistentShell("terminus", "tmux, as Terminus 2 drives it", ("tmux",))
ANTHROPIC_TOOL = PersistentShell("anthropic-tool", "Anthropic's reference bash tool")
