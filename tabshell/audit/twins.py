"""The same cell of a twin table: this quarter's total beside last quarter's, from another file. Pure.

In: the place of a number in the log. Out: numbers of other entries that stand in the same cell of a row with the
same words; first those of entries that one requirement cites together with it, for then the agent has said that they
belong together. Such pairs are what a difference, a change or a ratio is usually made of.
"""

from __future__ import annotations

from collections.abc import Iterator

from tabshell.audit.log import Log
from tabshell.audit.operands import Operand, Tables, cell_of
from tabshell.audit.traced import Source

#: Entries that are looked at for one number, and lines of each.
MAX_ENTRIES = 6
MAX_ROWS = 20


def twins(tables: Tables, source: Source) -> Iterator[Operand]:
    """The twins of the number that ``source`` points at, the likeliest first."""
    log = tables.log
    number = log.numbers.get(source.entry)
    if number is None:
        return
    line = log.line(number, source.row)
    words = frozenset(term for term in log.terms(number, source.row) if not any(map(str.isdigit, term)))
    cell = cell_of(line, source.value)
    for other in _others(log, number):
        for row in _rows(tables, other, words):
            beside = log.line(other, row)
            if len(beside.cells) != len(line.cells):
                continue
            for value in beside.values:
                if value.readings and not value.label and cell_of(beside, value) == cell:
                    yield tables.operand(other, row, value)


def _others(log: Log, number: int) -> list[int]:
    entry = log.texts[number].entry.id
    together = [ref for ref in log.cited_with(entry) if ref != entry]
    folder = log.texts[number].path.rpartition("/")[0]
    akin = [n for n, text in enumerate(log.texts) if n != number and text.path.rpartition("/")[0] == folder]
    found = [log.numbers[ref] for ref in together if ref in log.numbers]
    return list(dict.fromkeys([*found, *akin]))[:MAX_ENTRIES]


def _rows(tables: Tables, number: int, words: frozenset[str]) -> list[int]:
    """Rows of an entry with all of the words, at least one of them."""
    if not words:
        return []
    having = [set(tables.rows_with(number, word)) for word in sorted(words)]
    return sorted(set.intersection(*having))[:MAX_ROWS]
