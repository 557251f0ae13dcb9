"""Comparisons over a part of the questions, and by another metric than the headline."""

from __future__ import annotations

import pytest

from overread.analysis.compare import RunScores, compare
from overread.contracts import AlsoMetric, AnalysisPlan
from overread.errors import UsageError
from overread.records import PlannedItem, Status

PLAN = AnalysisPlan(
    strata=((), ("category",)),
    cells=("form",),
    cluster="patient",
    headline="rule_accuracy",
    headline_only={"form": ("yes-no",)},
    also=(
        AlsoMetric(metric="jury_accuracy", drops=(Status.UNDEFINED,), is_share=True),
        AlsoMetric(metric="rougeL", profiles=("published",)),
        AlsoMetric(metric="bleu", profiles=("published",)),
    ),
    multi_label=("category",),
    bootstrap_draws=200,
)


@pytest.fixture
def run(make_score):
    """Make a run of 40 questions, the even ones closed; one character a score, ? for none."""

    def make(label: str, rule: str = "", jury: str = "", rouge: str = "") -> RunScores:
        scores = []
        for metric, marks, profile in (
            ("rule_accuracy", rule, "honest"),
            ("jury_accuracy", jury, "honest"),
            ("rougeL", rouge, "published"),
        ):
            for n, mark in enumerate(marks):
                if metric == "rule_accuracy" and n % 2:
                    continue
                value = None if mark in "?-" else int(mark) / (1 if metric != "rougeL" else 10)
                status = Status.UNDEFINED if mark == "?" else None
                scores.append(
                    make_score(str(n), value, status=status, metric=metric, profile=profile)
                )
        planned = [
            PlannedItem(
                item=str(n),
                request_hash=str(n),
                groups={"patient": f"p{n // 2}"},
                strata={
                    "form": "where" if n % 2 else "yes-no",
                    "category": "a; b" if n < 4 else "b",
                },
                chance=None,
            )
            for n in range(40)
        ]
        return RunScores(label=label, scores=scores, planned=planned)

    return make


def test_the_headline_is_compared_over_its_questions(run) -> None:
    found = compare([run("one", "1" * 40), run("two", "10" * 20)], PLAN)
    (pair,) = found.pairs
    assert (pair.n, pair.n_clusters, pair.both, pair.only_first) == (20, 20, 20, 0)
    found = compare([run("one", "1" * 40), run("two", "1000" * 10)], PLAN)
    (pair,) = found.pairs
    assert (pair.n, pair.both, pair.only_first) == (20, 10, 10)
    assert found.notes == ()
    # Questions 0 and 2 have both labels and count under each.
    assert {(row.stratum["category"], row.n) for row in found.by_stratum} == {("a", 2), ("b", 20)}


def test_a_jury_is_compared_where_both_have_a_verdict(run) -> None:
    one, two = run("one", jury="1" * 39 + "?"), run("two", jury="?-" + "10" * 19)
    found = compare([one, two], PLAN, metric="jury_accuracy")
    (pair,) = found.pairs
    assert found.metric == "jury_accuracy"
    # Of 40: the last has no verdict of one, the first none of two; the second failed in two.
    assert (pair.n, pair.both, pair.only_first) == (38, 19, 19)
    assert found.notes == (
        "1 question of one has no value; it is left out of its pairs.",
        "1 question of two has no value; it is left out of its pairs.",
    )


def test_a_mean_is_compared_where_both_have_a_value(run) -> None:
    one, two = run("one", rouge="5" * 40), run("two", rouge="3--" * 13 + "3")
    (pair,) = compare([one, two], PLAN, profile="published", metric="rougeL").pairs
    assert (pair.n, pair.both) == (14, None)
    assert pair.difference == pytest.approx(0.2)


def test_naming_the_headline_changes_nothing(run) -> None:
    runs = [run("one", "1" * 40), run("two", "1000" * 10)]
    assert compare(runs, PLAN, metric="rule_accuracy") == compare(runs, PLAN)


@pytest.mark.parametrize(
    ("metric", "profile"), [("rougeL", "honest"), ("bleu", "published"), ("dice", "honest")]
)
def test_what_cannot_be_compared_is_refused(run, metric, profile) -> None:
    runs = [run("one", "1" * 40), run("two", "1" * 40)]
    with pytest.raises(UsageError, match="one that is compared item by item under the"):
        compare(runs, PLAN, profile=profile, metric=metric)


def test_a_run_without_a_jury_is_refused_and_not_taken_for_wrong(run) -> None:
    runs = [run("one", jury="1" * 40), run("two", "1" * 40)]
    with pytest.raises(UsageError, match=r"two: expected a run scored by jury_accuracy \(honest\)"):
        compare(runs, PLAN, metric="jury_accuracy")


def test_runs_without_a_common_value_are_refused(run) -> None:
    runs = [run("one", jury="1?" * 20), run("two", jury="?1" * 20)]
    with pytest.raises(UsageError, match="40 and 40 questions, none with a value in both"):
        compare(runs, PLAN, metric="jury_accuracy")
