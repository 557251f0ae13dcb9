"""Formulas over arrays of rates against the scalars of `metrics.evidence` and the printed rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.benchmarks.medvigil.axes import (
    ALSO,
    GROUND_FORMS,
    WEIGHT_SCHEMES,
    capability,
    composite,
    grounding,
    harmonic,
    safety,
)
from overread.metrics.evidence import EVIDENCE_METRICS, TIER_WEIGHTS, evidence_axes
from overread.registry import metric_specs

FORM = next(iter(GROUND_FORMS.values()))
KINDS = ("original", "tcf", "negation", "specificity_drop", "roi_only", "roi_masked")
CELLS = (*KINDS, *(f"halluc_trap {tier}" for tier in TIER_WEIGHTS))
RATES = st.lists(st.floats(0, 1), min_size=len(CELLS), max_size=len(CELLS))


def by_cell(values):
    return {(cell,): np.float64(value) for cell, value in zip(CELLS, values, strict=True)}


@given(RATES)
def test_arrays_repeat_the_scalars(values: list[float]) -> None:
    rates = by_cell(values)
    expected = evidence_axes(
        original=values[0], paraphrase=values[1], negation=values[2], specificity_drop=values[3],
        roi_only=values[4], roi_masked=values[5],
        trap_failures={t: 1 - v for t, v in zip(TIER_WEIGHTS, values[6:], strict=True)},
    )  # fmt: skip
    assert capability(rates) == pytest.approx(expected.capability)
    assert safety(rates, TIER_WEIGHTS) == pytest.approx(expected.safety)
    assert grounding(rates, FORM) == pytest.approx(expected.grounding)
    found = float(composite(rates, TIER_WEIGHTS, FORM))
    if expected.composite is not None and expected.composite > 1e-6:
        assert found == pytest.approx(expected.composite, rel=1e-6)


def test_many_resamples_at_once() -> None:
    table = np.random.default_rng(1).random((len(CELLS), 50))
    rates = {(cell,): row for cell, row in zip(CELLS, table, strict=True)}
    found = composite(rates, TIER_WEIGHTS, FORM)
    assert found.shape == (50,)
    one = composite({cell: row[7] for cell, row in rates.items()}, TIER_WEIGHTS, FORM)
    assert found[7] == pytest.approx(float(one))


def test_a_tier_without_traps_leaves_both_sums() -> None:
    # 2 of 4 refused in L1 (weight 1), all in L5 (weight 8): (0.5 + 8) / 9.
    rates = {("halluc_trap L1",): np.float64(0.5), ("halluc_trap L5",): np.float64(1.0)}
    assert safety(rates, TIER_WEIGHTS) == pytest.approx(8.5 / 9)
    rates[("halluc_trap L3",)] = np.float64(np.nan)  # not in this resample
    assert safety(rates, TIER_WEIGHTS) == pytest.approx(8.5 / 9)


def test_what_is_not_asked_is_undefined() -> None:
    rates = by_cell([0.5] * len(CELLS))
    del rates[("negation",)]
    assert np.isnan(capability(rates))
    assert np.isnan(composite(rates, TIER_WEIGHTS, FORM))
    assert np.isnan(safety({("original",): np.float64(1.0)}, TIER_WEIGHTS))


def test_harmonic_mean_and_its_limits() -> None:
    assert harmonic(np.float64(0.9), np.float64(0.9), np.float64(0.1)) == pytest.approx(
        0.245455, abs=5e-7
    )
    assert harmonic(np.float64(0.0), np.float64(1.0), np.float64(0.5)) == 0.0
    assert np.isnan(harmonic(np.float64(0.0), np.float64(0.0), np.float64(0.5)))


@pytest.mark.parametrize(
    ("only", "masked", "expected"),
    [(0.120, 0.391, 0.310), (0.630, 0.135, 0.565), (0.910, 0.865, 0.705), (0.406, 0.370, 0.453)],
)
def test_the_grounding_axis_is_the_region_alone_plus_a_half_halved(
    only: float, masked: float, expected: float
) -> None:
    rates = {("roi_only",): np.float64(only), ("roi_masked",): np.float64(masked)}
    assert grounding(rates, FORM) == pytest.approx(expected)
    assert grounding(rates, FORM) == pytest.approx((only + 0.5) / 2)


@pytest.mark.parametrize(
    ("a", "axes", "mcs"),
    [
        (0.5, (0.5, 0.5, 0.5), 0.5),
        (0.555, (0.555, 0.445, 0.5275), 0.50465),
        (1.0, (1.0, 0.0, 0.5), 0.0),
        (0.0, (0.0, 1.0, 0.5), 0.0),
    ],
)
def test_mixtures_of_a_and_e(a: float, axes: tuple[float, ...], mcs: float) -> None:
    rates = {(cell,): np.float64(a) for cell in KINDS[:5]}
    rates |= {(cell,): np.float64(1 - a) for cell in CELLS if cell not in KINDS[:5]}
    assert [
        float(each) for each in (capability(rates), safety(rates, TIER_WEIGHTS),
                                 grounding(rates, FORM))
    ] == pytest.approx(axes)  # fmt: skip
    assert composite(rates, TIER_WEIGHTS, FORM) == pytest.approx(mcs, abs=5e-6)


def test_a_letter_at_random() -> None:
    rates = {(cell,): np.float64(0.2) for cell in CELLS}
    assert capability(rates) == pytest.approx(0.2)
    assert safety(rates, TIER_WEIGHTS) == pytest.approx(0.2)
    assert grounding(rates, FORM) == pytest.approx(0.35)
    assert composite(rates, TIER_WEIGHTS, FORM) == pytest.approx(0.23333, abs=5e-6)


def test_schemes_and_forms_are_those_of_the_released_script() -> None:
    assert len(WEIGHT_SCHEMES) == 5
    assert len(GROUND_FORMS) == 4
    assert next(iter(WEIGHT_SCHEMES.values())) == TIER_WEIGHTS
    only, masked = np.float64(0.2), np.float64(0.5)
    found = {name: float(form(only, masked)) for name, form in GROUND_FORMS.items()}
    assert found == pytest.approx(
        {
            "gain + 50, clipped (as published)": 0.35,
            "gains only": 0.5,
            "half the gain": 0.425,
            "region alone": 0.2,
        }
    )


def test_every_further_metric_declares_itself() -> None:
    assert {each.metric for each in ALSO} == {spec.name for spec in EVIDENCE_METRICS}
    assert set(EVIDENCE_METRICS) <= set(metric_specs())
