from __future__ import annotations

import os
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from overread.errors import UsageError
from overread.metrics import components, lesions
from overread.metrics.components import Connectivity, label_components
from overread.metrics.lesions import (
    FNV_ML,
    FPV_ML,
    LesionOverlap,
    false_negative_volume_ml,
    false_positive_volume_ml,
    lesion_overlap,
)

ONE_ML = (10.0, 10.0, 10.0)


def cube(*corners: tuple[int, int, int]) -> NDArray[np.bool_]:
    """Cubes of 2³ voxels in a grid of 10³."""
    mask = np.zeros((10, 10, 10), dtype=np.bool_)
    for i, j, k in corners:
        mask[i : i + 2, j : j + 2, k : k + 2] = True
    return mask


def volumes(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    connectivity: Connectivity = 18,
) -> tuple[float, float | None]:
    table = lesion_overlap(reference, prediction, connectivity=connectivity)
    return (
        false_positive_volume_ml(table, spacing_mm=ONE_ML),
        false_negative_volume_ml(table, spacing_mm=ONE_ML),
    )


def test_two_cubes_one_of_them_hit_and_one_invented() -> None:
    # Toy of the autoPET III specification: the first cube is shifted by one voxel (4 in common),
    # the second is missed (8 ml), another one is invented (8 ml).
    reference = cube((1, 1, 1), (6, 6, 6))
    prediction = cube((2, 1, 1), (1, 6, 6))

    table = lesion_overlap(reference, prediction, connectivity=18)

    assert table.reference_voxels.tolist() == [8, 8]
    assert table.prediction_voxels.tolist() == [8, 8]
    assert table.overlap_voxels.tolist() == [4]
    assert table.reference_covered.tolist() == [4, 0]
    assert volumes(reference, prediction) == (8.0, 8.0)
    # Dice of the same masks from the table: 2·4 / (16 + 16)
    assert 2 * table.overlap_voxels.sum() / 32 == 0.25


@pytest.mark.parametrize(
    ("second", "connectivity", "fpv_ml"),
    [
        ((1, 2, 2), 18, 0.0),  # joined by an edge: one component, which is hit
        ((2, 2, 2), 18, 1.0),  # joined by a corner: two, of which one is invented
        ((2, 2, 2), 26, 0.0),
        ((1, 2, 2), 6, 1.0),
    ],
)
def test_what_hangs_together_is_hit_together(
    second: tuple[int, int, int], connectivity: Connectivity, fpv_ml: float
) -> None:
    reference = np.zeros((4, 4, 4), dtype=np.bool_)
    reference[1, 1, 1] = True
    prediction = reference.copy()
    prediction[second] = True

    assert volumes(reference, prediction, connectivity) == (fpv_ml, 0.0)


def test_sides_without_lesions() -> None:
    empty, two = np.zeros((4, 4, 4), dtype=np.bool_), np.zeros((4, 4, 4), dtype=np.bool_)
    two[1, 1, 1:3] = True

    assert volumes(empty, two) == (2.0, None)
    assert volumes(two, empty) == (0.0, 2.0)
    assert volumes(empty, empty) == (0.0, None)


def test_a_blob_over_everything_is_right_by_these_rules() -> None:
    reference = cube((1, 1, 1))

    assert volumes(reference, np.ones_like(reference)) == (0.0, 0.0)


def test_volume_follows_the_spacing() -> None:
    table = lesion_overlap(cube((1, 1, 1)), cube((6, 6, 6)), connectivity=6)

    assert false_positive_volume_ml(table, spacing_mm=(4.0, 4.0, 3.0)) == 8 * 48 / 1000
    assert false_negative_volume_ml(table, spacing_mm=(1.0, 2.0, 3.0)) == 8 * 6 / 1000


@pytest.mark.parametrize(
    "spacing_mm", [(1.0, 1.0), (1.0, 1.0, 0.0), (1.0, 1.0, -2.0), (1.0, 1.0, float("nan"))]
)
def test_a_spacing_that_has_no_volume_is_refused(spacing_mm: tuple[float, ...]) -> None:
    table = lesion_overlap(cube((1, 1, 1)), cube((6, 6, 6)), connectivity=6)

    with pytest.raises(UsageError, match="spacing_mm: expected three lengths above 0"):
        false_positive_volume_ml(table, spacing_mm=spacing_mm)


def test_shapes_must_agree() -> None:
    with pytest.raises(UsageError, match=r"the shape of the reference, \(10, 10, 10\)"):
        lesion_overlap(cube((1, 1, 1)), np.zeros((10, 10, 9), dtype=np.bool_), connectivity=6)


def test_centres_are_voxels_of_the_whole_array() -> None:
    table = lesion_overlap(cube((1, 2, 3), (6, 6, 6)), cube((6, 6, 7)), connectivity=26)

    assert table.reference_centres.tolist() == [[1.5, 2.5, 3.5], [6.5, 6.5, 6.5]]
    assert table.prediction_centres.tolist() == [[6.5, 6.5, 7.5]]
    # the reference's centre (7, 7, 7) lies in the prediction, which starts there
    assert table.centre_pairs.tolist() == [[1, 0]]


def test_the_layout_in_memory_changes_numbers_of_components_alone() -> None:
    reference, prediction = random_pair(21)

    table = lesion_overlap(reference, prediction, connectivity=18)
    turned = lesion_overlap(
        np.asfortranarray(reference), np.asfortranarray(prediction), connectivity=18
    )

    for one, other in (
        (table.reference_centres, turned.reference_centres),
        (table.prediction_centres, turned.prediction_centres),
    ):
        assert sorted(map(tuple, one.round(9).tolist())) == sorted(
            map(tuple, other.round(9).tolist())
        )
    assert sorted(table.iou.tolist()) == sorted(turned.iou.tolist())
    assert len(table.centre_pairs) == len(turned.centre_pairs)
    assert table.false_positive_voxels == turned.false_positive_voxels


def test_voxels_may_be_counted_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    reference, prediction = random_pair(4)
    whole = lesion_overlap(reference, prediction, connectivity=26)

    for module in (lesions, components):
        monkeypatch.setattr(module, "_VOXELS_AT_ONCE", 7)
    pieces = lesion_overlap(reference, prediction, connectivity=26)

    np.testing.assert_array_equal(pieces.reference_voxels, whole.reference_voxels)
    np.testing.assert_allclose(pieces.reference_centres, whole.reference_centres)
    np.testing.assert_array_equal(pieces.centre_pairs, whole.centre_pairs)
    np.testing.assert_array_equal(pieces.pairs, whole.pairs)
    np.testing.assert_array_equal(pieces.overlap_voxels, whole.overlap_voxels)


def test_a_large_mask_takes_little_beside_itself() -> None:
    reference = np.zeros((160, 160, 160), dtype=np.bool_)
    reference[20:140, 20:140, 20:140] = True
    prediction = np.roll(reference, 3, axis=0)
    lesion_overlap(reference[:4], prediction[:4], connectivity=18)  # the library is loaded

    tracemalloc.start()
    lesion_overlap(reference, prediction, connectivity=18)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    # twelve bytes for each voxel of both foregrounds, and about as much again while they meet
    assert peak < 40 * int((reference | prediction).sum())


def test_a_ring_has_its_centre_in_what_fills_it() -> None:
    ring = np.ones((5, 5), dtype=np.bool_)
    ring[1:4, 1:4] = False
    dot = np.zeros((5, 5), dtype=np.bool_)
    dot[2, 2] = True

    table = lesion_overlap(ring, dot, connectivity=4)

    assert table.pairs.tolist() == []
    assert table.centre_pairs.tolist() == [[0, 0]]


def test_one_component_may_meet_several() -> None:
    reference = np.array([[1, 1, 0, 1, 0, 1]])
    prediction = np.array([[0, 1, 1, 1, 0, 0]])

    table = lesion_overlap(reference, prediction, connectivity=8)

    assert table.pairs.tolist() == [[0, 0], [1, 0]]
    assert table.prediction_covered.tolist() == [2]
    np.testing.assert_allclose(table.iou, [1 / 4, 1 / 3])


def by_loops(reference: NDArray[np.bool_], prediction: NDArray[np.bool_]) -> tuple[int, int]:
    """Count false voxels the slow way: component by component."""
    found: list[int] = []
    for one, other in ((prediction, reference), (reference, prediction)):
        labels, count = label_components(one, connectivity=18)
        found.append(
            sum(
                int((labels == each).sum())
                for each in range(1, count + 1)
                if not (other & (labels == each)).any()
            )
        )
    return found[0], found[1]


def random_pair(seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    return rng.random((14, 13, 12)) < 0.06, rng.random((14, 13, 12)) < 0.06


@pytest.mark.parametrize("seed", range(5))
def test_histograms_count_what_loops_count(seed: int) -> None:
    reference, prediction = random_pair(seed)
    table = lesion_overlap(reference, prediction, connectivity=18)

    assert (table.false_positive_voxels, table.false_negative_voxels) == by_loops(
        reference, prediction
    )
    assert table.overlap_voxels.sum() == (reference & prediction).sum()
    assert table.reference_voxels.sum() == reference.sum()


MASKS = npst.arrays(np.bool_, (5, 4, 6))


@settings(max_examples=60, deadline=None)
@given(one=MASKS, other=MASKS)
def test_the_sides_are_treated_alike(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> None:
    table = lesion_overlap(one, other, connectivity=18)
    turned = lesion_overlap(other, one, connectivity=18)

    assert table.false_positive_voxels == turned.false_negative_voxels
    np.testing.assert_array_equal(table.reference_voxels, turned.prediction_voxels)
    as_set = {tuple(pair) for pair in table.pairs.tolist()}
    assert as_set == {(b, a) for a, b in turned.pairs.tolist()}
    centres = {tuple(pair) for pair in table.centre_pairs.tolist()}
    assert centres == {(b, a) for a, b in turned.centre_pairs.tolist()}


@settings(max_examples=40, deadline=None)
@given(one=MASKS, other=MASKS)
def test_volumes_do_not_depend_on_where_and_how_lesions_are_numbered(
    one: NDArray[np.bool_], other: NDArray[np.bool_]
) -> None:
    assert {"relabelling invariant"} <= FPV_ML.properties & FNV_ML.properties
    here = volumes(one, other)

    assert volumes(one[::-1, :, ::-1], other[::-1, :, ::-1]) == here
    assert volumes(one.transpose(2, 0, 1), other.transpose(2, 0, 1)) == here
    assert volumes(np.pad(one, 2), np.pad(other, 2)) == here
    assert here[0] >= FPV_ML.low


def test_a_mask_against_itself_has_no_false_voxel() -> None:
    mask, _ = random_pair(9)
    table = lesion_overlap(mask, mask, connectivity=26)

    assert (table.false_positive_voxels, table.false_negative_voxels) == (0, 0)
    assert table.iou.tolist() == [1.0] * table.n_reference
    assert table.pairs[:, 0].tolist() == table.pairs[:, 1].tolist()


# ---------------------------------------------------------------- the released sample


def sample(name: str) -> NDArray[np.bool_]:
    root = os.environ.get("OVERREAD_DATA")
    if not root:
        pytest.skip("OVERREAD_DATA names no folder of released files")
    path = Path(root) / "autopet3" / "test" / name
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    import nibabel

    return np.asanyarray(nibabel.load(path).dataobj) != 0  # pyright: ignore


REFERENCE = "orig/psma_95b833d46f153cd2_2018-04-16.nii.gz"
NNUNET = "expected_output_nnUNet/psma_95b833d46f153cd2_2018-04-16.nii.gz"
DATACENTRIC = "expected_output_dc/PRED.nii.gz"


@pytest.mark.data
@pytest.mark.parametrize(("connectivity", "lesions"), [(6, 122), (18, 112), (26, 111)])
def test_lesions_of_the_released_sample(connectivity: Connectivity, lesions: int) -> None:
    reference = sample(REFERENCE)

    assert int(reference.sum()) == 12_996
    assert label_components(reference, connectivity=connectivity)[1] == lesions


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "false_positive", "false_negative"),
    [(NNUNET, (83, 8), (754, 22)), (DATACENTRIC, (150, None), (564, None))],
)
def test_false_volumes_of_the_released_sample(
    name: str, false_positive: tuple[int, int | None], false_negative: tuple[int, int | None]
) -> None:
    reference, prediction = sample(REFERENCE), sample(name)

    start = time.perf_counter()
    table = lesion_overlap(reference, prediction, connectivity=18)
    seconds = time.perf_counter() - start

    assert (table.false_positive_voxels, table.false_negative_voxels) == (
        false_positive[0],
        false_negative[0],
    )
    if false_positive[1] is not None:
        counts = ((table.prediction_covered == 0).sum(), (table.reference_covered == 0).sum())
        assert counts == (false_positive[1], false_negative[1])
    assert seconds < 5  # loops over components take half a minute


def test_tables_are_frozen() -> None:
    table = lesion_overlap(cube((1, 1, 1)), cube((1, 1, 1)), connectivity=6)

    assert isinstance(table, LesionOverlap)
    with pytest.raises(AttributeError):
        table.connectivity = 18  # type: ignore[misc]
