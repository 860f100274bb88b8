"""The paper's own results, as facts to stand beside others. Pure.

Source: Baek, Jeong, Choi, Han, Hwang: RunningTab, arXiv:2610.10444v1 (7 October 2026), Table 1 (Workspace-Bench,
means of three runs and their standard deviations, in percent) and Table 4 (ablation, GPT-5.4 nano, means).
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = "arXiv:2610.10444v1, Tables 1 and 4 (Workspace-Bench)"
MODELS = ("GPT-5.4 nano", "DeepSeek V4 Flash", "Gemini 3.8 Flash")


@dataclass(frozen=True, slots=True)
class Result:
    """Percent; a deviation is None where the paper gives none."""

    pass_rate: float
    pass_deviation: float | None
    complete: float
    complete_deviation: float | None


#: Row of the table -> one result for each of ``MODELS``.
TABLE_1: dict[str, tuple[Result, Result, Result]] = {
    "DCI": (Result(41.63, 0.90, 20.67, 1.70), Result(53.28, 1.29, 38.67, 1.25), Result(31.42, 2.89, 23.33, 1.70)),
    "TODO": (Result(41.67, 0.95, 23.33, 2.62), Result(54.94, 2.44, 38.00, 2.16), Result(27.52, 5.62, 22.33, 3.30)),
    "Self-Refine": (
        Result(41.32, 2.15, 22.33, 3.09),
        Result(53.44, 0.53, 37.67, 0.47),
        Result(32.73, 2.92, 28.00, 2.94),
    ),
    "Self-Tracking": (
        Result(42.93, 0.44, 23.00, 1.41),
        Result(53.56, 1.57, 37.33, 3.30),
        Result(26.87, 1.23, 21.00, 2.16),
    ),
    "RunningTab": (
        Result(44.73, 0.56, 25.67, 2.49),
        Result(59.99, 0.60, 41.00, 1.63),
        Result(46.91, 1.18, 36.33, 3.30),
    ),
}
#: The rows of the ablation, for the first model only.
TABLE_4: dict[str, Result] = {
    "No Environmental Capture": Result(41.36, None, 22.33, None),
    "No Review": Result(41.87, None, 20.33, None),
    "No Evidence Check": Result(42.89, None, 24.33, None),
    "No Finish Check": Result(42.89, None, 23.00, None),
}


def paper_results(row: str) -> tuple[Result | None, Result | None, Result | None]:
    """The paper's results of a row, by model."""
    if row in TABLE_1:
        return TABLE_1[row]
    return TABLE_4.get(row), None, None
