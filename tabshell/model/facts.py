"""Facts: what the store keeps. Only ever inserted; each becomes one event of the hash chain (S6).

Ids and turns are numbered by the store when a fact is appended: construct with 0, and take the number from
what ``Store.append`` gives back. Times are seconds since the epoch. Offsets count the *stored* bytes of a
stream (dense); what a bound left out is told beside it.
"""

from __future__ import annotations

from tabshell.model.accesses import EntryKind, Reason, Span, Write
from tabshell.model.light import Literal, dataclass
from tabshell.model.records import Action, Door, TextFrom

StopKind = Literal["exit", "ctrl-d", "finish", "hook", "end"]
FinishState = Literal["none", "open", "resolved"]
Resolution = Literal["done", "unavailable"]


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """The session's first fact. ``workspace`` and ``out`` are real absolute paths."""

    id: str
    name: str | None
    workspace: str
    out: str | None
    agent: str | None
    bash: str | None
    version: str
    capture: bool = True
    review: bool = True
    evidence_check: bool = True
    finish_check: bool = True
    agent_session: str | None = None
    model: str | None = None
    variant: str | None = None


@dataclass(frozen=True, slots=True)
class SessionResumed:
    """The session was taken up again (``--resume``)."""

    version: str


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session's last fact; ``exit_code`` is the shell's or the agent's (None: killed)."""

    exit_code: int | None


@dataclass(frozen=True, slots=True)
class TaskSet:
    """The task text; a new one re-arms the finish check."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A command began. ``tool`` and ``action`` are set for an agent's own file tools. ``began_at`` is when it
    began, where that was not when the fact was stored (a shim's record taken in later, an import)."""

    turn: int
    door: Door
    command: str
    text_from: TextFrom
    cwd: str
    agent: str | None = None
    columns: int = 0
    tool: str | None = None
    action: Action | None = None
    paths: tuple[str, ...] = ()
    numbered: bool = False
    first_line: int | None = None
    began_at: float | None = None


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A command ended. Its output are the stored bytes ``start`` to ``end`` of ``stream``; ``output_bytes``
    is the true size (``dropped`` of them were left out by the bound, before stored offset ``gap_at``).
    ``unobserved`` says why the end was not seen itself (a pasted line, an exec), or is None."""

    turn: int
    exit_code: int | None
    duration_s: float
    stream: int
    start: int
    end: int
    output_bytes: int
    dropped: int = 0
    gap_at: int | None = None
    cwd_after: str | None = None
    opened: tuple[str, ...] | None = None
    silent: tuple[Span, ...] = ()
    unobserved: str | None = None


@dataclass(frozen=True, slots=True)
class TurnShown:
    """What of a turn's output the model was shown, told by the agent's hook after another door had recorded the
    turn whole (S2). ``spans`` count from the start of the turn's stored output; bytes outside them were cut by
    the agent. ``call`` is the agent's own id of the tool call, ``agent`` the sub-agent that made it."""

    turn: int
    spans: tuple[Span, ...]
    call: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class TurnClassified:
    """What the classifier said of a turn's files. A turn ended but not classified is pending (shim)."""

    turn: int
    read: tuple[str, ...]
    searched: tuple[str, ...]
    listed: tuple[str, ...]
    wrote: tuple[Write, ...]
    computed_from: tuple[str, ...]
    opened: tuple[str, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class EntryLogged:
    """A read-log entry L<id>: ranges of a stream's stored bytes, with its anchor."""

    id: int
    turn: int
    kind: EntryKind
    paths: tuple[str, ...]
    shown_as: tuple[str, ...]
    command: str
    stream: int
    spans: tuple[Span, ...]
    chars: int
    text_sha256: str
    agent: str | None = None
    lines: tuple[int, int] | None = None
    line_count: int | None = None
    source_sha256: str | None = None
    derived_from: tuple[str, ...] = ()
    own: bool = False
    binary: bool = False
    outside: bool = False
    unconfirmed: bool = False
    screen: bool = False
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class EntrySeen:
    """The same excerpt of the same file was shown again in another turn."""

    entry: int
    turn: int


@dataclass(frozen=True, slots=True)
class RequirementAdded:
    """Requirement r<id>, as the agent stated it."""

    id: int
    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class NoteAdded:
    """Note n<id>."""

    id: int
    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class RequirementResolved:
    """A requirement was closed. ``refs`` are entry numbers; ``reason`` is for ``unavailable``."""

    requirement: int
    turn: int
    status: Resolution
    refs: tuple[int, ...] = ()
    reason: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class RequirementReopened:
    """A requirement is open again."""

    requirement: int
    turn: int


@dataclass(frozen=True, slots=True)
class TabAccessed:
    """One call of a tab operation: the ids (and candidate paths) that it showed.

    ``printed`` are short digests of the lines it printed (``text.digests``), so that the recorder can leave
    them out of what counts as shown (S27) without keeping a second copy.
    """

    turn: int
    operation: str
    shown: tuple[str, ...]
    printed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FinishChecked:
    """The finish check was given."""

    turn: int
    stop: StopKind
    state: FinishState
    open: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RecordingGap:
    """Something was not recorded, and why."""

    turn: int
    reason: str


@dataclass(frozen=True, slots=True)
class Resized:
    """The terminal of a stream has this size from stored ``offset`` on."""

    stream: int
    offset: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class StreamOpened:
    """A stream of shown bytes: one terminal, one shim call, one hook result. Numbered by the store."""

    stream: int
    door: Door
    terminal: bool
    rows: int = 0
    columns: int = 0


Channel = Literal["tty", "out", "err"]


@dataclass(frozen=True, slots=True)
class OutputChunk:
    """A piece of a stream's bytes, stored compressed in the event's blob.

    ``pieces`` are (seconds since the epoch, bytes, channel); they add up to the data. ``dropped`` bytes were
    left out before this chunk. ``packed`` is the data compressed already, where that was done aside; ``data`` may
    then be empty.
    """

    stream: int
    offset: int
    pieces: tuple[tuple[float, int, Channel], ...]
    data: bytes
    dropped: int = 0
    packed: bytes | None = None

    @property
    def length(self) -> int:
        """Bytes of its data."""
        return sum(size for _, size, _ in self.pieces)


Fact = (
    SessionStarted
    | SessionResumed
    | SessionEnded
    | TaskSet
    | TurnStarted
    | TurnEnded
    | TurnClassified
    | TurnShown
    | EntryLogged
    | EntrySeen
    | RequirementAdded
    | NoteAdded
    | RequirementResolved
    | RequirementReopened
    | TabAccessed
    | FinishChecked
    | RecordingGap
    | Resized
    | StreamOpened
    | OutputChunk
)


@dataclass(frozen=True, slots=True)
class Event:
    """A fact with its place in the chain."""

    seq: int
    at: float
    fact: Fact
