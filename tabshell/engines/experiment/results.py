"""Results of many runs become a table: means over runs, deviations, and paired bootstrap intervals. Pure.

An *attempt* is one sample of one epoch. A run is one epoch of all tasks of a variant, as in the paper: the mean of a
measure over its tasks; the table gives the mean of the runs and their (population) standard deviation. The interval
is that of the difference to the plain variant, over tasks in pairs: tasks are drawn with replacement, each with the
mean of its attempts in both variants, so that what makes a task hard does not widen it.
"""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tabshell.engines.experiment.variants import VARIANTS

BASE = "plain"
#: How often tasks are drawn for an interval.
DRAWS = 10_000
_LEVEL = 0.95
_SEED = 2610


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a task. ``measures`` are numbers by name (percent, counts); ``fault`` says that it failed."""

    variant: str
    model: str
    task: str
    epoch: int
    measures: Mapping[str, float]
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure of a variant: mean of the runs, their deviation (None for one run), runs and attempts."""

    mean: float
    deviation: float | None
    runs: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Variant minus plain, over the tasks that both have; ``low`` and ``high`` bound 95 % of the draws."""

    mean: float
    low: float
    high: float
    tasks: int


@dataclass(frozen=True, slots=True)
class Row:
    """A variant of a model in the table."""

    variant: str
    model: str
    measures: Mapping[str, Spread]
    differences: Mapping[str, Difference] = field(default_factory=dict)
    faults: int = 0


def rows(attempts: Iterable[Attempt], names: Sequence[str], *, draws: int = DRAWS) -> list[Row]:
    """A row for each model and variant that there is, in the order of the paper's tables.

    A failed attempt counts as nothing delivered (0), as the paper's protocol has it for an attempt without a
    deliverable; ``faults`` says how many there were.
    """
    groups: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        groups[attempt.model, attempt.variant].append(attempt)
    order = {name: place for place, name in enumerate(VARIANTS)}
    made = []
    for model, variant in sorted(groups, key=lambda key: (key[0], order.get(key[1], len(order)), key[1])):
        own, base = groups[model, variant], groups.get((model, BASE), [])
        measures = {name: spread for name in names if (spread := _spread(own, name)) is not None}
        differences = {
            name: difference
            for name in measures
            if variant != BASE and (difference := paired_difference(own, base, name, draws=draws)) is not None
        }
        made.append(Row(variant, model, measures, differences, sum(one.fault is not None for one in own)))
    return made


def _value(attempt: Attempt, name: str) -> float | None:
    return 0.0 if attempt.fault is not None else attempt.measures.get(name)


def _spread(attempts: Sequence[Attempt], name: str) -> Spread | None:
    runs: dict[int, list[float]] = defaultdict(list)
    for attempt in attempts:
        value = _value(attempt, name)
        if value is not None:
            runs[attempt.epoch].append(value)
    if not runs:
        return None
    means = [statistics.fmean(values) for values in runs.values()]
    deviation = statistics.pstdev(means) if len(means) > 1 else None
    return Spread(statistics.fmean(means), deviation, len(means), sum(map(len, runs.values())))


def _by_task(attempts: Sequence[Attempt], name: str) -> dict[str, float]:
    tasks: dict[str, list[float]] = defaultdict(list)
    for attempt in attempts:
        value = _value(attempt, name)
        if value is not None:
            tasks[attempt.task].append(value)
    return {task: statistics.fmean(values) for task, values in tasks.items()}


def paired_difference(
    own: Sequence[Attempt], base: Sequence[Attempt], name: str, *, draws: int = DRAWS
) -> Difference | None:
    """The difference of two variants, or None where they share no task. The same input gives the same interval."""
    ours, theirs = _by_task(own, name), _by_task(base, name)
    differences = [ours[task] - theirs[task] for task in sorted(ours.keys() & theirs.keys())]
    if not differences:
        return None
    chance, count = random.Random(_SEED), len(differences)  # noqa: S311 - no secret: it must repeat
    means = sorted(sum(chance.choices(differences, k=count)) / count for _ in range(draws))
    edge = (1 - _LEVEL) / 2
    return Difference(statistics.fmean(differences), _quantile(means, edge), _quantile(means, 1 - edge), count)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Between the two nearest draws."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
