"""Terms: what counts as the same word in a task, a path and an excerpt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.text.terms import (
    STOP_WORDS,
    count_terms,
    first_shared_line,
    fold_white,
    matching_terms,
    path_terms,
    query,
    split_extension,
    split_path,
    terms,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("annualReport HTMLTable parseXMLFile", ["annual", "report", "html", "table", "parse", "xml", "file"]),
        ("travel_policy-final.v2/annex", ["travel", "policy", "final", "v2", "annex"]),
        ("Sales2024Report", ["sales2024", "report"]),
        ("$633M in Q3", ["633m", "in", "q3"]),
        ("ＦＵＬＬ ｗｉｄｔｈ ﬁle", ["full", "width", "file"]),
        ("ÉtéIndien", ["été", "indien"]),
    ],
)
def test_words_split_at_camel_case_and_separators(text, expected):
    assert terms(text) == expected


def test_case_and_width_do_not_count():
    assert terms("Straße ＡＢＣ") == terms("STRASSE abc")


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1,234", "1234"),
        ("12,345,678", "12345678"),
        ("1'234", "1234"),
        ("1\u202f234", "1234"),
        ("1\u00a0234", "1234"),
        ("12,34,567", "1234567"),
        ("¥55,000", "55000"),
    ],
)
def test_thousands_separators_are_dropped(written, number):
    assert terms(written) == [number]


def test_decimals_keep_both_parts():
    assert terms("2,286.50") == ["2286", "50"]


@pytest.mark.parametrize("row", ["north,128,633", "2024-01,128,633,x", "128,633,12", "2024,128", "2024-11,128,633"])
def test_cells_of_a_table_are_not_one_number(row):
    assert "128" in terms(row)


def test_a_comma_without_three_digits_is_no_thousands_separator():
    assert terms("1,23 and 1,2345") == ["1", "23", "and", "1", "2345"]


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("policy", "policies"), ("expense", "expenses"), ("box", "boxes"), ("class", "classes"), ("branch", "branches"),
        ("movie", "movies"), ("cache", "caches"), ("house", "houses"), ("bonus", "bonuses"), ("tax", "taxes"),
        ("lease", "leases"), ("fact", "facts"), ("summary", "summaries"), ("tie", "ties"), ("total", "totals"),
    ],
)  # fmt: skip
def test_singular_and_plural_meet(one, many):
    assert terms(one) == terms(many)


@pytest.mark.parametrize("word", ["gas", "bus", "status", "analysis", "process", "дома", "q4s"])
def test_short_words_and_other_endings_are_left_alone(word):
    assert terms(word) == [word]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京都", ["東京", "京都"]),
        ("税", ["税"]),
        ("ﾃｽﾄ", ["テス", "スト"]),
        ("한국어", ["한국", "국어"]),
        ("売上データ", ["売上", "上デ", "デー", "ータ"]),
        ("第3章", ["第", "3", "章"]),
        ("Q3売上report", ["q3", "売上", "report"]),
    ],
)
def test_scripts_without_spaces_become_bigrams(text, expected):
    assert terms(text) == expected


def test_combining_marks_do_not_split_words():
    assert len(terms("हिन्दी")) == 1
    assert len(terms("ภาษาไทย")) == 1
    assert terms("e\u0301te\u0301") == ["été"]


def test_possessives_and_contractions_lose_their_ending():
    assert terms("the company's fees") == ["the", "company", "fee"]
    assert terms("it’s") == ["it"]


def test_stop_words_are_terms_but_never_match():
    assert "the" in terms("the report")
    assert matching_terms("The report of THE year") == {"report", "year"}
    assert query("of the and") == query("")
    assert not query("of the and")


def test_may_and_us_are_no_stop_words():
    assert {"may", "us"}.isdisjoint(STOP_WORDS)


def test_an_extension_counts_only_if_the_query_names_it():
    assert "csv" not in path_terms("data/north.csv", query("sales of the north"))
    assert "csv" in path_terms("data/north.csv", query("all CSV exports"))
    assert "csv" in path_terms("data/north.csv", query("read *.csv"))
    assert "csv" in path_terms("data/north.csv", query("the .csv files"))


def test_the_name_of_another_file_does_not_name_its_extension():
    assert "txt" not in path_terms("menu.txt", query("Analyze water_policy_1.txt"))


def test_a_folder_called_like_an_extension_is_an_ordinary_term():
    assert path_terms("csv/north.txt", query("x")) == ["csv", "north"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("report.PDF", ("report", "pdf")), ("archive.tar.gz", ("archive.tar", "gz")), (".bashrc", (".bashrc", "")),
        ("v1.2", ("v1.2", "")), ("README", ("README", "")), ("a.thisisnoextension", ("a.thisisnoextension", "")),
        ("a.", ("a.", "")), ("song.mp3", ("song", "mp3")),
    ],
)  # fmt: skip
def test_what_an_extension_is(name, expected):
    assert split_extension(name) == expected


def test_paths_are_terms_folder_by_folder():
    assert split_path("HR/travel_policies/2024-Q1.pdf") == (["hr", "travel", "policy", "2024", "q1"], "pdf")


def test_terms_are_counted():
    counted = count_terms("Travel policy\nmeals of 1,234\ntravel again")
    assert counted.counts == {"travel": 2, "policy": 1, "meal": 1, "1234": 1}
    assert counted.length == 5


def test_the_first_shared_line_is_found():
    text = "header\nRevenue 633\nrevenue 12"
    assert first_shared_line(text, ["revenue"]) == (1, "Revenue 633")
    assert first_shared_line(text, ["profit"]) is None
    assert first_shared_line(text, []) is None


def test_white_space_folds():
    assert fold_white(" a \n\t b\u00a0c ") == "a b c"


@given(st.text())
def test_terms_never_fail_and_matching_terms_are_terms(text):
    assert matching_terms(text) <= set(terms(text))


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_counts_and_terms_agree(text):
    assert set(count_terms(text).counts) == matching_terms(text)


@given(st.lists(st.sampled_from(["north", "sales", "2024", "AnnualReport", "売上", "of", "file7"]), max_size=6))
def test_a_path_has_the_terms_of_its_parts(parts):
    assert set(split_path("/".join(parts))[0]) == set().union(*(matching_terms(part) for part in parts))


@given(st.integers(min_value=0, max_value=10**15))
def test_numbers_are_the_same_with_and_without_separators(number):
    assert terms(f"{number:,}") == terms(str(number))
