"""``tab show``: an entry, a requirement, a note."""

from __future__ import annotations

import pytest

from tabshell.errors import Refused
from tabshell.tab.show import PAGE_CHARS, entry_text, named, note_text, pages, requirement_text


@pytest.fixture
def told(story):
    told = story()
    told.add("total sales")
    told.reading("a.csv", text="region,total\nnorth,7\n", command="head -2 a.csv")
    told.note("ask about\nthe north")
    return told


def test_an_entry_has_its_anchor_its_command_and_its_text(told):
    entry = named(told.tab(), "l1")
    assert entry_text(entry, told.text_of(entry)) == (
        "L1: a.csv (turn 2, 21 chars)\ncommand: head -2 a.csv\n---\nregion,total\nnorth,7"
    )


def test_what_else_is_known_of_an_entry_stands_above_the_text(told):
    told.reading("/tmp/x", text="y", derived_from=("a.pdf",))
    told.seen_again(2)
    assert entry_text(named(told.tab(), "L2"), "y").split("\n") == [
        "L2: /tmp/x (turn 4, 1 chars)",
        "command: cat /tmp/x",
        "(derived from a.pdf; shown again in turn 5)",
        "---",
        "y",
    ]


def test_escape_sequences_of_an_excerpt_do_not_act(told):
    assert "\x1b" not in entry_text(named(told.tab(), "L1"), "a\x1b]0;title\x07b\u202ec")


def test_a_long_excerpt_comes_in_pages_that_add_up_to_it(told):
    text = "".join(f"line {n}\n" for n in range(20_000))
    assert "".join(pages(text)) == text
    assert all(len(page) <= PAGE_CHARS and page.endswith("\n") for page in pages(text))
    first = entry_text(named(told.tab(), "L1"), text, 1)
    assert first.endswith(f"page 1 of {len(pages(text))}; next: tab show L1 --page 2")
    assert entry_text(named(told.tab(), "L1"), text, None).endswith("line 19999")


def test_a_line_longer_than_a_page_is_cut_within():
    text = "x" * (2 * PAGE_CHARS + 5)
    assert [len(page) for page in pages(text)] == [PAGE_CHARS, PAGE_CHARS, 5]


def test_a_requirement_shows_its_evidence_and_its_history(told):
    told.done(1, 1, quote="north,7")
    told.reopen(1)
    told.done(1, 1)
    tab = told.tab()
    assert requirement_text(tab, named(tab, "R1"), told.text_of).split("\n") == [
        "r1 [done: L1] total sales",
        "added in turn 1",
        "    closed against: L1 a.csv: region,total",
        "turn 4: done (L1)",
        "turn 5: reopened",
        "turn 6: done (L1)",
    ]


def test_a_quote_is_shown_with_its_line(told):
    told.done(1, 1, quote="north,7")
    tab = told.tab()
    lines = requirement_text(tab, named(tab, "r1"), told.text_of).split("\n")
    assert lines[2:4] == ["    closed against: L1 a.csv: north,7", "    quote: north,7"]


def test_a_note_keeps_its_lines(told):
    assert note_text(named(told.tab(), "N1")) == "n1 (turn 3): ask about\nthe north"


@pytest.mark.parametrize(
    ("word", "code", "message"),
    [
        ("L9", "unknown-entry", "no entry L9; known: L1"),
        ("r9", "unknown-requirement", "no requirement r9; known: r1"),
        ("n9", "unknown-note", "no note n9; known: n1"),
        ("a.csv", "unknown-id", "no id a.csv; ids are L1 (entry), r1 (requirement) and n1 (note): tab list"),
    ],
)
def test_an_unknown_id_is_refused_with_the_known_ones(told, word, code, message):
    with pytest.raises(Refused) as caught:
        named(told.tab(), word)
    assert (caught.value.code, str(caught.value)) == (code, message)
