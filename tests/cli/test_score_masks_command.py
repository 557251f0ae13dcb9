"""What `overread score-masks` prints, writes and refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nibabel
import numpy as np
import polars as pl
import pytest

from overread.cli import main

A, B, ALL = slice(2, 6), slice(4, 8), slice(1, 7)


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main(("score-masks", *map(str, arguments)))
    return int(stop.value.code or 0)


def as_json(capsys, *arguments: object, status=0):
    assert call(*arguments, "--json") == status
    return json.loads(capsys.readouterr().out)


def boxes(*filled):
    array = np.zeros((12, 10, 8), np.uint8)
    for label, *where in filled:
        array[tuple(where)] = label
    return array


def write(path: Path, array, *, affine=None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.Nifti1Image(array, np.eye(4) if affine is None else affine), path)
    return path


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Six cases: shifted, perfect, missed, invented, empty on both sides, without a prediction."""
    lump, shifted, nothing = boxes((1, A, ALL, ALL)), boxes((1, B, ALL, ALL)), boxes()
    for name, reference, prediction in (
        ("a", lump, shifted),
        ("b", lump, lump),
        ("c", lump, nothing),
        ("d", nothing, lump),
        ("e", nothing, nothing),
        ("f", lump, None),
    ):
        write(tmp_path / "ref" / f"{name}.nii.gz", reference)
        if prediction is not None:
            write(tmp_path / "pred" / f"{name}_seg.nii.gz", prediction)
    return tmp_path / "ref", tmp_path / "pred"


def test_two_files_are_compared_label_by_label(tmp_path, capsys):
    one = write(tmp_path / "one.nii.gz", boxes((1, A, ALL, ALL), (4, slice(8, 9), ALL, ALL)))
    other = write(tmp_path / "other.nii.gz", boxes((1, B, ALL, ALL), (9, slice(9, 10), ALL, ALL)))
    assert call(one, other, "--tolerance", "2", "--tolerance", "0.5") == 0
    out = capsys.readouterr().out
    assert "other.nii.gz against one.nii.gz: 1 case, 3 labels" in out
    line = next(line for line in out.splitlines() if line.startswith("│ 1 "))
    # 72 of 144 voxels in both, 2 mm apart at either end.
    assert [each.strip() for each in line.strip("│").split("│")][:2] == ["1", "0.5000"]
    assert "2.00" in line
    assert "NSD 2 mm" in out
    assert "NSD 0.5 mm" in out
    assert "Only references have: 4." in out
    assert "Only predictions have: 9." in out
    assert "1 label on both sides." in out


def test_the_ledger_stands_beside_the_means(folders, capsys):
    found = as_json(capsys, *folders, status=1)
    (label,) = found["labels"]
    assert (label["number"], label["label"], label["n"]) == (1, "1", 6)
    assert (label["n_missed"], label["n_invented"]) == (1, 1)
    assert (label["n_both_empty"], label["n_without"]) == (1, 1)
    # Dice 0.5, 1 and 0 of those whose reference has something to find.
    assert label["means"]["dice"] == 0.5
    assert label["medians"]["dice"] == 0.5
    ledger = {row["metric"]: row for row in found["ledger"]}
    means = ledger["dice"]["means"]
    assert means["defined"] == 0.5  # three cases
    assert means["reference present"] == 0.375  # 0.5, 1, 0, and 0 for no prediction
    assert means["empty agreement is perfect"] == pytest.approx(2.5 / 6)
    diagonal = (12**2 + 10**2 + 8**2) ** 0.5
    assert ledger["hd95_mm"]["means"]["reference present"] == pytest.approx(
        (2.0 + 0.0 + 2 * diagonal) / 4
    )
    (finding,) = [each for each in found["findings"] if each["code"] == "missing-mask"]
    assert (finding["where"], finding["count"]) == ("f", 1)
    naming = next(each for each in found["findings"] if each["code"] == "mask-naming")
    assert "predictions by their names without endings such as _seg" in naming["evidence"]


@pytest.mark.parametrize("mask", [None, boxes(), boxes((1, A, ALL, ALL))])
def test_nothing_to_find_has_no_overlap_whoever_answers(folders, capsys, mask):
    """A case without foreground moves no mean over what references have, with a mask or without."""
    references, predictions = folders
    before = as_json(capsys, *folders, status=1)["ledger"]
    write(references / "g.nii.gz", boxes())
    if mask is not None:
        write(predictions / "g_seg.nii.gz", mask)
    found = as_json(capsys, *folders, "--lesions", status=1)
    for one, other in zip(before, found["ledger"], strict=True):
        assert other["n"] == one["n"] + 1
        for policy in ("defined", "reference present"):
            assert other["means"][policy] == one["means"][policy]
            assert other["counted"][policy] == one["counted"][policy]
    for row in (each for each in found["cases"] if each["case"] == "g"):
        assert row["values"]["reference_voxels"] == row["values"]["lesions_missed"] == 0.0
        assert row["values"]["dice"] is None
        assert row["status"] == ("failed" if mask is None else "ok")


def test_each_case_without_a_mask_has_its_own_reason(folders, capsys):
    references, predictions = folders
    write(references / "g.nii.gz", boxes())
    for name in ("g_seg.nii.gz", "g_seg.nii"):
        write(predictions / name, boxes())
    found = as_json(capsys, *folders, status=1)
    (finding,) = [each for each in found["findings"] if each["code"] == "missing-mask"]
    assert (finding["where"], finding["count"]) == ("f, g", 2)
    assert finding["evidence"] == (
        "f: no mask: expected one of f; g: 2 masks, and nothing says which counts: "
        "g_seg.nii and g_seg.nii.gz"
    )


def test_people_are_shown_what_was_lost_first(folders, capsys):
    assert call(*folders) == 1
    out = capsys.readouterr().out
    assert "error missing-mask" in out
    assert (
        out.index("Before any score")
        < out.index("6 cases (1 without a mask), 1 label")
        < out.index("Worst first")
    )
    assert "those without a mask are in none of them" in " ".join(out.split())
    worst = out[out.index("Worst first") :].splitlines()
    names = [line.split("│")[1].strip() for line in worst if line.startswith("│")]
    assert names == ["f", "c", "d", "a"]


@pytest.mark.slow
def test_tables_and_a_page_are_written(folders, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "scores.csv").write_text("of an earlier run", encoding="utf-8")
    assert call(*folders, "--out", out, "--lesions", "--centreline") == 1
    assert "Lesions of all cases" in capsys.readouterr().out
    scores = pl.read_parquet(out / "scores.parquet")
    assert scores.equals(pl.read_csv(out / "scores.csv", schema=scores.schema))
    dice = scores.filter((pl.col("metric") == "dice") & (pl.col("label") == "1"))
    assert dict(zip(dice["case"], dice["value"], strict=True)) == {
        "a": 0.5,
        "b": 1.0,
        "c": 0.0,
        "d": None,
        "e": None,
        "f": None,
    }
    assert dict(zip(dice["case"], dice["fate"], strict=True))["d"] == "invented"
    labels = pl.read_parquet(out / "labels.parquet")
    assert labels.height == 12
    assert {"dice", "hd95_mm", "nsd_3mm", "cldice", "lesions_found"} <= {*labels.columns}
    page = (out / "index.html").read_text("utf-8")
    assert "pred against ref" in page


def test_another_grid_is_not_scored_unless_told_how(tmp_path, capsys):
    array = boxes((1, A, ALL, slice(0, 3)))
    affine = np.diag([-1.0, 1.0, 1.0, 1.0])
    affine[0, 3] = 11.0
    one = write(tmp_path / "one.nii.gz", array)
    other = write(tmp_path / "other.nii.gz", np.ascontiguousarray(array[::-1]), affine=affine)
    assert call(one, other) == 1
    said = capsys.readouterr()
    text = " ".join(said.out.split())
    assert "direction: RAS in the reference, LAS in the prediction" in text
    assert "With axis 1 reversed the prediction would reach a Dice of 1.000" in text
    assert "no case could be compared" in said.err
    found = as_json(capsys, one, other, "--resample", "nearest")
    assert found["labels"][0]["means"]["dice"] == 1.0
    # What the headers turned back is no turned mask, and there is nothing left to be said.
    (grid,) = found["findings"]
    assert (grid["code"], grid["remedy"]) == ("grid", "Write masks on the grid of the scan.")


def test_a_case_is_not_dropped_for_lacking_a_label(tmp_path, capsys):
    """Label 2 is in one case only: in the other it is empty on both sides, and counted there."""
    for side in ("ref", "pred"):
        write(tmp_path / side / "a.nii.gz", boxes((1, A, ALL, ALL)))
        write(tmp_path / side / "b.nii.gz", boxes((1, A, ALL, ALL), (2, slice(8, 9), ALL, ALL)))
    write(tmp_path / "ref" / "c.nii.gz", boxes((1, A, ALL, ALL)))
    found = as_json(capsys, tmp_path / "ref", tmp_path / "pred", "--no-surface", status=1)
    labels = {each["label"]: each for each in found["labels"]}
    assert labels["2"]["n"] == 3
    assert (labels["2"]["n_both_empty"], labels["2"]["n_without"]) == (1, 1)
    absent = {row["case"]: row for row in found["cases"] if row["label"] == "2"}
    assert absent["a"]["fate"] == "both empty"
    assert absent["a"]["values"]["reference_voxels"] == 0.0
    assert absent["c"]["status"] == "failed"
    assert absent["c"]["values"]["reference_voxels"] == 0.0
    assert absent["c"]["values"]["prediction_voxels"] is None


def test_a_case_without_a_usable_reference_is_counted_against_nobody(folders, capsys):
    references, predictions = folders
    (references / "b.nii.gz").write_bytes(b"no mask")
    assert call(references, predictions) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "5 cases (1 without a mask, 1 more without a usable reference), 1 label" in shown
    (label,) = as_json(capsys, references, predictions, status=1)["labels"]
    assert (label["n"], label["n_without"]) == (5, 1)


def test_a_folder_of_structures_without_a_prediction_has_its_worst_distance(tmp_path, capsys):
    for side, cases in (("ref", "ab"), ("pred", "a")):
        for case in cases:
            write(tmp_path / side / case / "liver.nii.gz", boxes((1, A, ALL, ALL)))
    found = as_json(capsys, tmp_path / "ref", tmp_path / "pred", "--structures", status=1)
    (row,) = [each for each in found["ledger"] if each["metric"] == "hd95_mm"]
    diagonal_mm = (12**2 + 10**2 + 8**2) ** 0.5
    assert row["means"]["reference present"] == pytest.approx(diagonal_mm / 2)


def test_labels_are_named_and_others_are_left_out(folders, tmp_path, capsys):
    found = as_json(capsys, *folders, "--labels", "1=lesion,2=cyst", status=1)
    assert [each["label"] for each in found["labels"]] == ["lesion", "cyst"]
    assert found["labels"][1]["n_both_empty"] == 5


def test_labels_under_other_numbers_are_told(tmp_path, capsys):
    one = write(tmp_path / "one.nii.gz", boxes((1, A, ALL, ALL)))
    other = write(tmp_path / "other.nii.gz", boxes((255, A, ALL, ALL)))
    found = as_json(capsys, one, other)
    (finding,) = found["findings"]
    assert finding["code"] == "renamed-label"
    assert "label 255 of the prediction lies where label 1" in finding["evidence"]
    assert [each["label"] for each in found["labels"]] == ["1", "255"]


def test_many_labels_under_other_numbers_are_one_finding(tmp_path, capsys):
    planes = [(n, slice(n, n + 1), ALL, ALL) for n in range(1, 7)]
    one = write(tmp_path / "one.nii.gz", boxes(*planes))
    other = write(tmp_path / "other.nii.gz", boxes(*((n + 1, *where) for n, *where in planes)))
    (finding,) = as_json(capsys, one, other, "--no-surface")["findings"]
    assert (finding["code"], finding["count"]) == ("renamed-label", 1)
    assert finding["evidence"].startswith("label 2 of the prediction lies where label 1 of")
    assert finding["evidence"].endswith("; and 3 more labels")


def test_names_that_no_mask_has_a_label_of_are_told(tmp_path, capsys):
    one = write(tmp_path / "one.nii.gz", boxes((1, A, ALL, ALL), (2, slice(8, 9), ALL, ALL)))
    found = as_json(capsys, one, one, "--labels", "9=foo", "--no-surface", status=1)
    (finding,) = found["findings"]
    assert (finding["code"], finding["severity"]) == ("no-such-label", "error")
    assert finding["evidence"] == "no mask has 9=foo; there are 1, 2"


def test_a_spacing_of_other_axes_is_wrong_use(folders, capsys):
    assert call(*folders, "--spacing", "1,1") == 2
    assert "--spacing: expected 3 numbers of mm for a.nii.gz, got 2" in capsys.readouterr().err


def test_an_image_given_as_a_mask_is_asked_about_and_cut_short(tmp_path, capsys):
    array = np.arange(12 * 10 * 8, dtype=np.int16).reshape(12, 10, 8)
    one = write(tmp_path / "ct.nii.gz", array)
    assert call(one, one, "--no-surface") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "many-labels" in shown
    assert "959 labels in one mask" in shown
    assert "and 759 more labels: --json and --out hold all" in shown


def test_what_was_scored_is_shown_though_the_disk_is_full(folders, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / ".scores.csv.part").symlink_to("/dev/full")
    assert call(*folders, "--out", out) == 3
    said = capsys.readouterr()
    assert "Worst first" in said.out
    assert f"--out: expected a folder that takes the page and its tables: {out}" in said.err
    assert "no space left on device" in said.err.casefold()


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (np.zeros((5, 6, 7), np.int16), "a.nii.gz has another grid: 5 × 6 × 7 voxels"),
        (None, "a.nii.gz: expected"),
        (np.zeros((12, 10, 8), np.int16), None),
    ],
)
def test_an_image_that_cannot_be_shown_is_told(tmp_path, capsys, image, said):
    mask = write(tmp_path / "mask.nii.gz", boxes((1, A, ALL, ALL)))
    path = tmp_path / "scan" / "a.nii.gz"
    if image is None:
        path.parent.mkdir()
        path.write_bytes(b"no volume")
    else:
        write(path, image)
    found = as_json(capsys, mask, mask, "--image", path, "--no-surface")["findings"]
    assert [each["code"] for each in found] == ([] if said is None else ["unusable-image"])
    assert said is None or found[0]["evidence"].startswith(said)


def test_an_image_without_a_page_is_not_let_go_silently(folders, tmp_path, capsys):
    images = tmp_path / "images"
    write(images / "a.nii.gz", boxes())
    assert call(*folders, "--image", images) == 1
    assert "without --out nothing is drawn" in capsys.readouterr().err


def test_a_folder_of_structures_stands_against_a_label_map(tmp_path, capsys):
    write(tmp_path / "parts" / "liver.nii.gz", boxes((1, A, ALL, ALL)))
    write(tmp_path / "parts" / "spleen.nii.gz", boxes((1, slice(8, 9), ALL, ALL)))
    whole = write(tmp_path / "map.nii.gz", boxes((5, A, ALL, ALL), (6, slice(8, 9), ALL, ALL)))
    assert call(tmp_path / "parts", whole) == 2
    assert "--labels: expected the name of each label" in capsys.readouterr().err
    found = as_json(
        capsys, tmp_path / "parts", whole, "--labels", "5=liver,6=spleen", "--out", tmp_path / "o"
    )
    assert [each["means"]["dice"] for each in found["labels"]] == [1.0, 1.0]
    assert (tmp_path / "o" / "index.html").is_file()
    found = as_json(capsys, tmp_path / "parts", tmp_path / "parts", "--structures")
    assert [each["label"] for each in found["labels"]] == ["liver", "spleen"]


def test_a_picture_needs_no_spacing_for_dice_and_one_for_distances(tmp_path, capsys):
    from PIL import Image

    array = np.zeros((20, 30), np.uint8)
    array[5:10, 5:15] = 1
    for name in ("one", "other"):
        Image.fromarray(array).save(tmp_path / f"{name}.png")
    files = (tmp_path / "one.png", tmp_path / "other.png")
    found = as_json(capsys, *files)
    assert found["labels"][0]["means"]["dice"] == 1.0
    assert found["labels"][0]["means"]["hd95_mm"] is None
    found = as_json(capsys, *files, "--spacing", "0.5,0.5")
    assert found["labels"][0]["means"]["hd95_mm"] == 0.0


@pytest.mark.parametrize(
    "wrong",
    [
        ("--spacing", "1,0,1"),
        ("--spacing", "1"),
        ("--tolerance", "-1"),
        ("--tolerance", "nan"),
        ("--workers", "0"),
        ("--lesions", "--match", "iou:2"),
        ("--lesions", "--match", "touch"),
        ("--labels", "liver"),
        ("--image", "absent"),
        ("--pattern", "none"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_read(folders, wrong, capsys):
    assert call(*folders, *wrong) == 2
    assert wrong[-2] in capsys.readouterr().err


def test_a_file_is_no_folder_to_write_to(folders, tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert call(*folders, "--out", tmp_path / "file") == 2
    assert call(tmp_path / "absent", folders[1]) == 2
    assert "REFERENCE" in capsys.readouterr().err


def test_broken_files_never_stop_the_rest(folders, capsys):
    reference, prediction = folders
    (prediction / "a_seg.nii.gz").write_bytes(b"no mask")
    write(prediction / "b_seg.nii.gz", boxes((1, A, ALL, ALL)) * np.float32(0.4))
    (reference / "d.nii.gz").write_bytes(b"no mask")
    found = as_json(capsys, *folders, status=1)
    codes = {finding["code"]: finding for finding in found["findings"]}
    assert codes["unusable-mask"]["count"] == 2
    assert codes["unusable-reference"]["where"] == "d"
    assert codes["missing-mask"]["where"] == "f"
    status = {row["case"]: row["status"] for row in found["cases"] if row["label"] == "1"}
    assert status == {
        "a": "unparsed",
        "b": "unparsed",
        "c": "ok",
        "d": "undefined",
        "e": "ok",
        "f": "failed",
    }


@pytest.mark.data
def test_the_real_pair(released_data, tmp_path, capsys):
    folder = released_data / "totalsegmentator_ct"
    found = as_json(
        capsys,
        folder / "example_seg.nii.gz",
        folder / "example_seg_fast.nii.gz",
        "--out",
        tmp_path,
        "--image",
        folder / "example_ct_sm.nii.gz",
    )
    labels = {each["label"]: each for each in found["labels"]}
    assert sum(each["n_both_present"] for each in found["labels"]) == 40
    assert found["only_reference"] == ["13"]
    first = labels["1"]["means"]
    assert first["dice"] == pytest.approx(0.9774, abs=5e-5)
    assert first["hd95_mm"] == 3.0
    assert first["nsd_3mm"] == pytest.approx(0.9999, abs=5e-5)
    assert (tmp_path / "index.html").stat().st_size > 10_000


def test_the_command_loads_no_more_than_it_needs_to_begin():
    """Statistics, readers and tables come when they are asked for: help is there at once."""
    heavy = ("scipy", "polars", "nibabel", "skimage", "PIL", "cc3d", "edt", "jinja2")
    code = (
        "import sys, overread.cli.score_masks_command\n"
        f"print(*(name for name in {heavy!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
