"""MedVIGIL's axes and composite against the printed rows (hq0709/MedVIGIL, paper's table)."""

from __future__ import annotations

from typing import Any

import pytest

from overread.errors import UsageError
from overread.metrics.evidence import TIER_WEIGHTS, EvidenceAxes, evidence_axes, lost_at

# Per cent as printed: original, paraphrase, negation, specificity drop, region only, region masked.
RADIOLOGIST = (95.3, 92.7, 90.7, 91.5, 91.0, 86.5), (0.0, 4.8, 5.9, 10.5, 12.2)
OPUS = (78.7, 78.0, 83.1, 79.9, 64.6, 41.7), (4.2, 19.4, 30.9, 23.3, 28.4)
NANO = (31.7, 29.7, 16.9, 25.0, 12.0, 39.1), (24.6, 59.7, 58.5, 68.6, 55.4)


def axes(row: tuple[tuple[float, ...], tuple[float, ...]]) -> EvidenceAxes:
    original, paraphrase, negation, drop, only, masked = (value / 100 for value in row[0])
    return evidence_axes(
        original=original,
        paraphrase=paraphrase,
        negation=negation,
        specificity_drop=drop,
        trap_failures={t: v / 100 for t, v in zip(TIER_WEIGHTS, row[1], strict=True)},
        roi_only=only,
        roi_masked=masked,
    )


@pytest.mark.parametrize(
    ("row", "capability", "safety", "grounding", "composite"),
    [(RADIOLOGIST, 92.55, 90.6632, 70.5, 83.2889), (OPUS, 79.925, 74.77, 57.3, 69.22)],
)
def test_printed_rows(
    row: Any, capability: float, safety: float, grounding: float, composite: float
) -> None:
    found = axes(row)
    assert 100 * found.capability == pytest.approx(capability, abs=5e-4)
    assert 100 * found.safety == pytest.approx(safety, abs=5e-3)
    assert 100 * found.grounding == pytest.approx(grounding, abs=5e-4)
    assert found.composite is not None
    assert 100 * found.composite == pytest.approx(composite, abs=5e-3)


def test_radiologist_from_counts() -> None:
    failed = {"L1": 0 / 142, "L2": 3 / 62, "L3": 14 / 236, "L4": 9 / 86, "L5": 9 / 74}
    found = evidence_axes(
        original=286 / 300,
        paraphrase=278 / 300,
        negation=204 / 225,
        specificity_drop=150 / 164,
        trap_failures=failed,
        roi_only=175 / 192,
        roi_masked=166 / 192,
    )
    assert found.composite == pytest.approx(0.833226, abs=5e-7)
    assert 1 - found.safety == pytest.approx(0.093209, abs=5e-7)


def test_the_grounding_axis_does_not_hold_the_masked_accuracy() -> None:
    assert axes(NANO).grounding == pytest.approx((0.120 + 0.5) / 2)


def test_harmonic_mean_and_its_limits() -> None:
    low = EvidenceAxes(capability=0.9, safety=0.9, grounding=0.1)
    assert low.composite == pytest.approx(0.245455, abs=5e-7)
    assert EvidenceAxes(capability=0.0, safety=1.0, grounding=0.25).composite == 0.0
    assert EvidenceAxes(capability=0.0, safety=0.0, grounding=0.25).composite is None


@pytest.mark.parametrize("failures", [{}, {"L9": 0.5}])
def test_unknown_tiers_are_refused(failures: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="trap_failures"):
        evidence_axes(
            original=0, paraphrase=0, negation=0, specificity_drop=0,
            trap_failures=failures, roi_only=0, roi_masked=0,
        )  # fmt: skip


# The blur series of GPT-4o on originals that need their picture, and its accuracy without one.
BLUR = [0, 2, 4, 8, 16, 32, 64], [0.591, 0.588, 0.503, 0.463, 0.345, 0.186, 0.149]


def test_the_blur_at_which_the_picture_is_lost() -> None:
    assert lost_at(*BLUR, without=0.051) == 64  # 9.8 of 54.0 points are left: 18 %
    assert lost_at(*BLUR, without=0.051, share=0.26) == 32  # 13.5 of 54.0: 25 %
    assert lost_at(BLUR[0][:6], BLUR[1][:6], without=0.051) is None
    assert lost_at([0, 2], [0.2, 0.1], without=0.2) is None  # the picture adds nothing


@pytest.mark.parametrize("doses", [[], [0, 2]])
def test_doses_and_accuracies_go_together(doses: list[float]) -> None:
    with pytest.raises(UsageError, match="accuracies"):
        lost_at(doses, [0.5], without=0.1)
