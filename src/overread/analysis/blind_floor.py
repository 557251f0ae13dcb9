"""The blind floor: the best score a policy reaches that never sees a picture.

A model earns credit only above this line. Each policy is one that somebody (or a model) could
follow: always one letter, the commonest letter of the task, the longest option. The letters are
chosen with hindsight, as the best-case blind reader would; policies that look up many texts learn
from other patients instead, for with hindsight they would only repeat the answers by heart.

Even on a fair exam the best of several policies is a little above chance. `chance_best_high` says
how far luck carries a policy: above it something leaks, below it may be luck.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_exam import BlindExam, blind_exam
from overread.analysis.blind_luck import COIN, REFUSE, marks_of_luck
from overread.analysis.blind_policies import (
    N_FOLDS,
    BlindRules,
    choice_rules,
    coin_credit,
    majority_credit,
)
from overread.analysis.blind_text import is_closed, text_exam
from overread.analysis.strata import group_rows, is_within
from overread.records import Choice, Item, Reference, Text
from overread.stats.intervals import wilson

__all__ = ["BlindFloor", "blind_floors", "find_floor"]

_SEED = 20260219
_ROUNDING = 1e-9


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
    """How far luck carries this policy: when the right letters are drawn by lot, no policy of the
    stratum passes its own mark on 39 of 40 exams."""
    credit: Mapping[str, float] = field(default_factory=dict[str, float], repr=False)
    """Item → probability that the policy is right on it: keeps pairs together in differences."""

    @property
    def is_leak(self) -> bool:
        """Whether the score is too good for luck: wording or letters give answers away."""
        return self.value > self.chance_best_high + _ROUNDING


def blind_floors(
    items: Iterable[Item],
    references: Mapping[str, Reference],
    strata: Sequence[Sequence[str]],
    *,
    cluster: str | None = "patient",
    only: Mapping[str, Collection[str]] | None = None,
    multi_label: Collection[str] = (),
    rng: np.random.Generator | None = None,
) -> tuple[BlindFloor, ...]:
    """Score every blind policy over every stratum.

    Parameters
    ----------
    items
        The items of a release: its questions of choice or, where there are none, its closed
        questions with a free answer; others are left out.
    references
        Item id → reference. Items without a usable reference stay in the denominator.
    strata
        Keys of `Item.strata` to break down by; ``()`` is the total. Items without a key are in no
        stratum of it.
    cluster
        Key of `Item.groups`: policies that learn never learn from an item's own cluster.
    only
        Values of `Item.strata` that an item must have to count (`AnalysisPlan.headline_only`).
    multi_label
        Keys of `strata` under which an item may have several values.
    rng
        Draws the right letters of chance exams. None takes a generator with a fixed seed, so that
        equal items give equal floors.

    Returns
    -------
    tuple of BlindFloor
        All policies of a stratum together, the best first: that one is the floor. Empty without
        items that can be answered blindly.

    Notes
    -----
    The marks of luck are made as in a step-free max-t test: on each of 400 fair exams every policy
    is scored, its distance from its own mean is taken in its own standard deviations, and the
    97.5th percentile of the largest distance is put on every policy. A policy with little room for
    luck (longest option) so keeps a lower mark than one with much (a letter chosen for each task).
    Source: P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing (1993), 2.6.

    A coin between two letters scores the mean of both and so never beats the better one; always
    refusing scores 0. They are listed because readers ask for them.
    """
    generator = np.random.default_rng(_SEED) if rng is None else rng
    every = [item for item in items if is_within(item.strata, only or {})]
    chosen = [item for item in every if isinstance(item.answer_space, Choice)]
    if chosen:
        exam = blind_exam(chosen, references, cluster=cluster, n_folds=N_FOLDS)
        rules = choice_rules(exam)
    else:
        chosen = [
            item
            for item in every
            if isinstance(item.answer_space, Text) and is_closed(item.question)
        ]
        exam, rules = text_exam(chosen, references, cluster=cluster)
    if not exam.letters:
        return ()
    groups = [
        group
        for keys in strata
        for group in group_rows([item.strata for item in chosen], keys, multi_label=multi_label)
    ]
    by_policy = {
        policy: credit[0] for policy, credit in rules.credits(exam, exam.right[None]).items()
    }
    marks = marks_of_luck([rows for _, rows in groups], exam, rules, generator)
    floors: list[BlindFloor] = []
    for (stratum, rows), luck in zip(groups, marks, strict=True):
        here = {policy: credit[rows] for policy, credit in by_policy.items()}
        here |= _hindsight(exam, rules, rows)
        scored = [
            _floor(exam, rules, rows, stratum, policy, credit, luck[policy])
            for policy, credit in here.items()
        ]
        floors.extend(sorted(scored, key=lambda floor: -floor.value))
    return tuple(floors)


def find_floor(floors: Iterable[BlindFloor], stratum: Mapping[str, str]) -> BlindFloor | None:
    """Find the best policy of a stratum; None where none was scored."""
    wanted = dict(stratum)
    found = [floor for floor in floors if dict(floor.stratum) == wanted]
    return max(found, key=lambda floor: floor.value, default=None)


def _hindsight(
    exam: BlindExam, rules: BlindRules, rows: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """Credit the policies whose letters are chosen for the stratum."""
    right, n_letters = exam.right[rows], len(exam.letters)
    by_policy = {rules.majority: majority_credit(exam.tasks[rows], right[None], n_letters)[0]}
    if rules.has_coin:
        by_policy[COIN] = coin_credit(right, n_letters)
    return by_policy | {REFUSE: np.zeros(len(rows))}


def _floor(
    exam: BlindExam,
    rules: BlindRules,
    rows: NDArray[np.int64],
    stratum: Mapping[str, str],
    policy: str,
    credit: NDArray[np.float64],
    chance_best_high: float,
) -> BlindFloor:
    n = len(rows)
    interval = wilson(min(float(credit.sum()), n), n)
    return BlindFloor(
        stratum=stratum,
        policy=policy,
        value=float(credit.mean()),
        n=n,
        low=interval.low,
        high=interval.high,
        chance=float(rules.chances[rows].mean()),
        chance_best_high=chance_best_high,
        credit=dict(zip((exam.ids[row] for row in rows), credit.tolist(), strict=True)),
    )
