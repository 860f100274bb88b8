"""What every agent module offers, and the types in which it speaks.

In: the JSON that an agent hands its hook, the words and the environment with which a person starts it. Out:
``HookEvent`` (one thing that happened), the exact JSON to answer, an ``Overlay`` (what to add so that the agent
meets tabshell without a change to the person's own files) and an ``Installation`` (the same for good).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from tabshell.model.light import dataclass, field
from tabshell.model.records import Record

StatusPlace = Literal["stdout", "stderr", "hook"]
"""Where the model sees the status line after a shell command: ``stdout`` of the shim, its ``stderr`` (agents
that nobody knows), or the after-tool ``hook`` (agents that cut or spoil the end of a long output)."""

EventKind = Literal["after-tool", "stop", "session-start", "session-end", "compaction", "subagent-stop", "other"]


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One call of a hook. ``name`` is the agent's own word for the event, ``session`` its own session id.

    ``record`` is set after a tool that shows something of files, with what the model was shown as its output
    (a ``gap`` where the agent cut). ``call`` is the agent's id of the tool call, ``subagent`` the name of the
    sub-agent that made it. ``resumed``: a session start that continues an older one, or follows a compaction.
    ``busy``: at a stop, something that the agent started is still running, so that it will go on by itself.
    """

    kind: EventKind
    name: str
    session: str | None = None
    cwd: str | None = None
    record: Record | None = None
    call: str | None = None
    subagent: str | None = None
    resumed: bool = False
    busy: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """How an agent is about to be started in a session, and where its overlay may lie.

    ``folder`` is the overlay's own directory in the sidecar (absolute), ``bash`` the session's recording bash,
    ``bash_env`` its file for BASH_ENV, ``hook`` the words that call this agent's hook (without the event),
    ``prompt`` the block for the model. ``program`` is the index of the agent's own word in ``argv`` (1 in ``node
    …/gemini.js``). ``found_bash`` is the bash that the caller's PATH leads to. ``names`` lists a directory, ``read``
    gives a small text file or None.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    bash: str
    bash_env: str
    hook: tuple[str, ...]
    prompt: str
    names: Callable[[str], tuple[str, ...]]
    read: Callable[[str], str | None]
    program: int = 0
    found_bash: str = "/bin/bash"

    @property
    def home(self) -> str:
        """The person's home directory."""
        return self.environment.get("HOME", "/")

    @property
    def through_bash_env(self) -> dict[str, str]:
        """What sends a shell that is started by its full path through the session's bash, once."""
        return {"BASH_ENV": self.bash_env, "TABSHELL_REEXEC": self.bash}

    def called(self, name: str) -> dict[str, str]:
        """Under which name the agent would have called its own bash: error messages begin with it."""
        return {"TABSHELL_ARGV0": name} if name.rpartition("/")[2] == "bash" else {}

    def words(self, *inserted: str) -> tuple[str, ...]:
        """The words of the call with ``inserted`` right behind the program's own."""
        behind = self.program + 1
        return (*self.argv[:behind], *inserted, *self.argv[behind:])


@dataclass(frozen=True, slots=True)
class Overlay:
    """What to add for one run. ``files`` and ``links`` are relative to the launch's folder; nothing else is
    written. ``environment`` comes over the caller's; ``notes`` are told to the person on stderr."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file of the person's configuration as it would be after ``install``; ``content`` None: removed."""

    path: str
    content: str | None


@dataclass(frozen=True, slots=True)
class Installation:
    """What ``install`` or ``uninstall`` would do. ``notes`` say what the person must still do or know."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """Where an agent's own configuration lies, for ``install``: home, environment, hook words, reading."""

    home: str
    environment: Mapping[str, str]
    hook: tuple[str, ...]
    prompt: str
    read: Callable[[str], str | None]


class Agent(Protocol):
    """One agent program."""

    @property
    def name(self) -> str:
        """The word by which tabshell knows it."""

    @property
    def title(self) -> str:
        """Its name for people."""

    @property
    def programs(self) -> tuple[str, ...]:
        """The names it is started by."""

    @property
    def status(self) -> StatusPlace:
        """Where the status line goes after a shell command."""

    @property
    def events(self) -> tuple[str, ...]:
        """The hooks it calls in a session that ``tabshell run`` started, in its own words. ``install`` adds the one at
        a session's end where there is one: nobody else would end a session that hooks began."""

    def read_hook(self, text: str, event: str | None) -> HookEvent | None:
        """What the agent's JSON says; None if it is no JSON of this agent's. Never raises."""

    def answer_hook(self, event: HookEvent, text: str) -> str:
        """The agent's JSON that shows ``text`` to the model (at a stop: that lets it go on with it)."""

    def overlay(self, launch: Launch) -> Overlay:
        """How to start the agent in a session."""

    def install(self, setting: Setting) -> Installation | None:
        """How to add the hooks for good; None where the agent has none to add."""

    def uninstall(self, setting: Setting) -> Installation | None:
        """How to take exactly that away again."""
