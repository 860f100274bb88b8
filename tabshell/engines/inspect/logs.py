"""Logs of Inspect become attempts of the experiment. Only the samples' summaries are read, not what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from tabshell.engines.experiment.results import Attempt
from tabshell.errors import UsageError

#: As in ``scores``: a task counts as complete from this share on.
_COMPLETE = 70.0


def read_attempts(places: Sequence[str]) -> list[Attempt]:
    """The attempts of these logs, or of all logs in these folders. Raises UsageError for what is no log.

    A task that was judged by values and by a rubric counts each value and each statement as one.
    """
    found = []
    for path in _logs(places):
        try:
            log = read_eval_log(path, header_only=True)
            samples = read_eval_log_sample_summaries(path)
        except Exception as error:  # a file that is no log makes Inspect raise anything
            msg = f"{path} cannot be read as a log of Inspect: {error or type(error).__name__}"
            raise UsageError(msg) from error
        found += [_attempt(log, sample) for sample in samples]
    return found


def _logs(places: Sequence[str]) -> Iterator[str]:
    for place in places:
        if Path(place).is_dir():
            names = sorted(one.name for one in list_eval_logs(place))
            if not names:
                msg = f"{place} holds no log of Inspect"
                raise UsageError(msg)
            yield from names
        elif "://" in place or Path(place).exists():
            yield place
        else:
            msg = f"no log at {place}"
            raise UsageError(msg)


def _attempt(log: EvalLog, sample: EvalSampleSummary) -> Attempt:
    variant = (sample.metadata or {}).get("variant") or (log.eval.metadata or {}).get("variant") or log.eval.task
    fault = str(sample.error) if sample.error else None
    model = str(log.eval.model)
    return Attempt(str(variant), model, str(sample.id), sample.epoch, _measures(sample.scores or {}), fault)


def _measures(scores: dict[str, Any]) -> dict[str, float]:
    """The numbers of all scores; ``pass_rate`` and ``complete`` over values and statements together."""
    found: dict[str, float] = {}
    rates = []
    for name, score in scores.items():
        if not isinstance(score.value, dict):
            continue
        for measure, number in score.value.items():
            if isinstance(number, bool | int | float):
                found.setdefault(measure, float(number))
        if name in ("delivery", "rubric") and isinstance(score.value.get("pass_rate"), int | float):
            rates.append((float(score.value["pass_rate"]), int(score.value.get("judged") or 1)))
    if rates:
        found["pass_rate"] = sum(rate * count for rate, count in rates) / sum(count for _, count in rates)
        found["complete"] = 100.0 if found["pass_rate"] >= _COMPLETE else 0.0
    return found
