"""Values that requirements point at, that were shown, and that the deliverable lacks."""

from __future__ import annotations

import pytest

from tabshell.audit.missing import find_missing
from tabshell.audit.tracing import prepare
from tabshell.documents import extract


@pytest.fixture
def lacking():
    def run(maker, text, name="r.md"):
        document = extract(text.encode(), name)
        evidence = prepare(maker.tab, maker.text_of, [document])
        return [
            (f"r{m.requirement}", m.value.text, m.path, m.line) for m in find_missing(maker.tab, evidence, [document])
        ]

    return run


STAFF = 'metric,value\nheadcount,128\nsites,4\nrevenue,"633,412,000"\n'


def test_a_value_of_a_done_requirement_that_is_not_delivered_is_missing(maker, lacking):
    maker.requires("headcount", maker.shown("staff.csv", STAFF))
    assert lacking(maker, "We have many people.") == [("r1", "128", "staff.csv", 2)]
    assert lacking(maker, "The headcount is 128.") == []


def test_an_open_requirement_points_at_what_matches_it(maker, lacking):
    maker.shown("staff.csv", STAFF)
    maker.requires("revenue of the year")
    assert lacking(maker, "Nothing.") == [("r1", "633,412,000", "staff.csv", 4)]
    assert lacking(maker, "Revenue was $633M.") == []


def test_the_named_column_of_a_row_counts(maker, lacking):
    maker.shown("towns.csv", "town,answers,complaints\nGhent,3346,65\nPorto,2810,41\n")
    maker.requires("answers of Ghent", 1)
    assert lacking(maker, "Nothing.") == [("r1", "3346", "towns.csv", 2)]


def test_a_label_above_its_value_is_followed(maker, lacking):
    maker.requires("amount of the order", maker.shown("order.txt", "Order 1008\nAmount:\n¥55000\n"))
    assert ("r1", "¥55000", "order.txt", 3) in lacking(maker, "An order came.")


def test_unavailable_requirements_and_own_text_point_at_nothing(maker, lacking):
    maker.shown("draft.md", "headcount 4711\n", own=True)
    maker.requires("headcount", reason="authored")
    maker.requires("headcount of all")
    assert lacking(maker, "Nothing.") == []


def test_a_quote_names_the_line(maker, lacking):
    maker.shown("a.txt", "costs 1,111\ncosts again 2,222\n")
    maker.requires("costs", 1, quote="costs again 2,222")
    assert lacking(maker, "Nothing.") == [("r1", "2,222", "a.txt", 2)]


def test_an_empty_deliverable_lacks_everything(maker, lacking):
    maker.requires("headcount", maker.shown("staff.csv", STAFF))
    assert lacking(maker, "") == [("r1", "128", "staff.csv", 2)]


def test_small_numbers_beside_the_delivered_one_are_no_loss(maker, lacking):
    maker.requires(
        "people at the end of the quarter",
        maker.shown("a.txt", "Payroll: 23 people at the end of the quarter, 4 of them apprentices\n"),
    )
    assert lacking(maker, "At the end of the quarter 23 people worked here.") == []
    assert [value for _, value, _, _ in lacking(maker, "Nothing.")] == ["23"]


def test_the_words_before_a_comma_are_not_those_of_the_number_behind_it(maker, lacking):
    maker.requires(
        "headcount at the end of the quarter",
        maker.shown("a.txt", "Payroll: 23 people at the end of the quarter, 4 of them apprentices\n"),
    )
    assert lacking(maker, "The headcount was 23.") == []


def test_of_a_line_with_several_numbers_those_beside_the_words_asked_for_are_missing(maker, lacking):
    maker.shown("fleet.json", '{"ship": "MS Gruber", "built": 2019, "tonnage": 16943, "capacity": 371},\n')
    maker.shown("plan.txt", "catering at Malmo: planned 28268, booked 42960\n")
    maker.requires("capacity of the ship Gruber", 1)
    maker.requires("booked catering at Malmo", 2)
    assert [text for _, text, _, _ in lacking(maker, "Nothing was found.")] == ["371", "42960"]


def test_a_note_set_as_a_cell_means_its_own_number(maker, lacking):
    head = "Currency in circulation            Standard silver dollars"
    note = "3 Includes $481,781,898 in standard silver dollars.         6 Represents an adjustment."
    row = "June 14 forward       11.253       947"
    maker.shown("bulletin.txt", f"{head}\n{note}\n\nWeek             Rate         Bids\n{row}\n")
    maker.requires("includes in standard silver dollars", 1)
    maker.requires("June forward rate", 1)
    assert [text for _, text, _, _ in lacking(maker, "Nothing was found.")] == ["$481,781,898", "11.253"]


def test_the_head_of_a_table_is_no_value_and_names_its_columns_though_it_holds_digits(maker, lacking):
    head = "NAME,2023 votes,pop_18to22,black_pct,white_pct"
    maker.shown("turnout.csv", f"{head}\nBath County,1410,377,0.0483,0.9112\nCarroll County,9120,1411,0.0026,0.9713\n")
    maker.requires("black pct of Carroll County", 1)
    assert [text for _, text, _, _ in lacking(maker, "Nothing was found.")] == ["0.0026"]


def test_a_rounded_number_of_another_row_does_not_deliver_it(maker, lacking):
    maker.shown("students.csv", "Number,Last name,First name\n2024001,Anderson,Ashley\n2024036,Lopez,Betty\n")
    maker.requires("number of Lopez, Betty", 1)
    text = "The number of Anderson, Ashley is about 2,024 thousand."
    assert [found for _, found, _, _ in lacking(maker, text)] == ["2024036"]


def test_a_number_that_only_looks_like_a_year_is_what_its_field_is_asked_for(maker, lacking):
    maker.shown("fleet.json", '{"ship": "MS Hansen", "built": 1987, "tonnage": 42100, "capacity": 1890}\n')
    maker.requires("the ship Hansen capacity", 1)
    assert [text for _, text, *_ in lacking(maker, "Nothing.")] == ["1890"]


def test_of_many_lines_that_match_equally_those_with_the_same_small_words_count(maker, lacking):
    lines = [
        "moor by the pier: 1,101",
        "moor at the pier: 1,202",
        "moor to the pier: 1,303",
        "moor off the pier: 1,404",
    ]
    maker.shown("rules.txt", "\n".join(lines) + "\n")
    maker.requires("moor not off the pier", 1)
    assert ("r1", "1,404", "rules.txt", 4) in lacking(maker, "Nothing.")
