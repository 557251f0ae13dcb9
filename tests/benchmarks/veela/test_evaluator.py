"""The released evaluation, held to what it says itself.

Numbers of the tube were computed when the benchmark was described; the others by running
yaziciz/VEELA2025_Evaluation (d511fdd) in its own environment: scikit-image 0.19.3, scikit-learn
1.2.1, surface-distance 0.1, numpy 1.24.1, on Python 3.9. Masks of Task01 were given to it as
booleans; as whole numbers, which its head makes of them, surface-distance refuses them.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import nibabel
import numpy as np
import pytest
from tests.benchmarks.veela.tubes import tube

from overread.benchmarks.veela.evaluator import CasePair, TaskEvaluation, evaluate_task
from overread.benchmarks.veela.layout import Task


def cut(*slices: int):
    mask = tube()
    mask[list(slices)] = False
    return mask


def one(write, prediction, reference, task: Task = "Task01") -> TaskEvaluation:
    pair = CasePair(
        prediction=write("case_1.nii", prediction), reference=write("case_1_gt.nii", reference)
    )
    return evaluate_task(task, {"case_1": pair}, n_cases=1)


def values(found: TaskEvaluation, target: str = "vessel"):
    assert found.rejection is None
    return [found.cases["case_1"][target][each].value for each in ("cldice", "iou", "nsd_1mm")]


# ---------------------------------------------------------------- known values


@pytest.mark.parametrize(
    ("prediction", "known"),
    [
        (tube(), (1, 1, 1)),
        (tube(last=20), (0.666667, 0.5, 0.676841)),
        (np.roll(tube(), 1, 2), (1, 0.611111, 1)),
        (np.roll(tube(), 1, 1), (1, 0.611111, 0.813810)),
        (np.roll(tube(), 1, 0), (1, 0.935484, 0.966155)),
        (tube(radius2=16), (1, 0.591837, 0.836448)),
        (cut(19, 20), (0.962963, 0.933333, 0.978275)),
    ],
    ids=["same", "half", "x", "y", "z", "thick", "gap"],
)
def test_the_tube(write, prediction, known):
    assert values(one(write, prediction, tube())) == pytest.approx(known, abs=5e-7)


@pytest.mark.parametrize("spacing", [(3.0, 2.0, 1.0), (1.0, 1.0, 1.0), (0.7, 0.7, 3.0)])
def test_the_header_is_not_looked_at(write, spacing):
    pair = CasePair(
        prediction=write("case_1.nii", np.roll(tube(), 1, 1), spacing=spacing),
        reference=write("case_1_gt.nii", tube(), spacing=(1.0, 1.0, 1.0)),
    )
    found = evaluate_task("Task01", {"case_1": pair}, n_cases=1)
    assert values(found)[2] == pytest.approx(0.813810, abs=5e-7)


def test_what_overlaps_nowhere_is_nan(write):
    found = one(write, np.roll(tube(), 10, 2), tube())
    assert values(found) == [None, 0.0, 0.0]
    assert found.cases["case_1"]["vessel"]["cldice"].trouble == "no overlap: clDice is 0 / 0"
    average = found.average("vessel", "cldice")
    assert average is not None
    assert average.value is None
    assert average.trouble == "case_1: no overlap: clDice is 0 / 0"


GOLDEN = {
    ("broken", "Task01", "vessel"): [
        (0.8858695652173914, 0.8608048511576626, 0.9162419078924527),
        (0.9319727891156463, 0.9146737525834071, 0.9666443065617064),
    ],
    ("broken", "Task02", "hepatic"): [
        (0.9641025641025642, 0.959349593495935, 0.9869412341141354),
        (0.9375, 0.9274546591619762, 0.9714509251562259),
    ],
    ("broken", "Task02", "portal"): [
        (0.6527777777777778, 0.6878363832077503, 0.7481044900507184),
        (0.9743589743589743, 0.9032438478747203, 0.9715371295829585),
    ],
    ("wide", "Task01", "vessel"): [
        (0.9692307692307692, 0.6747256834666171, 0.9221858139333512),
        (0.9865951742627346, 0.692638036809816, 0.9221526840746436),
    ],
    ("wide", "Task02", "portal"): [
        (0.9893617021276596, 0.6746550472040668, 0.9217845500118699),
        (1.0, 0.6845329249617151, 0.9118754779145444),
    ],
}


@pytest.mark.parametrize(("submission", "task", "target"), GOLDEN)
def test_trees_score_as_in_the_released_code(root: Path, submission, task, target):
    pairs = {
        f"case_{number}": CasePair(
            prediction=root / f"predictions/{submission}/{task}/case_{number}.nii",
            reference=root / f"Test_GT/case_{number}_gt.nii",
        )
        for number in (1, 2)
    }
    found = evaluate_task(task, pairs, n_cases=2)
    known = GOLDEN[submission, task, target]
    for case, expected in zip(found.cases.values(), known, strict=True):
        got = [case[target][metric].value for metric in ("cldice", "iou", "nsd_1mm")]
        assert got == pytest.approx(expected, abs=1e-12)
    average = found.average(target, "cldice")
    assert average is not None
    assert average.value == pytest.approx((known[0][0] + known[1][0]) / 2)


# ---------------------------------------------------------------- records


def test_records_are_those_of_the_evaluator(write):
    labels = np.where(tube(), 1, 0) + np.where(np.roll(tube(), 8, 2), 2, 0)
    found = one(write, labels, np.where(labels == 2, 0, labels) + 2 * tube(first=34), "Task02")
    assert found.rejection is None
    case, average = found.records()
    assert (case["sampleId"], average["sampleId"]) == ("case_1.nii", "Average")
    assert list(case) == ["sampleId", "clDice", "IoU", "NSD"]
    assert case["clDice"].keys() == {"hepatic", "portal"}
    assert case["clDice"]["portal"] is None  # NaN
    assert average["clDice"]["portal"] is None
    assert average["IoU"]["hepatic"] == case["IoU"]["hepatic"]
    single, mean = one(write, tube(), tube()).records()
    assert single == {"sampleId": "case_1.nii", "clDice": 1.0, "IoU": 1.0, "NSD": 1.0}
    assert mean == {**single, "sampleId": "Average"}


def test_a_rejected_task_has_no_records(write):
    found = evaluate_task("Task01", {}, n_cases=20)
    assert found.rejection == "E2: 0 files '.nii' instead of 20"
    assert (found.records(), found.cases, found.average("vessel", "iou")) == ([], {}, None)


# ---------------------------------------------------------------- rejections


def test_zipped_masks_do_not_count(write):
    pair = CasePair(
        prediction=write("case_1.nii.gz", tube()), reference=write("case_1_gt.nii", tube())
    )
    found = evaluate_task("Task01", {"case_1": pair}, n_cases=1)
    assert found.rejection == "E2: 0 files '.nii' instead of 1; 1 of another ending do not count"


@pytest.mark.parametrize("content", [b"", b"no NIfTI", gzip.compress(b"zipped", mtime=0)])
def test_a_file_that_cannot_be_read_rejects_all(write, tmp_path, content):
    good = CasePair(prediction=write("a.nii", tube()), reference=write("a_gt.nii", tube()))
    (tmp_path / "b.nii").write_bytes(content)
    bad = CasePair(prediction=tmp_path / "b.nii", reference=good.reference)
    gone = CasePair(prediction=good.prediction, reference=tmp_path / "absent_gt.nii")
    for other in (bad, gone):
        found = evaluate_task("Task01", {"case_1": good, "case_2": other}, n_cases=2)
        assert found.rejection is not None
        assert found.rejection.startswith("E3: case_2: ")
        assert str(tmp_path) not in found.rejection
        assert not found.cases


@pytest.mark.parametrize(
    ("mask", "shown"),
    [
        (np.zeros((4, 4, 4)), "values 0 instead"),
        (np.ones((4, 4, 4)), "values 1 instead"),
        (np.arange(64.0).reshape(4, 4, 4), "values 0, 1, 2, 3, 4, 5, … instead"),
        (np.where(np.eye(4), np.nan, 1)[..., None], "values -9223372036854775808, 1 instead"),
    ],
    ids=["empty", "full", "many", "nan"],
)
def test_task01_takes_just_zero_and_one(write, mask, shown):
    found = one(write, mask, tube())
    assert found.rejection is not None
    assert found.rejection.startswith(f"E4: case_1: {shown}")


def test_predictions_are_rounded_and_references_are_not(write):
    soft = np.where(tube(), 0.6, 0.4)
    assert values(one(write, soft, tube())) == [1.0, 1.0, 1.0]
    # Of Task01 whatever is not 0 is vessel in the reference.
    assert values(one(write, tube(), np.where(tube(), 0.2, 0))) == [1.0, 1.0, 1.0]


def test_any_three_values_will_do_in_task02(write):
    reference = np.where(tube(), 1, 0) + np.where(np.roll(tube(), 8, 2), 2, 0)
    found = one(write, np.where(reference == 2, 5, reference), reference, "Task02")
    assert values(found, "hepatic") == [1.0, 1.0, 1.0]
    assert values(found, "portal") == [None, 0.0, 0.0]
    two = one(write, np.where(reference == 2, 0, reference), reference, "Task02")
    assert two.rejection == "E5: case_1: values 0, 1 instead of three"


@pytest.mark.parametrize(
    ("shape", "rule"),
    [((40, 30, 29), "40 × 30 × 29 and 40 × 30 × 30"), ((40, 30, 30, 2), "and 40 × 30 × 30 × 2")],
)
def test_arrays_of_other_sizes_break_it_off(write, shape, rule):
    mask = np.zeros(shape)
    mask[0] = 1
    found = one(write, mask, tube())
    assert found.rejection is not None
    assert found.rejection.startswith("broken off: case_1: arrays of ")
    assert rule in found.rejection


def test_two_masks_without_a_skeleton_break_it_off(write):
    cube = np.zeros((9, 9, 9), bool)
    cube[2:6, 2:6, 2:6] = True  # of which scikit-image leaves nothing
    found = one(write, cube, cube)
    assert found.rejection is not None
    assert found.rejection.startswith("broken off: case_1: two masks without a skeleton")


def test_two_empty_masks_of_a_class_break_it_off(write):
    """ZeroDivisionError there: it divides Python's own zeros, not numpy's."""
    labels = np.where(tube(), 1, 0)
    labels[0, 0, 0] = 5
    found = one(write, labels, tube(), "Task02")
    assert found.rejection is not None
    assert "without a skeleton end it in ZeroDivisionError" in found.rejection


def test_one_mask_without_a_skeleton_is_nan_where_the_other_misses_it(write):
    cube = np.zeros((40, 30, 30), bool)
    cube[2:6, 2:6, 2:6] = True
    found = one(write, cube | tube(), cube)
    # 0.0685… and 0.1612… in the released code as well.
    assert values(found) == [
        None,
        pytest.approx(0.068522, abs=5e-7),
        pytest.approx(0.161211, abs=5e-7),
    ]


def test_big_endian_and_scaled_files_are_read_as_they_mean(write, tmp_path):
    reference = write("case_1_gt.nii", tube())
    image = nibabel.Nifti1Image(tube().astype(">i2"), np.eye(4))  # type: ignore[attr-defined]
    image.header.set_slope_inter(1.0, 0.0)
    nibabel.save(image, tmp_path / "case_1.nii")  # type: ignore[attr-defined]
    pair = CasePair(prediction=tmp_path / "case_1.nii", reference=reference)
    assert values(evaluate_task("Task01", {"case_1": pair}, n_cases=1)) == [1.0, 1.0, 1.0]
