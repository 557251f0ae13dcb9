from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from overread.analysis.compared_pairs import RunScores
from overread.analysis.ranking.findings import ranking_findings
from overread.analysis.ranking.from_runs import cases_of_runs
from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.ranking import TaskRanking, rank_methods
from overread.analysis.ranking.sentences import summary
from overread.contracts import AnalysisPlan, RankPlan
from overread.errors import UsageError
from overread.records import PlannedItem, Profile, Score, Status

RANK = RankPlan(
    weights={"dice": 0.5, "fnv_ml": 0.25, "fpv_ml": 0.25},
    smaller_is_better=("fnv_ml", "fpv_ml"),
    strata=("centre",),
    tie_break="dice",
    source="a page",
)
PLAN = AnalysisPlan(
    strata=((),), cells=("centre",), cluster="patient", headline="dice", ranking=RANK
)
Values = dict[str, tuple[float | None, ...]]
"""Metric → its value in each case."""


def planned(n: int, *, draws: int = 1) -> list[PlannedItem]:
    return [
        PlannedItem(
            item=f"c{number}",
            draw=draw,
            request_hash=f"{number}-{draw}",
            groups={"patient": f"p{number}"},
            strata={"centre": "A" if number < 2 else "B"},
            chance=None,
        )
        for number in range(n)
        for draw in range(draws)
    ]


def run(
    label: str,
    values: Values,
    *,
    status: Status = Status.UNDEFINED,
    profile: Profile = "published",
    target: str | None = None,
) -> RunScores:
    n = max(len(each) for each in values.values())
    rows = [
        Score(
            run=label,
            item=f"c{number}",
            patient=None,
            metric=metric,
            metric_version="1",
            profile=profile,
            target=target,
            unit="1",
            value=value,
            status=Status.OK if value is not None else status,
        )
        for metric, each in values.items()
        for number, value in enumerate(each)
    ]
    return RunScores(label=label, scores=rows, planned=planned(n))


ONE: Values = {"dice": (0.8, 0.6, 0.7, 0.9), "fnv_ml": (1, 1, 1, 1), "fpv_ml": (5, 5, 5, 5)}
TWO: Values = {"dice": (0.5, 0.5, 0.9, 0.9), "fnv_ml": (2, 0, 2, 2), "fpv_ml": (1, 1, 9, 9)}


def ranked(*runs: RunScores, plan: AnalysisPlan = PLAN) -> TaskRanking:
    found = cases_of_runs(runs, plan)
    options = RankingOptions(
        rule=found.rule,
        ties="average",
        missing=found.missing,
        worst=found.worst,
        tie_break=found.tie_break,
        draws=20,
    )
    return rank_methods(found.table, found.metrics, options)


def test_a_score_is_the_weighted_mean_of_ranks_within_strata() -> None:
    found = ranked(run("one", ONE), run("two", TWO))

    # centre A: dice 0.7 over 0.5, fnv 1 to 1, fpv 5 to 1; centre B: dice 0.8 under 0.9, fnv 1 to 2,
    # fpv 5 to 9. one: 0.5·(1 + 2)/2 + 0.25·(1.5 + 1)/2 + 0.25·(2 + 1)/2 = 1.4375
    assert [(row.method, row.rank, row.score) for row in found.rows] == [
        ("one", 1, 1.4375),
        ("two", 2, 1.5625),
    ]
    assert found.strata == ("A", "B")
    assert (found.n_cases, found.n_units, found.unit) == (4, 4, "patient")


def test_the_unit_is_called_what_the_benchmark_calls_it() -> None:
    def of_images(label: str, values: Values) -> RunScores:
        held = run(label, values)
        lines = [replace(line, groups={"image": f"i{line.item}"}) for line in held.planned]
        return replace(held, planned=lines)

    runs, plan = (of_images("one", ONE), of_images("two", TWO)), replace(PLAN, cluster="image")
    ranking = ranked(*runs, plan=plan)
    assert (ranking.unit, ranking.n_units) == ("image", 4)
    findings = ranking_findings(cases_of_runs(runs, plan).table, ranking)
    told = " ".join(summary(ranking)) + repr(findings)
    assert "4 cases of 4 images" in told
    assert "patient" not in told
    assert ranked(run("one", ONE), run("two", TWO)).unit == "patient"


def test_the_median_is_taken_where_the_plan_says_so() -> None:
    median = RankPlan(weights={"dice": 1}, aggregate="median", source="ours")
    plan = AnalysisPlan(strata=((),), cells=(), cluster=None, headline="dice", ranking=median)
    one, two = run("one", {"dice": (0.9, 0.1, 0.8)}), run("two", {"dice": (0.7, 0.7, 0.7)})

    found = ranked(one, two, plan=plan)

    assert [row.method for row in found.rows] == ["one", "two"]
    assert found.unit == "case"
    mean = cases_of_runs([one, two], plan).table.values["dice"].mean(axis=0)
    assert mean[0] < mean[1]  # the mean would turn it round


def test_a_benchmark_without_a_rule_is_ranked_by_its_honest_headline() -> None:
    plan = AnalysisPlan(strata=((),), cells=(), cluster="patient", headline="dice")
    runs = [
        run("low", {"dice": (0.1, 0.2)}, profile="honest"),
        run("high", {"dice": (0.3, 0.2)}, profile="honest"),
    ]

    assert [row.method for row in ranked(*runs, plan=plan).rows] == ["high", "low"]
    (finding,) = cases_of_runs(runs, plan).findings
    assert "the benchmark has no rule" in finding.effect


def test_what_no_run_has_is_undefined_and_a_stratum_of_it_ranks_nobody() -> None:
    # centre A has no lesion at all: Dice and the false negative volume say nothing there
    none = (None, None)
    one = run("one", {"dice": (*none, 0.7, 0.9), "fnv_ml": (*none, 1, 1), "fpv_ml": (0, 0, 1, 1)})
    two = run("two", {"dice": (*none, 0.6, 0.6), "fnv_ml": (*none, 2, 2), "fpv_ml": (0, 0, 2, 2)})

    found = ranked(one, two)

    # fpv: equal in A (1.5), first in B (1)
    assert [(row.method, row.score) for row in found.rows] == [
        ("one", 0.5 * 1 + 0.25 * 1 + 0.25 * 1.25),
        ("two", 0.5 * 2 + 0.25 * 2 + 0.25 * 1.75),
    ]
    assert found.n_undefined == {"dice": 2, "fnv_ml": 2, "fpv_ml": 0}
    assert found.n_missing == {"dice": 0, "fnv_ml": 0, "fpv_ml": 0}
    assert found.rows[0].mean_rank is not None
    assert found.stability is not None


def test_a_missing_mask_has_the_worst_value_and_is_told() -> None:
    broken: Values = {metric: (*each[:3], None) for metric, each in ONE.items()}
    refused: Values = dict.fromkeys(ONE, (None,))
    other = run("broken", refused, status=Status.UNPARSED, profile="honest")
    runs = [run("broken", broken, status=Status.FAILED), run("whole", ONE)]
    # What another profile refuses is no matter of this ranking.
    runs[0] = replace(runs[0], scores=(*runs[0].scores, *other.scores))

    read = cases_of_runs(runs, PLAN)
    found = ranked(*runs)

    assert read.worst == {"dice": 0.0}
    assert [row.method for row in found.rows] == ["whole", "broken"]
    finding = next(each for each in read.findings if each.code == "missing-values")
    assert finding.where == "broken"
    assert "dice: 1, fnv_ml: 1, fpv_ml: 1 of 4 cases (failed)" in finding.evidence


def test_draws_of_one_item_are_averaged() -> None:
    first = run("drawn", {"dice": (0.2, 0.2)}, profile="honest")
    again = [
        Score(**{name: getattr(row, name) for name in row.__slots__} | {"draw": 1, "value": 0.6})
        for row in first.scores
    ]
    both = RunScores(label="drawn", scores=[*first.scores, *again], planned=planned(2, draws=2))
    plan = AnalysisPlan(strata=((),), cells=(), cluster="patient", headline="dice")

    read = cases_of_runs([both, run("plain", {"dice": (0.3, 0.3)}, profile="honest")], plan)

    np.testing.assert_allclose(read.table.values["dice"], [[0.4, 0.3], [0.4, 0.3]])


def test_items_that_one_run_was_not_asked_are_left_out_and_told() -> None:
    short: Values = {metric: each[:3] for metric, each in TWO.items()}

    read = cases_of_runs([run("one", ONE), run("short", short)], PLAN)

    assert read.table.cases == ("c0", "c1", "c2")
    finding = next(each for each in read.findings if each.code == "unshared-items")
    assert (finding.where, finding.count) == ("one", 1)


def test_rows_of_labels_and_of_the_other_profile_take_no_part() -> None:
    one = run("one", ONE)
    label = run("one", {"dice": (0.0,) * 4}, target="lesion")
    honest = run("one", {"dice": (0.0,) * 4}, profile="honest")
    mixed = RunScores(
        label="one", scores=[*label.scores, *honest.scores, *one.scores], planned=one.planned
    )

    read = cases_of_runs([mixed, run("two", TWO)], PLAN)

    assert read.table.values["dice"][:, 0].tolist() == list(ONE["dice"])


def test_a_run_without_rows_of_a_metric_is_refused() -> None:
    bare = run("bare", {"dice": (0.5,) * 4})

    with pytest.raises(UsageError, match="bare: expected score rows of fnv_ml in the published"):
        cases_of_runs([run("one", ONE), bare], PLAN)


def test_one_run_is_no_ranking() -> None:
    with pytest.raises(UsageError, match="two or more run files"):
        cases_of_runs([run("one", ONE)], PLAN)


def test_runs_without_a_shared_item_are_refused() -> None:
    other = run("two", TWO)
    elsewhere = RunScores(label="two", scores=other.scores, planned=[])

    with pytest.raises(UsageError, match="none that all of them were asked"):
        cases_of_runs([run("one", ONE), elsewhere], PLAN)


def test_a_metric_that_nobody_declared_has_no_worst_value_of_its_own() -> None:
    rank = RankPlan(weights={"our_own": 1}, source="ours")
    plan = AnalysisPlan(strata=((),), cells=(), cluster=None, headline="dice", ranking=rank)
    one, two = run("one", {"our_own": (3.0, None)}), run("two", {"our_own": (1.0, 2.0)})

    read = cases_of_runs([one, two], plan)

    assert read.worst == {}
    # the missing one counts as 1, the worst there is: (3 + 1) / 2 over (1 + 2) / 2
    assert [row.method for row in ranked(one, two, plan=plan).rows] == ["one", "two"]


@pytest.mark.parametrize("n_units", [4, 9, 40])
def test_no_p_is_smaller_than_so_many_patients_can_give(n_units: int) -> None:
    # One method is before the other in every patient: by chance once in 2**n_units times.
    from types import SimpleNamespace

    from overread.analysis.ranking.options import RankingOptions
    from overread.analysis.ranking.pairs import pairs_by_score

    stable = SimpleNamespace(
        score_gap_error=[[0.0, 0.01], [0.01, 0.0]],
        is_exact=True,
        draws=1000,
        n_units=n_units,
        ahead=[[0.0, 1.0], [0.0, 0.0]],
    )
    (pair,) = pairs_by_score(
        ["a", "b"],
        np.array([1.0, 2.0]),
        RankingOptions(),
        stable,
        n_cases=n_units,  # type: ignore[arg-type]
    )
    assert pair.p_first >= 0.5**n_units
    assert pair.method == ("bootstrap, t" if n_units < 20 else "bootstrap, normal")
    assert pair.better == (None if n_units == 4 else "first")
    assert pair.high - pair.low > 2 * 1.9599 * 0.01 - 1e-9
