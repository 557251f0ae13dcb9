from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np

from overread.builders.lesion_table import TableLesion
from overread.builders.patient_splits import split_patients
from overread.records import Box


def lesion(patient: int, coarse_type: int, split: str | None = None) -> TableLesion:
    return TableLesion(
        where="",
        stem=f"{patient:06d}_01_01_001",
        box=Box(x_min=0, y_min=0, x_max=1, y_max=1),
        box_is_share=True,
        coarse_type=coarse_type,
        stated_split=split,
    )


def many(seed: int) -> list[TableLesion]:
    rng = np.random.default_rng(seed)
    return [
        lesion(patient, int(rng.integers(1, 9)))
        for patient in range(60)
        for _ in range(int(rng.integers(1, 6)))
    ]


def test_stated_splits_are_kept_where_they_hold() -> None:
    lesions = [lesion(1, 5, "train"), lesion(1, 5, "train"), lesion(2, 5, "test")]
    lesions.append(lesion(3, 4, "validation"))
    splits, findings = split_patients(lesions, np.random.default_rng(0))
    assert splits == {"000001": "train", "000002": "test", "000003": "validation"}
    assert findings == ()


def test_a_patient_in_two_stated_splits_is_found_and_the_splits_drawn_anew() -> None:
    stated = ["train", "test", "validation"]
    lesions = [
        dataclasses.replace(one, stated_split=stated[i % 3]) for i, one in enumerate(many(0))
    ]
    splits, (finding,) = split_patients(lesions, np.random.default_rng(0))
    assert finding.code == "patient-in-two-splits"
    per_patient = Counter(one.patient for one in lesions)
    assert finding.count == sum(count > 1 for count in per_patient.values())
    assert set(splits) == set(per_patient)


def test_stated_splits_without_a_validation_part_are_drawn_anew() -> None:
    lesions = [dataclasses.replace(one, stated_split="train") for one in many(1)]
    lesions += [lesion(100, 5, "test")]
    splits, (finding,) = split_patients(lesions, np.random.default_rng(0))
    assert finding.code == "splits-incomplete"
    assert "validation" in finding.evidence
    moved = sum(split != "train" for patient, split in splits.items() if patient != "000100")
    assert moved > 0
    assert f"; {moved} patients of the stated training split are in test or" in finding.effect
    assert finding.severity.value == "warning"


def test_drawn_splits_have_about_the_planned_shares_and_every_type() -> None:
    for seed in range(5):
        lesions = many(seed)
        splits, findings = split_patients(lesions, np.random.default_rng(seed))
        held = Counter(splits[one.patient] for one in lesions)
        assert abs(held["test"] / len(lesions) - 0.3) < 0.03
        assert abs(held["validation"] / len(lesions) - 0.2) < 0.03
        types = {(splits[one.patient], one.coarse_type) for one in lesions}
        assert len(types) == 3 * 8
        assert findings == ()


def test_the_same_seed_gives_the_same_splits_and_another_one_others() -> None:
    lesions = many(2)
    one, two, other = (
        split_patients(lesions, np.random.default_rng(seed))[0] for seed in (1, 1, 2)
    )
    assert one == two
    assert one != other


def test_a_single_patient_has_one_split() -> None:
    splits, _findings = split_patients([lesion(1, 5)] * 4, np.random.default_rng(0))
    assert len(splits) == 1


def test_a_patient_without_a_split_beside_others_is_left_to_training() -> None:
    lesions = [lesion(1, 5, "train"), lesion(2, 5, "test"), lesion(3, 4, "validation")]
    lesions += [lesion(2, 5, None), lesion(4, 5, "7"), lesion(5, 5, None)]
    splits, findings = split_patients(lesions, np.random.default_rng(0))
    assert splits["000002"] == "test"
    assert (splits["000004"], splits["000005"]) == ("train", "train")
    assert [(one.evidence[:26], one.count) for one in findings] == [
        ("no split is stated", 2),
        ("the split is stated as '7'", 1),
    ]
