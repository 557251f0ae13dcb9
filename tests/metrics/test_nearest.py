"""Distances between marks, by steps, by tree and by transform, against scipy's transform."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage

from overread.metrics.nearest import marks_in, nearest, steps_around


def measured(
    ours: NDArray[np.bool_], theirs: NDArray[np.bool_], spacing: tuple[float, ...], *, order: str
) -> tuple[list[float], list[float]]:
    steps = steps_around(spacing)
    margin = [(one, one) for one in steps.margin]
    one, other = (
        marks_in(np.array(np.pad(mask, margin), np.uint8, order=order)) for mask in (ours, theirs)
    )
    found = nearest(one, other, weights=np.array([0.0, 1.0]), steps=steps)
    return found.values_mm.tolist(), found.weights.tolist()


def by_scipy(
    ours: NDArray[np.bool_], theirs: NDArray[np.bool_], spacing: tuple[float, ...]
) -> NDArray[np.float64]:
    return np.sort(ndimage.distance_transform_edt(~theirs, sampling=spacing)[ours])


def spread(found: tuple[list[float], list[float]]) -> NDArray[np.float64]:
    return np.repeat(found[0], np.array(found[1], int))


@given(
    st.sampled_from([(9, 7), (1, 30), (6, 5, 9), (1, 1, 12)]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.02, 0.3]),
    st.sampled_from([(1.0, 1.0, 1.0), (0.7, 5.0, 1.25), (3.0, 0.3, 0.3)]),
    st.sampled_from("CF"),
)
@settings(deadline=None)
def test_distances_are_those_of_a_transform(
    shape: tuple[int, ...], seed: int, share: float, spacing: tuple[float, ...], order: str
) -> None:
    rng = np.random.default_rng(seed)
    ours, theirs = rng.random((2, *shape)) < share
    ours.flat[0] = theirs.flat[-1] = True
    spacing = spacing[: len(shape)]
    found = measured(ours, theirs, spacing, order=order)
    np.testing.assert_allclose(spread(found), by_scipy(ours, theirs, spacing), rtol=1e-14)
    assert found[0] == sorted(set(found[0]))


@pytest.mark.parametrize("spacing", [(0.8, 0.8, 0.8), (0.7, 0.7, 5.0), (0.6, 1.1, 2.5)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_mask_of_noise_far_from_the_other_takes_the_transform(
    spacing: tuple[float, ...], order: str
) -> None:
    rng = np.random.default_rng(11)
    noise = rng.random((64, 64, 64)) < 0.6
    corner = np.zeros_like(noise)
    corner[:2, :3, :2] = True
    assert noise.sum() > 100_000  # where the transform begins
    found = spread(measured(noise, corner, spacing, order=order))
    wanted = by_scipy(noise, corner, spacing)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    # A tolerance on the grid is met, not missed by a rounding of 32 bits.
    for tolerance in (3.0, 5.0, 8.0, 8.8, 11.0):
        assert (found <= tolerance).sum() == (wanted <= tolerance).sum()


def test_many_marks_that_steps_do_not_reach_take_the_transform() -> None:
    rng = np.random.default_rng(12)
    thin = rng.random((120, 120, 120)) < 0.08
    assert 100_000 < thin.sum() < thin.size / 8  # steps are tried first
    side = np.zeros_like(thin)
    side[0] = True
    found = spread(measured(thin, side, (0.9, 0.9, 0.9), order="C"))
    np.testing.assert_allclose(found, np.sort(np.argwhere(thin)[:, 0]) * 0.9, rtol=1e-12)


def test_steps_come_by_growing_length() -> None:
    steps = steps_around((1.0, 2.0))
    assert steps.margin == (3, 1)
    assert steps.offsets[0].tolist() == [0, 0]
    lengths = np.hypot(steps.offsets[:, 0], 2 * steps.offsets[:, 1])
    np.testing.assert_allclose(steps.lengths_mm, lengths)
    assert (np.diff(steps.lengths_mm) >= 0).all()
    # -3 to 3 along the first axis; beside it √5 allows -2 to 2 twice.
    assert len(steps.offsets) == 7 + 2 * 5


def test_a_mark_weighs_what_its_value_weighs() -> None:
    steps = steps_around((1.0, 1.0))
    ours = np.zeros((9, 9), np.uint8)
    ours[3, 3], ours[3, 4], ours[3, 5] = 1, 2, 2
    theirs = np.zeros((9, 9), np.uint8)
    theirs[3, 3] = 7
    weights = np.array([0.0, 0.5, 10.0])
    found = nearest(marks_in(ours), marks_in(theirs), weights=weights, steps=steps)
    assert found.values_mm.tolist() == [0.0, 1.0, 2.0]
    assert found.weights.tolist() == [0.5, 10.0, 10.0]
