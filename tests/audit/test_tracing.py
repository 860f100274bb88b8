"""Each value of a deliverable gets its source, a formula, or none."""

from __future__ import annotations

from collections import Counter

import pytest

ANNUAL = (
    "Annual report 2024\n[in millions of dollars]\nRevenue        633.4        563.1\nNet income      26.5         21.9\n"
    'Employees at year end: 128\nThe board met on 5 March 2024 and said "we will keep the head office in Bonn".\n'
)
TRAVEL = "city,month,amount\nBerlin,1,1200.50\nParis,1,830.25\nBerlin,2,990.00\nRome,2,1410.75\n"


def test_a_value_is_traced_to_file_and_line(maker, traced):
    maker.shown("annual.txt", ANNUAL)
    item = traced(maker, "In all there were 128 employees.")["128"]
    assert (item.status, item.sources[0].entry, item.sources[0].path, item.sources[0].line) == (
        "sourced",
        1,
        "annual.txt",
        5,
    )
    assert item.sources[0].text[item.sources[0].start : item.sources[0].end] == "128"


def test_the_line_is_the_sources_where_only_a_part_was_shown(maker, traced):
    maker.shown("long.txt", "alpha 77,001\nbeta 88,002\n", lines=(301, 302))
    source = traced(maker, "Beta came to 88,002.")["88,002"].sources[0]
    assert (source.line, source.excerpt_line) == (302, 2)


def test_line_numbers_of_grep_and_file_tools_are_used_and_are_no_values(maker, traced):
    maker.shown("a.txt", "7:beta is 88,002\n9312:gamma is 4\n", kind="search")
    found = traced(maker, "Beta is 88,002, delta is 9312.")
    assert found["88,002"].sources[0].line == 7
    assert found["9312"].status == "no source"


def test_a_scale_that_the_table_states_is_applied(maker, traced):
    maker.shown("annual.txt", ANNUAL)
    item = traced(maker, "Revenue was $633M.")["$633M"]
    assert item.status == "sourced"
    assert item.sure
    assert item.sources[0].line == 3


def test_what_the_agent_wrote_itself_is_no_source(maker, traced):
    maker.shown("draft.md", "Profit was 99.7 million\n", own=True)
    assert traced(maker, "Profit was 99.7 million.")["99.7 million"].status == "no source"


def test_the_deliverable_read_back_is_no_source_but_derived_text_is(maker, traced):
    maker.shown("r.md", "Profit was 99.7 million\n")
    maker.shown("copy.txt", "Loss was 55.3 million\n", derived_from=("a.pdf",))
    found = traced(maker, "Profit was 99.7 million. Loss was 55.3 million.", keys=["r.md", "copy.txt"])
    assert found["99.7 million"].status == "no source"
    assert found["55.3 million"].sources[0].path == "a.pdf"


def test_small_numbers_need_the_same_words_around(maker, traced):
    maker.shown("staff.csv", "metric,value\nsites,4\npatents,3\n")
    found = traced(maker, "We hold 3 patents.\n\nThere were 4 complaints.")
    assert (found["3"].status, found["3"].sources[0].line) == ("sourced", 3)
    assert (found["4"].status, found["4"].weak) == ("no source", True)


def test_among_equal_values_the_words_decide(maker, traced):
    maker.shown("a.csv", "town,score\nGhent,4.71\nPorto,4.71\nEssen,4.71\n")
    assert traced(maker, "The score of Porto is 4.71.")["4.71"].sources[0].line == 3


def test_rounding_to_the_shown_digits_is_a_source_and_the_reverse_is_not(maker, traced):
    maker.shown("a.txt", "turnover of the fleet: 1,234,567\nweight of ship: 5.2 t\n")
    found = traced(maker, "The fleet turnover was 1.23 million. The ship weight is 5.2468 t.")
    assert found["1.23 million"].status == "sourced"
    assert found["5.2468"].status == "no source"


def test_quotations_are_found_across_lines_and_quote_marks(maker, traced):
    maker.shown("memo.txt", 'He said: "we will keep the\nhead office in Bonn for good".\n')
    found = traced(maker, "He said “we will keep the head office in Bonn for good”.")
    item = found["we will keep the head office in Bonn for good"]
    assert (item.status, item.sources[0].line) == ("sourced", 1)
    invented = traced(maker, "He said “nobody will ever move to another town again”.")
    assert invented["nobody will ever move to another town again"].status == "no source"


def test_a_sentence_nobody_quoted_is_only_listed_if_a_file_holds_it(maker, traced):
    long = "The harbour master decided after a long debate that all night ferries must stop at the old pier"
    maker.shown("minutes.txt", long + ".\n")
    assert traced(maker, long + ".")[long + "."].status == "sourced"
    own = "Our own conclusion is that nobody could have known before how much the old pier would matter to them."
    assert own not in traced(maker, own)


@pytest.mark.parametrize(
    ("sentence", "value", "kind"),
    [
        ("Total travel came to 4,431.50.", "4,431.50", "sum"),
        ("The average travel amount was 1,107.88.", "1,107.88", "mean"),
        ("Berlin travel was 2,190.50.", "2,190.50", "sum"),
        ("Paris (830.25) and Rome (1,410.75) differ by 580.50.", "580.50", "difference"),
        ("Rome cost 1,410.75, an increase of 69.9% over Paris with 830.25.", "69.9%", "change"),
        ("Paris (830.25) makes up 58.9% of Rome (1,410.75).", "58.9%", "ratio"),
    ],
)
def test_computed_values_are_recognised_with_their_formula(maker, traced, sentence, value, kind):
    maker.shown("travel.csv", TRAVEL)
    item = traced(maker, sentence)[value]
    assert (item.status, item.remark, item.sure) == ("computed", kind, False)
    assert "L1:" in item.formula
    assert item.sources


def test_invented_values_are_neither_sourced_nor_computed(maker, traced):
    maker.shown("travel.csv", TRAVEL)
    maker.shown("annual.txt", ANNUAL)
    found = traced(maker, "We plan 4,817 new seats for Berlin, a margin of 57.3% and 12,345.67 of travel amount.")
    assert {item.status for item in found.values()} == {"no source"}
    assert not any(item.weak for item in found.values())


def test_a_spreadsheet_formula_over_sourced_cells_is_computed(maker, traced, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    maker.shown("travel.csv", TRAVEL)
    book = openpyxl.Workbook()
    for row in (
        ["city", "amount"],
        ["Paris", 830.25],
        ["Rome", 1410.75],
        ["Total", "=SUM(B2:B3)"],
        ["Made up", 77.123],
    ):
        book.active.append(row)
    book.save(tmp_path / "r.xlsx")
    found = traced(maker, (tmp_path / "r.xlsx").read_bytes(), "r.xlsx")
    assert found["830.25"].status == "sourced"
    assert (found["2241"].status, found["2241"].formula) == ("computed", "=SUM(B2:B3)")
    assert found["77.123"].status == "no source"


def test_nothing_shown_and_nothing_written_are_no_faults(maker, traced):
    assert traced(maker, "Revenue was $633M.")["$633M"].status == "no source"
    maker.shown("a.txt", "")
    assert traced(maker, "") == {}


def test_a_date_in_digits_alone_is_traced_and_computes_nothing(maker, traced):
    maker.shown("a.txt", "The contract of Essen was signed on 5 March 2024\n")
    found = traced(maker, "The Essen contract of 20240305 came to 20,240,310 euros.")
    assert found["20240305"].status == "sourced"
    assert found["20,240,310 euros"].status == "no source"


@pytest.mark.slow
@pytest.mark.parametrize("live", [False, True], ids=["told", "in a real shell"])
def test_known_truth_is_traced_right(live, tmp_path):
    from trace_truth import check, sessions  # noqa: PLC0415 - a path that conftest adds

    counts: Counter[str] = Counter()
    for made, found in sessions(1, None, tmp_path if live else None):
        counts += check(made, found)
    assert counts["sourced: right"] >= 0.98 * 120
    assert counts["invented: sourced"] == 0
    assert counts["invented: computed"] <= 1
    assert counts["computed: right"] >= 27
    assert counts["missing: right"] == 20
    assert counts["reported: not asked for"] <= 5


def test_a_number_that_rounds_is_preferred_to_an_equal_one_beside_other_words(maker, traced):
    maker.shown("polls.csv", "pollster,bias,error\nVanderbilt University,0.35512,4.1\nAbt Associates,0.27553,3.9\n")
    maker.shown("races.csv", "date,race,margin\n11/7/17,Governor,35.50%\n")
    found = traced(maker, "The bias of Vanderbilt University is 35.5%.")["35.5%"]
    assert (found.sources[0].path, found.sources[0].line) == ("polls.csv", 2)


def test_function_words_tell_rows_apart_that_differ_in_nothing_else(maker, traced):
    rows = "answer,share\nSomewhat competent,0.27109\nNot competent at all,0.27138\n"
    maker.shown("answers.csv", rows)
    found = traced(maker, "Not competent at all: 27.1% share.")["27.1%"]
    assert found.sources[0].line == 3


def test_a_share_of_two_numbers_of_its_sentence_is_computed_though_a_longer_number_rounds_to_it(maker, traced):
    maker.shown("polls.csv", "pollster,bias,error\nGBA Strategies,0.1088969,5.2\nNew England College,0.1571583,4.8\n")
    maker.shown("old.csv", "pollster,bias,error\nSiena College,0.69298246,3.8\n")
    text = "The bias of GBA Strategies (0.1088969) makes up 69.3% of that of New England College (0.1571583)."
    assert traced(maker, text)["69.3%"].formula == "L1:2 / L1:3"


def test_zeros_behind_a_decimal_are_no_hindrance(maker, traced):
    maker.shown("cup.csv", "team,sixteen\nRussia,0.583200000000000\nSpain,0.244400000000000\n")
    assert traced(maker, "Russia, sixteen: 58.32%.")["58.32%"].sources[0].line == 2


def test_a_long_decimal_that_a_workbook_shows_shorter_is_found(maker, traced, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    maker.shown("a.csv", "answer,share\nHelp a little bit,0.3054382614270973\n")
    book = openpyxl.Workbook()
    book.active.append(["Help a little bit", 0.3054382614270973])
    book.save(tmp_path / "r.xlsx")
    (item,) = traced(maker, (tmp_path / "r.xlsx").read_bytes(), "r.xlsx").values()
    assert (item.status, item.sources[0].line) == ("sourced", 2)


def test_a_change_between_the_same_cells_of_two_tables_is_computed(maker, traced):
    third = maker.shown(
        "finance/sales_q3.csv", "site,month,net,sold\nRiverside,July,48210,52\nAll sites,Q3 2025,348800,369"
    )
    second = maker.shown("finance/sales_q2.csv", "All sites,Q2 2025,324400,345")
    maker.shown("finance/sales_q1.csv", "All sites,Q1 2025,301100,320")
    maker.requires("change of the net sales against the second quarter", third, second)
    text = "Net sales were 348,800 EUR, 24,400 EUR or 7.5 percent more than in the second quarter."
    found = traced(maker, text)
    assert found["24,400 EUR"].formula == "L1:3 - L2:1"
    assert found["7.5 percent"].formula == "(L1:3 - L2:1) / L2:1"
    assert {source.entry for source in found["24,400 EUR"].sources} == {third, second}


def test_a_number_near_the_difference_of_two_tables_is_not_computed(maker, traced):
    third = maker.shown("finance/sales_q3.csv", "All sites,Q3 2025,348800,369")
    second = maker.shown("finance/sales_q2.csv", "All sites,Q2 2025,324400,345")
    maker.requires("change of the net sales", third, second)
    found = traced(maker, "Net sales were 348,800 EUR, 24,700 EUR more.")
    assert found["24,700 EUR"].status == "no source"


def test_passages_in_cells_of_a_workbook_are_traced(maker, traced, tmp_path):
    maker.shown("notes.txt", "He said: “a plan without a calendar is only a wish”, and left.\n")
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Quote", "“a plan without a calendar is only a wish”"])
    book.save(tmp_path / "r.xlsx")
    found = traced(maker, (tmp_path / "r.xlsx").read_bytes(), "r.xlsx")
    assert found["a plan without a calendar is only a wish"].sources[0].anchor() == "L1:1"


def test_a_table_whose_first_lines_have_blank_cells_is_read_by_cells(maker, traced):
    rows = "School,,\nEmployment,,\n ,,\nProfile,Percent,Number\nSeeking,0.9382716,532\nNot Seeking,0.0617,35\n"
    maker.shown("statistics.xlsx", rows)
    found = traced(maker, "Of the students seeking employment there were 532, or 93.8%.")
    assert [found[text].status for text in ("532", "93.8%")] == ["sourced", "sourced"]


def test_shares_that_make_more_than_the_whole_are_not_added_up(maker, traced):
    maker.shown("load.csv", "route,load\nJena,71.6%\nKiruna,51.8%\n")
    assert traced(maker, "The load of Jena and Kiruna is 123.4%.")["123.4%"].status == "no source"


def test_the_two_numbers_of_a_sentence_are_tried_before_all_others(maker, traced):
    for year in (2021, 2022, 2023):
        rows = "".join(
            f"{good},{year * n % 9_973 + 500}\n"
            for n, good in enumerate(("tea", "salt", "fish", "rope", "tar", "oil"), 7)
        )
        maker.shown(f"ledger_{year}.csv", f"item,invoices\n{rows}fuel,819\naudit,183\n")
    text = "Invoices of audit (183) make up 22.3% of those of fuel (819)."
    assert traced(maker, text)["22.3%"].status == "computed"


def test_zeros_on_both_sides_of_a_small_share_are_no_hindrance(maker, traced):
    maker.shown("late.csv", "route,late_share\nGhent,0.062300000000000\n")
    source = traced(maker, "The late share of route Ghent is 6.23%.")["6.23%"].sources[0]
    assert (source.path, source.line) == ("late.csv", 2)


def test_a_number_is_rounded_up_to_one_digit_more(maker, traced):
    maker.shown("load.csv", "pier,load\nNorth,99.97\n")
    source = traced(maker, "The load of pier North is 100.0.")["100.0"].sources[0]
    assert (source.path, source.line, source.agreement) == ("load.csv", 2, "rounded")


def test_a_share_with_a_shown_zero_has_two_digits(maker, traced):
    maker.shown("vat.csv", "country,vacancy\nMalta,6.0%\nSpain,7.5%\n")
    source = traced(maker, "The vacancy is 6.0%.")["6.0%"].sources[0]
    assert (source.path, source.line) == ("vat.csv", 2)


def test_the_mean_of_a_column_that_the_words_name_beats_a_longer_number_that_rounds_to_it(maker, traced):
    maker.shown("berths.csv", "berth,depth\nA,10.2\nB,14.8\nC,12.4\nD,19.1\n")
    maker.shown("log.txt", "The draught of the vessel was 14.1249 in May.\n")
    item = traced(maker, "The average depth of a berth is 14.125.")["14.125"]
    assert (item.status, item.remark) == ("computed", "mean")


def test_the_same_digits_in_a_scale_that_nothing_states_do_not_hide_a_total(maker, traced):
    maker.shown("costs.csv", "item,cost\npaint,1210\nrope,840\nlamps,465\n")
    maker.shown("stock.csv", "item,pieces\nscrews,2515000\n")
    item = traced(maker, "The total cost of all is 2,515.")["2,515"]
    assert (item.status, item.remark) == ("computed", "sum")
