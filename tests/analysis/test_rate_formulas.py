"""Composites of rates go through the bootstrap as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from overread.analysis.estimates import estimate
from overread.contracts import AlsoMetric, AnalysisPlan, RateFormula
from overread.records import PlannedItem, Score, Status

HARMONIC = RateFormula(
    by=("kind",),
    value=lambda rates: 2 / (1 / rates[("plain",)] + 1 / rates[("trap",)]),
)


def _line(item: str, kind: str, patient: str) -> PlannedItem:
    return PlannedItem(
        item=item, request_hash=item, groups={"patient": patient}, strata={"kind": kind},
        chance=None,
    )  # fmt: skip


def _row(item: str, value: float | None) -> Score:
    return Score(
        run="r", item=item, patient=None, metric="accuracy", metric_version="1", profile="honest",
        unit="share", value=value, answer=None if value is None else "A",
        status=Status.OK if value is not None else Status.UNPARSED,
    )  # fmt: skip


def _estimate(scores, planned, formula=HARMONIC):
    plan = AnalysisPlan(
        strata=((),), cells=("kind",), cluster="patient", bootstrap_draws=400,
        also=(AlsoMetric(metric="composite", pooled=formula),),
    )  # fmt: skip
    return [
        row
        for row in estimate(scores, planned, plan)
        if row.metric == "composite" and not row.stratum
    ]


def test_it_is_made_of_the_rates_of_all_items() -> None:
    planned = [_line(f"p{n}", "plain", str(n)) for n in range(10)]
    planned += [_line(f"t{n}", "trap", str(n)) for n in range(10)]
    scores = [_row(f"p{n}", float(n < 8)) for n in range(10)]
    scores += [_row(f"t{n}", float(n < 4)) for n in range(9)] + [_row("t9", None)]
    (row,) = _estimate(scores, planned)
    assert row.value == pytest.approx(2 * 0.8 * 0.4 / 1.2)  # no answer is not right
    assert (row.n, row.n_clusters) == (20, 10)
    assert row.low < row.value < row.high


def test_a_formula_without_a_cell_is_undefined() -> None:
    formula = RateFormula(
        by=("kind",),
        value=lambda rates: rates.get(("trap",), np.full_like(rates["plain",], np.nan)),
    )
    (row,) = _estimate([_row("p0", 1.0)], [_line("p0", "plain", "a")], formula)
    assert (row.value, row.status) == (None, Status.UNDEFINED)


def test_patients_are_resampled_whole() -> None:
    # All of a patient right or wrong in both kinds: the interval is that of 40 units, not of 400.
    rng = np.random.default_rng(5)
    right = rng.random(40) < 0.6
    planned, scores = [], []
    for patient in range(40):
        for n in range(5):
            for kind in ("plain", "trap"):
                name = f"{patient}-{kind}-{n}"
                planned.append(_line(name, kind, str(patient)))
                scores.append(_row(name, float(right[patient])))
    (row,) = _estimate(scores, planned)
    share = right.mean()
    assert row.value == pytest.approx(share)
    half = 1.96 * np.sqrt(share * (1 - share) / 40)
    assert row.high - row.low == pytest.approx(2 * half, rel=0.2)
