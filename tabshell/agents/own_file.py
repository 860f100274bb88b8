"""Agents that take hooks from a file of their own: installing adds it, uninstalling removes it."""

from __future__ import annotations

from abc import abstractmethod

from tabshell.agents.agent import FileChange, Installation, Setting


class OwnFile:
    """The half of such an agent that ``install`` and ``uninstall`` need."""

    @abstractmethod
    def path(self, setting: Setting) -> str:
        """Where the file lies among the person's own."""

    @abstractmethod
    def content(self, hook: tuple[str, ...]) -> str:
        """Its text; ``hook`` are the words that call the hook."""

    def install(self, setting: Setting) -> Installation | None:
        """The file of ours."""
        return Installation((FileChange(self.path(setting), self.content(setting.hook)),))

    def uninstall(self, setting: Setting) -> Installation | None:
        """The same, gone."""
        path = self.path(setting)
        return Installation((FileChange(path, None),) if setting.read(path) is not None else ())
