"""What became of values that a deliverable should have: shown, delivered, held by the read log (S26). Pure."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tabshell.audit.excerpt import Excerpt
from tabshell.audit.index import LogIndex
from tabshell.audit.mentions import find_mentions
from tabshell.audit.scan import Sought, Wanted
from tabshell.audit.stats import percent
from tabshell.audit.value import Value, agree
from tabshell.audit.values import find_values
from tabshell.documents.document import Document
from tabshell.text.terms import fold_white

Outcome = Literal["delivered", "shown but missing", "other", "not shown"]


@dataclass(frozen=True, slots=True)
class ExpectedValue:
    """A value that a deliverable should have: what became of it, and whether the read log holds it."""

    text: str
    outcome: Outcome
    held: bool


def outcomes(
    expected: Iterable[str], observations: Sequence[str], excerpts: Sequence[str], documents: Sequence[Document]
) -> list[ExpectedValue]:
    """Each expected value (one a line; blank lines and ``#`` comments are passed over).

    ``observations`` are the outputs of all turns, ``excerpts`` those of the read log. ``other``: shown, and in the
    deliverable only rounded or in another scale.
    """
    wanted = [line.strip() for line in expected if line.strip() and not line.lstrip().startswith("#")]
    values = {text: next(iter(find_values(text)), None) for text in wanted}
    shown = _Texts(observations, values.values())
    held = _Texts(excerpts, values.values())
    delivered = [mention.value for document in documents for mention in find_mentions(document)]
    plain = fold_white(" ".join(document.text for document in documents)).casefold()
    found = []
    for text in wanted:
        outcome: Outcome = "not shown"
        if shown.hold(text, values[text]):
            outcome = _delivery(text, values[text], delivered, plain)
        found.append(ExpectedValue(text, outcome, held.hold(text, values[text])))
    return found


def _delivery(text: str, value: Value | None, delivered: Sequence[Value], plain: str) -> Outcome:
    if value is None:
        return "delivered" if fold_white(text).casefold() in plain else "shown but missing"
    agreements = {agree(given, value) for given in delivered}
    if "same" in agreements:
        return "delivered"
    return "other" if agreements & {"rounded", "scaled", "reread"} else "shown but missing"


class _Texts:
    """Texts that are asked whether they hold a value."""

    def __init__(self, texts: Sequence[str], values: Iterable[Value | None]) -> None:
        wanted = Wanted()
        for value in values:
            if value is not None:
                wanted.add(value)
        self.excerpts = [Excerpt(number, text) for number, text in enumerate(texts)]
        self.index = LogIndex(self.excerpts, map(Sought(wanted).within, self.excerpts))

    def hold(self, text: str, value: Value | None) -> bool:
        """Whether one of the texts shows the value, or the words where there is none."""
        if value is None:
            needle = fold_white(text).casefold()
            return any(needle in fold_white(excerpt.text).casefold() for excerpt in self.excerpts)
        places = [
            (n, line)
            for n, token in self.index.places(value, range(len(self.excerpts)))
            for line in self.index.lines(n, token)
        ]
        places += list(self.index.month_lines(value)) if value.dates else []
        return any(
            agree(value, given) in ("same", "rounded")
            for number, line in places
            for given in _values_of(self.excerpts[number].line(line))
        )


def _values_of(line: str) -> Iterator[Value]:
    """The values of a line as prose; and of its cells, where it can be a row of comma-separated ones: ``May,1712,98``
    holds no number as prose, and two as a row. A cell counts as a whole only, so ``1,712 people`` are not 712."""
    prose = find_values(line)
    yield from prose
    if "," not in line or any(value.text == line.strip() for value in prose):
        return
    with contextlib.suppress(csv.Error, StopIteration):
        for cell in next(csv.reader([line])):
            yield from (value for value in find_values(cell) if value.text == cell.strip())


def shares(expected: Sequence[ExpectedValue]) -> dict[str, float | None]:
    """Figure 2 and 4: of the values shown, the share of each outcome; of the missing ones, the share held (percent)."""
    shown = [value for value in expected if value.outcome != "not shown"]
    missing = [value for value in shown if value.outcome == "shown but missing"]
    return {
        "delivered": percent(sum(v.outcome == "delivered" for v in shown), len(shown)),
        "shown but missing": percent(len(missing), len(shown)),
        "other": percent(sum(v.outcome == "other" for v in shown), len(shown)),
        "missing but held": percent(sum(v.held for v in missing), len(missing)),
    }
