"""What can be scored without looking: the blind policies, as credit item by item.

A policy gets its answers as a table of exams, one row an exam, so that a thousand exams with
other right letters (`blind_floor` draws them by lot) cost one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_exam import BlindExam

__all__ = [
    "N_FOLDS",
    "BlindRules",
    "answers_alike_credit",
    "choice_rules",
    "coin_credit",
    "majority_credit",
    "policy_credits",
]

N_FOLDS = 5
"""Policies that learn, learn from four fifths of the patients and answer for the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindRules:
    """What blind policies do on one kind of exam."""

    credits: Callable[[BlindExam, NDArray[np.int64]], dict[str, NDArray[np.float64]]]
    """Exam and (exams, n) right answers → policy → (exams, n) credit."""
    majority: str
    """What the commonest answer with hindsight is called."""
    has_coin: bool
    """Whether there are letters to toss a coin between."""
    drawn_from: NDArray[np.bool_]
    """(n, L) answers that a lot is drawn from."""
    chances: NDArray[np.float64]
    """(n,) probability that a uniform guess is right."""


def choice_rules(exam: BlindExam) -> BlindRules:
    """Give the rules for questions of choice."""
    return BlindRules(
        credits=policy_credits,
        majority="commonest letter of the task",
        has_coin=True,
        drawn_from=exam.offered,
        chances=exam.chances,
    )


def policy_credits(exam: BlindExam, answers: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Credit every policy whose choices do not depend on the stratum.

    Parameters
    ----------
    exam
        The items without their pictures.
    answers
        (exams, n) column of the right letter of each item, -1 where none is usable.

    Returns
    -------
    dict
        Policy → (exams, n) probability 0..1 that it is right.
    """
    by_policy: dict[str, NDArray[np.float64]] = {}
    for column, letter in enumerate(exam.letters):
        by_policy[f"always {letter}"] = (answers == column).astype(np.float64)
    by_policy["commonest letter of the question, learned"] = _learned_letter(exam, answers)
    if bool((exam.texts >= 0).any()):
        by_policy["option text most often right, learned"] = _learned_text(exam, answers)
    rows = np.arange(len(exam.ids))
    for name, pick in exam.picks.items():
        by_policy[name] = np.where(answers >= 0, pick[rows, answers], 0.0)
    return by_policy


def majority_credit(
    tasks: NDArray[np.int64], answers: NDArray[np.int64], n_letters: int
) -> NDArray[np.float64]:
    """Credit always answering the letter that is right most often in the task, with hindsight.

    Parameters
    ----------
    tasks
        (n,) number of the task.
    answers
        (exams, n) right letters, -1 where none.
    n_letters
        Number of distinct letters.

    Returns
    -------
    NDArray
        (exams, n) 0 or 1.
    """
    best = _letter_counts(tasks, answers, n_letters).argmax(axis=2)
    return (best[:, tasks] == answers).astype(np.float64)


def coin_credit(right: NDArray[np.int64], n_letters: int) -> NDArray[np.float64]:
    """Credit a coin between the two letters that are right most often, with hindsight; (n,)."""
    counts = np.bincount(right[right >= 0], minlength=n_letters)
    return np.isin(right, np.argsort(-counts, kind="stable")[:2]) / 2


def answers_alike_credit(exam: BlindExam, answers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Credit the commonest answer to questions that begin alike, of other patients; (exams, n).

    Where none was seen, and between equally common ones, the commonest of the task decides.
    """
    n_letters = len(exam.letters)
    alike = _counts_elsewhere(exam.stems, exam.folds, answers, n_letters)
    task = _counts_elsewhere(exam.tasks, exam.folds, answers, n_letters)
    return _soft_credit(alike + task / (1.0 + task.sum(axis=2, keepdims=True)), exam, answers)


def _counts_elsewhere(
    groups: NDArray[np.int64],
    folds: NDArray[np.int64],
    answers: NDArray[np.int64],
    n_letters: int,
) -> NDArray[np.float64]:
    """How often each letter is right in an item's group outside its fold, (exams, n, letters)."""
    numbered = groups * N_FOLDS + folds
    counts = _letter_counts(numbered, answers, n_letters)
    by_fold = counts.reshape(len(answers), -1, N_FOLDS, n_letters)
    others = (by_fold.sum(axis=2, keepdims=True) - by_fold).reshape(counts.shape)
    return others[:, numbered, :].astype(np.float64)


def _learned_letter(exam: BlindExam, answers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Choose the commonest letter of the same question among other patients."""
    counts = _counts_elsewhere(exam.stems, exam.folds, answers, len(exam.letters))
    return _soft_credit(counts, exam, answers)


def _learned_text(exam: BlindExam, answers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Choose the option whose text was most often right, when on offer, among other patients."""
    n_exams = len(answers)
    shared = exam.texts >= 0
    keys = np.where(shared, exam.texts * N_FOLDS + exam.folds[:, np.newaxis], 0)
    n_keys = (int(exam.texts.max()) + 1) * N_FOLDS
    seen = np.bincount(keys[shared], minlength=n_keys)
    rows = np.arange(len(exam.ids))
    usable = (answers >= 0) & shared[rows, answers]
    numbered = keys[rows, answers] + np.arange(n_exams)[:, np.newaxis] * n_keys
    right = np.bincount(numbered[usable], minlength=n_exams * n_keys).reshape(n_exams, n_keys)
    seen_others, right_others = _other_folds(seen[np.newaxis]), _other_folds(right)
    # One imagined right answer in four keeps a text seen once from looking certain, and gives a
    # text never seen its place between the good ones and the bad ones.
    rate = (right_others + 1.0) / (seen_others + 4.0)
    return _soft_credit(np.where(shared, rate[:, keys], 0.25), exam, answers)


def _other_folds(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    by_fold = counts.reshape(len(counts), -1, N_FOLDS)
    return (by_fold.sum(axis=2, keepdims=True) - by_fold).reshape(counts.shape)


def _letter_counts(
    groups: NDArray[np.int64], answers: NDArray[np.int64], n_letters: int
) -> NDArray[np.int64]:
    """How often each letter is right in each group, (exams, groups, letters)."""
    n_exams = len(answers)
    n_groups = -(-(int(groups.max()) + 1) // N_FOLDS) * N_FOLDS
    numbered = np.arange(n_exams)[:, np.newaxis] * n_groups + groups
    flat = (numbered * n_letters + answers)[answers >= 0]
    counts = np.bincount(flat, minlength=n_exams * n_groups * n_letters)
    return counts.reshape(n_exams, n_groups, n_letters)


def _soft_credit(
    merit: NDArray[np.float64], exam: BlindExam, answers: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Credit for choosing the letter of greatest merit (exams, n, L); ties share it."""
    filled = np.where(exam.offered, merit, -np.inf)
    chosen = filled >= filled.max(axis=2, keepdims=True)
    right = np.take_along_axis(chosen, np.maximum(answers, 0)[:, :, np.newaxis], axis=2)[:, :, 0]
    return np.where(answers >= 0, right / chosen.sum(axis=2), 0.0)
