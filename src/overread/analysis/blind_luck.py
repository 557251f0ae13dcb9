"""How far luck carries a blind policy: its scores on exams whose right answers are drawn by lot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_exam import BlindExam
from overread.analysis.blind_policies import BlindRules, majority_credit

__all__ = ["COIN", "REFUSE", "marks_of_luck"]

COIN: Final = "coin between two letters"
REFUSE: Final = "always refuse"
_N_CHANCE_EXAMS = 400
_MOST_AT_ONCE = 50
_LETTERS_AT_ONCE = 4_000_000
"""Of all chance exams worked on at once: 32 MB, and 3 MB where 50 exams have 1,900 items × 4."""
_LEVEL = 0.975
_ROUNDING = 1e-9


def marks_of_luck(
    groups: Sequence[NDArray[np.int64]],
    exam: BlindExam,
    rules: BlindRules,
    rng: np.random.Generator,
) -> list[dict[str, float]]:
    """Give for each stratum and policy the score that luck does not pass on 39 of 40 exams.

    Parameters
    ----------
    groups
        Rows of each stratum.
    exam, rules
        What is asked, and what blind policies do.
    rng
        Draws the right answers.
    """
    scores = _scores_by_lot(groups, exam, rules, rng)
    policies = list(scores)
    table = np.stack([scores[policy] for policy in policies])
    mean, spread = table.mean(axis=1), table.std(axis=1)
    spread = np.where(spread > _ROUNDING, spread, 0.0)
    away = (table - mean[:, np.newaxis]) / np.where(spread > 0, spread, np.inf)[:, np.newaxis]
    reach = np.quantile(away.max(axis=0), _LEVEL, axis=0)
    marks = np.minimum(mean + reach * spread, 1.0)
    return [dict(zip(policies, column.tolist(), strict=True)) for column in marks.T]


def _scores_by_lot(
    groups: Sequence[NDArray[np.int64]],
    exam: BlindExam,
    rules: BlindRules,
    rng: np.random.Generator,
) -> dict[str, NDArray[np.float64]]:
    """Score every policy on exams whose right letters are drawn by lot: (exams, strata) each."""
    members = np.zeros((len(exam.ids), len(groups)))
    for place, rows in enumerate(groups):
        members[rows, place] = 1 / len(rows)
    n_questions = int(exam.twins.max(initial=-1)) + 1
    parts: dict[str, list[NDArray[np.float64]]] = {}
    n_letters = max(1, len(exam.ids) * len(exam.letters))
    at_once = max(1, min(_MOST_AT_ONCE, _LETTERS_AT_ONCE // n_letters))
    for start in range(0, _N_CHANCE_EXAMS, at_once):
        n_exams = min(at_once, _N_CHANCE_EXAMS - start)
        lots = rng.random((n_exams, n_questions, len(exam.letters)))[:, exam.twins]
        answers = np.where(rules.drawn_from, lots, -1.0).argmax(axis=2)
        answers = np.where(exam.right >= 0, answers, -1)
        for policy, credit in rules.credits(exam, answers).items():
            parts.setdefault(policy, []).append(credit @ members)
        majority = [
            majority_credit(exam.tasks[rows], answers[:, rows], len(exam.letters)).mean(axis=1)
            for rows in groups
        ]
        parts.setdefault(rules.majority, []).append(np.stack(majority, axis=1))
    scores = {policy: np.concatenate(part) for policy, part in parts.items()}
    if rules.has_coin:
        letters = np.sort([scores[f"always {letter}"] for letter in exam.letters], axis=0)
        scores[COIN] = letters[-2:].sum(axis=0) / 2
    scores[REFUSE] = np.zeros_like(scores[rules.majority])
    return scores
