"""Counts and ends of intervals that headings name, without a claim."""

from __future__ import annotations

import pytest

from overread.audits.table.headings import interval_heading, is_accuracy, is_count, is_right
from overread.records import Severity


def of(audit, code):
    return [each.finding for each in audit.flaws if each.finding.code == code]


def check(audit, name):
    return next(each for each in audit.checks if each.name.startswith(name))


@pytest.mark.parametrize("names", ["n,correct", "questions,right", "# items,k", "cases,n_correct"])
def test_right_of_all(audit, names: str) -> None:
    found = audit(f"model,{names},accuracy\nA,60,45,75.0\nB,60,40,66.7\nC,60,41,66.7\n")
    (finding,) = of(found, "count-off")
    assert finding.where == "C, accuracy (line 4)"
    assert "41 of 60 is 68.33, printed 66.7 (inferred: accuracy is" in finding.evidence
    assert finding.evidence.endswith("fits 2 of 3 rows)")
    assert check(found, "accuracy from its counts").note.startswith("inferred: accuracy is")


def test_right_of_a_claimed_number(audit) -> None:
    table = "model,correct,accuracy\nA,45,0.75\nB,40,0.667\nC,41,0.70\n"
    (finding,) = of(audit(table, "n = 60"), "count-off")
    assert "41 of 60 is 0.683" in finding.evidence
    assert audit(table).flaws == ()


def test_headings_that_no_row_bears_out_are_a_question(audit) -> None:
    found = audit("model,n,correct,accuracy\nA,60,45,81.0\nB,60,40,51.3\nC,60,41,66.4\n")
    (finding,) = [each.finding for each in found.flaws]
    assert (finding.code, finding.severity) == ("count-off", Severity.WARNING)
    assert "fits 0 of 3 rows" in finding.evidence


def test_a_mean_row_is_no_share_of_sums(audit) -> None:
    rows = "A,60,45,75.0\nB,20,10,50.0\nC,40,22,55.0\nmean,120,77,60.0\n"
    assert audit(f"data set,n,correct,accuracy\n{rows}").flaws == ()


def test_a_column_of_items_makes_shares_impossible(audit) -> None:
    rows = "A,60,75.0\nB,60,66.7\nC,60,80.0\nD,60,81.0\nE,60,58.3\n"
    (finding,) = of(audit(f"model,n,accuracy\n{rows}"), "impossible-share")
    assert "81.0 of 60 items" in finding.evidence
    assert "inferred: column n counts its items; fits 4 of 5 rows" in finding.evidence


def test_patients_are_not_the_items_of_every_share(audit) -> None:
    # 412 questions of 37 patients: their number gives none of these.
    rows = "A,37,71.1\nB,37,66.0\nC,37,58.3\n"
    assert audit(f"model,patients,accuracy\n{rows}").flaws == ()
    # Dice is no share of images, and balanced accuracy none of questions.
    assert audit("model,images,dice\nA,50,0.812\nB,50,0.793\nC,50,0.801\n").flaws == ()
    assert audit("m,n,balanced accuracy\nA,50,81.2\nB,50,79.3\nC,50,80.1\n").flaws == ()


WILSON = "A,60,75.0,62.8,84.2\nB,60,66.7,54.1,77.3\nC,60,80.0,68.2,88.2\n"


@pytest.mark.parametrize(
    "ends",
    [
        "low,high",
        "lower,upper",
        "95% CI low,95% CI high",
        "accuracy_lo,accuracy_hi",
        "acc_lo,acc_hi",
    ],
)
def test_ends_in_columns_of_their_own(audit, ends: str) -> None:
    heading = f"model,n,accuracy,{ends}\n"
    assert audit(heading + WILSON).flaws == ()
    reversed_ = audit(heading + WILSON.replace("68.2,88.2", "88.2,68.2"))
    (finding,) = of(reversed_, "interval-reversed")
    assert "(inferred: " in finding.evidence
    narrow = audit(heading + WILSON.replace("54.1,77.3", "64.1,69.3"))
    (finding,) = of(narrow, "interval-too-narrow")
    # Perhaps the lowest and highest of several runs.
    assert finding.severity == Severity.WARNING
    outside = audit(heading + WILSON.replace("54.1,77.3", "70.0,77.3"))
    assert len(of(outside, "value-outside-interval")) == 1


@pytest.mark.parametrize("form", ["[{}, {}]", "{}–{}", "({} to {})"])
def test_both_ends_in_one_column(audit, form: str) -> None:
    ends = [("62.8", "84.2"), ("54.1", "77.3"), ("82.1", "88.0")]
    rows = "".join(
        f'm{row},{value},"{form.format(*ends[row])}",60\n'
        for row, value in enumerate(["75.0", "66.7", "80.0"])
    )
    (finding,) = [each.finding for each in audit(f"model,accuracy,95% CI,n\n{rows}").flaws]
    assert finding.code == "value-outside-interval"
    assert "80 does not lie in 82.1 to 88 (inferred: 95% CI of accuracy)" in finding.evidence


def test_ends_on_the_other_scale_than_their_value(audit) -> None:
    rows = "A,75.0,0.628,0.842\nB,66.7,0.541,0.773\nC,80.0,0.682,0.882\n"
    assert audit(f"model,accuracy,low,high\n{rows}").flaws == ()


@pytest.mark.parametrize(
    "heading",
    ["low-grade dice,high-grade dice", "upper lobe,lower lobe", "upper,lower", "low,mid,high"],
)
def test_strata_are_no_intervals(audit, heading: str) -> None:
    mid = heading.count(",") - 1
    rows = "".join(
        f"{name},{value},{low}{',70.0' * mid},{high}\n"
        for name, value, low, high in (
            ("A", "75.0", "70.1", "78.3"),
            ("B", "66.2", "60.0", "71.4"),
            ("C", "71.0", "74.0", "69.0"),
        )
    )
    found = audit(f"model,overall dice,{heading}\n{rows}")
    assert of(found, "interval-reversed") == of(found, "value-outside-interval") == []


def test_low_and_high_alone_may_be_something_else(audit) -> None:
    rows = WILSON.replace("68.2,88.2", "88.2,68.2")
    (plain,) = of(audit(f"model,n,accuracy,low,high\n{rows}"), "interval-reversed")
    (said,) = of(audit(f"model,n,accuracy,CI low,CI high\n{rows}"), "interval-reversed")
    assert (plain.severity, said.severity) == (Severity.WARNING, Severity.ERROR)


def test_means_of_runs_that_fit_by_chance_are_not_called_impossible(audit) -> None:
    # Of 500 items every second share with one decimal is a count.
    rows = "A,500,61.2\nB,500,55.4\nC,500,70.7\nD,500,48.0\nE,500,52.3\n"
    assert audit(f"model,n,accuracy\n{rows}").flaws == ()


def test_a_k_may_be_anything(audit) -> None:
    assert audit("model,n,k,accuracy\nA,60,1,75.0\nA5,60,5,66.7\nB,60,5,80.0\n").flaws == ()


def test_nothing_is_inferred_when_told_so(audit) -> None:
    table = "model,n,correct,accuracy\nA,60,45,75.0\nB,60,40,66.7\nC,60,41,66.7\n"
    assert audit(table, "infer = false").flaws == ()


def test_headings() -> None:
    names = ["correct", "n correct", "correct (%)", "TP (test)", "per-case recall"]
    assert [is_right(name) for name in names] == [True, True, False, False, False]
    assert [is_count(name) for name in names] == [True, True, False, True, False]
    names = ["Accuracy ↑", "acc (%)", "test accuracy", "balanced accuracy", "AUC"]
    assert [is_accuracy(name) for name in names] == [True, True, True, False, False]
    high = interval_heading("90% CI upper bound")
    assert high is not None
    assert (high.end, high.level, high.stem) == ("high", 0.9, "")
