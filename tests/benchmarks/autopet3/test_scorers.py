from __future__ import annotations

import os
import pickle  # noqa: TID251  between two processes of ours
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from overread.benchmarks.autopet3.loader import AutoPet3Release
from overread.contracts import CaseScorer, Selection
from overread.records import Profile, Response, Score, Status
from overread.store.hashes import file_sha256

ID_NAME = "psma_0a1b_2018-04-16"
EMPTY = np.zeros((10, 10, 10), dtype=np.uint8)


def cubes(*corners: tuple[int, int, int]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    mask = EMPTY.copy()
    for i, j, k in corners:
        mask[i : i + 2, j : j + 2, k : k + 2] = 1
    return mask


def respond(release: AutoPet3Release, path: Path | None, **fields: Any) -> Response:
    (item,) = release.items(Selection(split="test"))
    return Response(
        run="r",
        item=item.id,
        request_hash="h",
        path=None if path is None else str(path),
        **({"status": Status.OK} | fields),
    )


def rows(release: AutoPet3Release, response: Response, profile: Profile) -> dict[str, Score]:
    (scorer,) = release.scorers(profile)
    (item,) = release.items(Selection(split="test"))
    found = list(scorer.score(item, release.reference(item.id), response))
    return {row.metric: row for row in found if row.target is None}


def values(found: dict[str, Score], *metrics: str) -> tuple[float | None, ...]:
    return tuple(found[metric].value for metric in metrics)


THREE = ("dice", "fpv_ml", "fnv_ml")
OF_2022 = ("dice_2022", "fpv_ml_2022", "fnv_ml_2022")


# ---------------------------------------------------------------- published


def test_two_cubes_one_of_them_hit_and_one_invented(study, write, tmp_path: Path) -> None:
    release = study(cubes((1, 1, 1), (6, 6, 6)))
    mask = write(tmp_path / "mask.nii.gz", cubes((2, 1, 1), (1, 6, 6)))

    found = rows(release, respond(release, mask), "published")

    assert values(found, *THREE) == (0.25, 8.0, 8.0)
    assert values(found, *OF_2022) == (0.25, 8.0, 8.0)
    assert {row.answer for row in found.values()} == {"both present"}


@pytest.mark.parametrize(
    ("reference", "prediction", "of_2024", "of_2022", "fate"),
    [
        (EMPTY, cubes((1, 1, 1)), (None, 8.0, None), (0.0, 8.0, 0.0), "invented"),
        (cubes((1, 1, 1)), EMPTY, (0.0, 0.0, 8.0), (0.0, 0.0, 8.0), "missed"),
        (EMPTY, EMPTY, (None, 0.0, None), (None, 0.0, 0.0), "both empty"),
    ],
)
def test_empty_masks_by_both_editions(
    study, write, tmp_path: Path, reference, prediction, of_2024, of_2022, fate: str
) -> None:
    release = study(reference)
    mask = write(tmp_path / "mask.nii.gz", prediction)

    found = rows(release, respond(release, mask), "published")

    assert values(found, *THREE) == of_2024
    assert values(found, *OF_2022) == of_2022
    for row in found.values():
        assert row.answer == fate
        assert (row.status, row.reason) == (
            (Status.OK, None) if row.value is not None else (Status.UNDEFINED, fate)
        )


def test_the_script_does_not_look_where_a_mask_lies(study, write, tmp_path: Path) -> None:
    release = study(cubes((1, 1, 1)))
    mask = write(tmp_path / "mask.nii.gz", cubes((1, 1, 1)), (5.0, 5.0, 5.0))

    found = rows(release, respond(release, mask), "published")

    assert found["dice"].value == 1.0
    honest = rows(release, respond(release, mask), "honest")
    assert honest["dice"].status is Status.UNPARSED
    assert "spacing" in (honest["dice"].reason or "")


def test_the_script_of_2022_takes_the_voxels_of_the_prediction(
    study, write, tmp_path: Path
) -> None:
    release = study(cubes((1, 1, 1)))
    mask = write(tmp_path / "mask.nii.gz", cubes((6, 6, 6)), (5.0, 5.0, 5.0))

    found = rows(release, respond(release, mask), "published")

    assert values(found, "fpv_ml", "fnv_ml") == (8.0, 8.0)
    assert values(found, "fpv_ml_2022", "fnv_ml_2022") == (1.0, 1.0)


def test_a_mask_as_the_containers_write_it(study, tmp_path: Path) -> None:
    sitk = pytest.importorskip("SimpleITK")
    release = study(cubes((1, 1, 1)))
    reference = sitk.ReadImage(str(release.root / "labelsTs" / f"{ID_NAME}.nii.gz"))
    mask = tmp_path / "mask.mha"
    sitk.WriteImage(reference, str(mask))

    for profile in ("published", "honest"):
        found = rows(release, respond(release, mask), profile)
        assert values(found, *THREE) == (1.0, 0.0, 0.0)


def test_numbers_other_than_1_are_multiplied(study, write, tmp_path: Path) -> None:
    release = study(cubes((1, 1, 1)))
    mask = write(tmp_path / "mask.nii.gz", 3 * cubes((1, 1, 1)))

    found = rows(release, respond(release, mask), "published")

    assert found["dice"].value == 2 * 8 * 3 / (8 + 24)
    assert rows(release, respond(release, mask), "honest")["dice"].status is Status.UNPARSED


def test_the_script_stops_at_another_size(study, write, tmp_path: Path) -> None:
    release = study(cubes((1, 1, 1)))
    mask = write(tmp_path / "mask.nii.gz", np.ones((10, 10, 9), dtype=np.uint8))

    found = rows(release, respond(release, mask), "published")

    assert {row.status for row in found.values()} == {Status.FAILED}
    assert "(10, 10, 10), (10, 10, 9)" in (found["dice"].reason or "")


def test_volumes_are_in_single_precision_as_the_script_has_them(
    study, write, tmp_path: Path
) -> None:
    spacing = (4.07283, 4.07283, 2.0)
    release = study(cubes((1, 1, 1)), spacing_mm=spacing)
    mask = write(tmp_path / "mask.nii.gz", cubes((6, 6, 6)), spacing)
    response = respond(release, mask)

    published = rows(release, response, "published")["fpv_ml"].value

    single = np.float32(8) * (np.float32(4.07283) ** 2 * np.float32(2) / np.float32(1000))
    assert published == float(single)
    careful = rows(release, response, "honest")["fpv_ml"].value
    assert careful != published
    assert careful == pytest.approx(8 * 4.07283**2 * 2 / 1000, rel=1e-6)


# ---------------------------------------------------------------- honest


def test_what_a_touch_hides_is_counted(study, write, tmp_path: Path) -> None:
    release = study(cubes((1, 1, 1), (6, 6, 6)))
    blob = EMPTY.copy()
    blob[:8, :8, :8] = 1
    mask = write(tmp_path / "mask.nii.gz", blob)

    found = rows(release, respond(release, mask), "honest")

    assert values(found, "fpv_ml", "fnv_ml", "lesions_found", "lesions_missed") == (0, 0, 2, 0)
    assert values(found, "lesions_right", "lesions_invented", "lesion_f1") == (1, 0, 1.0)
    # no lesion is drawn by more than half, and 512 - 16 voxels are none
    assert values(found, "panoptic_quality", "outside_ml", "uncovered_ml") == (0.0, 496.0, 0.0)
    assert values(found, "reference_ml", "prediction_ml") == (16.0, 512.0)
    assert found["clean_negative"].status is Status.UNDEFINED


def test_a_negative_has_no_dice_whatever_was_predicted(study, write, tmp_path: Path) -> None:
    release = study(EMPTY)
    clean = write(tmp_path / "clean.nii.gz", EMPTY)
    dirty = write(tmp_path / "dirty.nii.gz", cubes((1, 1, 1)))

    kept = rows(release, respond(release, clean), "honest")
    invented = rows(release, respond(release, dirty), "honest")

    for found in (kept, invented):
        for metric in ("dice", "iou", "fnv_ml", "lesion_f1", "panoptic_quality", "uncovered_ml"):
            assert (found[metric].status, found[metric].reason) == (
                Status.UNDEFINED,
                "the reference has no lesion",
            )
    assert [found["dice"].answer for found in (kept, invented)] == ["both empty", "invented"]
    assert values(kept, "clean_negative", "fpv_ml", "outside_ml") == (1.0, 0.0, 0.0)
    assert values(invented, "clean_negative", "fpv_ml", "outside_ml") == (0.0, 8.0, 8.0)


def test_without_a_mask_a_lesion_is_missed_and_a_negative_not_clean(study) -> None:
    lost: dict[str, Any] = {"status": Status.FAILED, "reason": "no mask: expected x.nii.gz"}
    release = study(cubes((1, 1, 1)))

    found = rows(release, respond(release, None, **lost), "honest")

    assert values(found, "reference_ml", "lesions_missed") == (8.0, 1.0)
    assert values(found, "fnv_ml", "uncovered_ml") == (8.0, 8.0)  # all of it is missed
    assert found["fnv_ml"].reason == found["uncovered_ml"].reason == lost["reason"]
    assert values(found, "fpv_ml", "outside_ml") == (None, None)  # what it would have invented
    for metric in ("dice", "lesion_f1", "panoptic_quality", "outside_ml", "lesions_right"):
        assert (found[metric].status, found[metric].reason) == (Status.FAILED, lost["reason"])
    assert found["clean_negative"].status is Status.UNDEFINED
    published = rows(release, respond(release, None, **lost), "published")
    assert {(row.status, row.reason) for row in published.values()} == {
        (Status.FAILED, lost["reason"])
    }

    negative = study(EMPTY)
    found = rows(negative, respond(negative, None, **lost), "honest")
    assert found["dice"].status is Status.UNDEFINED
    assert found["clean_negative"].status is Status.FAILED
    for metric in ("fnv_ml", "uncovered_ml"):
        assert found[metric].status is Status.UNDEFINED
    published = rows(negative, respond(negative, None, **lost), "published")
    assert {row.metric for row in published.values() if row.status is Status.UNDEFINED} == {
        "dice",
        "fnv_ml",
    }
    assert published["fpv_ml"].status is published["dice_2022"].status is Status.FAILED


@pytest.mark.parametrize("profile", ["published", "honest"])
def test_a_mask_that_changed_or_went_is_failed(
    study, write, tmp_path: Path, profile: Profile
) -> None:
    release = study(cubes((1, 1, 1)))
    mask = write(tmp_path / "mask.nii.gz", cubes((1, 1, 1)))
    response = respond(release, mask, text=f"sha256:{file_sha256(mask)}")
    assert rows(release, response, profile)["dice"].value == 1.0

    write(mask, EMPTY)
    changed = rows(release, response, profile)["dice"]
    mask.unlink()
    gone = rows(release, response, profile)["dice"]

    assert (changed.status, gone.status) == (Status.FAILED, Status.FAILED)
    assert "was changed" in (changed.reason or "")
    assert str(tmp_path) not in (gone.reason or "")


@pytest.mark.parametrize("profile", ["published", "honest"])
def test_what_is_no_mask_is_unparsed_and_a_bad_reference_undefined(
    study, write, tmp_path: Path, profile: Profile
) -> None:
    release = study(cubes((1, 1, 1)))
    text = tmp_path / "mask.nii.gz"
    text.write_bytes(b"no mask")
    half = write(tmp_path / "half.nii.gz", 0.5 * cubes((1, 1, 1)).astype(np.float32))

    for path in (text, half):
        assert rows(release, respond(release, path), profile)["dice"].status is Status.UNPARSED
    good = write(tmp_path / "good.nii.gz", cubes((1, 1, 1)))
    (release.root / "labelsTs" / f"{ID_NAME}.nii.gz").write_bytes(b"broken")
    undefined = rows(release, respond(release, good), profile)["dice"]
    assert undefined.status is Status.UNDEFINED
    (release.root / "labelsTs" / f"{ID_NAME}.nii.gz").unlink()
    absent = rows(release, respond(release, good), profile)["dice"]
    assert (absent.status, absent.reason) == (
        Status.UNDEFINED,
        f"no mask at labelsTs/{ID_NAME}.nii.gz",
    )


@pytest.mark.parametrize("profile", ["published", "honest"])
def test_scorers_travel_to_other_processes_and_give_rows_of_broken_cases(
    study, write, tmp_path: Path, profile: Profile
) -> None:
    release = study(cubes((1, 1, 1)))
    (scorer,) = release.scorers(profile)
    assert isinstance(scorer, CaseScorer)
    (item,) = release.items(Selection(split="test"))
    response = respond(release, write(tmp_path / "mask.nii.gz", EMPTY))

    again = pickle.loads(pickle.dumps(scorer))

    reference = release.reference(item.id)
    whole = list(scorer.score(item, reference, response))
    assert list(again.score(item, reference, response)) == whole
    broken = list(scorer.failed(item, response, "killed"))
    assert {(row.status, row.reason) for row in broken} == {(Status.FAILED, "killed")}
    assert {(row.metric, row.target) for row in broken} == {
        (row.metric, row.target) for row in whole
    }


def test_counts_of_lesions_stand_for_the_label_as_well(study, write, tmp_path: Path) -> None:
    release = study(cubes((1, 1, 1)))
    (scorer,) = release.scorers("honest")
    (item,) = release.items(Selection(split="test"))
    response = respond(release, write(tmp_path / "mask.nii.gz", cubes((1, 1, 1))))

    found = list(scorer.score(item, release.reference(item.id), response))

    pooled = {
        part
        for one in release.plan().also
        if one.pooled and one.pooled.targets == "pooled"
        for part in one.pooled.numerator
    }
    for metric in pooled:
        assert {row.target for row in found if row.metric == metric} == {None, "lesion"}


def of_sizes(found: list[Score], metric: str) -> list[float | None]:
    by_target = {row.target: row.value for row in found if row.metric == metric}
    assert list(by_target) == ["under 1 ml", "1 to 10 ml", "10 ml and more"]
    return list(by_target.values())


def test_lesions_are_counted_by_size(study, write, tmp_path: Path) -> None:
    # voxels of 1 ml: two lesions of 8 ml, one of 16 ml
    reference = cubes((1, 1, 1), (6, 6, 6), (1, 6, 1), (1, 6, 3))
    release = study(reference)
    (scorer,) = release.scorers("honest")
    (item,) = release.items(Selection(split="test"))
    mask = write(tmp_path / "mask.nii.gz", cubes((1, 1, 1), (1, 6, 1)))
    known = release.reference(item.id)

    found = list(scorer.score(item, known, respond(release, mask)))
    lost = respond(release, None, status=Status.FAILED, reason="no mask")
    without = list(scorer.score(item, known, lost))

    assert of_sizes(found, "size_lesions") == [0, 2, 1]
    assert of_sizes(found, "size_lesions_found") == [0, 1, 1]
    assert of_sizes(without, "size_lesions") == [0, 2, 1]  # they stay in the denominator
    assert of_sizes(without, "size_lesions_found") == [None] * 3
    rows_lost = [row for row in without if row.metric == "size_lesions_found"]
    assert {(row.status, row.reason) for row in rows_lost} == {(Status.FAILED, "no mask")}


# ---------------------------------------------------------------- the released sample


@pytest.mark.data
def test_the_released_sample_is_scored_in_a_moment() -> None:
    root = os.environ.get("OVERREAD_DATA")
    if not root:
        pytest.skip("OVERREAD_DATA names no folder of released files")
    folder = Path(root) / "autopet3" / "test"
    release = AutoPet3Release(folder)
    (item,) = release.items(Selection(split="test"))
    mask = folder / "expected_output_nnUNet" / f"{item.id}.nii.gz"
    start = time.perf_counter()

    published = rows(release, respond(release, mask), "published")
    honest = rows(release, respond(release, mask), "honest")

    assert published["dice"].value == 0.6967340590979783
    assert [f"{np.float32(published[each].value):.6f}" for each in ("fpv_ml", "fnv_ml")] == [
        "2.753599",
        "25.014624",
    ]
    assert honest["reference_ml"].value == pytest.approx(431.15, abs=0.005)
    counts = ("reference_voxels", "lesions_found", "lesions_missed", "lesions_invented")
    assert values(honest, *counts) == (12_996, 90, 22, 8)
    assert time.perf_counter() - start < 10
