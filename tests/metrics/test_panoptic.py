from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import UsageError
from overread.metrics.lesion_matching import LesionRule, match_lesions
from overread.metrics.lesions import lesion_overlap
from overread.metrics.panoptic import PANOPTIC_QUALITY, PanopticQuality, panoptic_quality


def quality(
    reference: NDArray[np.bool_], prediction: NDArray[np.bool_], rule: LesionRule = ("iou", 0.5)
) -> PanopticQuality:
    return panoptic_quality(
        match_lesions(lesion_overlap(reference, prediction, connectivity=4), rule)
    )


def line(text: str) -> NDArray[np.bool_]:
    return np.array([[letter == "#" for letter in text]])


def test_recognition_times_segmentation() -> None:
    # matches: 3 of 4 voxels and 2 of 2; one lesion missed, none invented
    found = quality(line("####.##.#"), line("###..##.."))

    assert found.segmentation == (0.75 + 1) / 2
    assert found.recognition == 2 / 2.5
    assert found.quality == pytest.approx(0.875 * 0.8, abs=1e-15)


def test_nothing_matched_is_0_and_nothing_there_is_undefined() -> None:
    empty, full = line("...."), line("##.#")

    assert quality(full, empty) == PanopticQuality(segmentation=None, recognition=0.0, quality=0.0)
    assert quality(empty, full).quality == 0.0
    assert quality(empty, empty) == PanopticQuality(
        segmentation=None, recognition=None, quality=None
    )
    assert quality(full, full) == PanopticQuality(segmentation=1.0, recognition=1.0, quality=1.0)


@pytest.mark.parametrize("rule", ["any overlap", "centre"])
def test_rules_that_match_one_lesion_twice_are_refused(rule: LesionRule) -> None:
    with pytest.raises(UsageError, match="expected a match that takes each lesion once"):
        quality(line("##"), line("##"), rule)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5])
def test_it_is_symmetric_and_blind_to_numbers(threshold: float) -> None:
    assert PANOPTIC_QUALITY.properties == {"relabelling invariant", "symmetric"}
    rng = np.random.default_rng(4)
    one = rng.random((30, 30)) < 0.5
    other = one ^ (rng.random((30, 30)) < 0.04)
    rule: LesionRule = ("iou", threshold)

    here = quality(one, other, rule).quality

    assert here is not None
    assert PANOPTIC_QUALITY.low < here < PANOPTIC_QUALITY.high
    assert quality(other, one, rule).quality == pytest.approx(here, abs=1e-12)
    assert quality(one.T, other.T, rule).quality == pytest.approx(here, abs=1e-12)
