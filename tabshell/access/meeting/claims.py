"""What the output holds of one suspect, and what it costs to look for more of it.

In: a suspect and its source. ``Claim`` is filled row by row by ``owners`` and judged by ``verdict``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tabshell.access.meeting.suspects import ENCODERS, Suspect, Trust
from tabshell.access.output.source import DIRECT, Source
from tabshell.access.output.wanted import Wanted

#: Rows that are looked for one by one, in texts that are not short.
FEW, SHORT = 12, 8000
#: Microseconds for holding a row against a text, and for each character of it: to look something up, to prepare it for
#: that.
CHEAPEST, LOOKED, PREPARED = 30, 0.0007, 0.08


@dataclass(slots=True)
class Claim:
    """What the output holds of one suspect: rows with their source line (0: unknown), and what they prove.

    ``rank`` is its place in the order in which files are looked into, lower ones first. ``whole`` counts rows that are
    whole lines of it, ``told`` rows that the output itself ascribes to it.
    """

    suspect: Suspect
    source: Source
    rank: int = 0
    rows: dict[int, int] = field(default_factory=dict)
    whole: int = 0
    told: int = 0
    proof: float = 0.0

    @property
    def is_prefixed(self) -> bool:
        """Whether the tool that shows its lines puts its path before them."""
        act = self.suspect.act
        prefixes = act is not None and (act.prefixed or (act.verb == "search" and act.prefixed is None))
        return self.suspect.trust >= Trust.SHOWN and bool(prefixes)

    @property
    def is_shown_as_it_is(self) -> bool:
        """Whether a command's purpose is to show it, and not its bytes in another form."""
        act = self.suspect.act
        return self.suspect.trust >= Trust.SHOWN and (act is None or act.utility not in ENCODERS)


def floor_of(suspect: Suspect) -> float:
    """The share of a row that must stand in the file, in words and values, where it is no piece of a line."""
    if suspect.trust < Trust.SHOWN:
        return 0.5
    return 0.3 if suspect.act is not None and suspect.act.passage == "altered" else 0.8


def cost_of(source: Source) -> float:
    """Microseconds for holding a row against a source."""
    each = 0.0 if source.is_searched else LOOKED if source.ready else PREPARED  # what is read of it counts later
    return CHEAPEST + source.length * each


def lines_in(source: Source, wanted: Wanted) -> Iterable[tuple[int, str]]:
    """Where these folded lines stand in a source. A few of them are looked for one by one in a longer text."""
    if len(wanted.forms) > FEW or source.length < SHORT:
        return source.matching(wanted)
    forms = [form for form in wanted.forms if source.may_hold(form)]
    if source.length <= DIRECT:
        return source.matching(Wanted(forms)) if forms else ()
    return [(line, form) for form in forms for line in source.places(form)]
