"""The measure over closed questions about places, scored by rule."""

from __future__ import annotations

from typing import Final

from overread.metrics.spec import MetricSpec

__all__ = ["RULE_ACCURACY"]

RULE_ACCURACY: Final = MetricSpec(
    name="rule_accuracy",
    version="1",
    title="Right by rule, of closed questions",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"order invariant", "monotone in right answers", "lowered by silence"}),
    undefined="no closed question whose reference can be read",
)
"""The share of closed questions whose reply agrees with the reference in every fact asked for
(`scoring.spatial`). An unreadable reply counts as not right; a reference that cannot be read leaves
the denominator for every model alike."""
