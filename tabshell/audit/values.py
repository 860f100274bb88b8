"""All values of one line or cell: numbers, amounts, percentages, dates. Pure.

``find_values`` is used on both sides, on deliverables and on excerpts. Passages (quotes) are found by
``passages``, because they may run over lines.
"""

from __future__ import annotations

import re

from tabshell.audit.dates import find_dates, find_times
from tabshell.audit.numbers import find_numbers, fold
from tabshell.audit.value import Value

#: Numbers at the start of a line that only count: ``1.``, ``2)``, ``(3)``, ``2.1 Costs``, ``## 4 Results``.
MARKER = re.compile(
    r"\s*(?:>\s*)*(?:#{1,6}\s+)?(?:[-*•]\s+)?(?:\(\d{1,2}\)|\d{1,3}[.)](?=\s)|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s+[^\W\d_])"
    r"|(?<=# )\d{1,2}(?=\s+[^\W\d_])|\[\^?\d+\]:?)\s*"
)
#: Words whose number is a name: ``Table 3``, ``page 12 of 40``, ``§ 5``.
LABEL = re.compile(
    r"(?:\b(?:table|figure|fig\.?|section|sec\.|chapter|article|page|pages|pp?\.|appendix|annex|exhibit|step|slide|sheet"
    r"|note|footnote|item|clause|schedule|part|version|ver\.|release|line|lines|row|column|question)|§+|\bv)\s*[#:]?\s*"
    r"(?:\d+\s*(?:[-–,/&]|and|of|to)\s*)*$",
    re.IGNORECASE,
)
#: One of these stands in whatever LABEL finds, in small letters.
LABELS = (
    "table", "fig", "sec", "chapter", "article", "page", "p.", "append", "annex", "exhibit", "step", "slide", "sheet",
    "note", "item", "clause", "schedule", "part", "ver", "release", "line", "row", "column", "question", "§", "v",
)  # fmt: skip
#: Labels end in a word, a sign or another number just before; most numbers do not.
LABEL_HINT = re.compile(r"(?:[A-Za-z.#:§]|\d(?:\s*[-–,/&]|\s(?:and|of|to)))\s*$")
DIGIT = re.compile("[0-9]")
FOOTNOTE = re.compile(r"\[\^?\d{1,3}\]")


def find_values(text: str) -> list[Value]:
    """The values in ``text``, in order. Numbers that only name or count something are marked ``label``."""
    folded = fold(text)
    if not DIGIT.search(folded):
        return []
    dates = list(find_dates(folded))
    taken = [(value.start, value.end) for value in dates]
    taken += find_times(folded)
    taken += [match.span() for match in FOOTNOTE.finditer(folded)] if "[" in folded else []
    numbers = find_numbers(folded, taken)
    marker = MARKER.match(folded)
    counted = marker.end() if marker else 0
    values = [*dates, *(_labelled(folded, value, counted) for value in numbers)]
    values.sort(key=lambda value: value.start)
    return [v._replace(text=text[v.start : v.end].strip()) for v in values] if folded is not text else values


def _labelled(text: str, value: Value, counted: int) -> Value:
    if value.end <= counted:
        return value._replace(label=True)
    if value.plain_integer or value.digits <= 3:
        before = text[max(0, value.start - 40) : value.start]
        if value.kind == "number" and _may_be_label(before) and LABEL.search(before):
            return value._replace(label=True)
    return value


def _may_be_label(before: str) -> bool:
    """A quick look whether LABEL may find something, for it is slow."""
    lowered = before.lower()
    return any(word in lowered for word in LABELS) and LABEL_HINT.search(before) is not None
