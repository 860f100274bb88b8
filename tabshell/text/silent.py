"""Which bytes of an output tabshell itself printed (S27), found by the digests that each ``tab`` call stored.

In: an output, and for every call of the turn the distinct digests of the lines it printed. Out: byte spans of
whole lines. A call's output is the shortest stretch of neighbouring lines, the last one in the output, that holds
all its digests and nothing else; where a filter came between (``tab list | grep r1``), every line that carries one
of its digests. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from tabshell.model.accesses import Span
from tabshell.text.digests import line_digest
from tabshell.text.observation import observe


def silent_spans(output: bytes, columns: int, printed: Sequence[Sequence[str]]) -> tuple[Span, ...]:
    """The spans of ``output`` that calls of ``tab`` printed; later calls are looked for from the end."""
    seen = observe(output, columns)
    digests = [line_digest(line) for line in seen.lines]
    taken: set[int] = set()
    for call in reversed(printed):
        wanted = frozenset(call)
        found = _stretch(digests, wanted, taken)
        taken.update(found if found is not None else _scattered(digests, wanted, taken))
    return tuple(Span(seen.starts[i], seen.ends[i]) for i in sorted(taken))


def _stretch(digests: list[str], wanted: frozenset[str], taken: set[int]) -> range | None:
    """The last shortest run of lines that covers ``wanted``; blank lines belong to it."""
    end, missing, start = len(digests), set(wanted), len(digests)
    for i in range(len(digests) - 1, -1, -1):
        digest = digests[i]
        if i in taken or (digest and digest not in wanted):
            end, missing = i, set(wanted)
            continue
        if digest and len(missing) == len(wanted):
            end = i + 1  # trailing blank lines of the turn are not the call's
        missing.discard(digest)
        if not missing:
            start = i
            return range(start, end)
    return None


def _scattered(digests: list[str], wanted: frozenset[str], taken: set[int]) -> list[int]:
    return [i for i, digest in enumerate(digests) if digest in wanted and i not in taken]
