"""Scorers: what the tab held and how it was worked, what the deliverable has of the expected values, a judge's word.

``tab_measures`` brings the sidecar home and gives the measures of ``tabshell stats`` (the paper's Tables 2 and 3).
``delivery`` reads the files of the output folder and looks for the task's expected values: the share delivered (pass
rate), whether it is at least 70 % (complete), and what became of the values that were shown (the paper's Figures 2
and 4). ``rubric`` asks a model, in the role ``grader``, about the statements of a task.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import anyio.to_thread
from inspect_ai.model import ChatMessageTool, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from tabshell.audit.stats_expected import ExpectedValue, outcomes
from tabshell.audit.stats_tally import AMOUNTS, HABITS
from tabshell.engines.experiment.tasks import OUT
from tabshell.engines.homecoming import LIMIT
from tabshell.engines.inspect.delivered import Delivered, fetch_deliverables
from tabshell.engines.inspect.kept import TabRecord, bring_sidecar_home

#: A task counts as complete from this share of its values on (the paper's TCR@70).
COMPLETE = 70.0


@metric
def over_samples() -> Metric:
    """Of all measures at once: the median of each amount, the share of each habit in percent, both over the samples
    that have a value; and how many sidecars came home whole. One metric, for Inspect copies each score for each."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        values = [one.score.value for one in scores if isinstance(one.score.value, dict)]
        found = {name: _middle(_numbers(values, name)) for name in AMOUNTS}
        found |= {name: 100 * _mean(_numbers(values, name)) for name in HABITS}
        return {**found, "recorded": sum(_numbers(values, "recorded"))}

    return compute


def _numbers(values: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    return [float(one[name]) for one in values if isinstance(one.get(name), int | float)]


def _middle(numbers: Sequence[float]) -> float:
    return statistics.median(numbers) if numbers else float("nan")


def _mean(numbers: Sequence[float]) -> float:
    return statistics.fmean(numbers) if numbers else float("nan")


@metric
def total() -> Metric:
    """The sum over the samples."""

    def compute(scores: list[SampleScore]) -> float:
        return sum(float(one.score.value) for one in scores if isinstance(one.score.value, int | float))

    return compute


@scorer(metrics=[over_samples()])
def tab_measures(limit: int = LIMIT, folder: str | None = None) -> Scorer:
    """Brings the sidecar home (at most ``limit`` bytes) and gives the measures. No score without a session.

    ``recorded`` is 1 where the whole sidecar came home. Its path is in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001
        kept = await bring_sidecar_home(state, folder=folder, limit=limit)
        if kept is None:
            return None
        measures = kept.measures or await anyio.to_thread.run_sync(kept.measured)
        value: dict[str, Any] = {name: _plain(measures.get(name)) for name in (*AMOUNTS, *HABITS)}
        value["recorded"] = int(kept.sidecar is not None and kept.problem is None)
        told = {
            "sidecar": kept.sidecar,
            "bytes": kept.sidecar_bytes,
            "turns": kept.turns,
            "clerk_cpu_s": kept.cpu_s,
            "head": kept.head,
            "problem": kept.problem,
            "measures": measures,
        }
        return Score(value=value, explanation=kept.problem or f"tabshell audit {kept.sidecar}", metadata=told)

    return score


def _plain(value: object) -> float | int | None:
    return int(value) if isinstance(value, bool) else value if isinstance(value, int | float) else None


@scorer(
    metrics={
        "pass_rate": [mean(), stderr()],
        "complete": [mean(), stderr()],
        **{name: [total()] for name in ("judged", "shown", "delivered", "missing", "other", "missing_held")},
    }
)
def delivery(out: str = OUT, limit: int = LIMIT, folder: str | None = None) -> Scorer:
    """What the deliverable has of the sample's ``values`` (its metadata). No score without values.

    ``pass_rate`` and ``complete`` are percent; the others count values that the agent was shown.
    """

    async def score(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001
        expected = list(state.metadata.get("values") or ())
        if not expected:
            return None
        found = await fetch_deliverables(state, out, folder)
        kept = await bring_sidecar_home(state, folder=folder, limit=limit)
        return await anyio.to_thread.run_sync(judge, expected, observations(state), found, kept)

    return score


def observations(state: TaskState) -> list[str]:
    """What the agent was shown, by its tools."""
    return [one.text for one in state.messages if isinstance(one, ChatMessageTool)]


def judge(expected: list[str], shown: list[str], found: Delivered, kept: TabRecord | None) -> Score:
    """The score of one attempt; pure but for reading the sidecar."""
    documents = [one for one in found.documents if one is not None]
    excerpts = _excerpts(kept)
    fates = outcomes(expected, shown, excerpts, documents)
    # whether a value stands in the deliverable does not depend on its having been shown
    stands = outcomes(expected, ["\n".join(expected)], (), documents)
    passed = [one.outcome == "delivered" for one in stands]
    rate = 100 * sum(passed) / len(passed)
    missing = [one for one in fates if one.outcome == "shown but missing"]
    value: dict[str, Any] = {
        "pass_rate": rate,
        "complete": 100.0 if rate >= COMPLETE else 0.0,
        "judged": len(expected),
        "shown": sum(one.outcome != "not shown" for one in fates),
        "delivered": _count(fates, "delivered"),
        "missing": len(missing),
        "other": _count(fates, "other"),
        "missing_held": sum(one.held for one in missing),
    }
    lacking = [one.text for one, has in zip(stands, passed, strict=True) if not has]
    said = f"lacks {', '.join(lacking)}" if lacking else "all values are delivered"
    told = {
        "values": [{**asdict(one), "stands": has} for one, has in zip(fates, passed, strict=True)],
        "deliverables": found.paths,
        "problems": found.problems,
    }
    return Score(value=value, answer=", ".join(found.names) or "no deliverable", explanation=said, metadata=told)


def _count(fates: Sequence[ExpectedValue], outcome: str) -> int:
    return sum(one.outcome == outcome for one in fates)


def _excerpts(kept: TabRecord | None) -> list[str]:
    """The read log of the session that came home."""
    if kept is None or kept.sidecar is None:
        return []
    from tabshell.errors import TabshellError  # noqa: PLC0415
    from tabshell.session import Session  # noqa: PLC0415

    try:
        with Session.open(kept.sidecar, readonly=True) as session:
            return [session.entry_text(entry) for entry in session.tab(catch_up=False).entries.values()]
    except TabshellError:
        return []


_QUESTION = """\
A person asked for a document with this task:

{task}

The document that was handed in:

{document}

Is this statement true of the document? Judge the content, not the style.

{statement}

Answer with one line, "GRADE: YES" or "GRADE: NO", after at most three sentences of reasoning.
"""
_GRADE = re.compile(r"GRADE:\s*(YES|NO)", re.IGNORECASE)
#: Characters of the deliverables that a judge is shown.
_SHOWN = 60_000


@scorer(metrics={"pass_rate": [mean(), stderr()], "complete": [mean(), stderr()], "judged": [total()]})
def rubric(out: str = OUT, model: str | None = None, folder: str | None = None) -> Scorer:
    """The statements of the sample's ``rubric`` (its metadata), judged by a model. No score without statements."""

    async def score(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001
        statements = list(state.metadata.get("rubric") or ())
        if not statements:
            return None
        found = await fetch_deliverables(state, out, folder)
        text = "\n\n".join(f"== {name}\n{one.text}" for name, one in found.readable())[:_SHOWN]
        grader = get_model(model, role="grader") if model is None else get_model(model)
        verdicts = []
        for statement in statements:
            asked = _QUESTION.format(task=state.input_text, document=text or "(none)", statement=statement)
            said = (await grader.generate(asked)).completion
            grades = _GRADE.findall(said)
            holds = bool(grades) and grades[-1].upper() == "YES"
            verdicts.append({"statement": statement, "holds": holds, "said": said})
        rate = 100 * sum(bool(one["holds"]) for one in verdicts) / len(verdicts)
        value: dict[str, Any] = {"pass_rate": rate, "complete": 100.0 if rate >= COMPLETE else 0.0}
        value["judged"] = len(statements)
        return Score(value=value, answer=", ".join(found.names) or "no deliverable", metadata={"verdicts": verdicts})

    return score
