"""What stands before the scores: cases that were not scored, and odd grids and labels."""

from __future__ import annotations

from overread.analysis.mask_results import MaskCase, MaskGeometry, MaskResults
from overread.records import Finding, Severity, Status
from overread.report.masks.problems import case_problems, label_problems, side_findings
from overread.report.masks.sides import MaskSide


def side(*cases: MaskCase, findings: tuple[Finding, ...] = ()) -> MaskSide:
    results = MaskResults(
        title="t", labels={1: "liver"}, cases=cases, rows=(), units={}, findings=findings,
        only_reference=("spleen",),
    )  # fmt: skip
    return MaskSide(label="run", colour=0, results=results)


def test_cases_that_were_not_scored_come_before_those_that_were() -> None:
    turned = MaskGeometry(
        problems=("direction: LPS in the reference, RPS in the prediction",),
        better_turn="With axis 1 reversed the prediction would reach a Dice of 0.912.",
        remedy="resampled by the nearest voxel",
    )
    found = case_problems(
        [
            side(
                MaskCase(id="fine"),
                MaskCase(id="moved", geometry=turned),
                MaskCase(id="gone", status=Status.FAILED, reason="no mask: expected gone.nii.gz"),
                MaskCase(id="odd", status=Status.UNPARSED, reason="a map of probabilities"),
                MaskCase(id="broken", status=Status.UNDEFINED, reason="the reference is cut off"),
            )
        ]
    )
    assert [(one.case, one.kind) for one in found] == [
        ("gone", "no prediction"),
        ("odd", "not scored"),
        ("broken", "reference unusable"),
        ("moved", "scored"),
    ]
    assert found[0].said == ("no mask: expected gone.nii.gz.",)
    assert found[-1].said == (
        "direction: LPS in the reference, RPS in the prediction.",
        "With axis 1 reversed the prediction would reach a Dice of 0.912.",
        "resampled by the nearest voxel.",
    )


def test_what_the_reason_says_already_is_not_said_twice() -> None:
    reason = "a.nii.gz: expected the grid of its reference, got size: 3 and 4. Write it again."
    case = MaskCase(
        id="a",
        status=Status.UNPARSED,
        reason=reason,
        geometry=MaskGeometry(problems=("size: 3 and 4",)),
    )
    assert case_problems([side(case)])[0].said == (reason,)


def test_many_unknown_labels_are_cut_short() -> None:
    few = MaskCase(id="a", geometry=MaskGeometry(unknown_labels=(7, 9)))
    many = MaskCase(id="b", geometry=MaskGeometry(unknown_labels=tuple(range(20, 40))))
    found = case_problems([side(few, many)])
    assert found[0].said == ("labels that nobody named: 7, 9.",)
    assert found[1].said[0].endswith("30, 31 and 8 more.")


def test_labels_of_one_side_and_findings_are_told_once() -> None:
    info = Finding(severity=Severity.INFO, code="i", where="w", evidence="e")
    error = Finding(severity=Severity.ERROR, code="e", where="w", evidence="e")
    sides = [side(findings=(info, error)), side(findings=(info,))]
    assert [one.code for one in side_findings(sides)] == ["e", "i"]
    assert [(one.where, one.labels) for one in label_problems(sides[:1])] == [
        ("Only references have", ("spleen",))
    ]
