"""What judges' verdicts on open answers are counted as."""

from __future__ import annotations

from overread.metrics.spec import MetricSpec

__all__ = ["JUDGE_ACCURACY", "JURY_ACCURACY"]

JURY_ACCURACY = MetricSpec(
    name="jury_accuracy",
    version="1",
    title="Right by the jury",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset(),
    undefined="no item, or no item on which the jury has a verdict",
)
JUDGE_ACCURACY = MetricSpec(
    name="judge_accuracy",
    version="1",
    title="Right by one judge",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset(),
    undefined="no item, or no item on which the judge's vote could be read",
)
