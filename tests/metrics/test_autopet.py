from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from overread.errors import UsageError
from overread.metrics.autopet import (
    DICE_2022,
    AutoPetScores,
    Edition,
    autopet_scores,
    autopet_scores_of_table,
    pixdim_ml,
)
from overread.metrics.components import label_components
from overread.metrics.lesions import lesion_overlap

ONE_ML = np.float32(1)


def scores(
    reference: NDArray[np.bool_], prediction: NDArray[np.bool_], edition: Edition = "2024"
) -> AutoPetScores:
    table = lesion_overlap(reference, prediction, connectivity=18)
    found = autopet_scores_of_table(table, voxel_ml=ONE_ML, edition=edition)
    numbers = reference.astype(np.uint8), prediction.astype(np.uint8)
    assert autopet_scores(*numbers, voxel_ml=ONE_ML, edition=edition) == found
    return found


def cube(*corners: tuple[int, int, int]) -> NDArray[np.bool_]:
    mask = np.zeros((10, 10, 10), dtype=np.bool_)
    for i, j, k in corners:
        mask[i : i + 2, j : j + 2, k : k + 2] = True
    return mask


def test_two_cubes_one_of_them_hit_and_one_invented() -> None:
    found = scores(cube((1, 1, 1), (6, 6, 6)), cube((2, 1, 1), (1, 6, 6)))

    assert found == AutoPetScores(dice=0.25, fpv_ml=8.0, fnv_ml=8.0)


def test_joined_by_an_edge_is_one_component_and_by_a_corner_two() -> None:
    reference = np.zeros((3, 3, 3), dtype=np.bool_)
    reference[0, 0, 0] = True
    edge, corner = reference.copy(), reference.copy()
    edge[0, 1, 1] = corner[1, 1, 1] = True

    assert scores(reference, edge).fpv_ml == 0.0
    assert scores(reference, corner).fpv_ml == 1.0


EMPTY, TWO = np.zeros((3, 3, 3), dtype=np.bool_), np.zeros((3, 3, 3), dtype=np.bool_)
TWO[1, 1, :2] = True


@pytest.mark.parametrize(
    ("edition", "reference", "prediction", "expected"),
    [
        ("2024", EMPTY, TWO, (None, 2.0, None)),
        ("2024", TWO, EMPTY, (0.0, 0.0, 2.0)),
        ("2024", EMPTY, EMPTY, (None, 0.0, None)),
        ("2022", EMPTY, TWO, (0.0, 2.0, 0.0)),
        ("2022", TWO, EMPTY, (0.0, 0.0, 2.0)),
        ("2022", EMPTY, EMPTY, (None, 0.0, 0.0)),
    ],
)
def test_empty_masks(
    edition: Edition,
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    expected: tuple[float | None, float, float | None],
) -> None:
    found = scores(reference, prediction, edition)

    assert (found.dice, found.fpv_ml, found.fnv_ml) == expected


def test_masks_of_other_numbers_corrupt_the_sums() -> None:
    # As the script has it: 2·Σ(1·255)/(Σ1 + Σ255) over the same two voxels; no component is missed.
    reference = np.ones((1, 1, 2), dtype=np.uint8)
    found = autopet_scores(reference, 255 * reference, voxel_ml=ONE_ML, edition="2024")

    assert found == AutoPetScores(dice=2 * 510 / 512, fpv_ml=0.0, fnv_ml=0.0)


def test_touching_lesions_of_two_numbers_are_two_components() -> None:
    reference = np.zeros((1, 1, 4), dtype=np.uint8)
    reference[0, 0, 0] = 1
    prediction = np.array([[[1, 2, 2, 0]]], dtype=np.uint8)

    # one component of 0 and 1 would touch the reference: nothing false
    assert autopet_scores(reference, prediction, voxel_ml=ONE_ML, edition="2024").fpv_ml == 2.0
    flat = (prediction != 0).astype(np.uint8)
    assert autopet_scores(reference, flat, voxel_ml=ONE_ML, edition="2024").fpv_ml == 0.0


def test_shapes_that_differ_stop_it() -> None:
    with pytest.raises(UsageError, match=r"the shape of the reference, \(1, 1, 2\)"):
        autopet_scores(
            np.ones((1, 1, 2), dtype=np.uint8),
            np.ones((1, 2, 1), dtype=np.uint8),
            voxel_ml=ONE_ML,
            edition="2024",
        )


NUMBERS = npst.arrays(np.uint8, (3, 4, 3), elements={"min_value": 0, "max_value": 2})


@settings(max_examples=50, deadline=None)
@given(reference=NUMBERS, prediction=NUMBERS)
def test_histograms_give_what_loops_over_components_give(
    reference: NDArray[np.uint8], prediction: NDArray[np.uint8]
) -> None:
    found = autopet_scores(reference, prediction, voxel_ml=ONE_ML, edition="2022")

    missed = 0
    for number in (1, 2):
        labels, count = label_components(prediction == number, connectivity=18)
        for each in range(1, count + 1):
            component = labels == each
            if (component * reference.astype(float)).sum() == 0:
                missed += int(component.sum())
    assert found.fpv_ml == missed
    total = float(reference.sum()) + float(prediction.sum())
    shared = (reference.astype(float) * prediction.astype(float)).sum()
    assert found.dice == (2 * shared / total if total else None)


@settings(max_examples=30, deadline=None)
@given(one=NUMBERS, other=NUMBERS)
def test_dice_of_2022_is_symmetric(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> None:
    assert "symmetric" in DICE_2022.properties
    there = autopet_scores(one, other, voxel_ml=ONE_ML, edition="2022")
    back = autopet_scores(other, one, voxel_ml=ONE_ML, edition="2022")

    assert there.dice == back.dice
    assert there.fpv_ml == back.fnv_ml


# ---------------------------------------------------------------- the released sample


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "dice", "fpv_ml", "fnv_ml"),
    [
        (
            "expected_output_nnUNet/psma_95b833d46f153cd2_2018-04-16.nii.gz",
            0.6967340590979783,
            "2.753599",
            "25.014624",
        ),
        ("expected_output_dc/PRED.nii.gz", 0.6604252513598154, "4.976384", "18.711205"),
    ],
)
def test_the_released_sample(name: str, dice: float, fpv_ml: str, fnv_ml: str) -> None:
    root = os.environ.get("OVERREAD_DATA")
    if not root:
        pytest.skip("OVERREAD_DATA names no folder of released files")
    folder = Path(root) / "autopet3" / "test"
    import nibabel

    reference = nibabel.load(folder / "orig" / "psma_95b833d46f153cd2_2018-04-16.nii.gz")
    prediction = nibabel.load(folder / name)
    voxel_ml = pixdim_ml(reference.header["pixdim"][1:4])  # pyright: ignore
    start = time.perf_counter()
    found = scores(
        np.asanyarray(reference.dataobj) != 0,  # pyright: ignore
        np.asanyarray(prediction.dataobj) != 0,  # pyright: ignore
    )
    seconds = time.perf_counter() - start

    assert found.dice == dice
    voxels = (found.fpv_ml, found.fnv_ml)
    assert [f"{np.float32(each) * voxel_ml:.6f}" for each in voxels] == [fpv_ml, fnv_ml]
    assert seconds < 5
