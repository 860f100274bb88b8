"""What flows through a pipe, abstractly: the acts whose output it is, and the text where the walk knows it.

A ``Draft`` is an act still being worked on: filters that its output passes weaken its passage. A ``Stream``
is one end of a pipe; its ``lines`` are computed only when a substitution, a loop or xargs asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.acts import Passage, Roots, Verb

_ORDER: tuple[Passage, ...] = ("verbatim", "reordered", "cut", "altered", "counted", "nothing")


def weaker(one: Passage, other: Passage) -> Passage:
    """The weaker of two passages."""
    return max(one, other, key=_ORDER.index)


@dataclass(slots=True)
class Draft:
    """A mutable ``acts.Act``; ``order`` tells when its output appeared."""

    verb: Verb
    utility: str
    cwd: str
    node: str
    order: int
    paths: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    roots: Roots | None = None
    passage: Passage = "verbatim"
    targets: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    appends: bool = False
    literal: bool = False
    lines: tuple[int, int | None] | None = None
    exact: bool = True
    prefixed: bool | None = None
    numbered: bool = False
    looped: bool = False
    in_archive: bool = False
    full_screen: bool = False
    #: literal words that it prints
    shown: list[str] = field(default_factory=list)

    @property
    def shows_content(self) -> bool:
        """Whether its output consists of (parts of) its files."""
        return self.verb in ("read", "search", "run", "opaque")


@dataclass(frozen=True, slots=True)
class Lines:
    """Text as lines (records ended by NUL where ``null``). Not ``exact``: at most these, perhaps fewer.

    ``ordered`` is False where their order is unknown (``find``, ``xargs -P``), so that ``head`` cannot cut.
    ``roots``: trees that further lines may name, too large to visit.
    """

    values: tuple[str, ...]
    exact: bool = True
    ordered: bool = True
    null: bool = False
    roots: Roots | None = None

    @property
    def text(self) -> str:
        """As ``$(…)`` gives it: without the last line breaks."""
        return "\n".join(self.values).rstrip("\n")

    def some(self, values: tuple[str, ...], *, exact: bool | None = None) -> Lines:
        """These lines instead, with the same qualities (or another exactness)."""
        return Lines(values, self.exact if exact is None else exact, self.ordered, self.null, self.roots)


@dataclass(slots=True)
class Stream:
    """One end of a pipe. ``file``: it is a file opened by ``<`` (path, word), not yet anybody's act.

    ``literal``: words that come from no file flow here (echo, a here-document, a program's own output).
    """

    drafts: list[Draft] = field(default_factory=list)
    lines: Callable[[], Lines | None] | None = None
    file: tuple[str, str] | None = None
    literal: bool = False
    #: status of the command, where the walk knows it
    status: bool | None = None
    #: what the status was most likely, judged by the disk as it is afterwards
    likely: bool | None = None

    def known(self) -> Lines | None:
        """The lines, where the walk can tell them."""
        return self.lines() if self.lines is not None else None

    def weaken(self, passage: Passage) -> Stream:
        """Lets the acts pass a filter of that kind."""
        for draft in self.drafts:
            draft.passage = weaker(draft.passage, passage)
        return self

    def hide(self) -> Stream:
        """Their output goes to no screen."""
        return self.weaken("nothing")

    def join(self, other: Stream) -> None:
        """``other`` comes after this on the same end."""
        mine, theirs = self.lines, other.lines
        empty = not self.drafts and not self.literal and mine is None
        if empty:
            self.lines = theirs
        elif other.drafts or other.literal or theirs is not None:
            self.lines = None if mine is None or theirs is None else lambda: _joined(mine(), theirs())
        self.drafts.extend(d for d in other.drafts if not any(d is own for own in self.drafts[-8:]))
        self.literal = self.literal or other.literal
        self.status = other.status

    def sources(self) -> list[str]:
        """The files whose content flows here."""
        return list(
            dict.fromkeys(p for d in self.drafts if d.shows_content and d.passage != "nothing" for p in d.paths)
        )


def _joined(one: Lines | None, other: Lines | None) -> Lines | None:
    if one is None or other is None:
        return None
    return Lines(
        one.values + other.values,
        one.exact and other.exact,
        one.ordered and other.ordered,
        one.null or other.null,
        one.roots or other.roots,
    )


def written_itself(stream: Stream) -> bool:
    """Whether (some of) what flows comes from no file."""
    if stream.literal or not stream.drafts:
        return stream.literal
    return any(_own(draft) for draft in stream.drafts if draft.passage != "nothing")


def _own(draft: Draft) -> bool:
    """Whether an act's output is not (only) content of files."""
    return bool(draft.shown) if draft.verb == "print" else draft.verb not in ("read", "search")
