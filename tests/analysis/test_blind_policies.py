from __future__ import annotations

import numpy as np
import pytest

from overread.analysis.blind_exam import blind_exam
from overread.analysis.blind_policies import coin_credit, majority_credit, policy_credits
from overread.records import Reference


def test_many_exams_at_once_are_each_scored_on_their_own(make_item) -> None:
    rng = np.random.default_rng(0)
    items = [
        make_item(str(n), [f"w{w}" for w in rng.integers(0, 6, 4)], patient=f"p{n % 9}")
        for n in range(40)
    ]
    references = {str(n): Reference(item=str(n), answer="A") for n in range(40)}
    exam = blind_exam(items, references, cluster="patient", n_folds=5)
    answers = rng.integers(-1, 4, (6, 40))
    together = policy_credits(exam, answers)
    for row in range(6):
        alone = policy_credits(exam, answers[row : row + 1])
        for policy, credit in alone.items():
            assert together[policy][row] == pytest.approx(credit[0]), policy


def test_a_guessing_policy_is_right_as_often_as_chance(make_item) -> None:
    # Over all 4^4 exams of four items every policy without hindsight has the mean 1/4.
    items = [
        make_item(str(n), texts, patient=f"p{n}")
        for n, texts in enumerate(
            [["a b", "c", "d e f", "g"], ["c", "a b", "x", "y"], ["g", "c", "k", "l"], ["a b"] * 4]
        )
    ]
    exam = blind_exam(items, {}, cluster="patient", n_folds=5)
    every = np.stack(np.meshgrid(*[np.arange(4)] * 4), axis=-1).reshape(-1, 4)
    for policy, credit in policy_credits(exam, every).items():
        assert credit.mean() == pytest.approx(0.25), policy


def test_majority_by_hand() -> None:
    tasks = np.array([0, 0, 0, 1, 1])
    answers = np.array([[2, 2, 1, 0, -1], [1, 1, 1, -1, -1]])
    assert majority_credit(tasks, answers, 3).tolist() == [[1, 1, 0, 1, 0], [1, 1, 1, 0, 0]]


def test_coin_by_hand() -> None:
    assert coin_credit(np.array([0, 0, 2, 1, 2, -1]), 4).tolist() == [0.5, 0.5, 0.5, 0, 0.5, 0]
