"""Score rows of masks gathered by case and label."""

from __future__ import annotations

import pytest

from overread.analysis.mask_results import MaskCase, MaskResults, MaskRow, mask_results, mask_rows
from overread.errors import UsageError
from overread.records import Profile, Score, Status


def score(
    case: str,
    target: str | None,
    metric: str,
    value: float | None,
    *,
    status: Status = Status.OK,
    reason: str | None = None,
    answer: str | None = "both present",
    profile: Profile = "honest",
    draw: int = 0,
) -> Score:
    return Score(
        run="r",
        item=case,
        draw=draw,
        patient=case,
        metric=metric,
        metric_version="1",
        profile=profile,
        target=target,
        unit="mm" if metric.endswith("_mm") else "share",
        value=value,
        status=status,
        reason=reason,
        answer=answer,
    )


def test_the_metrics_of_a_label_stand_in_one_row() -> None:
    rows = mask_rows(
        [
            score("a", "liver", "dice", 0.9),
            score("a", "liver", "hd95_mm", 3.0),
            score("a", "spleen", "dice", 0.0, answer="missed"),
            score(
                "a",
                "spleen",
                "hd95_mm",
                None,
                status=Status.UNDEFINED,
                reason="missed",
                answer="missed",
            ),
        ]
    )
    assert [(row.label, row.fate, row.status) for row in rows] == [
        ("liver", "both present", Status.OK),
        ("spleen", "missed", Status.OK),
    ]
    assert rows[0].values == {"dice": 0.9, "hd95_mm": 3.0}
    assert rows[1].values == {"dice": 0.0, "hd95_mm": None}
    assert rows[1].reasons == {"hd95_mm": "missed"}


def test_other_profiles_and_later_draws_are_left_aside() -> None:
    rows = mask_rows(
        [
            score("a", "liver", "dice", 0.9),
            score("a", "liver", "dice", 1.0, profile="published"),
            score("a", "liver", "dice", 0.1, draw=1),
        ]
    )
    assert [row.values for row in rows] == [{"dice": 0.9}]


def test_a_case_without_a_prediction_keeps_what_is_known_of_its_reference() -> None:
    scores = [
        score("a", "liver", "reference_ml", 1500.0, answer=None),
        score(
            "a",
            "liver",
            "dice",
            None,
            status=Status.FAILED,
            reason="no mask: expected a.nii.gz",
            answer=None,
        ),
    ]
    results = mask_results(scores, title="t", labels={1: "liver"}, cases=[MaskCase(id="a")])
    (row,) = results.rows
    assert (row.status, row.fate, row.reason) == (
        Status.FAILED,
        None,
        "no mask: expected a.nii.gz",
    )
    assert row.values == {"reference_ml": 1500.0, "dice": None}
    assert results.cases[0].status is Status.FAILED
    assert results.cases[0].reason == "no mask: expected a.nii.gz"


def test_a_case_of_which_one_label_was_compared_is_no_failed_case() -> None:
    scores = [
        score("a", "liver", "dice", 0.5),
        score("a", "spleen", "dice", None, status=Status.FAILED, reason="no mask", answer=None),
    ]
    results = mask_results(
        scores, title="t", labels={1: "liver", 2: "spleen"}, cases=[MaskCase(id="a")]
    )
    assert results.cases[0].status is Status.OK


def test_labels_stand_in_the_order_of_the_table_and_case_rows_stand_aside() -> None:
    scores = [
        score("a", None, "dice", 0.7),
        score("a", "spleen", "dice", 0.5),
        score("a", "liver", "dice", 0.9),
        score("a", "no label of ours", "dice", 0.9),
    ]
    results = mask_results(
        scores,
        title="t",
        labels={1: "liver", 2: "spleen", 3: "never seen"},
        cases=[MaskCase(id="a")],
    )
    assert list(results.by_label()) == ["liver", "spleen"]
    assert {row.label for row in results.rows} == {None, "liver", "spleen"}
    assert results.metrics == ("dice",)


def test_a_case_without_labels_stands_beside_the_labels_of_others() -> None:
    scores = [
        score("a", None, "dice", 0.7),
        score("a", "liver", "dice", 0.9),
        score("b", None, "dice", 0.4),
    ]
    results = mask_results(
        scores, title="t", labels={1: "liver"}, cases=[MaskCase(id="a"), MaskCase(id="b")]
    )
    assert [(row.case, row.label) for row in results.label_rows] == [("a", "liver"), ("b", None)]
    assert list(results.by_label()) == ["liver", None]


def test_an_unusable_reference_is_no_scored_case() -> None:
    reason = "the reference is damaged"
    scores = [
        score("a", "liver", name, None, status=Status.UNDEFINED, reason=reason, answer=None)
        for name in ("dice", "reference_ml")
    ]
    results = mask_results(scores, title="t", labels={1: "liver"}, cases=[MaskCase(id="a")])
    assert (results.cases[0].status, results.cases[0].reason) == (Status.UNDEFINED, reason)


def test_rows_of_cases_stand_in_where_no_row_has_a_label() -> None:
    results = mask_results(
        [score("a", None, "dice", 0.7)], title="t", labels={1: "lesion"}, cases=[MaskCase(id="a")]
    )
    assert list(results.by_label()) == [None]


@pytest.mark.parametrize(
    ("cases", "row_case", "row_label"),
    [(("a", "a"), "a", "liver"), (("a",), "b", "liver"), (("a",), "a", "kidney")],
)
def test_what_does_not_belong_together_is_refused(
    cases: tuple[str, ...], row_case: str, row_label: str
) -> None:
    row = MaskRow(
        case=row_case, label=row_label, status=Status.OK, reason=None, fate=None, values={}
    )
    with pytest.raises(UsageError, match="each case once"):
        MaskResults(
            title="t",
            labels={1: "liver"},
            cases=tuple(MaskCase(id=each) for each in cases),
            rows=(row,),
            units={},
        )


def test_a_value_may_mean_another_label_in_another_case() -> None:
    cases = [MaskCase(id="a", labels={1: "vessel"}), MaskCase(id="b")]
    scores = [score("a", "vessel", "dice", 0.5), score("b", "vein", "dice", 0.6)]
    results = mask_results(scores, title="t", labels={1: "vein", 2: "artery"}, cases=cases)
    assert list(results.by_label()) == ["vein", "vessel"]
    assert results.values_of(cases[0], "vessel") == (1,)
    assert results.values_of(cases[0], "vein") == ()
    assert results.values_of(cases[1], "vein") == (1,)
    assert results.values_of(cases[1], None) == (1, 2)


def test_a_case_is_found_by_its_id() -> None:
    results = mask_results([], title="t", labels={}, cases=[MaskCase(id="a", patient="p")])
    assert results.case("a").patient == "p"
    with pytest.raises(KeyError):
        results.case("b")
