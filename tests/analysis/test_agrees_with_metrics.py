"""Estimates and the metric functions are two roads to one number: they must meet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.analysis.estimates import estimate
from overread.contracts import AnalysisPlan
from overread.metrics.choice import accuracy, accuracy_answered, no_answer
from overread.records import PlannedItem, Score, Status

PLAN = AnalysisPlan(strata=((),), cells=("task",), cluster="patient", bootstrap_draws=50)


@given(st.lists(st.sampled_from(["right", "wrong", "none"]), min_size=1, max_size=60))
def test_the_same_value(outcomes):
    planned = [
        PlannedItem(
            item=str(k), request_hash=str(k), groups={"patient": str(k % 25)},
            strata={"task": "t"}, chance=0.25,
        )
        for k in range(len(outcomes))
    ]  # fmt: skip
    scores = [
        Score(
            run="r", item=str(k), patient=str(k % 25), metric="accuracy", metric_version="1",
            profile="honest", unit="share", value=None if o == "none" else float(o == "right"),
            status=Status.UNPARSED if o == "none" else Status.OK,
            answer=None if o == "none" else "A",
        )
        for k, o in enumerate(outcomes)
    ]  # fmt: skip
    right = np.array([o == "right" for o in outcomes])
    answered = np.array([o != "none" for o in outcomes])
    totals = {e.metric: e.value for e in estimate(scores, planned, PLAN) if not e.stratum}
    for name, metric in (
        ("accuracy", accuracy),
        ("accuracy_answered", accuracy_answered),
        ("no_answer", no_answer),
    ):
        expected = metric(right, answered)
        assert totals[name] == (None if expected is None else pytest.approx(expected))
