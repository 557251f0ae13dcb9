from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.autopet3 import BENCHMARK
from overread.benchmarks.autopet3.layout import find_studies
from overread.benchmarks.autopet3.loader import AutoPet3Release
from overread.contracts import Selection
from overread.errors import ReleaseError, UsageError
from overread.records import Finding, Mask, Severity

EMPTY = np.zeros((3, 3, 3), dtype=np.uint8)


def codes(findings: object) -> list[str]:
    assert isinstance(findings, tuple)
    return [each.code for each in findings if isinstance(each, Finding)]


def test_the_folder_above_a_release_names_it(tmp_path: Path, write) -> None:
    stem = "psma_95b833d46f153cd2_2018-04-16"
    write(tmp_path / "test" / "labelsTr" / f"{stem}.nii.gz", EMPTY)
    (tmp_path / "other").mkdir()
    with pytest.raises(ReleaseError, match=f"The folder in it is one: name {tmp_path}/test"):
        AutoPet3Release(tmp_path)


def test_a_study_from_its_name_to_an_item(tmp_path: Path, write) -> None:
    stem = "psma_95b833d46f153cd2_2018-04-16"
    write(tmp_path / "labelsTr" / f"{stem}.nii.gz", EMPTY)
    for place in ("_0000", "_0001"):
        write(tmp_path / "imagesTr" / f"{stem}{place}.nii.gz", EMPTY.astype(np.int16))
    (tmp_path / "psma_metadata.csv").write_text(
        "Subject ID,Study Date,age,pet_radionuclide,manufacturer_model_name\n"
        "PSMA_95b833d46f153cd2,2018-04-16,70,68Ga,Biograph 64-4R TruePoint\n"
    )
    (tmp_path / "splits_final.json").write_text(
        json.dumps([{"train": [stem], "val": []}, {"train": [], "val": [stem]}])
    )
    release = AutoPet3Release(tmp_path)

    (item,) = release.items(Selection(split="train"))

    assert item.id == stem
    assert item.answer_space == Mask(labels={1: "lesion"})
    assert item.groups["patient"] == "psma_95b833d46f153cd2"
    assert item.strata == {
        "split": "train",
        "tracer": "PSMA",
        "centre": "LMU",
        "scanner": "Biograph 64-4R TruePoint",
        "nuclide": "68Ga",
        "fold": "1",
    }
    # PET first, CT after it
    assert [media.paths for media in item.media] == [
        (f"imagesTr/{stem}_0001.nii.gz",),
        (f"imagesTr/{stem}_0000.nii.gz",),
    ]
    reference = release.reference(stem)
    assert (reference.path, reference.answer, reference.problem) == (
        f"labelsTr/{stem}.nii.gz",
        None,
        None,
    )
    assert codes(release.findings()) == []
    assert release.expected_counts()[0].n == 1014


def test_fdg_names_hold_blanks_and_belong_to_the_other_centre(tmp_path: Path, write) -> None:
    stem = "fdg_0011f3deaf_03-23-2003-NA-PET-CT Ganzkoerper  primaer mit KM-10445"
    write(tmp_path / "labelsTr" / f"{stem}.nii.gz", EMPTY)
    (tmp_path / "fdg_metadata.csv").write_text(
        "Subject ID,diagnosis,File Location\n"
        "PETCT_0011f3deaf,NEGATIVE,./FDG-PET-CT-Lesions/PETCT_0011f3deaf/"
        "03-23-2003-NA-PET-CT Ganzkoerper  primaer mit KM-10445/1.0\n"
    )

    (item,) = AutoPet3Release(tmp_path).items(Selection(split="train"))

    assert (item.id, item.groups["patient"]) == (stem, "fdg_0011f3deaf")
    assert (item.strata["tracer"], item.strata["centre"]) == ("FDG", "UKT")
    # a diagnosis would give the answer away: no lesion
    assert "NEGATIVE" not in str(item)


def test_the_older_layout_a_folder_a_study(tmp_path: Path, write) -> None:
    for date in ("08-12-2005-NA-PET-CT-96698", "09-01-2006-NA-PET-CT-11111"):
        folder = tmp_path / "FDG-PET-CT-Lesions" / "PETCT_0af7ffe12a" / date
        for name in ("SEG", "SUV", "CTres", "CT", "PET"):
            write(folder / f"{name}.nii.gz", EMPTY)
    release = AutoPet3Release(tmp_path)

    items = list(release.items(Selection(split="train")))

    assert [item.id for item in items] == [
        "fdg_0af7ffe12a_08-12-2005-NA-PET-CT-96698",
        "fdg_0af7ffe12a_09-01-2006-NA-PET-CT-11111",
    ]
    assert {item.groups["patient"] for item in items} == {"fdg_0af7ffe12a"}
    folder = "FDG-PET-CT-Lesions/PETCT_0af7ffe12a/08-12-2005-NA-PET-CT-96698"
    assert [each.paths[0] for each in items[0].media] == [
        f"{folder}/SUV.nii.gz",
        f"{folder}/CTres.nii.gz",
    ]
    assert release.reference(items[0].id).path == f"{folder}/SEG.nii.gz"
    assert codes(release.findings()) == []


def test_the_sample_of_the_evaluation_repository(tmp_path: Path, write) -> None:
    stem = "psma_95b833d46f153cd2_2018-04-16"
    write(tmp_path / "orig" / f"{stem}.nii.gz", EMPTY)
    write(tmp_path / "orig" / f"{stem}_0001.nii.gz", EMPTY)
    write(tmp_path / "expected_output_nnUNet" / f"{stem}.nii.gz", EMPTY)
    release = AutoPet3Release(tmp_path)

    (item,) = release.items(Selection(split="test"))

    assert item.id == stem
    (finding,) = release.findings()
    assert (finding.code, finding.severity) == ("missing-image", Severity.WARNING)
    assert f"orig/{stem}_0000.nii.gz" in finding.evidence


def test_one_study_in_both_parts_is_asked_in_both(tmp_path: Path, write) -> None:
    for folder in ("labelsTr", "labelsTs"):
        write(tmp_path / folder / "fdg_a_b.nii.gz", EMPTY)
    release = AutoPet3Release(tmp_path)

    assert [item.id for item in release.items(Selection(split="train"))] == ["fdg_a_b"]
    assert [item.id for item in release.items(Selection(split="test"))] == ["fdg_a_b#test"]
    assert release.reference("fdg_a_b#test").path == "labelsTs/fdg_a_b.nii.gz"


def test_odd_names_and_broken_tables_are_told(tmp_path: Path, write) -> None:
    write(tmp_path / "labelsTr" / "fdg_a_b.nii.gz", EMPTY)
    write(tmp_path / "labelsTr" / "odd.nii.gz", EMPTY)
    (tmp_path / "psma_metadata.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "splits_final.json").write_text("{")

    found = AutoPet3Release(tmp_path).findings()

    assert codes(found) == [
        "odd-name",
        "unreadable-file",
        "unreadable-file",
        "missing-image",
        "missing-image",
    ]
    assert "labelsTr/odd.nii.gz" in found[0].evidence


@pytest.mark.parametrize("content", ['{"a": 1}', "[1, 2]", '[{"val": 3}]', '[{"val": [7]}]', "[]"])
def test_folds_that_are_none_are_told(tmp_path: Path, write, content: str) -> None:
    write(tmp_path / "labelsTr" / "fdg_a_b.nii.gz", EMPTY)
    (tmp_path / "splits_final.json").write_text(content)
    release = AutoPet3Release(tmp_path)

    assert "unreadable-file" in codes(release.findings())
    assert next(release.items(Selection(split="train"))).strata["fold"] == "not stated"


def test_a_study_held_out_twice_is_told(tmp_path: Path, write) -> None:
    write(tmp_path / "labelsTr" / "fdg_a_b.nii.gz", EMPTY)
    (tmp_path / "splits_final.json").write_text(json.dumps([{"val": ["fdg_a_b"]}] * 2))
    release = AutoPet3Release(tmp_path)

    assert "fold-twice" in codes(release.findings())
    assert next(release.items(Selection(split="train"))).strata["fold"] == "0"


def test_a_patient_on_two_scanners_is_of_none_but_by_study(tmp_path: Path, write) -> None:
    for date in ("2015-01-01", "2016-01-01", "2017-01-01"):
        write(tmp_path / "labelsTr" / f"psma_a_{date}.nii.gz", EMPTY)
    (tmp_path / "psma_metadata.csv").write_text(
        "Subject ID,Study Date,manufacturer_model_name\n"
        "PSMA_a,2015-01-01,One\nPSMA_a,2016-01-01,Two\n,2016-01-01,Three\n"
    )

    items = AutoPet3Release(tmp_path).items(Selection(split="train"))

    assert [item.strata["scanner"] for item in items] == ["One", "Two", "not stated"]


def test_masks_are_looked_into_when_there_is_time(tmp_path: Path, write) -> None:
    one = EMPTY.copy()
    one[1, 1, 1] = 1
    write(tmp_path / "labelsTr" / "fdg_a_negative.nii.gz", EMPTY)
    write(tmp_path / "labelsTr" / "fdg_b_positive.nii.gz", one)
    write(tmp_path / "labelsTr" / "fdg_c_odd.nii.gz", 3 * one)
    (tmp_path / "labelsTr" / "fdg_d_broken.nii.gz").write_bytes(b"no mask")

    quick = AutoPet3Release(tmp_path).findings()
    found = {each.code: each for each in AutoPet3Release(tmp_path).findings(thorough=True)}

    assert set(codes(quick)) == {"missing-image"}
    assert found["negative-studies"].evidence == "1 of 3 studies have no lesion"
    assert (found["odd-labels"].where, found["odd-labels"].severity) == (
        "fdg_c_odd",
        Severity.WARNING,
    )
    assert found["unreadable-mask"].where == "fdg_d_broken"
    assert str(tmp_path) not in found["unreadable-mask"].evidence


def test_a_mask_that_is_a_link_out_of_the_release_is_no_reference(tmp_path: Path, write) -> None:
    root = tmp_path / "release"
    outside = write(tmp_path / "outside.nii.gz", EMPTY)
    write(root / "labelsTr" / "fdg_a_b.nii.gz", EMPTY)
    (root / "labelsTr" / "fdg_c_d.nii.gz").symlink_to(outside)
    release = AutoPet3Release(root)

    problem = release.reference("fdg_c_d").problem

    assert problem is not None
    assert "inside the release" in problem


def test_a_limit_takes_both_tracers(synthetic: Path) -> None:
    release = AutoPet3Release(synthetic)

    few = list(release.items(Selection(split="test", limit=4)))

    assert sorted(item.strata["tracer"] for item in few) == ["FDG", "FDG", "PSMA", "PSMA"]


def test_a_changed_mask_is_another_release(synthetic: Path, tmp_path: Path, write) -> None:
    root = tmp_path / "copy"
    shutil.copytree(synthetic, root)
    before = AutoPet3Release(root).fingerprint
    assert before == AutoPet3Release(synthetic).fingerprint

    mask = next((root / "labelsTs").iterdir())
    write(mask, EMPTY)

    assert AutoPet3Release(root).fingerprint != before


def test_a_folder_without_masks_is_refused(tmp_path: Path, write) -> None:
    write(tmp_path / "imagesTr" / "fdg_a_b_0000.nii.gz", EMPTY)
    assert find_studies(tmp_path) == ((), ())

    with pytest.raises(ReleaseError, match="a folder with masks"):
        BENCHMARK.open(tmp_path)


def test_volumes_lie_in_the_release(synthetic: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--media: expected nothing"):
        BENCHMARK.open(synthetic, media=tmp_path)
