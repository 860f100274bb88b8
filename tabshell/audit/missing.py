"""The reverse of tracing: values that requirements point at, that were shown, and that the deliverable lacks. Pure.

For a done requirement the cited entries are searched, for an open one the entries that speak of it. In each the
lines that match the requirement best are taken, and of a table row the cells whose column the requirement names.
A value counts as delivered in whatever form it stands in a deliverable, rounded or scaled too.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from tabshell.audit.log import Log
from tabshell.audit.mentions import Mention
from tabshell.audit.surroundings import spoken_words
from tabshell.audit.tracing import Evidence
from tabshell.audit.value import Value, agree
from tabshell.documents.document import Document
from tabshell.model.state import Requirement, Tab
from tabshell.text.terms import fold_white, matching_terms

#: Entries that are searched for an open requirement, lines of one entry that are weighed.
MAX_ENTRIES = 8
MAX_LINES = 400
#: Lines that match equally well of which values are taken.
MAX_TIES = 3
#: Lines below a matching one where its value may stand (a label above, the number under it).
REACH = 2
#: Words before and after a number in running text that say what it is.
BESIDE = 2
#: The name of the field that a number is the value of, and its longest.
TOLD = re.compile(r"([^\W\d_]+)[\"'`*]*\s*[:=]\s*[\"'`*]*$")
LONGEST_NAME = 40
CLAUSE = re.compile(r"[,;:]|\.(?=\s)")


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that requirement r<requirement> points at and no deliverable has."""

    requirement: int
    requirement_text: str
    value: Value
    entry: int
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """A line that matches a requirement: ``number`` is the excerpt's, ``index`` the line's, both 0-based."""

    number: int
    index: int
    score: float


def find_missing(tab: Tab, evidence: Evidence, documents: Sequence[Document]) -> list[Missing]:
    """What the documents lack of what the requirements point at, by requirement."""
    delivered = Delivered([mention for found in evidence.mentions for mention in found])
    text = fold_white(" ".join(document.text for document in documents)).casefold()
    found: list[Missing] = []
    for requirement in tab.requirements.values():
        if requirement.status == "unavailable":
            continue
        near = matching_terms(requirement.text)
        pointed = [
            (item, delivered.has(item.value, near) or _stands_in(item.value, text))
            for item in _pointed_at(requirement, evidence)
        ]
        # "23 people, 4 of them apprentices": where the line gave what was asked, its small numbers are asides
        met = {(item.entry, item.line) for item, there in pointed if there}
        found += [
            item for item, there in pointed if not there and not (item.value.weak and (item.entry, item.line) in met)
        ]
    return list(dict.fromkeys(found))


def values_of(requirement: Requirement, evidence: Evidence) -> list[Missing]:
    """Every value that a requirement points at, delivered or not (the audit shows both)."""
    return list(_pointed_at(requirement, evidence))


def matching_lines(requirement: Requirement, evidence: Evidence) -> list[Match]:
    """The lines of the log that match a requirement best, best first."""
    if requirement.id not in evidence.found:
        found = _matching_lines(requirement, evidence)
        evidence.found[requirement.id] = [(match.number, match.index, match.score) for match in found]
    return [Match(*found) for found in evidence.found[requirement.id]]


def _matching_lines(requirement: Requirement, evidence: Evidence) -> list[Match]:
    terms = matching_terms(requirement.text)
    resolution = requirement.resolution
    log = evidence.log
    best = partial(_best, log, spoken_words(requirement.text))
    if resolution is not None and resolution.refs:
        numbers = [log.numbers[ref] for ref in resolution.refs if ref in log.numbers]
        if resolution.quote:
            quoted = [match for n in numbers for match in _quoted_lines(log, n, resolution.quote)]
            if quoted:
                return quoted
        # each cited entry was cited for something: its own best lines count
        return [match for number in numbers for match in best(_weighed(log, [number], terms, 1))]
    numbers = evidence.index.near(sorted(terms), enough=4 * MAX_ENTRIES)[: 2 * MAX_ENTRIES]
    return best(_weighed(log, numbers, terms, (len(terms) + 1) // 2))


def _pointed_at(requirement: Requirement, evidence: Evidence) -> Iterator[Missing]:
    log = evidence.log
    terms = matching_terms(requirement.text)
    for match in matching_lines(requirement, evidence):
        reach = 0 if len(log.line(match.number, match.index).cells) > 1 else REACH
        for index in range(match.index, match.index + reach + 1):
            values = _telling_values(log, match.number, index, terms)
            if not values:
                if index > match.index and log.line(match.number, index).terms & terms:
                    break
                continue
            entry = log.texts[match.number].entry.id
            path, line = log.path_of(match.number, index), log.source_line(match.number, index)
            text = log.line(match.number, index).text
            for value in values:
                yield Missing(requirement.id, requirement.text, value, entry, path, line, text)
            break


def _telling_values(log: Log, number: int, index: int, terms: frozenset[str]) -> list[Value]:
    """The values of a line that a requirement may mean: of its named columns, else the strongest there are."""
    values = [value for value in log.line(number, index).values if not value.label]
    text = log.line(number, index).text
    values = [value._replace(plain_integer=False) if _is_told(text, value, terms) else value for value in values]
    named = [(len(_column_terms(log, number, index, value) & terms), value) for value in values]
    most = max((count for count, _ in named), default=0)
    if most:
        found = [value for count, value in named if count == most]
        return [value for value in found if not value.weak] or found
    strong = [value for value in values if not value.weak and value.kind != "date"]
    if len(values) > 1 and len(log.line(number, index).cells) < 2:
        around = _besides(log.line(number, index).text, values)
        beside = [value for value, words in zip(values, around, strict=True) if not value.is_year and words & terms]
        # a small number that a word of the requirement stands beside is meant only if no larger one is
        strong = [value for value in beside if value in strong] or beside or strong
    return strong or [value for value in values if not value.is_year] or values


def _column_terms(log: Log, number: int, index: int, value: Value) -> frozenset[str]:
    """What is said of a value in a table: by its column's head, and of a strong one by its own cell, where that is a
    sentence (a note set beside another one). A date or a small number in a cell of words is a row's label."""
    line = log.line(number, index)
    place = line.cell_of(value)
    found = log.head_terms(number, index, value)
    if place is None or len(line.cells) < 2 or value.weak or value.kind == "date":
        return found
    start, end = line.cells[place]
    return found | matching_terms(line.text[start:end])


def _is_told(text: str, value: Value, terms: frozenset[str]) -> bool:
    """Whether a number that reads as a year is what the requirement asks for: ``"capacity": 1897``."""
    if not value.is_year or value.text in terms:
        return False
    name = TOLD.search(text[max(0, value.start - LONGEST_NAME) : value.start])
    return name is not None and not matching_terms(name[1]).isdisjoint(terms)


def _besides(text: str, values: Sequence[Value]) -> Iterator[frozenset[str]]:
    """Of each value the terms of the words right before and after it, up to the next values and commas ("total: 5" is
    near)."""
    starts, ends = sorted(value.start for value in values), sorted(value.end for value in values)
    for value in values:
        previous, following = bisect_right(ends, value.start), bisect_left(starts, value.end)
        start = ends[previous - 1] if previous else 0
        end = starts[following] if following < len(starts) else len(text)
        before = CLAUSE.split(text[start : value.start].rstrip(" \"':="))[-1].split()[-BESIDE:]
        after = CLAUSE.split(text[value.end : end])[0].split()[:BESIDE]
        yield matching_terms(" ".join([*before, *after]))


def _weighed(log: Log, numbers: Iterable[int], terms: frozenset[str], least: int) -> list[Match]:
    """Lines that share at least ``least`` terms, each term weighing more the fewer lines have it."""
    shared: list[tuple[int, int, frozenset[str]]] = []
    for number in numbers:
        for index in _lines_with(log, number, terms):
            if log.is_head(number, index):
                continue
            common = terms & matching_terms(log.texts[number].excerpt.line(index))
            if len(common) < len(terms) and log.texts[number].is_tabular(index):
                common |= terms & _all_heads(log, number, index)
            if len(common) >= least:
                shared.append((number, index, common))
    counts: dict[str, int] = {}
    for _, _, common in shared:
        for term in common:
            counts[term] = counts.get(term, 0) + 1
    total = len(shared)
    return [Match(n, i, sum(math.log(1 + total / counts[term]) for term in sorted(common))) for n, i, common in shared]


def _best(log: Log, spoken: frozenset[str], matches: Sequence[Match]) -> list[Match]:
    """The best of them; ties are all kept, up to three: those that share most function words first ("not too
    close")."""
    if not matches:
        return []
    most = max(match.score for match in matches)
    tied = [match for match in matches if match.score >= most - 1e-9]
    if len(tied) > MAX_TIES:
        tied.sort(key=lambda match: -len(spoken & log.texts[match.number].excerpt.words_on(match.index)))
    return tied[:MAX_TIES]


def _lines_with(log: Log, number: int, terms: frozenset[str]) -> list[int]:
    """Lines of an excerpt that hold one of the terms in some spelling; all of a short excerpt."""
    excerpt = log.texts[number].excerpt
    count = len(excerpt.lines())
    if count <= MAX_LINES:
        return list(range(count))
    found: dict[int, None] = {}
    for term in sorted(terms, key=len, reverse=True):
        for word in (term, term.capitalize(), term.upper()):
            place = excerpt.text.find(word)
            while place >= 0 and len(found) < MAX_LINES:
                found[excerpt.line_at(place)] = None
                place = excerpt.text.find(word, place + len(word))
    return sorted(found)


def _all_heads(log: Log, number: int, index: int) -> frozenset[str]:
    line = log.line(number, index)
    heads = [log.head_terms(number, index, value) for value in line.values] if len(line.cells) > 1 else []
    return frozenset().union(*heads)


def _quoted_lines(log: Log, number: int, quote: str) -> Iterator[Match]:
    wanted = fold_white(quote)
    excerpt = log.texts[number].excerpt
    for index in range(len(excerpt.lines())):
        if wanted in fold_white(excerpt.line(index)):
            yield Match(number, index, 1.0)
            return


def _stands_in(value: Value, text: str) -> bool:
    """Whether a value stands word for word in the deliverables (inside a name, or where no number was seen)."""
    written = fold_white(value.text).casefold()
    return len(written) >= 4 and not value.is_year and written in text


@dataclass(slots=True)
class Delivered:
    """The values of all deliverables, to be asked for by value."""

    mentions: Sequence[Mention]
    _by_lead: dict[int, list[Mention]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for mention in self.mentions:
            for lead in {_lead(reading.number) for reading in mention.value.readings}:
                self._by_lead.setdefault(lead, []).append(mention)

    def has(self, value: Value, near: frozenset[str]) -> bool:
        """Whether a deliverable shows ``value``; a small bare number must stand near one of the words."""
        if value.dates:
            return any(agree(mention.value, value) != "no" for mention in self.mentions if mention.value.dates)
        for reading in value.readings:
            lead = _lead(reading.number)
            for bucket in (lead - 1, lead, lead + 1) if 0 < lead < 89 else (lead, lead + 1, lead - 1, 0, 89):
                for mention in self._by_lead.get(bucket, ()):
                    if _is_same(mention, value, near):
                        return True
        return False


def _is_same(mention: Mention, value: Value, near: frozenset[str]) -> bool:
    """Whether a value of a deliverable is the one looked for: the less alike, the more words must agree."""
    agreement = agree(mention.value, value)
    if agreement == "no":
        return False
    shared = len(mention.near & near)
    if agreement == "same":
        return shared > 0 or not value.weak
    return shared >= ((len(near) + 1) // 2 if agreement == "rounded" else min(2, len(near)))


def _lead(number: float) -> int:
    """The first two digits as 0 to 89: numbers that round to each other have the same or the next one."""
    if not number:
        return 0
    mantissa = abs(number) / 10 ** math.floor(math.log10(abs(number)))
    return min(89, max(0, int(mantissa * 10) - 10))
