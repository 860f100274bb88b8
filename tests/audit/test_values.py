"""Values are found in text and compared as values, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.audit.value import agree
from tabshell.audit.values import find_values


def only(text: str):
    values = find_values(text)
    assert len(values) == 1, [value.text for value in values]
    return values[0]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$633M", 633e6), ("633,000,000", 633e6), ("633 million", 633e6), ("US$ 633.4 million", 633.4e6),
        ("6.33亿", 633e6), ("6.33亿元", 633e6), ("10万", 1e5), ("１２８", 128), ("1.234,5", 1234.5), ("1,234.5", 1234.5),
        ("1 234.5", 1234.5), ("1'234.50", 1234.5), ("1\u202f234", 1234), ("€3,5 Mio.", 3.5e6), ("$1.2bn", 1.2e9),
        ("12.3 %", 12.3), ("12,3%", 12.3), ("25 bps", 0.25), ("-5.5", -5.5), ("1,23,456.78", 123456.78), ("26.5M", 26.5e6),
        ("EUR 4.000", 4000), ("0,5", 0.5), (".5", 0.5),
    ],
)  # fmt: skip
def test_numbers_are_read_whatever_their_form(text, number):
    assert only(text).readings[0].number == pytest.approx(number)


@pytest.mark.parametrize(
    ("shown", "source", "result"),
    [
        ("$633M", "633,000,000", "same"), ("$633M", "633,412,000", "rounded"), ("633,412,000", "$633M", "no"),
        ("$633M", "633.4", "scaled"), ("12.3 %", "0.123", "same"), ("12.3%", "0.12345", "rounded"),
        ("12.3%", "12.3", "same"), ("1.234,5", "1234.5", "same"), ("1,234", "1.234", "reread"), ("$5", "€5", "no"),
        ("12.3%", "$12.3", "no"), ("¥55000", "55,000", "same"), ("6.33亿", "633 million", "same"), ("63.9%", "63,859", "no"),
        ("about 600,000", "662,345", "no"), ("about 600,000", "599,700", "rounded"), ("45.30", "45.3", "same"),
        ("-12.3%", "12.3%", "same"), ("(1,250)", "-1250", "same"),
    ],
)  # fmt: skip
def test_values_agree_as_values(shown, source, result):
    assert agree(only(shown), only(source)) == result


@pytest.mark.parametrize(
    "text",
    [
        "5 March 2024",
        "March 5th, 2024",
        "2024-03-05",
        "2024年3月5日",
        "05.03.2024",
        "20240305",
        "5. März 2024",
        "Mar 5, 2024",
        "5/3/2024",
    ],
)
def test_dates_of_all_forms_are_one_date(text):
    assert agree(only(text), only("2024-03-05")) == "same"


def test_an_ambiguous_date_has_both_readings():
    assert {date.iso() for date in only("03/05/2024").dates} == {"2024-05-03", "2024-03-05"}
    assert len(only("13/05/2024").dates) == 1


def test_a_month_is_sourced_by_a_day_in_it_and_a_quarter_is_a_date():
    assert agree(only("March 2024"), only("2024-03-05")) == "rounded"
    assert agree(only("Q3 2024"), only("2024Q3")) == "same"
    assert agree(only("March 2024"), only("2024-04-05")) == "no"


@pytest.mark.parametrize("text", ["A12345", "v2.3.1", "192.168.1.1", "3D", "10:30am", "[^3]", "x86"])
def test_names_addresses_and_times_are_no_numbers(text):
    assert [value for value in find_values(text) if not value.label] == []


@pytest.mark.parametrize("text", ["1. First", "2.1 Costs", "## 4 Results", "Table 3", "page 12", "COVID-19"])
def test_numbers_that_only_name_something_are_labels(text):
    assert all(value.label for value in find_values(text))


def test_small_integers_and_years_are_weak_and_amounts_are_not():
    assert [only(text).weak for text in ("12", "2024", "0")] == [True] * 3
    assert [only(text).weak for text in ("$12", "12%", "1,234")] == [False] * 3


def test_a_range_shares_its_unit():
    assert [value.readings[0].number for value in find_values("10-15%")] == [10, 15]
    assert [value.unit for value in find_values("10-15%")] == ["%", "%"]
    assert [value.readings[0].number for value in find_values("$10–15 million")] == [10e6, 15e6]


def test_places_are_those_of_the_text_also_with_wide_digits():
    text = "员工１２８人，增长１２.３％"
    assert [text[value.start : value.end] for value in find_values(text)] == ["１２８", "１２.３％"]


@given(st.text(max_size=200))
def test_no_text_breaks_it_and_values_lie_in_order_within_it(text):
    values = find_values(text)
    assert all(0 <= value.start < value.end <= len(text) for value in values)
    assert [value.start for value in values] == sorted(value.start for value in values)


@given(st.integers(min_value=1000, max_value=10**12))
def test_a_number_agrees_with_its_grouped_form(number):
    assert agree(only(f"{number:,}"), only(f"{number} ")) in ("same",)
