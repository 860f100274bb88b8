"""What tracing finds: places in the log that gave a value, values with what became of them, documents. Pure."""

from __future__ import annotations

from typing import Literal

from tabshell.audit.log import Log
from tabshell.audit.mentions import Mention
from tabshell.audit.value import Agreement, Value
from tabshell.documents.document import Document
from tabshell.model.light import NamedTuple, dataclass

Status = Literal["sourced", "computed", "no source"]


class Source(NamedTuple):
    """A place in the read log. ``line`` counts in the source file where known, else in the excerpt;
    ``excerpt_line`` always in the excerpt. ``start`` to ``end`` is the value within ``text``, the line, or of a very
    long one the part behind ``cut`` characters. ``row`` is its place among the excerpt's lines and such parts.
    ``stated``: nothing had to be assumed about its scale."""

    entry: int
    path: str
    line: int
    excerpt_line: int
    cut: int
    row: int
    text: str
    start: int
    end: int
    agreement: Agreement
    score: float
    value: Value
    stated: bool = True

    @classmethod
    def at(
        cls, log: Log, place: tuple[int, int], span: tuple[int, int], agreement: Agreement, score: float, value: Value,
        stated: bool = True,
    ) -> Source:  # fmt: skip
        """The source at ``place``: the number of a text of the log and one of its lines."""
        excerpt = log.texts[place[0]].excerpt
        shown, cut = excerpt.place(place[1])
        return cls(
            excerpt.number, log.path_of(*place), log.source_line(*place), shown + 1, cut, place[1],
            excerpt.line(place[1]), *span, agreement, score, value, stated,
        )  # fmt: skip

    def anchor(self) -> str:
        """``L2:12``."""
        return f"L{self.entry}:{self.line}"


class Traced(NamedTuple):
    """A value of the deliverable and what became of it. ``sure`` is False where the match is a likely one
    only (the scale is not stated, few digits); ``remark`` says why."""

    mention: Mention
    status: Status
    sources: tuple[Source, ...] = ()
    formula: str | None = None
    sure: bool = True
    remark: str | None = None

    @property
    def weak(self) -> bool:
        """Whether it is of the kind that needs no source: small bare numbers, years, unquoted sentences."""
        return self.mention.value.weak


@dataclass(frozen=True, slots=True)
class Trace:
    """One deliverable, traced; ``traced`` are in reading order."""

    document: Document
    traced: tuple[Traced, ...]

    def count(self, status: Status) -> int:
        """How many values have this status."""
        return sum(item.status == status for item in self.traced)

    @property
    def alarming(self) -> tuple[Traced, ...]:
        """Values without a source that are more than small numbers and years."""
        return tuple(item for item in self.traced if item.status == "no source" and not item.weak)
