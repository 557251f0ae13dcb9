from __future__ import annotations

import numpy as np
import pytest

from overread.analysis.exam_power import exam_power
from overread.stats.power import (
    clusters_needed,
    mcnemar_pairs_needed,
    mcnemar_smallest_difference,
    smallest_difference,
)
from overread.stats.spread import cluster_spread


def plan(difference, codes, *, farthest=None, right_or_wrong=True, unit="patient", level=0.95):
    return exam_power(
        np.asarray(difference, dtype=np.float64),
        np.asarray(codes),
        is_right_or_wrong=right_or_wrong,
        farthest=farthest,
        unit=unit,
        power=0.8,
        level=level,
    )


def differences(better: int, worse: int, n: int) -> np.ndarray:
    return np.repeat([1.0, -1.0, 0.0], [better, worse, n - better - worse])


def test_independent_questions_by_hand() -> None:
    # 30 of 400 by the first alone, 20 by the second: 2.5 points apart, 12.5 % discordant.
    # Connor: (1.96 √0.125 + 0.8416 √(0.125 - 0.025²))² / 0.025² = 1568; t takes hardly more.
    found = plan(differences(30, 20, 400), np.arange(400), farthest=0.06)
    assert found.units == 400
    assert found.design_effect == pytest.approx(1.0)
    assert found.units_needed == mcnemar_pairs_needed(0.025, 0.125) == 1568
    assert found.units_needed_at_best == pytest.approx(271, abs=3)
    # 2.8016 √(0.125 / 400) = 0.0495
    assert found.smallest_difference == pytest.approx(0.0495, abs=2e-4)
    assert found.reason is None


def test_patients_with_several_questions_are_what_counts() -> None:
    rng = np.random.default_rng(0)
    alone = rng.permutation(differences(60, 40, 400))
    codes = np.repeat(np.arange(400), 5)
    found, single = plan(np.repeat(alone, 5), codes), plan(alone, np.arange(400))
    assert found.design_effect == pytest.approx(5.0, rel=0.01)
    assert found.units == 400
    assert found.units_needed == pytest.approx(single.units_needed, rel=0.01)
    assert found.smallest_difference == pytest.approx(single.smallest_difference, rel=0.01)


def test_the_more_demanding_of_two_ways_counts() -> None:
    # Eight patients: Student's t asks for more than the normal distribution of McNemar.
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(8), 10)
    values = rng.permutation(differences(20, 10, 80))
    spread = cluster_spread(values, codes)
    found = plan(values, codes)
    by_t = smallest_difference(spread.standard_error, degrees=7)
    by_counts = mcnemar_smallest_difference(spread.effective_n, 30 / 80)
    assert by_t > by_counts
    assert found.smallest_difference == by_t
    assert found.units_needed >= clusters_needed(spread.mean, spread.spread)


def test_graded_scores_are_planned_by_their_spread() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0.02, 0.2, 300)
    found = plan(values, np.arange(300), right_or_wrong=False)
    error = values.std(ddof=1) / 300**0.5
    assert found.smallest_difference == pytest.approx(smallest_difference(error, degrees=299))
    assert found.units_needed == clusters_needed(values.mean(), values.std(ddof=1))


def test_at_the_same_score_no_number_of_patients_is_enough() -> None:
    found = plan(differences(12, 12, 100), np.arange(100), farthest=0.1)
    assert found.units_needed is None
    assert found.units_needed_at_best is not None
    assert "no number of patients tells them apart" in found.reason


def test_runs_that_never_differ_leave_a_smallest_difference() -> None:
    # Eight questions all one way are found in four of five exams (Poisson 7.85, six or more).
    found = plan(np.zeros(1000), np.arange(1000))
    assert found.smallest_difference == pytest.approx(0.00785, rel=0.01)
    assert (found.design_effect, found.units_needed, found.units_needed_at_best) == (None,) * 3
    graded = plan(np.zeros(50), np.arange(50), right_or_wrong=False)
    assert graded.smallest_difference is None
    assert "all clusters agree" in graded.reason


def test_too_few_patients_show_nothing_and_say_so() -> None:
    found = plan([1.0, 0, 1, 1, 0, 1], [0, 0, 1, 2, 3, 4])
    assert found.smallest_difference is None
    assert found.reason == "5 patients: below 6 no outcome tells two runs apart"
    assert found.units_needed >= 6
    one = plan([1.0, 1.0], [3, 3])
    assert one.reason == "1 patient: below 6 no outcome tells two runs apart"
    # Over 45 pairs the smallest p must fall below 0.05 / 45.
    assert "below 11" in plan([1.0, 0, 1, 1, 0, 1], range(6), level=1 - 0.05 / 45).reason


def test_a_difference_beyond_all_points_is_none() -> None:
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(6), 20)
    values = np.repeat(np.array([1.0, -1, 1, -1, 1, 0]), 20)
    found = plan(rng.permutation(values.reshape(6, 20)).ravel(), codes)
    assert found.smallest_difference is None
    assert found.reason == "6 patients would not show even a difference of 100 points"


def test_difference_that_is_zero_but_for_rounding() -> None:
    values = np.array([0.1, 0.2, -0.3] * 20)
    found = plan(values, np.arange(60), right_or_wrong=False)
    assert found.units_needed is None


def test_many_pairs_need_more_patients() -> None:
    values = differences(30, 20, 400)
    alone, many = (plan(values, np.arange(400), level=1 - 0.05 / k) for k in (1, 45))
    assert many.units_needed > 1.5 * alone.units_needed
    assert many.smallest_difference > alone.smallest_difference
