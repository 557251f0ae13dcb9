from __future__ import annotations

import numpy as np
import pytest

from overread.errors import UsageError
from overread.metrics.lits import LitsObject, lits_table, match_lits
from overread.metrics.lits_outlines import LitsScores, outline_distances, score_objects
from overread.metrics.lits_specs import LITS_METRICS
from overread.registry import metric_specs


def box(shape, *spans):
    array = np.zeros(shape, dtype=np.bool_)
    array[tuple(slice(*span) for span in spans)] = True
    return array


def test_two_voxels_apart():
    left, right = box((5, 3, 3), (0, 1), (1, 2), (1, 2)), box((5, 3, 3), (4, 5), (1, 2), (1, 2))
    found = outline_distances(left, right, (2.0, 1.0, 1.0))
    assert (found.assd_mm, found.rmsd_mm, found.msd_mm) == (8.0, pytest.approx(8.0), 8.0)


def test_a_shifted_cube():
    # 3×3×3 cubes one voxel apart along the first axis; of each cube only its middle is inside.
    left, right = (box((6, 5, 5), (1 + s, 4 + s), (1, 4), (1, 4)) for s in (0, 1))
    found = outline_distances(left, right, (1.0, 1.0, 1.0))
    # Of 26 outline voxels: 9 in the plane that sticks out lie 1 mm off, 8 around each of the two
    # shared planes lie on the other's outline but for the middle of the plane, 1 mm off.
    assert found.msd_mm == 1.0
    near = (9 + 1) / 26
    assert found.assd_mm == pytest.approx(near)
    assert found.rmsd_mm == pytest.approx(near**0.5)


def test_outlines_take_in_edges_but_no_corners():
    # Of a cube of 5 without one corner voxel: a neighbour across the corner stays inside.
    cube = box((7, 7, 7), (1, 6), (1, 6), (1, 6))
    notched = cube.copy()
    notched[1, 1, 1] = False
    found = outline_distances(cube, notched, (1.0, 1.0, 1.0))
    assert found.msd_mm == 1.0  # the corner itself; (2, 2, 2) is no outline voxel of either


def test_what_touches_the_border_has_an_outline_there():
    whole = np.ones((4, 4, 4), dtype=np.bool_)
    shell = whole.copy()
    shell[1:3, 1:3, 1:3] = False
    assert outline_distances(whole, shell, (1.0, 1.0, 1.0)).msd_mm == 0.0


def test_directions_may_be_swapped():
    rng = np.random.default_rng(3)
    left, right = (rng.random((6, 7, 8)) < 0.2 for _ in range(2))
    one, other = (
        outline_distances(*pair, (0.7, 1.1, 2.5)) for pair in ((left, right), (right, left))
    )
    assert (one.assd_mm, one.msd_mm) == (pytest.approx(other.assd_mm), other.msd_mm)


def test_an_empty_side_has_no_distance():
    left = box((3, 3, 3), (0, 1), (0, 1), (0, 1))
    assert outline_distances(left, np.zeros_like(left), (1.0, 1.0, 1.0)) is None
    assert outline_distances(np.zeros_like(left), left, (1.0, 1.0, 1.0)) is None


def test_a_spacing_for_each_axis_is_needed():
    left = box((3, 3, 3), (0, 1), (0, 1), (0, 1))
    with pytest.raises(UsageError, match="one distance for each of 3 axes"):
        outline_distances(left, left, (1.0, 1.0))


def test_the_sizes_give_three_volume_differences():
    reference, prediction = (
        box((9, 1, 1), (0, 8), (0, 1), (0, 1)),
        box((9, 1, 1), (0, 5), (0, 1), (0, 1)),
    )
    table = lits_table(reference, prediction)
    (found,) = score_objects(
        table, match_lits(table, threshold=0.5, mended=True).scored, (1.0, 1.0, 1.0)
    )
    assert (found.signed_rvd, found.rvd, found.ravd) == (3 / 5, 3 / 5, 3 / 8)
    assert (found.dice, found.jaccard) == (10 / 13, pytest.approx(5 / 8))
    assert found.voe == pytest.approx(3 / 8)


def test_an_object_without_reference_has_no_distance_and_no_difference():
    alone = LitsObject(
        number=3,
        references=(),
        predictions=(1,),
        overlap_voxels=0,
        reference_voxels=0,
        prediction_voxels=8,
    )
    table = lits_table(*[box((2, 2, 2), (0, 2), (0, 2), (0, 2))] * 2)
    (found,) = score_objects(table, (alone,), (1.0, 1.0, 1.0))
    assert found == LitsScores(object=alone, distances=None)
    assert (found.dice, found.rvd, found.ravd) == (0.0, None, None)


def test_every_number_declares_itself():
    assert set(LITS_METRICS) <= set(metric_specs())
