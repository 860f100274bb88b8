"""The paper's measures, per session and over many."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from tabshell.audit.stats import session_stats
from tabshell.audit.stats_expected import outcomes, shares
from tabshell.audit.stats_report import csv_foot, csv_head, csv_row, json_foot, json_head, json_row, stats_text
from tabshell.audit.stats_tally import Tally, Unmeasured, overview
from tabshell.documents import extract
from tabshell.model.accesses import Write
from tabshell.model.facts import FinishChecked, TabAccessed


def with_tab(maker, *accesses, check=None, **fields):
    values = {name: getattr(maker.tab, name) for name in type(maker.tab).__annotations__}
    checks = (FinishChecked(check, "exit", "open", ()),) if check else ()
    return type(maker.tab)(**{**values, "accesses": accesses, "checks": checks, **fields})


def tally_of(*sessions, by=()):
    tally = Tally(by)
    for one in sessions:
        tally.add(one)
    return tally


def csv_of(*sessions, by=()):
    text = csv_head() + "".join(csv_row(one) for one in sessions) + csv_foot(tally_of(*sessions, by=by))
    return list(csv.reader(io.StringIO(text)))


def json_of(*sessions, by=(), unmeasured=(), fates=()):
    rows = "".join(json_row(one, first=not place) for place, one in enumerate(sessions))
    return json.loads(json_head() + rows + json_foot(tally_of(*sessions, by=by), unmeasured, fates))


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
    assert "-" in stats_text(tally_of(found))


def test_medians_and_shares_stand_beside_the_papers(maker):
    maker.shown("a.txt", "x\n")
    maker.requires("a")
    one = session_stats(maker.tab, maker.text_of)
    other = replace(one, requirements=3, shows_entry=True, states_before_check=False)
    over = overview([one, other])
    assert (over.medians["requirements"], over.shares["shows_entry"], over.shares["states_before_check"]) == (2, 50, 50)
    text = stats_text(tally_of(one, other))
    assert "74.0" not in text.split("\n")[0]
    assert "94.8" not in text
    assert any("log entries" in line and "14, 18, 6" in line for line in text.split("\n"))
    rows = csv_of(one, other)
    assert [len(row) for row in rows] == [len(rows[0])] * 7
    assert [row[0].split()[0] for row in rows[3:5]] == ["median", "paper:"]
    assert json_of(one)["paper"]["files"]["GPT-5.4 nano"] == 5


def test_a_row_says_which_model_and_variant_it_is_of():
    names, cells, *_ = csv_of(replace(_empty(), name="t1", model="m", variant="no-review"))
    row = dict(zip(names, cells, strict=True))
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
    assert "never shown: 1" in stats_text(tally_of(_empty()), found)


def test_values_in_rows_of_comma_separated_cells_were_shown():
    shown = ["month,adults,pupils\nApril,1712,515\nMay,1866,902\n", "dome repair,96000,74415", "In June 1,643 came."]
    fates = outcomes(["1712", "515", "96000", "74415", "643", "1643"], shown, shown[:1], [])
    assert [fate.outcome for fate in fates] == ["shown but missing"] * 4 + ["not shown", "shown but missing"]
    assert [fate.held for fate in fates] == [True, True, False, False, False, False]


@pytest.mark.parametrize("by", [(), ("variant",), ("agent", "model"), ("variant", "name", "agent")])
def test_groups_hold_each_session_once_and_add_up(by):
    sessions = [
        replace(_empty(), agent=agent, model="m", variant=variant, name="t", entries=n, shows_entry=n > 2)
        for n, (agent, variant) in enumerate([("pi", "full"), ("pi", None), ("codex", "full"), (None, "full")])
    ]
    tally = tally_of(*sessions, by=by)
    groups = dict(tally.groups())
    assert sum(over.sessions for over in groups.values()) == (4 if by else 0)
    for values, over in groups.items():
        alike = [one for one in sessions if tuple(getattr(one, name) for name in by) == values]
        assert over == overview(alike)
    assert [one["sessions"] for one in json_of(*sessions, by=by).get("groups", [])] == [
        over.sessions for over in groups.values()
    ]
    assert len(csv_of(*sessions, by=by)) == 1 + 4 + 1 + len(groups) + 3
    text = stats_text(tally)
    assert text.count("What the tab holds") == (2 if by else 1)


def test_a_name_that_draws_on_the_terminal_is_shown_harmless():
    tally = tally_of(replace(_empty(), variant="a\x1b[2Jb", name="=1+1"), by=("variant", "name"))
    assert "\x1b" not in stats_text(tally)
    assert "\x1b" not in "".join(cell for row in csv_of(replace(_empty(), variant="\x1b[2J")) for cell in row)


def test_groups_without_a_value_come_last_and_many_groups_stand_below_each_other():
    sessions = [replace(_empty(), variant=name) for name in (None, "b", "a", "c", "d", "e", "f")]
    tally = tally_of(*sessions, by=("variant",))
    assert [values[0] for values, _ in tally.groups()] == ["a", "b", "c", "d", "e", "f", None]
    assert stats_text(tally).count("by variant") == 2


def test_a_reader_is_told_of_sessions_that_run_wait_or_could_not_be_measured():
    sessions = [_empty(), replace(_empty(), ended=False), replace(_empty(), pending=2), replace(_empty(), gaps=1)]
    tally = tally_of(*sessions)
    lost = Unmeasured("/d", "store-damaged", "/d is damaged")
    tally.pass_over(lost)
    text = stats_text(tally)
    assert "1 session did not come to an end" in text
    assert "1 session with turns that are not classified" in text
    assert "1 session with something that was not recorded" in text
    assert "1 not measured: 1 store-damaged" in text
    found = json_of(*sessions, unmeasured=[lost])
    assert found["counts"] == {"sessions": 4, "running": 1, "pending": 1}
    assert found["unmeasured"] == [{"directory": "/d", "code": "store-damaged", "message": "/d is damaged"}]


def test_no_sessions_at_all_is_said_and_is_still_json_and_csv():
    assert stats_text(Tally()) == "No sessions.\n"
    assert json_of()["sessions"] == []
    assert len(csv_of()) == 4


def test_an_expected_value_and_its_fate_stand_in_the_json():
    document = extract(b"Headcount 128.\n", "r.md")
    found = json_of(_empty(), fates=outcomes(["128"], ["headcount 128\n"], [], [document]))
    assert found["expected"] == [{"text": "128", "outcome": "delivered", "held": False}]


def _empty():
    from tabshell.audit.stats import SessionStats  # noqa: PLC0415

    return SessionStats("s", 0, None, None, 0, 0, 0, 0, 0, False, False, False, False, False, False, False)
