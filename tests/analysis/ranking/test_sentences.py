from __future__ import annotations

import numpy as np
import pytest

from overread.analysis.ranking.examples import (
    circle,
    clear_order,
    many_missing,
    no_order,
    one_case_decides,
)
from overread.analysis.ranking.findings import ranking_findings
from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.ranking import rank_methods
from overread.analysis.ranking.sentences import pair_sentences, summary
from overread.analysis.ranking.table import CaseTable, RankedMetric

_VALUE = [RankedMetric(name="value", larger_is_better=True)]


def codes(table: CaseTable, **options) -> set[str]:
    found = rank_methods(table, _VALUE, RankingOptions(draws=200, **options))
    return {finding.code for finding in ranking_findings(table, found)}


def test_a_clear_order_has_nothing_to_mind() -> None:
    table = clear_order(40, 4, np.random.default_rng(0))
    found = rank_methods(table, _VALUE, RankingOptions(draws=200))
    assert ranking_findings(table, found) == ()
    assert pair_sentences(found) == ()
    told = " ".join(summary(found))
    assert "All 6 pairs are told apart" in told
    assert "No other rule or choice" in told


def test_each_character_has_its_finding() -> None:
    rng = np.random.default_rng(1)
    assert "unsure-winner" in codes(no_order(30, 5, rng))
    assert {"one-unit-decides", "rule-decides"} <= codes(one_case_decides(20, 4, rng))
    assert "missing-policy-decides" in codes(many_missing(30, 3, 0.2, rng), missing="worst-rank")
    assert "few-units" in codes(circle(3))


def test_uncorrected_wins_are_told(six, dsc) -> None:
    found = rank_methods(six, dsc, RankingOptions(rule="test-then-rank"))
    (finding,) = [each for each in ranking_findings(six, found) if each.code == "uncorrected-tests"]
    assert finding.evidence.startswith("the rule counts 3 significant wins")
    assert finding.evidence.endswith("0 remain")


def test_entrants_and_metrics_that_count_twice(make_table, dsc) -> None:
    table = make_table([[3, 2, 1], [3, 2, 1], [1, 2.5, 2]])
    found = rank_methods(table, dsc, RankingOptions(rule="rank-then-mean"))
    assert found.rows[0].rank == found.rows[1].rank == 1
    values = np.array([[0.9, 0.8, 0.7, 0.6]] * 3)
    twice = CaseTable(
        methods=("A", "B", "C", "D"),
        cases=("1", "2", "3"),
        values={"dice": values, "iou": values / (2 - values)},
    )
    metrics = [RankedMetric(name=name, larger_is_better=True) for name in twice.values]
    seen = {
        each.code
        for each in ranking_findings(twice, rank_methods(twice, metrics, RankingOptions()))
    }
    assert "metrics-alike" in seen


def test_one_sentence_for_each_pair_with_the_better_ranked_first(six, dsc) -> None:
    found = rank_methods(six, dsc, RankingOptions())
    sentences = pair_sentences(found)
    assert [sentence.split(" cannot")[0] for sentence in sentences] == [
        "A and B",
        "A and C",
        "B and C",
    ]
    assert "their mean difference in dsc is 0.03667" in sentences[0]
    assert "A is better in 83 % of 6 cases and worse in 17 %" in sentences[0]
    turned = rank_methods(six, [RankedMetric(name="dsc", larger_is_better=False)], RankingOptions())
    assert pair_sentences(turned)[0].startswith("C and B cannot be told apart")
    assert "difference in dsc is −0.1417" in pair_sentences(turned)[0]


def test_a_difference_of_nothing_needs_no_number_of_cases(make_table, dsc) -> None:
    found = rank_methods(make_table([[0.9, 0.8], [0.8, 0.9]]), dsc, RankingOptions())
    (sentence,) = pair_sentences(found)
    assert "no number of cases would part them" in sentence
    assert summary(found)[2] == "The two cannot be told apart beyond chance."


def test_full_ties_are_said(make_table, dsc) -> None:
    found = rank_methods(make_table([[0.9, 0.8], [0.8, 0.9]]), dsc, RankingOptions())
    told = summary(found)
    assert told[0] == "A and B share the first place by mean dsc over 2 cases (0.85)."
    assert "all methods are tied, so the order itself has no stability" in told[1]


@pytest.mark.parametrize("missing", ["drop", "worst-rank"])
def test_pairs_with_missing_values(make_table, dsc, missing) -> None:
    nan = float("nan")
    table = make_table([[0.9, nan], [0.8, 0.7], [nan, nan], [0.7, 0.6], [nan, 0.5]])
    pair = rank_methods(table, dsc, RankingOptions(missing=missing)).pairs[0]
    assert pair.n == 2  # cases with both
    assert pair.difference == pytest.approx(0.1)
    # drop: two differences up; worst-rank: a third up and one down, tied as the largest.
    assert pair.p_first == (0.25 if missing == "drop" else 0.3125)
