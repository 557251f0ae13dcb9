"""The blind floor: the best score a policy reaches that never sees a picture.

A model earns credit only above this line. Each policy is one that somebody (or a model) could
follow: always one letter, the commonest letter of the task, the longest option. The letters are
chosen with hindsight, as the best-case blind reader would; policies that look up many texts learn
from other patients instead, for with hindsight they would only repeat the answers by heart.

Even on a fair exam the best of several policies is a little above chance. `chance_best_high` says
how far: a floor above it is a leak, a floor below it is luck.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_exam import BlindExam, blind_exam
from overread.analysis.strata import group_rows
from overread.records import Choice, Item, Reference
from overread.stats.intervals import wilson

__all__ = ["BlindFloor", "blind_floors", "find_floor"]

_N_FOLDS = 5
_N_CHANCE_EXAMS = 400
_EXAMS_PER_CHUNK = 50
"""Chance exams worked on at once: 50 × 1,900 items × 4 letters are 3 MB."""
_SEED = 20260219


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindFloor:
    """One blind policy over one stratum."""

    stratum: Mapping[str, str]
    policy: str
    """What the policy does: ``always B``, ``longest option``."""
    value: float
    """Share of right answers, 0..1."""
    n: int
    low: float | None
    high: float | None
    """Wilson interval of `value`; None below two items."""
    chance: float
    """Mean probability of a right guess."""
    chance_best_high: float
    """97.5th percentile of the best policy's score when the right letters are drawn by lot."""
    credit: Mapping[str, float] = field(default_factory=dict[str, float], repr=False)
    """Item → probability that the policy is right on it: keeps pairs together in differences."""

    @property
    def is_leak(self) -> bool:
        """Whether the score is too good for luck: wording or letters give answers away."""
        return self.value > self.chance_best_high + 1e-12


def blind_floors(
    items: Iterable[Item],
    references: Mapping[str, Reference],
    strata: Sequence[Sequence[str]],
    *,
    cluster: str | None = "patient",
    rng: np.random.Generator | None = None,
) -> tuple[BlindFloor, ...]:
    """Score every blind policy over every stratum.

    Parameters
    ----------
    items
        The items of a release; those that are no `Choice` are left out.
    references
        Item id → reference. Items without a usable reference stay in the denominator.
    strata
        Keys of `Item.strata` to break down by; ``()`` is the total. Items without a key are in no
        stratum of it.
    cluster
        Key of `Item.groups`: policies that learn never learn from an item's own cluster.
    rng
        Draws the right letters of chance exams. None takes a generator with a fixed seed, so that
        equal items give equal floors.

    Returns
    -------
    tuple of BlindFloor
        All policies of a stratum together, the best first: that one is the floor. Empty without
        choice items.

    Notes
    -----
    A coin between two letters scores the mean of both and so never beats the better one; always
    refusing scores 0. They are listed because readers ask for them.
    """
    generator = np.random.default_rng(_SEED) if rng is None else rng
    chosen = [item for item in items if isinstance(item.answer_space, Choice)]
    if not chosen:
        return ()
    exam = blind_exam(chosen, references, cluster=cluster, n_folds=_N_FOLDS)
    floors: list[BlindFloor] = []
    for keys in strata:
        for stratum, rows in group_rows([item.strata for item in chosen], keys):
            floors.extend(_floors_of(exam.take(rows), stratum, generator))
    return tuple(floors)


def find_floor(floors: Iterable[BlindFloor], stratum: Mapping[str, str]) -> BlindFloor | None:
    """Find the best policy of a stratum; None where none was scored."""
    wanted = dict(stratum)
    found = [floor for floor in floors if dict(floor.stratum) == wanted]
    return max(found, key=lambda floor: floor.value, default=None)


def _floors_of(
    exam: BlindExam, stratum: Mapping[str, str], rng: np.random.Generator
) -> list[BlindFloor]:
    credits = _credits(exam, exam.right[np.newaxis])
    credits["coin between two letters"] = _coin(exam)
    credits["always refuse"] = np.zeros((1, len(exam.ids)))
    best_high = _chance_best_high(exam, rng)
    floors = []
    for policy, credit in credits.items():
        n = len(exam.ids)
        interval = wilson(min(float(credit.sum()), n), n)
        floors.append(
            BlindFloor(
                stratum=stratum,
                policy=policy,
                value=float(credit.mean()),
                n=n,
                low=interval.low,
                high=interval.high,
                chance=float(exam.chances.mean()),
                chance_best_high=best_high,
                credit=dict(zip(exam.ids, credit[0].tolist(), strict=True)),
            )
        )
    return sorted(floors, key=lambda floor: -floor.value)


def _chance_best_high(exam: BlindExam, rng: np.random.Generator) -> float:
    """Give the score that the best policy passes on one fair exam in forty."""
    best = np.empty(_N_CHANCE_EXAMS)
    usable = exam.right >= 0
    for start in range(0, _N_CHANCE_EXAMS, _EXAMS_PER_CHUNK):
        stop = min(start + _EXAMS_PER_CHUNK, _N_CHANCE_EXAMS)
        lots = rng.random((stop - start, *exam.offered.shape))
        answers = np.where(exam.offered, lots, -1.0).argmax(axis=2)
        credits = _credits(exam, np.where(usable, answers, -1))
        best[start:stop] = np.max([credit.mean(axis=1) for credit in credits.values()], axis=0)
    return float(np.quantile(best, 0.975))


def _credits(exam: BlindExam, answers: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Credit of each policy for each item, (exams, n), for right letters `answers` (exams, n)."""
    credits: dict[str, NDArray[np.float64]] = {}
    for column, letter in enumerate(exam.letters):
        credits[f"always {letter}"] = (answers == column).astype(np.float64)
    credits["commonest letter of the task"] = _majority(exam, answers)
    credits["commonest letter of the question, learned"] = _learned_letter(exam, answers)
    if bool((exam.texts >= 0).any()):
        credits["option text most often right, learned"] = _learned_text(exam, answers)
    rows = np.arange(len(exam.ids))
    for name, pick in exam.picks.items():
        credits[name] = np.where(answers >= 0, pick[rows, answers], 0.0)
    return credits


def _coin(exam: BlindExam) -> NDArray[np.float64]:
    counts = np.bincount(exam.right[exam.right >= 0], minlength=len(exam.letters))
    two = np.argsort(-counts, kind="stable")[:2]
    return np.isin(exam.right, two)[np.newaxis] / 2


def _majority(exam: BlindExam, answers: NDArray[np.int64]) -> NDArray[np.float64]:
    counts = _letter_counts(exam.tasks, answers, len(exam.letters))
    best = counts.argmax(axis=2)
    return (best[:, exam.tasks] == answers).astype(np.float64)


def _learned_letter(exam: BlindExam, answers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Choose the commonest letter of the same question among other patients."""
    n_letters = len(exam.letters)
    groups = exam.stems * _N_FOLDS + exam.folds
    counts = _letter_counts(groups, answers, n_letters)
    by_fold = counts.reshape(len(answers), -1, _N_FOLDS, n_letters)
    others = (by_fold.sum(axis=2, keepdims=True) - by_fold).reshape(counts.shape)
    return _soft_credit(others[:, groups, :].astype(np.float64), exam, answers)


def _learned_text(exam: BlindExam, answers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Choose the option whose text was most often right, when on offer, among other patients."""
    n_exams = len(answers)
    has_text = exam.texts >= 0
    keys = np.where(has_text, exam.texts * _N_FOLDS + exam.folds[:, np.newaxis], 0)
    n_keys = (int(exam.texts.max()) + 1) * _N_FOLDS
    seen = np.bincount(keys[has_text], minlength=n_keys)
    rows = np.arange(len(exam.ids))
    usable = (answers >= 0) & has_text[rows, answers]
    numbered = keys[rows, answers] + np.arange(n_exams)[:, np.newaxis] * n_keys
    right = np.bincount(numbered[usable], minlength=n_exams * n_keys).reshape(n_exams, n_keys)
    seen_others, right_others = _other_folds(seen[np.newaxis]), _other_folds(right)
    # One imagined right answer among four keeps a text seen once from looking certain.
    rate = (right_others + 1.0) / (seen_others + 4.0)
    merit = np.where(has_text, rate[:, keys], -1.0)
    return _soft_credit(merit, exam, answers)


def _other_folds(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    by_fold = counts.reshape(len(counts), -1, _N_FOLDS)
    return (by_fold.sum(axis=2, keepdims=True) - by_fold).reshape(counts.shape)


def _letter_counts(
    groups: NDArray[np.int64], answers: NDArray[np.int64], n_letters: int
) -> NDArray[np.int64]:
    """How often each letter is right in each group, (exams, groups, letters)."""
    n_exams = len(answers)
    n_groups = -(-(int(groups.max()) + 1) // _N_FOLDS) * _N_FOLDS
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
