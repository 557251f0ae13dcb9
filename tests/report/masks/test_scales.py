"""Axes and numbers of mask metrics."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from overread.report.masks.scales import axis_of, larger_is_better, mask_number, metric_title


def test_an_overlap_runs_from_nothing_to_all_whatever_its_values() -> None:
    axis = axis_of("dice", "share", [0.91, 0.93])
    assert (axis.x(0), axis.x(0.91), axis.x(1)) == ("0.00%", "91.00%", "100.00%")
    assert [tick.label for tick in axis.ticks] == ["0", "0.25", "0.5", "0.75", "1"]


def test_a_far_distance_does_not_press_the_others_together() -> None:
    axis = axis_of("hd95_mm", "mm", [1.0, 3.0, 180.0])
    assert axis.high == 200
    assert axis.share(0) == 0
    assert axis.share(3) == pytest.approx(math.log(4) / math.log(201))
    assert axis.share(3) > 0.25
    labels = [tick.label for tick in axis.ticks]
    assert (labels[0], labels[-1]) == ("0", "200")
    places = [float(tick.x[:-1]) for tick in axis.ticks]
    assert min(b - a for a, b in pairwise(places)) >= 9


def test_a_signed_share_has_nothing_in_the_middle_and_counts_what_is_beyond() -> None:
    axis = axis_of("volume_difference", "share", [-0.5, 3.0])
    assert (axis.low, axis.high) == (-1, 1)
    assert axis.share(0) == 0.5
    assert axis.share(3.0) == 1
    assert axis.n_beyond([-0.5, 1.0, 3.0]) == 1
    assert [tick.label for tick in axis.ticks] == ["−100 %", "−50 %", "0", "+50 %", "+100 %"]


def test_no_value_at_all_still_makes_an_axis() -> None:
    assert axis_of("hd95_mm", "mm", []).high == 1


@pytest.mark.parametrize(
    ("value", "metric", "unit", "text"),
    [
        (0.9774, "dice", "share", "0.977"),
        (-0.148, "volume_difference", "share", "−14.8 %"),
        (3.0, "hd95_mm", "mm", "3.00"),
        (87.04, "hd95_mm", "mm", "87.0"),
        (1534.4, "reference_ml", "ml", "1534"),
        (12.0, "lesions_found", "lesions", "12"),
        (None, "dice", "share", "–"),
        (math.nan, "dice", "share", "–"),
    ],
)
def test_numbers_are_written_with_what_their_unit_can_tell(
    value: float | None, metric: str, unit: str, text: str
) -> None:
    assert mask_number(value, metric, unit) == text


def test_titles_have_their_unit_and_directions_are_known() -> None:
    assert metric_title("nsd_2mm", "share") == "NSD at 2 mm"
    assert metric_title("reference_ml", "ml") == "Volume of the reference, ml"
    assert metric_title("challenge_score", "points") == "challenge score, points"
    assert larger_is_better("dice")
    assert not larger_is_better("hd95_mm")
