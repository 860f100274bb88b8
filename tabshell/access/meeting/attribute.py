"""Which part of an output belongs to which file: accepted claims -> excerpts with spans.

One entry per file wherever the rows tell; rows between two rows of one file are that file's; what several files may
have brought becomes one entry that names them all, so that nothing shown of files is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tabshell.access.meeting.owners import Owners
from tabshell.access.meeting.suspects import PROGRAMS, Trust
from tabshell.access.meeting.verdict import Verdict
from tabshell.access.output.rows import Rows, joined
from tabshell.model.accesses import Span

#: What its own rows must prove before a file is said to have brought rows that nobody owns.
LEAST = 0.5
_LETTER = re.compile(r"\w")


@dataclass(slots=True)
class Part:
    """Rows of the output that go into one entry; ``verdicts`` has one element where the file is known."""

    verdicts: tuple[Verdict, ...]
    rows: set[int] = field(default_factory=set)


def parts(owners: Owners, accepted: list[Verdict], candidates: list[int]) -> list[Part]:
    """The entries' rows. ``candidates`` are the rows that may be content and are neither listings nor labels."""
    if not accepted:
        return []
    found = [Part((verdict,), set(verdict.claim.rows)) for verdict in accepted]
    taken: dict[int, list[int]] = {}
    for number, part in enumerate(found):
        for row in part.rows:
            taken.setdefault(row, []).append(number)
    left = [row for row in candidates if row not in taken and row not in owners.headings]
    if len(found) == 1:
        found[0].rows.update(_around(found[0], left))
        return found
    rest = _between(owners, found, taken, left)
    _share_out(owners, accepted, found, rest)
    return [part for part in found if part.rows]


def _around(part: Part, left: list[int]) -> list[int]:
    """The open rows that go with the only file: all, but for a file shown line by line those in between."""
    if _line_by_line(part.verdicts[0]):
        first, last = min(part.rows), max(part.rows)
        return [row for row in left if first < row < last]
    return left


def _between(owners: Owners, found: list[Part], taken: dict[int, list[int]], left: list[int]) -> list[int]:
    """Gives open rows to the file of the rows around them; returns the others."""
    owner_before: dict[int, int | None] = {}
    current: int | None = None
    left_set = set(left)
    at_word = {id(part.verdicts[0].claim): n for n, part in enumerate(found) if part.verdicts[0].word}
    headed = {n: at_word[id(claim)] for n, claim in enumerate(owners.claims) if id(claim) in at_word}
    order = sorted({*left, *taken, *owners.headings})
    for row in order:
        if row in taken:
            current = taken[row][0] if len(taken[row]) == 1 else None
        elif row in owners.headings:
            heading = owners.headings[row]
            current = None if heading is None else headed.get(heading)
        elif row in left_set:
            owner_before[row] = current
    rest: list[int] = []
    closed = _closed(found)
    ahead, behind = (closed | side for side in _beside_words(found))
    following: int | None = None
    heading_since = True
    for row in reversed(order):
        if row in taken:
            following, heading_since = (taken[row][0] if len(taken[row]) == 1 else None), False
        elif row in owners.headings:
            following, heading_since = None, True
        elif row in left_set:
            before = owner_before[row]
            if before is not None and (before == following or (heading_since and before not in behind)):
                found[before].rows.add(row)
            elif before is None and following is not None and following not in ahead:
                found[following].rows.add(row)
            else:
                rest.append(row)
    return rest


def _closed(found: list[Part]) -> set[int]:
    """The files of whose rows the output tells the line numbers, and those that were shown line by line where others
    were shown in another form: open rows are not theirs."""
    words = any(part.verdicts[0].word for part in found)
    closed = enumerate(part.verdicts[0] for part in found)
    return {n for n, verdict in closed if _numbered(verdict) or (words and _line_by_line(verdict))}


def _beside_words(found: list[Part]) -> tuple[set[int], set[int]]:
    """The files before which another one was shown that is taken at the command's word, and those behind which: open
    rows on that side are the other's."""
    acts = [part.verdicts[0].claim.suspect.act for part in found]
    places = [None if act is None else act.index for act in acts]
    words = [place for part, place in zip(found, places, strict=True) if part.verdicts[0].word and place is not None]
    evident = [(n, at) for n, at in enumerate(places) if at is not None and not found[n].verdicts[0].word]
    ahead = {n for n, at in evident if any(word < at for word in words)}
    return ahead, {n for n, at in evident if any(word > at for word in words)}


def _line_by_line(verdict: Verdict) -> bool:
    claim = verdict.claim
    act = claim.suspect.act
    plain = claim.suspect.trust >= Trust.SHOWN and claim.whole > 0 and claim.whole == len(claim.rows)
    return (plain and act is not None and act.passage != "altered") or _numbered(verdict)


def _numbered(verdict: Verdict) -> bool:
    """Whether the output itself says of every row that it is this file's, and which line of it."""
    claim = verdict.claim
    return claim.told > 0 and claim.told + claim.whole >= len(claim.rows) and all(claim.rows.values())


def _share_out(owners: Owners, accepted: list[Verdict], found: list[Part], rest: list[int]) -> None:
    """Rows that nobody owns: to the one file taken at its word, else to one entry for all of them."""
    rest = [row for row in rest if _LETTER.search(owners.rows.texts[row])]
    if not rest:
        return
    words = [n for n, verdict in enumerate(accepted) if verdict.word]
    if len(words) == 1:
        found[words[0]].rows.update(rest)
        return
    named = tuple(accepted[n] for n in words) if words else tuple(v for v in accepted if _shown_otherwise(v))
    if named:
        found.append(Part(named, set(rest)))


def _shown_otherwise(verdict: Verdict) -> bool:
    """Whether more of a file may have been shown than the rows that were found in it."""
    claim, act = verdict.claim, verdict.claim.suspect.act
    if _numbered(verdict) or claim.proof < LEAST:
        return False
    plain = act is not None and act.verb in ("read", "search") and act.passage != "altered"
    computes = claim.suspect.trust < Trust.SHOWN and (act is None or not plain or act.utility in PROGRAMS)
    return claim.whole < len(claim.rows) or computes


def spans_of(rows: Rows, numbers: set[int]) -> tuple[Span, ...]:
    """The byte ranges of these rows, neighbours joined."""
    ordered = sorted(numbers)
    firsts = (row for row in ordered if row - 1 not in numbers)
    lasts = (row for row in ordered if row + 1 not in numbers)
    return joined([Span(rows.starts[first], rows.ends[last]) for first, last in zip(firsts, lasts, strict=True)])
