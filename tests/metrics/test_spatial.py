from __future__ import annotations

from overread.metrics.spatial import RULE_ACCURACY
from overread.registry import metric_specs
from overread.scoring.spatial.scorer import SpatialScorer


def test_the_scorer_emits_the_metric_that_is_declared() -> None:
    assert RULE_ACCURACY in metric_specs()
    scorer = SpatialScorer()
    assert (scorer.metric, scorer.metric_version) == (RULE_ACCURACY.name, RULE_ACCURACY.version)


def test_it_is_a_share_in_which_silence_costs() -> None:
    assert (RULE_ACCURACY.low, RULE_ACCURACY.high, RULE_ACCURACY.unit) == (0.0, 1.0, "share")
    assert "lowered by silence" in RULE_ACCURACY.properties
