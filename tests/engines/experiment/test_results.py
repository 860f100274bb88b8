"""Means, deviations and paired intervals; the table; the paper's numbers."""

from __future__ import annotations

import csv
import io
import json
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.engines.experiment.paper import MODELS, TABLE_1, TABLE_4, paper_results
from tabshell.engines.experiment.results import Attempt, paired_difference, rows
from tabshell.engines.experiment.table import MEASURES, table_csv, table_json, table_text
from tabshell.engines.experiment.variants import VARIANTS, variant_of
from tabshell.errors import UsageError


def attempts(variant, by_task, model="m"):
    return [
        Attempt(variant, model, task, epoch, {"pass_rate": value, "complete": 100.0 * (value >= 70)})
        for task, values in by_task.items()
        for epoch, value in enumerate(values, start=1)
    ]


PLAIN = attempts("plain", {"a": [40, 50, 60], "b": [80, 70, 60]})
TAB = attempts("tabshell", {"a": [60, 70, 80], "b": [80, 90, 100]})


def test_a_row_has_the_mean_of_the_runs_and_their_deviation():
    plain, tab = rows([*TAB, *PLAIN], list(MEASURES))
    assert (plain.variant, tab.variant) == ("plain", "tabshell")
    spread = plain.measures["pass_rate"]
    assert (spread.mean, spread.runs, spread.attempts) == (60, 3, 6)
    assert spread.deviation == 0
    assert tab.measures["pass_rate"].mean == 80
    assert tab.measures["pass_rate"].deviation == pytest.approx(statistics.pstdev([70, 80, 90]))
    assert plain.differences == {}


def test_a_difference_is_taken_task_by_task():
    difference = rows([*PLAIN, *TAB], ["pass_rate"])[1].differences["pass_rate"]
    assert (difference.mean, difference.low, difference.high, difference.tasks) == (20, 20, 20, 2)
    wide = paired_difference(attempts("tabshell", {"a": [90], "b": [70]}), PLAIN, "pass_rate")
    assert (wide.mean, wide.low, wide.high) == (20, 0, 40)


def test_only_tasks_that_both_have_are_compared_and_none_give_no_difference():
    other = attempts("tabshell", {"a": [60], "z": [0]})
    assert paired_difference(other, PLAIN, "pass_rate").tasks == 1
    assert paired_difference(attempts("tabshell", {"z": [0]}), PLAIN, "pass_rate") is None
    assert rows(TAB, ["pass_rate"])[0].differences == {}


def test_a_failed_attempt_counts_as_nothing_delivered_and_is_said():
    failed = Attempt("plain", "m", "a", 1, {}, "the sandbox died")
    (row,) = rows([failed, Attempt("plain", "m", "b", 1, {"pass_rate": 50})], ["pass_rate"])
    assert (row.measures["pass_rate"].mean, row.faults) == (25, 1)
    assert "1 of the attempts failed" in table_text([row])


numbers = st.floats(0, 100, allow_nan=False)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12))
def test_an_interval_holds_its_mean_lies_between_the_extremes_and_repeats(pairs):
    own = attempts("tabshell", {f"t{n}": [one] for n, (one, _) in enumerate(pairs)})
    base = attempts("plain", {f"t{n}": [other] for n, (_, other) in enumerate(pairs)})
    found = paired_difference(own, base, "pass_rate", draws=200)
    differences = [one - other for one, other in pairs]
    assert min(differences) - 1e-9 <= found.low <= found.high <= max(differences) + 1e-9
    assert found == paired_difference(own[::-1], base, "pass_rate", draws=200)


def test_the_interval_is_about_that_of_the_normal_distribution_where_there_are_many_tasks():
    own = attempts("tabshell", {f"t{n}": [50 + n % 10] for n in range(400)})
    base = attempts("plain", {f"t{n}": [50] for n in range(400)})
    found = paired_difference(own, base, "pass_rate")
    half = 1.96 * statistics.pstdev([n % 10 for n in range(400)]) / 20
    assert found.low == pytest.approx(found.mean - half, abs=0.03)
    assert found.high == pytest.approx(found.mean + half, abs=0.03)


def test_the_table_shows_the_papers_numbers_beside_each_variant():
    text = table_text(rows([*PLAIN, *TAB], list(MEASURES)))
    plain, tab = (next(line for line in text.splitlines() if line.startswith(name)) for name in ("plain", "tabshell"))
    assert plain.split()[:3] == ["plain", "3", "2"]
    assert "60.00 (±0.00)" in plain
    assert plain.endswith("41.63 / 20.67, 53.28 / 38.67, 31.42 / 23.33")
    assert "+20.00 [+20.00, +20.00]" in tab
    assert "arXiv:2610.10444v1" in text
    assert table_text([]) == "No attempts in these logs.\n"


def test_programs_get_the_same_as_json_and_csv():
    made = rows([*PLAIN, *TAB], list(MEASURES))
    told = json.loads(table_json(made))
    assert told["schema"] == "tabshell/1"
    assert told["rows"][1]["paper"]["GPT-5.4 nano"]["pass_rate"] == 44.73
    lines = list(csv.DictReader(io.StringIO(table_csv(made))))
    assert [(line["variant"], line["measure"]) for line in lines] == [
        ("plain", "pass_rate"), ("plain", "complete"), ("tabshell", "pass_rate"), ("tabshell", "complete"),
    ]  # fmt: skip
    assert float(lines[2]["low"]) == 20


def test_the_papers_numbers_agree_with_each_other():
    assert all(len(results) == len(MODELS) for results in TABLE_1.values())
    whole = TABLE_1["RunningTab"][0]
    drops = {row: round(whole.pass_rate - result.pass_rate, 2) for row, result in TABLE_4.items()}
    assert drops == {  # the differences that the paper's Table 4 prints
        "No Environmental Capture": 3.37, "No Review": 2.86, "No Evidence Check": 1.84, "No Finish Check": 1.84,
    }  # fmt: skip
    for own, *others in zip(*(TABLE_1[row] for row in ("RunningTab", "DCI", "TODO", "Self-Refine")), strict=True):
        assert all(own.pass_rate > other.pass_rate for other in others)


def test_each_variant_is_a_row_of_the_papers_tables():
    for variant in VARIANTS.values():
        assert paper_results(variant.row)[0] is not None
    with pytest.raises(UsageError, match="there are plain, todo"):
        variant_of("best")


def test_variants_differ_in_what_they_say():
    prompts = {one.name: one.prompt("out", "TAB BLOCK") for one in VARIANTS.values()}
    assert "TODO" in prompts["todo"]
    assert "TODO" not in prompts["plain"] + prompts["tabshell"]
    assert all(("TAB BLOCK" in prompts[name]) == one.tab for name, one in VARIANTS.items())
    assert [name for name, one in VARIANTS.items() if one.stop_message] == ["self-refine", "self-tracking"]
