"""What the classifier says of one record. Paths are *keys*: relative to the workspace with ``/``, real
(symlinks resolved), absolute outside the workspace; a name that is no UTF-8 holds surrogate escapes.
"""

from __future__ import annotations

from tabshell.model.light import Literal, NamedTuple, dataclass, field

EntryKind = Literal["read", "search"]


class Span(NamedTuple):
    """Byte offsets ``start`` (in) to ``end`` (out) of a record's stored output."""

    start: int
    end: int


class Reason(NamedTuple):
    """Why files were classified so: the rule's name, the evidence in words, the paths (keys) it speaks of.

    ``kind`` is what the rule made of them: read, search, listed, wrote, computed, opened or nothing.
    """

    kind: str
    rule: str
    evidence: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What was shown of a file (or, where the output cannot be told apart, of several): a new log entry.

    ``spans`` are whole lines of the record's output, in order. ``shown_as`` are the paths as the command or
    the output wrote them. ``lines`` are the first and last source line shown, 1-based, where known;
    ``line_count`` is the source's number of lines, where known. ``screen``: the excerpt is what a
    full-screen program drew in these spans (rendered by ``text.screen``). ``own``: the agent wrote it.
    """

    kind: EntryKind
    paths: tuple[str, ...]
    shown_as: tuple[str, ...]
    spans: tuple[Span, ...]
    chars: int
    text_sha256: str
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


class Write(NamedTuple):
    """A file that the turn wrote. ``sources`` are the files its content came from (keys); ``own`` tells that
    content came from no file (echo, heredoc, a script); ``appended`` that older content stayed. A directory that was
    moved as a whole has keys that end in ``/``."""

    path: str
    sources: tuple[str, ...]
    own: bool
    appended: bool
    moved_from: str | None = None


@dataclass(frozen=True, slots=True)
class Accesses:
    """The classification of one record (S10, S11). ``opened`` are files that are no candidates any more
    although no excerpt came of them (an empty file read by name)."""

    read: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    wrote: tuple[Write, ...] = ()
    computed_from: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()
    reasons: tuple[Reason, ...] = field(default=())
