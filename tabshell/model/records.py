"""What a door hands to the recorder: one command, or one call of an agent's own file tool.

A door knows nothing of files; it reports text, output, status and times. Outputs are raw bytes as shown
(escape sequences and carriage returns included); ``text.observation`` makes lines of them.
"""

from __future__ import annotations

from tabshell.model.light import Literal, dataclass

Door = Literal["pty", "shim", "hook", "import"]
TextFrom = Literal["history", "screen", "unknown", "argument", "hook", "import"]
Action = Literal["read", "search", "list", "write", "other"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes that a size bound left out: ``size`` bytes are missing before ``offset`` of the stored output."""

    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class CommandRecord:
    """One top-level command of an agent (a *turn*) as a door saw it.

    ``cwd`` is the absolute directory at its start, ``cwd_after`` the one at its end (None: unknown).
    ``output`` holds the stored bytes in the order shown; a bound that cut something is told by ``gap``.
    Times are seconds since the epoch and seconds. ``columns`` is the width of the terminal, 0 without one.
    ``opened`` are the files that the witness (inotify) saw opened, absolute; None: no witness was there.
    ``silent`` marks bytes of ``output`` that tabshell itself printed (spans, see S27).
    ``confirmable`` is False where the files need not exist here (imports).
    """

    door: Door
    command: str
    text_from: TextFrom
    cwd: str
    output: bytes
    exit_code: int | None = None
    started_at: float = 0.0
    duration_s: float = 0.0
    cwd_after: str | None = None
    agent: str | None = None
    columns: int = 0
    gap: Gap | None = None
    opened: tuple[str, ...] | None = None
    silent: tuple[tuple[int, int], ...] = ()
    confirmable: bool = True


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """One call of an agent's own file tool (Read, grep, glob, list …), translated by its ``agents`` module.

    ``command`` is the anchor shown to people (``Read report.md``). ``paths`` are as the tool was given them
    (absolute or relative to ``cwd``). ``numbered``: each line starts with its number in the source
    (``cat -n`` style). ``first_line`` is the source line that the output starts with, where known.
    """

    door: Door
    agent: str
    tool: str
    action: Action
    command: str
    cwd: str
    paths: tuple[str, ...]
    output: bytes
    exit_code: int | None = None
    started_at: float = 0.0
    duration_s: float = 0.0
    numbered: bool = False
    first_line: int | None = None
    gap: Gap | None = None
    confirmable: bool = True


Record = CommandRecord | ToolRecord
