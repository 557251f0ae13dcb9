"""Means under three policies for empty masks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from overread.analysis.empty_masks import POLICIES, ledger_of_labels, mask_ledger
from overread.errors import UsageError
from overread.records import Profile, Score, Status


def _row(item: str, value: float | None, answer: str | None, metric: str = "dice") -> Score:
    status = Status.OK if value is not None else Status.UNDEFINED if answer else Status.FAILED
    return Score(
        run="r", item=item, patient=item, metric=metric, metric_version="1", profile="honest",
        unit="1", value=value, status=status, answer=answer,
    )  # fmt: skip


CASES = [
    ("a", 0.8, "both present"),
    ("b", 0.6, "both present"),
    ("c", 0.0, "missed"),
    ("d", 0.0, "invented"),
    ("e", None, "both empty"),
    ("f", None, None),
]


def test_dice_has_three_means() -> None:
    (row,) = mask_ledger([_row(*case) for case in CASES], metrics=["dice"])
    assert (row.n, row.n_both_present, row.n_missed, row.n_invented) == (6, 2, 1, 1)
    assert (row.n_both_empty, row.n_without_prediction) == (1, 1)
    assert row.means == {
        "defined": pytest.approx(1.4 / 4),
        "reference present": pytest.approx(1.4 / 4),  # a, b, c, f
        "empty agreement is perfect": pytest.approx(2.4 / 6),
    }
    assert row.counted == {
        "defined": 4, "reference present": 4, "empty agreement is perfect": 6,
    }  # fmt: skip
    assert row.is_moved


def test_a_missing_mask_of_an_empty_reference_has_nothing_to_find() -> None:
    scores = [_row("a", 0.8, "both present"), _row("f", None, None)]
    (row,) = mask_ledger([*scores, _row("f", 0.0, None, "reference_voxels")], metrics=["dice"])
    assert row.means["reference present"] == 0.8
    assert row.means["empty agreement is perfect"] == 0.4


def test_an_unusable_reference_counts_nowhere() -> None:
    lost = replace(_row("u", None, None, "hd95_mm"), status=Status.UNDEFINED)
    there = [_row("a", 2.0, "both present", "hd95_mm"), _row("a", 9.0, None, "grid_diagonal_mm")]
    alone, beside = (mask_ledger(each, metrics=["hd95_mm"]) for each in (there, [*there, lost]))
    assert alone == beside
    assert alone[0].counted["reference present"] == 1


def test_a_distance_to_nothing_is_the_diagonal_of_its_grid() -> None:
    # MONAI #9095: dropped, a missed structure improves the mean.
    scores = [
        _row("a", 2.0, "both present", "hd95_mm"),
        _row("c", None, "missed", "hd95_mm"),
        _row("e", None, "both empty", "hd95_mm"),
        *(_row(item, 100.0, None, "grid_diagonal_mm") for item in "ace"),
    ]
    (row,) = mask_ledger(scores, metrics=["hd95_mm"])
    assert row.means == {
        "defined": 2.0,
        "reference present": 51.0,
        "empty agreement is perfect": pytest.approx(102 / 3),
    }


def test_without_a_diagonal_a_missed_distance_is_not_known() -> None:
    scores = [_row("a", 2.0, "both present", "hd95_mm"), _row("c", None, "missed", "hd95_mm")]
    (row,) = mask_ledger(scores, metrics=["hd95_mm"])
    assert row.means["defined"] == 2.0
    assert row.means["reference present"] is None
    assert row.is_moved


def test_policies_agree_where_nothing_is_empty() -> None:
    (row,) = mask_ledger([_row(*case) for case in CASES[:2]], metrics=["dice"])
    assert set(row.means) == set(POLICIES)
    assert not row.is_moved


def test_no_case_has_no_mean() -> None:
    (row,) = mask_ledger([_row("e", None, "both empty")], metrics=["dice"])
    assert row.means["defined"] is None
    assert row.means["reference present"] is None
    assert row.means["empty agreement is perfect"] == 1.0
    assert mask_ledger([], metrics=["dice"]) == ()


def test_labels_stand_apart() -> None:
    rows = mask_ledger(
        [_row("a", 1.0, "both present"), _row("a", 0.5, "both present", "iou")],
        metrics=["iou", "dice"],
    )
    assert [row.metric for row in rows] == ["iou", "dice"]


@pytest.mark.parametrize(
    "metric",
    [
        "reference_ml",
        "no such metric",
        "swapped_share",  # 0 is the best of it
        "reference_skeleton_mm",  # a length, neither good nor bad
        "clean_negative",  # of empty references alone
    ],
)
def test_a_metric_without_a_worst_value_is_refused(metric: str) -> None:
    with pytest.raises(
        UsageError, match="overlaps from 0 to 1 of which more is better, or distances"
    ):
        mask_ledger([], metrics=[metric])


def test_labels_are_taken_together_and_not_the_mean_of_a_case() -> None:
    """One of two structures missed: its case is not charged with the whole diagonal."""

    def row(target: str | None, value: float | None, fate: str, profile: Profile) -> Score:
        return replace(_row("a", value, fate, "hd95_mm"), target=target, profile=profile)

    scores = [
        row("liver", 2.0, "both present", "honest"),
        row("spleen", None, "missed", "honest"),
        row(None, None, "both present", "honest"),  # the mean over both has no value
        row(None, 7.0, "both present", "published"),  # which has no labels of its own
        _row("a", 100.0, None, "grid_diagonal_mm"),
    ]
    ledger = mask_ledger(scores, metrics=["hd95_mm"])
    assert [one.means["reference present"] for one in ledger] == [2.0, 100.0, 100.0, 7.0]
    pooled = ledger_of_labels(ledger)
    assert [(one.profile, one.target) for one in pooled] == [
        ("honest", None), ("honest", "liver"), ("honest", "spleen"), ("published", None),
    ]  # fmt: skip
    assert (pooled[0].n, pooled[0].n_both_present, pooled[0].n_missed) == (2, 1, 1)
    assert pooled[0].means["defined"] == 2.0
    assert pooled[0].means["reference present"] == pytest.approx(51.0)
    assert pooled[0].counted["reference present"] == 2
    assert pooled[3].means["defined"] == 7.0


def test_a_sole_label_stands_for_its_cases() -> None:
    scores = [replace(_row("a", 0.5, "both present"), target=target) for target in ("lesion", None)]
    (row,) = ledger_of_labels(mask_ledger(scores, metrics=["dice"]))
    assert (row.target, row.n) == ("lesion", 1)
