"""Who is compared with whom, by the names of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.errors import UsageError
from overread.run.mask_folders import find_cases, find_images
from overread.run.mask_labels import read_label_names


def touch(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"mask")
    return root


def cases(reference: Path, prediction: Path, *, pattern=None, structures=False):
    found = find_cases(reference, prediction, pattern=pattern, structures=structures)
    return found, {
        case.id: (
            case.reference and case.reference.relative_to(reference).as_posix(),
            case.prediction and case.prediction.relative_to(prediction).as_posix(),
        )
        for case in found.cases
    }


@pytest.mark.parametrize(
    ("references", "predictions", "expected"),
    [
        (("a.nii.gz", "b.nii.gz"), ("b.nii.gz", "a.nii"), {"a": "a.nii", "b": "b.nii.gz"}),
        (
            ("a_gt.nii.gz", "b_gt.nii.gz"),
            ("a_pred.nii.gz", "b_pred.nii.gz"),
            {"a": "a_pred.nii.gz", "b": "b_pred.nii.gz"},
        ),
        (
            ("a/seg.nii.gz", "b/seg.nii.gz"),
            ("a.nii.gz", "b.nii.gz"),
            {"a": "a.nii.gz", "b": "b.nii.gz"},
        ),
        (
            ("x/a.nii.gz", "x/b.nii.gz"),
            ("fold0/a.mha", "fold1/b.mha"),
            {"a": "fold0/a.mha", "b": "fold1/b.mha"},
        ),
        (
            ("a_1.png", "a_2.png"),
            ("a_1_mask.png", "a_2_mask.png"),
            {"a_1": "a_1_mask.png", "a_2": "a_2_mask.png"},
        ),
    ],
)
def test_names_are_joined_however_they_are_dressed(tmp_path, references, predictions, expected):
    reference = touch(tmp_path / "r", *references, "notes.txt", ".hidden.nii.gz")
    prediction = touch(tmp_path / "p", *predictions, "dataset.json")
    _, found = cases(reference, prediction)
    assert {case: each[1] for case, each in found.items()} == expected


def test_a_missing_prediction_stays_and_an_extra_one_is_told(tmp_path):
    reference = touch(tmp_path / "r", "a.nii.gz", "b.nii.gz", "C.nii.gz")
    prediction = touch(tmp_path / "p", "a.nii.gz", "c.nii.gz", "z.nii.gz")
    found, joined = cases(reference, prediction)
    assert joined == {
        "C": ("C.nii.gz", None),
        "a": ("a.nii.gz", "a.nii.gz"),
        "b": ("b.nii.gz", None),
    }
    problems = {case.id: case.problem for case in found.cases}
    assert problems["b"] == "no mask: expected one of b"
    assert problems["C"] == "no mask: expected one of C; c is there, with other capital letters"
    (finding,) = found.findings
    assert (finding.code, finding.count) == ("unknown-mask", 2)
    assert finding.evidence == "predictions of cases that have no reference: c, z"


def test_two_files_for_one_case_are_refused_with_both_names(tmp_path):
    reference = touch(tmp_path / "r", "a.nii.gz", "b.nii.gz", "b.mha")
    prediction = touch(tmp_path / "p", "a.nii", "a.nii.gz", "b.nii.gz")
    found, joined = cases(reference, prediction)
    assert joined == {"a": ("a.nii.gz", None), "b": (None, "b.nii.gz")}
    assert [case.problem for case in found.cases] == [
        "2 masks, and nothing says which counts: a.nii and a.nii.gz",
        "2 references: b.mha and b.nii.gz",
    ]


def test_a_pattern_says_how_predictions_are_named(tmp_path):
    reference = touch(tmp_path / "r", "a.nii.gz", "b.nii.gz")
    prediction = touch(tmp_path / "p", "s_a_x1.nii.gz", "s_b_x2.nii.gz", "other.nii.gz")
    found, joined = cases(reference, prediction, pattern="s_{case}_x*.nii.gz")
    assert joined == {"a": ("a.nii.gz", "s_a_x1.nii.gz"), "b": ("b.nii.gz", "s_b_x2.nii.gz")}
    assert found.findings[0].evidence == "files that the pattern does not fit: other.nii.gz"
    reference = touch(tmp_path / "q", "a/truth.nii.gz", "b/truth.nii.gz")
    _, joined = cases(reference, prediction, pattern="{case}/truth,s_{case}_x*")
    assert joined["b"] == ("b/truth.nii.gz", "s_b_x2.nii.gz")
    for bad in ("no case", "{case}{case}"):
        with pytest.raises(UsageError, match=r"one \{case\}"):
            cases(reference, prediction, pattern=bad)


def test_nothing_to_compare_says_how_both_sides_are_named(tmp_path):
    reference = touch(tmp_path / "r", "a.nii.gz", "b.nii.gz")
    with pytest.raises(UsageError, match=r"cases \(a, b\), got x, y"):
        cases(reference, touch(tmp_path / "p", "x.nii.gz", "y.nii.gz"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="none in it"):
        cases(reference, tmp_path / "empty")
    with pytest.raises(UsageError, match=r"PREDICTION: .*not there"):
        cases(reference, tmp_path / "absent")


def test_two_files_are_one_case_and_so_are_a_file_and_a_folder(tmp_path):
    touch(tmp_path, "one.nii.gz", "two.nii.gz", "parts/liver.nii.gz")
    found = find_cases(
        tmp_path / "one.nii.gz", tmp_path / "two.nii.gz", pattern=None, structures=False
    )
    assert [case.id for case in found.cases] == ["one"]
    assert not found.is_structures
    found = find_cases(tmp_path / "parts", tmp_path / "two.nii.gz", pattern=None, structures=False)
    assert [case.id for case in found.cases] == ["parts"]
    assert found.is_structures


def test_folders_of_structures_are_one_case_or_a_case_a_folder(tmp_path):
    flat = touch(tmp_path / "flat", "liver.nii.gz", "spleen.nii.gz")
    found = find_cases(flat, flat, pattern=None, structures=True)
    assert [case.id for case in found.cases] == ["flat"]
    many = touch(tmp_path / "many", "s1/segmentations/liver.nii.gz", "s2/liver.nii.gz")
    other = touch(tmp_path / "other", "s1.nii.gz", "s3/liver.nii.gz")
    found, joined = cases(many, other, structures=True)
    assert joined == {"s1": ("s1", "s1.nii.gz"), "s2": ("s2", None)}
    assert found.findings[0].evidence.endswith(": s3")
    with pytest.raises(UsageError, match="s1, s2"):
        cases(many, touch(tmp_path / "far", "t1/liver.nii.gz"), structures=True)


def test_images_are_found_by_case(tmp_path):
    folder = touch(tmp_path / "ct", "a_0000.nii.gz", "b_0000.nii.gz", "c_0000.nii.gz")
    found = find_images(folder, ["a", "b"])
    assert {case: path.name for case, path in found.items()} == {
        "a": "a_0000.nii.gz",
        "b": "b_0000.nii.gz",
    }
    alone = folder / "a_0000.nii.gz"
    assert find_images(alone, ["z"]) == {"z": alone}
    with pytest.raises(UsageError, match="2 cases"):
        find_images(alone, ["a", "b"])
    with pytest.raises(UsageError, match="named as the cases are"):
        find_images(folder, ["z"])
    with pytest.raises(UsageError, match="not there"):
        find_images(tmp_path / "absent", ["a"])


def test_labels_are_read_from_words_and_files(tmp_path):
    assert read_label_names("2=spleen, 1=left kidney") == {1: "left kidney", 2: "spleen"}
    files = {
        "numbers.json": '{"1": "liver", "0": "background", "10": "spleen"}',
        "names.json": '{"liver": 1, "background": 0, "spleen": 10}',
        "dataset.json": '{"name": "d", "labels": {"background": 0, "liver": 1, "spleen": 10}}',
        "names.toml": "liver = 1\nspleen = 10\n",
        "labels.toml": '[labels]\n1 = "liver"\n10 = "spleen"\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_label_names(str(tmp_path / name)) == {1: "liver", 10: "spleen"}, name


@pytest.mark.parametrize(
    "text", ["", "liver", "1=", "=liver", "1=liver,1=spleen", "1=liver,2=liver", "0=air", "-1=x"]
)
def test_labels_that_cannot_be_read_are_refused(text):
    with pytest.raises(UsageError, match="--labels"):
        read_label_names(text)


@pytest.mark.parametrize(
    "text", ["[1, 2]", "{", '{"labels": {"tumour": [1, 2]}}', '{"1": true}', "[" * 100_000]
)
def test_files_of_labels_that_cannot_be_read_are_refused(tmp_path, text):
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="--labels"):
        read_label_names(str(tmp_path / "a.json"))
    with pytest.raises(UsageError, match="--labels"):
        read_label_names(str(tmp_path / "absent.toml"))
