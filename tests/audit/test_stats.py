"""The paper's measures, per session and over many."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from tabshell.audit.stats import outcomes, overview, session_stats, shares
from tabshell.audit.stats_report import stats_csv, stats_object, stats_text
from tabshell.documents import extract
from tabshell.model.accesses import Write
from tabshell.model.facts import FinishChecked, TabAccessed


def with_tab(maker, *accesses, check=None, **fields):
    values = {name: getattr(maker.tab, name) for name in type(maker.tab).__annotations__}
    checks = (FinishChecked(check, "exit", "open", ()),) if check else ()
    return type(maker.tab)(**{**values, "accesses": accesses, "checks": checks, **fields})


def test_amounts_and_habits_of_a_session(maker):
    maker.shown("a.txt", "headcount 128\n")
    maker.shown("b.txt", "weather fine\n")
    maker.requires("headcount", 1)
    maker.requires("turnover")
    turn = maker.turn("cp x y")
    maker.turns[turn] = replace(
        maker.turns[turn],
        files=replace(maker.turns[turn].files, read=("c.txt",), wrote=(Write("r.md", (), True, False),)),
    )
    review = TabAccessed(1, "list", ("r1", "r2", "L1", "c.txt"))
    tab = with_tab(maker, review, TabAccessed(2, "show", ("L1",)), TabAccessed(3, "list", ("L1",)), check=2)
    found = session_stats(tab, maker.text_of)
    assert (found.requirements, found.done_percent, found.reviewed_percent, found.entries, found.files) == (
        2,
        50,
        50,
        2,
        2,
    )
    assert (found.excerpt_chars, found.shown_chars) == (27, 300)
    assert (found.states_before_check, found.reviews_before_check, found.cites_reviewed, found.shows_entry) == (
        True,
    ) * 4
    assert (found.operates_after_check, found.edits_after_check, found.opens_listed) == (True, True, True)


def test_a_session_that_did_nothing_has_no_shares(maker):
    found = session_stats(maker.tab, maker.text_of)
    assert (found.done_percent, found.reviewed_percent, found.states_before_check) == (None, None, False)
    assert "-" in stats_text([found])


def test_medians_and_shares_stand_beside_the_papers(maker):
    maker.shown("a.txt", "x\n")
    maker.requires("a")
    one = session_stats(maker.tab, maker.text_of)
    other = replace(one, requirements=3, shows_entry=True, states_before_check=False)
    over = overview([one, other])
    assert (over.medians["requirements"], over.shares["shows_entry"], over.shares["states_before_check"]) == (2, 50, 50)
    text = stats_text([one, other])
    assert "74.0" not in text.split("\n")[0]
    assert "94.8" not in text
    assert any("log entries" in line and "14, 18, 6" in line for line in text.split("\n"))
    rows = list(csv.reader(io.StringIO(stats_csv([one, other]))))
    assert [len(row) for row in rows] == [len(rows[0])] * 7
    assert [row[0].split()[0] for row in rows[3:5]] == ["median", "paper:"]
    assert stats_object([one])["paper"]["files"]["GPT-5.4 nano"] == 5


def test_a_row_says_which_model_and_variant_it_is_of():
    row = next(csv.DictReader(io.StringIO(stats_csv([replace(_empty(), name="t1", model="m", variant="no-review")]))))
    assert (row["session"], row["name"], row["model"], row["variant"]) == ("s", "t1", "m", "no-review")
    assert row["requirements"] == "0"


def test_expected_values_are_delivered_missing_other_or_never_shown():
    shown = ["revenue 633,412,000\nheadcount 128\n", "sites 4411\n", "total 99,123\n"]
    document = extract(b"Revenue was $633M. Headcount 128.\n", "r.md")
    found = outcomes(["633,412,000", "128", "# note", "", "4,411", "99123", "77,777"], shown, shown[:2], [document])
    assert [(v.text, v.outcome, v.held) for v in found] == [
        ("633,412,000", "other", True), ("128", "delivered", True), ("4,411", "shown but missing", True),
        ("99123", "shown but missing", False), ("77,777", "not shown", False),
    ]  # fmt: skip
    assert shares(found) == {"delivered": 25, "shown but missing": 50, "other": 25, "missing but held": 50}
    assert "never shown: 1" in stats_text([_empty()], found)


def _empty():
    from tabshell.audit.stats import SessionStats  # noqa: PLC0415

    return SessionStats("s", 0, None, None, 0, 0, 0, 0, 0, False, False, False, False, False, False, False)
