"""A read log of figures on few lines: the work grows with what was shown, and a value in the midst is still traced."""

from __future__ import annotations

import random
import sys

import pytest

from tabshell.audit.excerpt import LONGEST, Excerpt
from tabshell.audit.missing import find_missing
from tabshell.audit.tracing import prepare, trace
from tabshell.documents import extract
from tabshell.model.facts import EntryLogged, RequirementAdded, SessionStarted
from tabshell.model.state import Entry, Requirement, Tab

SHAPES = {
    "one line": " ".join,
    "three lines": lambda figures: "\n".join(" ".join(figures[n::3]) for n in range(3)),
    "a record": lambda figures: "revenue," + ",".join(figures) + "\nsales," + ",".join(figures),
    "with words": lambda figures: " ".join(f"revenue of town {figure}" for figure in figures),
}


def tab_of(shown: str, requirement: str) -> Tab:
    logged = EntryLogged(1, 1, "read", ("a.txt",), ("a.txt",), "cat a.txt", 1, (), len(shown), "0" * 64)
    stated = Requirement(RequirementAdded(1, 1, requirement), "open", None, ())
    started = SessionStarted("20260101-abc", "x", "/ws", None, "agent", "5.2", "0.1")
    return Tab(
        started, 1000.0, "x", 1, {}, {1: stated}, {}, {1: Entry(logged, (1,))}, {}, frozenset(), (), (), None, (), None, None
    )  # fmt: skip


def audited(shown: str):
    rng = random.Random(1)
    report = "\n\n".join(f"Revenue of town {n} was {rng.uniform(100, 99_999):,.2f} EUR." for n in range(12))
    document = extract(f"{report}\n\nThe harbour paid 31,415.92 EUR.".encode(), "r.md")
    tab = tab_of(shown, "revenue of town 3")
    evidence = prepare(tab, lambda _: shown, [document])
    return trace(evidence, [document]), find_missing(tab, evidence, [document])


def work(shown: str) -> int:
    """How many calls the audit takes."""
    calls = [0]

    def count(*_: object) -> None:
        calls[0] += 1

    sys.setprofile(count)
    try:
        audited(shown)
    finally:
        sys.setprofile(None)
    return calls[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_many_figures_are_twice_the_work_at_most(shape):
    figures = [f"{n * 7919 % 100_003 / 100:.2f}" for n in range(8_000)]
    assert work(SHAPES[shape](figures)) < 2.5 * work(SHAPES[shape](figures[:4_000]))


def test_a_value_in_the_midst_of_a_very_long_line_is_traced_to_that_line():
    figures = [f"{n * 7919 % 100_003 / 100:.2f}" for n in range(20_000)]
    shown = "head\n" + " ".join([*figures[:9_000], "harbour 31,415.92 EUR", *figures[9_000:]]) + "\ntail"
    (traced,), _ = audited(shown)
    found = next(item for item in traced.traced if item.mention.value.text.startswith("31,415.92"))
    source = found.sources[0]
    assert (source.line, source.excerpt_line) == (2, 2)
    assert len(source.text) <= LONGEST
    line = shown.split("\n")[1]
    assert line[source.cut + source.start : source.cut + source.end] == "31,415.92 EUR"
    assert line[source.cut :].startswith(source.text)


@pytest.mark.parametrize("text", ["x" * 30_000, "ab " * 9_000 + "\nshort\n" + "1;" * 9_000, "short", ""])
def test_long_lines_are_broken_and_nothing_is_lost(text):
    excerpt = Excerpt(1, text)
    lines = excerpt.lines()
    whole: dict[int, str] = {}
    for index, line in enumerate(lines):
        number, cut = excerpt.place(index)
        assert len(whole.setdefault(number, "")) == cut
        whole[number] += line
    assert "\n".join(whole.values()) == text
    assert max(map(len, lines)) <= 2 * LONGEST
