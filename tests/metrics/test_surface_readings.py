"""Readings of distances that are written down: what a percentile, an average and a share are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from overread.errors import UsageError
from overread.metrics.surface_readings import (
    NSD_1MM,
    NSD_3MM,
    SURFACE_METRICS,
    SurfaceDistances,
    nsd_spec,
)
from overread.registry import metric_specs


def counted(reference_mm: list[float], prediction_mm: list[float]) -> SurfaceDistances:
    """Let every distance stand for one voxel."""
    (ours, our_counts), (theirs, their_counts) = (
        np.unique(one, return_counts=True) for one in (reference_mm, prediction_mm)
    )
    return SurfaceDistances(
        reference_mm=ours,
        reference_weights=our_counts.astype(float),
        prediction_mm=theirs,
        prediction_weights=their_counts.astype(float),
        method="points",
    )


def test_specs_are_in_the_registry() -> None:
    assert set(SURFACE_METRICS) <= set(metric_specs())
    assert nsd_spec(3.0) == NSD_3MM
    assert nsd_spec(0.5).name == "nsd_0.5mm"
    assert NSD_1MM.name == "nsd_1mm"
    assert nsd_spec(2.5).title != nsd_spec(2.0).title


def test_the_two_definitions_of_hd95_differ() -> None:
    # 30 voxels in a row of 1 mm steps against the first: 0 … 29 mm one way, one 0 the other.
    found = counted([float(one) for one in range(30)], [0.0])
    assert found.hd95_mm() == pytest.approx(0.95 * 29)
    assert found.hd95_mm("pooled") == pytest.approx(np.percentile([*range(30), 0], 95))
    assert found.hd_mm == 29.0
    assert found.percentile_mm(100.0) == 29.0
    assert found.percentile_mm(0.0) == 0.0


@pytest.mark.parametrize("percent", [0.0, 12.5, 50.0, 95.0, 99.9, 100.0])
def test_percentiles_of_voxels_are_those_of_numpy(percent: float) -> None:
    rng = np.random.default_rng(4)
    ours, theirs = (rng.integers(0, 9, n).astype(float).tolist() for n in (37, 58))
    found = counted(ours, theirs)
    one, other = np.percentile(ours, percent), np.percentile(theirs, percent)
    assert found.percentile_mm(percent) == pytest.approx(max(one, other))
    pooled = np.percentile([*ours, *theirs], percent)
    assert found.percentile_mm(percent, "pooled") == pytest.approx(pooled)


def test_the_percentile_of_areas_takes_a_step() -> None:
    found = SurfaceDistances(
        reference_mm=np.array([0.0, 1.0, 5.0]),
        reference_weights=np.array([90.0, 4.0, 6.0]),
        prediction_mm=np.array([0.0, 2.0]),
        prediction_weights=np.array([194.0, 6.0]),
        method="area",
    )
    # 94 of 100 mm² lie within 1 mm: 95 % take 5 mm. Together 284 of 300 lie at 0,
    # 288 within 1 mm.
    assert found.hd95_mm() == 5.0
    assert found.hd95_mm("pooled") == 1.0
    assert found.percentile_mm(94.0) == 1.0
    assert found.percentile_mm(100.0) == 5.0


def test_readings_that_do_not_exist_are_refused() -> None:
    found = counted([0.0, 1.0], [0.0])
    for tolerance in (-0.1, math.nan, math.inf):
        with pytest.raises(UsageError, match="tolerance_mm: expected a distance of 0 mm or more"):
            found.nsd(tolerance)
    with pytest.raises(UsageError, match="tolerance_mm"):
        nsd_spec(-1.0)
    for percent in (-1.0, 100.5, math.nan):
        with pytest.raises(UsageError, match="percent: expected a number from 0 to 100"):
            found.percentile_mm(percent)
    with pytest.raises(UsageError, match="definition: expected 'larger of directions'"):
        found.hd95_mm("mean")  # type: ignore[arg-type]
