"""New grids by hand, against scipy, and against ITK."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
import SimpleITK
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage

from overread.imaging.resample import Grid, Interpolation, Taps, new_size, resampled_planes, taps

GRIDS: tuple[Grid, ...] = ("centred", "first-voxel", "edges")
KINDS: tuple[Interpolation, ...] = ("linear", "nearest", "cubic")


def as_float(stored: NDArray[Any]) -> NDArray[np.float32]:
    return stored.astype(np.float32)


def resampled(volume: NDArray[Any], axes: list[Taps]) -> NDArray[np.float32]:
    return np.stack(list(resampled_planes(volume, as_float, axes)))


def one_axis(values: list[float], axis: Taps) -> list[float]:
    line = np.array(values, dtype=np.float32)
    return (axis.weights * line[axis.indices]).sum(axis=1).tolist()


def test_sizes_of_the_three_conventions() -> None:
    # 100 voxels of 1 mm at 3 mm: 33.3; 512 of 0.7 mm at 0.75 mm: 477.9.
    assert [new_size(100, 3, grid) for grid in GRIDS] == [33, 33, 33]
    assert [new_size(512, 0.75 / 0.7, grid) for grid in GRIDS] == [478, 478, 477]
    # 100 × 0.3 is 29.999999999999996 in floating point, and still 30 voxels.
    assert new_size(100, 1 / 0.3, "edges") == 30
    # 60 voxels of 0.9 mm at 0.75 mm are 72, but 0.9 in 32 bits is a little less.
    assert new_size(60, 0.75 / float(np.float32(0.9)), "edges") == 71
    assert new_size(2, 10, "centred") == 1


def test_places_by_hand() -> None:
    ramp = [0.0, 10.0, 20.0, 30.0]
    # Half the spacing, 8 voxels: the middle stays at 15, steps are 5; the ends go on.
    half = {"n_new": 8, "ratio": 0.5, "interpolation": "linear"}
    centred = taps(4, grid="centred", **cast("Any", half))
    assert one_axis(ramp, centred) == [0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 30]
    first = taps(4, grid="first-voxel", **cast("Any", half))
    assert one_axis(ramp, first) == [0, 5, 10, 15, 20, 25, 30, 30]
    # torch.nn.functional.interpolate([0, 10, 20, 30], scale 2, linear, align_corners=False).
    edges = taps(4, grid="edges", **cast("Any", half))
    assert one_axis(ramp, edges) == [0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 30]
    # Twice the spacing.
    double = taps(4, 2, 2.0, grid="centred", interpolation="linear")
    assert one_axis(ramp, double) == [5, 25]
    double = taps(4, 2, 2.0, grid="first-voxel", interpolation="linear")
    assert one_axis(ramp, double) == [0, 20]


def test_nearest_takes_stored_values_only() -> None:
    axis = taps(4, 7, 0.57, grid="centred", interpolation="nearest")
    assert set(one_axis([1, 5, 2, 9], axis)) <= {1, 5, 2, 9}


def test_cubic_passes_through_the_voxels_and_follows_a_parabola() -> None:
    squares = [float(x * x) for x in range(8)]
    axis = taps(8, 29, 0.25, grid="first-voxel", interpolation="cubic")
    found = np.array(one_axis(squares, axis))
    assert found[::4].tolist() == squares
    inner = slice(4, 25)  # the outermost interval lacks a neighbour
    places = np.arange(29)[inner] * 0.25
    assert found[inner] == pytest.approx(places**2, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(1, 40),
    ratio=st.floats(0.1, 10),
    grid=st.sampled_from(GRIDS),
    kind=st.sampled_from(KINDS),
)
def test_every_axis_is_whole(size: int, ratio: float, grid: Grid, kind: Interpolation) -> None:
    n_new = new_size(size, ratio, grid)
    axis = taps(size, n_new, ratio, grid=grid, interpolation=kind)
    assert len(axis) == n_new >= 1
    assert axis.indices.min() >= 0
    assert axis.indices.max() < size
    assert axis.weights.sum(axis=1) == pytest.approx(1, abs=1e-5)
    # A volume of one value stays one; a ramp never turns back (linear and nearest).
    ramp = np.array(one_axis(list(map(float, range(size))), axis))
    if kind != "cubic":
        assert (np.diff(ramp) >= -1e-4).all()
    if grid == "centred" and kind == "linear":
        assert ramp.mean() == pytest.approx((size - 1) / 2, abs=1e-3)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("kind", ["linear", "nearest"])
def test_three_axes_are_those_of_scipy(grid: Grid, kind: Interpolation) -> None:
    rng = np.random.default_rng(1)
    volume = rng.normal(size=(7, 9, 11))
    ratios, sizes = (0.6, 1.7, 1.0), []
    axes, places = [], []
    for size, ratio in zip(volume.shape, ratios, strict=True):
        n_new = new_size(size, ratio, grid)
        number = np.arange(n_new)
        where = {
            "centred": (number - (n_new - 1) / 2) * ratio + (size - 1) / 2,
            "first-voxel": number * ratio,
            "edges": (number + 0.5) * size / n_new - 0.5,
        }[grid]
        sizes.append(n_new)
        places.append(where + 1e-9)  # halves: scipy's and our choice of the nearest differ
        axes.append(taps(size, n_new, ratio, grid=grid, interpolation=kind))
    points = np.meshgrid(*places, indexing="ij")
    order = {"linear": 1, "nearest": 0}[kind]
    wanted = ndimage.map_coordinates(volume, points, order=order, mode="nearest")
    found = resampled(volume, axes)
    assert found.dtype == np.float32
    assert found.shape == tuple(sizes)
    assert np.abs(found - wanted).max() < 1e-5


def test_keeping_the_first_voxel_is_what_itk_does() -> None:
    rng = np.random.default_rng(2)
    volume = rng.integers(-1000, 1000, (20, 24, 30)).astype(np.int16)
    image = SimpleITK.GetImageFromArray(volume)
    image.SetSpacing((0.7, 0.8, 2.0))
    new = (1.5, 1.5, 3.0)
    size = [
        round(n * old / wanted)
        for n, old, wanted in zip(image.GetSize(), image.GetSpacing(), new, strict=True)
    ]
    reference = SimpleITK.GetArrayFromImage(
        SimpleITK.Resample(
            SimpleITK.Cast(image, SimpleITK.sitkFloat32),
            size,
            SimpleITK.Transform(),
            SimpleITK.sitkLinear,
            image.GetOrigin(),
            new,
            image.GetDirection(),
            0.0,
        )
    )
    ratios = (3.0 / 2.0, 1.5 / 0.8, 1.5 / 0.7)
    axes = [
        taps(
            n, new_size(n, ratio, "first-voxel"), ratio, grid="first-voxel", interpolation="linear"
        )
        for n, ratio in zip(volume.shape, ratios, strict=True)
    ]
    assert np.abs(resampled(volume, axes) - reference).max() < 2e-3


def test_an_unchanged_grid_gives_the_very_numbers() -> None:
    volume = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
    axes = [taps(n, n, 1.0, grid="centred", interpolation="linear") for n in volume.shape]
    assert np.array_equal(resampled(volume, axes), volume)


def test_a_value_that_is_none_spreads_to_its_neighbours_only() -> None:
    volume = np.zeros((5, 5, 5))
    volume[2, 2, 2] = np.nan
    axes = [taps(5, 10, 0.5, grid="centred", interpolation="linear") for _ in range(3)]
    none = np.isnan(resampled(volume, axes))
    # Between voxel 1 and voxel 3: at 1.25, 1.75, 2.25 and 2.75 along each axis.
    assert none.sum() == 4**3
    same = [taps(5, 5, 1.0, grid="centred", interpolation="linear") for _ in range(3)]
    assert np.isnan(resampled(volume, same)).sum() == 1


def test_each_plane_is_read_once_and_only_when_it_is_needed() -> None:
    volume, read = np.zeros((100, 4, 4)), []

    def values(plane: NDArray[Any]) -> NDArray[np.float32]:
        read.append(plane.shape)
        return as_float(plane)

    up = taps(100, 200, 0.5, grid="centred", interpolation="linear")
    same = taps(4, 4, 1.0, grid="centred", interpolation="linear")
    list(resampled_planes(volume, values, (up, same, same)))
    assert len(read) == 100
    read.clear()
    chosen = up.taken(np.array([0, 100, 199]))
    list(resampled_planes(volume, values, (chosen, same, same)))
    assert len(read) == 4  # 0, then 49 and 50, then 99
