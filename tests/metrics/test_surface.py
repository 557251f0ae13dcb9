"""Distances of surfaces: toy masks by hand, a slow oracle, and what two libraries say of them."""

from __future__ import annotations

import math
import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from overread.errors import UsageError
from overread.imaging.label_map import read_label_map
from overread.metrics.overlap import labels_in, overlap_table
from overread.metrics.surface import (
    ASSD,
    HD,
    HD95,
    NSD_1MM,
    SurfaceDistances,
    SurfaceMethod,
    label_surface_distances,
    point_distances,
    surface_distances,
)

Pair = tuple[NDArray[np.bool_], NDArray[np.bool_]]
SPACINGS = [(1.0, 1.0, 1.0), (0.7, 0.7, 5.0), (2.5, 0.8, 1.1)]
BOTH_WAYS = pytest.mark.parametrize("method", ["area", "points"])
SOON = settings(deadline=None, max_examples=60)
CT = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "totalsegmentator_ct"


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Two masks of one shape, each with a voxel at least."""
    shape = draw(st.sampled_from([(4, 5), (1, 6), (3, 4, 3), (2, 5, 1)]))
    size = math.prod(shape)
    found = []
    for _ in range(2):
        mask = draw(arrays.arrays(np.bool_, shape))
        mask.flat[draw(st.integers(0, size - 1))] = True
        found.append(mask)
    return found[0], found[1]


def spacing_of(pair: Pair, number: int) -> tuple[float, ...]:
    return SPACINGS[number % len(SPACINGS)][: pair[0].ndim]


def measured(
    pair: Pair, spacing: tuple[float, ...], method: SurfaceMethod = "area"
) -> SurfaceDistances:
    found = surface_distances(*pair, spacing, method=method)
    assert found is not None
    return found


def readings(found: SurfaceDistances, *, unit_mm: float = 1.0) -> list[float]:
    """Give every reading; distances in units, so that they compare over spacings."""
    distances = [
        found.hd_mm,
        found.hd95_mm(),
        found.hd95_mm("pooled"),
        found.assd_mm,
        found.masd_mm,
        found.rmsd_mm,
    ]
    shares = [found.nsd(factor * unit_mm) for factor in (0.0, 0.75, 1.3, 2.6, 6.0)]
    return [*(one / unit_mm for one in distances), *shares]


def cube(*places: slice) -> NDArray[np.bool_]:
    mask = np.zeros((12, 12, 12), np.bool_)
    mask[places] = True
    return mask


# ------------------------------------------------------------------ one side is empty


@BOTH_WAYS
@pytest.mark.parametrize("present", [(True, False), (False, True), (False, False)])
def test_missed_invented_and_both_empty_have_no_distance(
    method: SurfaceMethod, present: tuple[bool, bool]
) -> None:
    ours, theirs = (np.full((3, 3, 3), one) for one in present)
    assert surface_distances(ours, theirs, (1.0, 1.0, 1.0), method=method) is None


@BOTH_WAYS
def test_a_map_without_voxels_has_no_distance(method: SurfaceMethod) -> None:
    nothing = np.zeros((0, 3), np.bool_)
    assert surface_distances(nothing, nothing, (1.0, 1.0), method=method) is None


# ------------------------------------------------------------------ by eye


@BOTH_WAYS
def test_equal_masks_lie_on_each_other(method: SurfaceMethod) -> None:
    mask = cube(slice(2, 5), slice(3, 9), slice(4, 6))
    found = measured((mask, mask), (1.0, 2.0, 3.0), method)
    assert readings(found)[:6] == [0.0] * 6
    assert found.nsd(0.0) == 1.0


@BOTH_WAYS
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_one_voxel_moved_lies_one_spacing_away(method: SurfaceMethod, axis: int) -> None:
    spacing = (0.7, 1.5, 4.0)
    ours = np.zeros((1, 1, 1), np.bool_)
    ours[0, 0, 0] = True
    ours = np.pad(ours, 2)
    theirs = np.roll(ours, 2, axis)
    found = measured((ours, theirs), spacing, method)
    # The nearer corners of both voxels are one step apart, the far ones and the centres two.
    assert found.hd_mm == pytest.approx(2 * spacing[axis])
    least = found.reference_mm[0]
    assert least == pytest.approx(spacing[axis] * (1 if method == "area" else 2))


@BOTH_WAYS
@pytest.mark.parametrize(
    "places",
    [
        (slice(0, 4), slice(3, 7), slice(3, 7)),
        (slice(3, 7), slice(8, 12), slice(0, 4)),
        (slice(None),) * 3,
    ],
)
def test_a_mask_at_the_border_is_closed_there(
    method: SurfaceMethod, places: tuple[slice, ...]
) -> None:
    pair = cube(*places), cube(slice(2, 6), slice(3, 7), slice(3, 7))
    padded = np.pad(pair[0], 3), np.pad(pair[1], 3)
    spacing = (1.0, 0.8, 2.0)
    assert readings(measured(pair, spacing, method)) == readings(measured(padded, spacing, method))


def test_the_two_ways_differ_on_one_pair() -> None:
    # A row of 3 pixels against its first. Points: 0, 1, 2 mm one way and 0 the other.
    row = np.array([[True, True, True]])
    first = np.array([[True, False, False]])
    points = measured((row, first), (1.0, 1.0), "points")
    assert points.reference_mm.tolist() == [0.0, 1.0, 2.0]
    assert points.assd_mm == (0 + 1 + 2 + 0) / 4
    assert points.masd_mm == (1.0 + 0.0) / 2
    assert points.rmsd_mm == pytest.approx(math.sqrt((1 + 4) / 4))
    assert points.nsd(1.0) == 3 / 4
    # Outline: 4 columns of 2 corners; pieces of √½ mm at the ends (4) and 1 mm between (4); the
    # single pixel has 4 of √½. Corners of the row are 0, 0, 1 and 2 columns from the pixel's.
    end = math.sqrt(0.5)
    outline = measured((row, first), (1.0, 1.0), "area")
    assert outline.reference_mm.tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_allclose(outline.reference_weights, [2 * end + 2, 2, 2 * end])
    np.testing.assert_allclose(outline.prediction_weights, [4 * end])
    assert outline.assd_mm == pytest.approx((2 + 4 * end) / (8 * end + 4))
    assert outline.nsd(1.0) == pytest.approx((6 * end + 4) / (8 * end + 4))


def test_more_neighbours_find_more_outermost_voxels() -> None:
    # A full cube of 5 without one edge voxel's diagonal neighbour: the voxel inside the edge
    # touches the outside by its edge only.
    block = np.ones((5, 5, 5), np.bool_)
    block[0, 0, :] = False
    middle = np.zeros_like(block)
    middle[2, 2, 2] = True
    counts = {
        connectivity: found.reference_weights.sum()
        for connectivity in (6, 18, 26)
        if (found := point_distances(block, middle, (1.0,) * 3, connectivity=connectivity))
    }
    # 5³ - 5 voxels; inside by faces 3³, of which (1, 1, 1…3) meet the gap by an edge.
    assert counts == {6: 120 - 27, 18: 120 - 24, 26: 120 - 24}


# ------------------------------------------------------------------ what holds for every pair


def slow_points(pair: Pair, spacing: tuple[float, ...]) -> tuple[list[float], list[float]]:
    """Measure distances between outermost voxels one by one."""
    borders = []
    for mask in pair:
        padded = np.pad(mask, 1)
        steps = [s for s in product((-1, 0, 1), repeat=mask.ndim) if sum(map(abs, s)) == 1]
        borders.append(
            [
                place * np.array(spacing)
                for place in np.argwhere(mask)
                if not all(padded[tuple(place + 1 + step)] for step in steps)
            ]
        )
    ours, theirs = borders
    return (
        [min(math.dist(a, b) for b in theirs) for a in ours],
        [min(math.dist(a, b) for b in ours) for a in theirs],
    )


@given(pairs(), st.integers(0, 2))
@SOON
def test_points_are_those_of_a_plain_loop(pair: Pair, number: int) -> None:
    spacing = spacing_of(pair, number)
    ours, theirs = slow_points(pair, spacing)
    found = measured(pair, spacing, "points")
    assert found.hd_mm == pytest.approx(max(*ours, *theirs))
    assert found.hd95_mm() == pytest.approx(max(np.percentile(ours, 95), np.percentile(theirs, 95)))
    assert found.hd95_mm("pooled") == pytest.approx(np.percentile([*ours, *theirs], 95))
    assert found.assd_mm == pytest.approx(np.mean([*ours, *theirs]))
    assert found.masd_mm == pytest.approx((np.mean(ours) + np.mean(theirs)) / 2)
    assert found.rmsd_mm == pytest.approx(np.sqrt(np.mean(np.square([*ours, *theirs]))))
    near = sum(one <= 1.2 for one in (*ours, *theirs))
    assert found.nsd(1.2) == pytest.approx(near / (len(ours) + len(theirs)))


@BOTH_WAYS
@given(pair=pairs(), number=st.integers(0, 2))
@SOON
def test_sides_may_change_places(method: SurfaceMethod, pair: Pair, number: int) -> None:
    assert all("symmetric" in spec.properties for spec in (HD, HD95, ASSD, NSD_1MM))
    spacing = spacing_of(pair, number)
    one, other = measured(pair, spacing, method), measured(pair[::-1], spacing, method)
    assert readings(one) == pytest.approx(readings(other))
    assert one.reference_mm.tolist() == other.prediction_mm.tolist()


@BOTH_WAYS
@given(pair=pairs(), number=st.integers(0, 2), factor=st.sampled_from([0.5, 2.0, 8.0]))
@SOON
def test_distances_grow_with_the_spacing(
    method: SurfaceMethod, pair: Pair, number: int, factor: float
) -> None:
    spacing = spacing_of(pair, number)
    larger = tuple(factor * one for one in spacing)
    one, other = measured(pair, spacing, method), measured(pair, larger, method)
    assert readings(other, unit_mm=factor) == pytest.approx(readings(one))


@BOTH_WAYS
@given(pair=pairs(), moves=st.lists(st.integers(0, 6), min_size=3, max_size=3))
@SOON
def test_where_both_lie_changes_nothing(
    method: SurfaceMethod, pair: Pair, moves: list[int]
) -> None:
    margin = [(move, 6 - move) for move in moves[: pair[0].ndim]]
    moved = np.pad(pair[0], margin), np.pad(pair[1], margin)
    spacing = spacing_of(pair, 1)
    assert readings(measured(pair, spacing, method)) == readings(measured(moved, spacing, method))


@BOTH_WAYS
@given(pair=pairs(), number=st.integers(0, 2))
@SOON
def test_turned_axes_and_memory_change_nothing(
    method: SurfaceMethod, pair: Pair, number: int
) -> None:
    spacing = spacing_of(pair, number)
    plain = readings(measured(pair, spacing, method))
    turned = pair[0].T[::-1], pair[1].T[::-1]
    assert readings(measured(turned, spacing[::-1], method)) == pytest.approx(plain)
    other = np.asfortranarray(pair[0]), np.asfortranarray(np.pad(pair[1], 1))
    inner = (slice(1, -1),) * pair[1].ndim
    for ours, theirs in ((other[0], pair[1]), (other[0], other[1][inner])):
        assert readings(measured((ours, theirs), spacing, method)) == pytest.approx(plain)


@BOTH_WAYS
@given(pair=pairs(), number=st.integers(0, 2))
@SOON
def test_readings_stay_in_order(method: SurfaceMethod, pair: Pair, number: int) -> None:
    found = measured(pair, spacing_of(pair, number), method)
    assert 0 <= found.assd_mm <= found.rmsd_mm <= found.hd_mm + 1e-12
    assert max(found.hd95_mm("pooled"), found.hd95_mm()) <= found.hd_mm + 1e-12
    tolerances = [found.nsd(one) for one in (0.0, 0.5, 1.0, 3.0, found.hd_mm)]
    assert tolerances == sorted(tolerances)
    assert tolerances[-1] == pytest.approx(1.0)
    for values in (found.reference_mm, found.prediction_mm):
        assert (np.diff(values) > 0).all()
        assert not values.flags.writeable


# ------------------------------------------------------------------ many labels


@pytest.mark.parametrize("dtype", ["u1", "u2", ">i2", "i4", "u8"])
def test_labels_are_measured_like_masks(dtype: str) -> None:
    rng = np.random.default_rng(5)
    reference, prediction = rng.integers(0, 4, (2, 7, 8, 9)).astype(dtype)
    reference[reference == 3] = 0
    found = label_surface_distances(reference, prediction, (2, 0, 1, 3, 77), (1.0, 2.0, 0.5))
    assert list(found) == [2, 0, 1, 3, 77]
    assert found[3] is None
    assert found[77] is None
    for label in (0, 1, 2):
        alone = surface_distances(reference == label, prediction == label, (1.0, 2.0, 0.5))
        assert alone is not None
        assert (one := found[label]) is not None
        assert readings(one) == readings(alone)


@pytest.mark.parametrize(("dtype", "label"), [("i4", -7), ("u4", 3_000_000_000), ("i8", 70_000)])
def test_a_label_of_any_size_is_measured(dtype: str, label: int) -> None:
    reference = np.array([[0, label, label, 0]], dtype)
    prediction = np.array([[0, label, 0, 0]], dtype)
    found = label_surface_distances(reference, prediction, (label,), (1.0, 2.0), method="points")
    assert (one := found[label]) is not None
    assert one.hd_mm == 2.0


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("shapes", "spacing", "words"),
    [
        (((3, 3), (3, 4)), (1.0, 1.0), r"two arrays of one shape, got \(3, 3\) and \(3, 4\)"),
        (((3,), (3,)), (1.0,), "two or three axes"),
        (((1, 2, 3, 4), (1, 2, 3, 4)), (1.0,) * 4, r"got \(1, 2, 3, 4\). Measure one volume"),
        (((3, 3), (3, 3)), (1.0, 1.0, 1.0), "spacing_mm: expected 2 numbers above 0"),
        (((3, 3), (3, 3)), (1.0, 0.0), "spacing_mm: .* Take it from the file's header"),
        (((3, 3), (3, 3)), (1.0, math.nan), "spacing_mm"),
        (((3, 3), (3, 3)), (1.0, math.inf), "spacing_mm"),
        (((3, 3), (3, 3)), (1.0, -1.0), "spacing_mm"),
    ],
)
def test_arrays_and_spacings_that_do_not_fit_are_refused(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], spacing: tuple[float, ...], words: str
) -> None:
    ours, theirs = (np.ones(shape, np.bool_) for shape in shapes)
    with pytest.raises(UsageError, match=words):
        surface_distances(ours, theirs, spacing)


def test_masks_must_be_boolean_and_labels_whole() -> None:
    labels, mask = np.ones((2, 2), int), np.ones((2, 2), np.bool_)
    with pytest.raises(UsageError, match="prediction: expected a boolean mask, got int64"):
        surface_distances(mask, labels, (1.0, 1.0))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="reference: expected whole numbers"):
        label_surface_distances(labels / 2, labels, (1,), (1.0, 1.0))


@pytest.mark.parametrize(("connectivity", "axes"), [(8, 3), (26, 2), (1, 3), (0, 2)])
def test_neighbours_that_do_not_exist_are_refused(connectivity: int, axes: int) -> None:
    mask = np.ones((2,) * axes, np.bool_)
    with pytest.raises(UsageError, match=f"for {axes} axes, got {connectivity}"):
        point_distances(mask, mask, (1.0,) * axes, connectivity=connectivity)


def test_an_unknown_way_is_refused() -> None:
    mask = np.ones((2, 2), np.bool_)
    with pytest.raises(UsageError, match="method: expected 'area' or 'points'"):
        surface_distances(mask, mask, (1.0, 1.0), method="mesh")  # type: ignore[arg-type]


# ------------------------------------------------------------------ values of others


def tube(low: int, high: int, *, shift: tuple[int, int, int] = (0, 0, 0), r2: int = 9) -> Pair:
    z, y, x = np.indices((40, 30, 30))
    truth = ((y - 15) ** 2 + (x - 15) ** 2 <= 9) & (z >= 5) & (z < 35)
    moved = ((y - 15) ** 2 + (x - 15) ** 2 <= r2) & (z >= low) & (z < high)
    return truth, np.roll(moved, shift, (0, 1, 2))


GAP = tube(5, 35)
GAP[1][19:21] = False


@pytest.mark.parametrize(
    ("pair", "constant", "unit"),
    [
        (tube(5, 35), 1.0, 1.0),
        (tube(5, 20), 0.676841, 0.700438),
        (tube(5, 35, shift=(0, 0, 1)), 1.0, 1.0),
        (tube(5, 35, shift=(0, 1, 0)), 0.813810, 1.0),
        (tube(5, 35, shift=(1, 0, 0)), 0.966155, 1.0),
        (tube(5, 35, r2=16), 0.836448, 1.0),
        (GAP, 0.978275, 0.994360),
    ],
)
def test_the_vessel_of_the_specification_has_its_surface_dice(
    pair: Pair, constant: float, unit: float
) -> None:
    # VEELA's evaluator takes 3, 2 and 1 mm for every case, by PyPI surface-distance 0.1.
    assert measured(pair, (3.0, 2.0, 1.0)).nsd(1.0) == pytest.approx(constant, abs=5e-7)
    assert measured(pair, (1.0, 1.0, 1.0)).nsd(1.0) == pytest.approx(unit, abs=5e-7)


def real_pair() -> tuple[NDArray[np.integer], NDArray[np.integer], tuple[float, ...]]:
    if not CT.is_dir():
        pytest.skip("OVERREAD_DATA names no folder with totalsegmentator_ct")
    reference = read_label_map(CT / "example_seg.nii.gz")
    prediction = read_label_map(CT / "example_seg_fast.nii.gz")
    assert reference.spacing_mm is not None
    return reference.array, prediction.array, reference.spacing_mm


# surface-distance at 1f805ce (hd, hd95, mean of both averages, nsd at 1 and 3 mm) and MedPy 0.5.2
# (hd, hd95, assd; hd95 and assd with connectivity 2), NumPy 2.4.6, SciPy 1.17.1.
REAL = [
    (1, (3.0, 3.0, 3.0), (4.242640687119285, 3.0, 0.16442385628189243, 0.9452150000431818,
      0.9999342008487704), (4.242640687119285, 3.0, 0.48266238103692155, 3.0, 0.3391202517687591)),
    (1, (0.7, 0.8, 5.0), (1.746424919657298, 0.7, 0.043565383454290715, 0.9997598997835856, 1.0),
     (1.746424919657298, 0.7, 0.11409528430129814, 0.7, 0.08010798580095449)),
    (2, (3.0, 3.0, 3.0), (24.186773244895647, 3.0, 0.2822050352170876, 0.9221238463446466,
      0.9929431006421694), (24.372115213907882, 3.0, 0.6220408513096264, 3.0, 0.4599496369998311)),
    (5, (0.7, 0.8, 5.0), (5.0, 0.7, 0.0676133684439745, 0.9966832525689, 0.999575584647367),
     (5.0, 0.7, 0.13246344584834066, 0.7, 0.09439343857547133)),
    (20, (3.0, 3.0, 3.0), (11.224972160321824, 3.0, 0.44680058695840164, 0.8613869862019724,
      0.9865386338195051), (11.224972160321824, 3.0, 0.895826498380141, 3.0, 0.6583327213326947)),
    (20, (0.7, 0.8, 5.0), (5.048762224545735, 0.8, 0.12403288846170492, 0.9755053455557194,
      0.9977963336895562), (5.048762224545735, 1.063014581273465, 0.26009293243267007, 0.8,
      0.18916625614750937)),
]  # fmt: skip


@pytest.mark.data
@pytest.mark.parametrize(("label", "spacing", "areas", "points"), REAL)
def test_two_libraries_say_the_same_of_real_masks(
    label: int,
    spacing: tuple[float, ...],
    areas: tuple[float, ...],
    points: tuple[float, ...],
) -> None:
    reference, prediction, _ = real_pair()
    pair = reference == label, prediction == label
    by_area = measured(pair, spacing)
    assert (
        by_area.hd_mm,
        by_area.hd95_mm(),
        by_area.masd_mm,
        by_area.nsd(1.0),
        by_area.nsd(3.0),
    ) == pytest.approx(areas, rel=1e-12)
    by_points, wider = (
        point_distances(*pair, spacing),
        point_distances(*pair, spacing, connectivity=18),
    )
    assert by_points is not None
    assert wider is not None
    assert (
        by_points.hd_mm,
        by_points.hd95_mm("pooled"),
        by_points.assd_mm,
        wider.hd95_mm("pooled"),
        wider.assd_mm,
    ) == pytest.approx(points, rel=1e-12)


@pytest.mark.data
def test_forty_shared_labels_of_a_real_pair() -> None:
    reference, prediction, spacing = real_pair()
    shared = set(labels_in(reference)) & set(labels_in(prediction))
    assert len(shared) == 40
    found = label_surface_distances(reference, prediction, sorted(shared), spacing)
    assert all(found.values())
    assert (one := found[1]) is not None
    assert overlap_table(reference, prediction, (1,))[1].dice == pytest.approx(0.9774, abs=5e-5)
    assert one.hd95_mm() == 3.0
    assert one.nsd(3.0) == pytest.approx(0.9999, abs=5e-5)
