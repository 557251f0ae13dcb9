"""What a report knows of a metric beside its numbers: title, range, direction, kind of value.

All of it is what the metric declares (`MetricSpec`); a metric that declares nothing is taken for a
share of right answers, as a benchmark's own `accuracy` is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from overread.contracts import AnalysisPlan
from overread.registry import metric_spec

__all__ = [
    "direction_words",
    "error_metrics",
    "is_graded",
    "metric_label",
    "ranges",
    "score_metric",
]

_SHORT_NAMES = {
    "mcs": "MCS",
    "bleu": "BLEU",
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "meteor": "METEOR",
}
"""Where a paper's table has a name that everybody knows."""
_DIRECTIONS = {"up": "more is better", "down": "fewer is better", "none": "neither end is better"}


def is_graded(metric: str) -> bool:
    """Tell whether a single answer earns a score between the ends and is not just right or not."""
    spec = metric_spec(metric)
    return spec is not None and spec.unit == "score"


def score_metric(plan: AnalysisPlan) -> str | None:
    """Name the plan's graded metric: its headline, or one beside it; None where it has none."""
    metrics = (plan.headline, *(also.metric for also in plan.also))
    return next(filter(is_graded, metrics), None)


def error_metrics(plan: AnalysisPlan) -> tuple[str, ...]:
    """Name the plan's shares of which fewer are better: errors of a kind of their own."""
    named = ((also.metric, metric_spec(also.metric)) for also in plan.also if also.is_share)
    return tuple(metric for metric, spec in named if spec is not None and spec.direction == "down")


def direction_words(metric: str) -> str:
    """Say which end is better: ``fewer is better``; nothing of a metric that does not tell."""
    spec = metric_spec(metric)
    return "" if spec is None else _DIRECTIONS[spec.direction]


def metric_label(metric: str) -> str:
    """Name a metric for people.

    Examples
    --------
    A share of right answers keeps its plain name, all others have their title.

    >>> metric_label("rule_accuracy"), metric_label("rougeL"), metric_label("side_error")
    ('rule accuracy', 'ROUGE-L', 'Wrong side')
    """
    spec = metric_spec(metric)
    if metric in _SHORT_NAMES:
        return _SHORT_NAMES[metric]
    if spec is None or (spec.unit == "share" and spec.direction != "down") or metric == "no_answer":
        return metric.replace("_", " ")
    return spec.title


def ranges(metrics: Sequence[str]) -> str:
    """Say between which values metrics run, the commonest range last.

    Examples
    --------
    >>> ranges(["bleu", "rouge1", "meteor"])
    'BLEU runs from 0 to 100, the others from 0 to 1.'
    >>> ranges(["bleu1", "rouge1_plain"])
    'All run from 0 to 1.'
    """
    ends = {m: (spec.low, spec.high) for m in metrics if (spec := metric_spec(m)) is not None}
    if not ends:
        return ""
    common = Counter(ends.values()).most_common(1)[0][0]
    named: dict[tuple[float, float], list[str]] = {}
    for metric, both in ends.items():
        if both != common:
            named.setdefault(both, []).append(metric_label(metric))
    if not named:
        one = "All run" if len(ends) > 1 else f"{metric_label(next(iter(ends)))} runs"
        return f"{one} {_from_to(common)}."
    told = [
        f"{' and '.join(names)}{'' if place else ' runs' if len(names) == 1 else ' run'} "
        f"{_from_to(both)}"
        for place, (both, names) in enumerate(named.items())
    ]
    return f"{', '.join(told)}, the others {_from_to(common)}."


def _from_to(ends: tuple[float, float]) -> str:
    low, high = (f"{end:g}".replace("-", "\N{MINUS SIGN}") for end in ends)
    return f"from {low} to {high}"
