"""Splits that never share a patient: those a table states, or drawn ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from overread.records import Finding, Severity

__all__ = ["SPLITS", "SplitLesion", "split_patients"]

SPLITS = ("train", "validation", "test")

_SHARES = {"test": 0.3, "validation": 0.2}
"""Of the lesions. More than in the published release, whose training set is large anyway."""
_WEIGHTS = {"test": 3, "validation": 1}
"""How much variety counts: results come from the test."""
_TRIES = 300
"""Draws, of which the best by `_merit` is taken."""


class SplitLesion(Protocol):
    """What the drawing of splits must know of a lesion."""

    @property
    def patient(self) -> str:
        """Who has it."""
        ...

    @property
    def coarse_type(self) -> int:
        """Its kind, as a number."""
        ...

    @property
    def stated_split(self) -> str | None:
        """The split that its table gives it."""
        ...


def split_patients(
    lesions: Sequence[SplitLesion], rng: np.random.Generator
) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """Give each patient one split.

    The table's own splits are kept where every lesion has one, all three occur and no patient is
    in two of them. Otherwise patients are drawn: about 30 % of the lesions for the test, 20 % for
    validation, and many lesion types in each.

    Returns
    -------
    splits, findings
        Patient → ``train``, ``validation`` or ``test``; what was wrong with the stated splits.
    """
    stated: dict[str, set[str | None]] = defaultdict(set)
    for lesion in lesions:
        stated[lesion.patient].add(lesion.stated_split)
    mixed = sorted(patient for patient, splits in stated.items() if len(splits) > 1)
    occurring = set().union(*stated.values())
    if not mixed and occurring == set(SPLITS):
        return {patient: str(min(map(str, splits))) for patient, splits in stated.items()}, ()
    findings: list[Finding] = []
    if mixed:
        findings.append(
            Finding(
                severity=Severity.WARNING,
                code="patient-in-two-splits",
                where=f"patient {mixed[0]}",
                evidence="the stated splits put lesions of one patient into several of them",
                effect="the splits were drawn anew, by patient",
                count=len(mixed),
            )
        )
    elif occurring - {None}:
        lacking = ", ".join(split for split in SPLITS if split not in occurring)
        findings.append(
            Finding(
                severity=Severity.INFO,
                code="splits-incomplete",
                where="the table",
                evidence=f"the stated splits lack {lacking or 'a split for some lesions'}",
                effect="the splits were drawn anew, by patient",
            )
        )
    return _draw(lesions, rng), tuple(findings)


def _draw(lesions: Sequence[SplitLesion], rng: np.random.Generator) -> dict[str, str]:
    types: dict[str, Counter[int]] = defaultdict(Counter)
    for lesion in lesions:
        types[lesion.patient][lesion.coarse_type] += 1
    patients = sorted(types)
    drawn = [
        _assign([patients[i] for i in rng.permutation(len(patients))], types, len(lesions))
        for _ in range(_TRIES)
    ]
    return max(drawn, key=lambda splits: _merit(splits, types, len(lesions)))


def _assign(
    patients: Sequence[str], types: Mapping[str, Counter[int]], n_lesions: int
) -> dict[str, str]:
    """Fill test, then validation, patient by patient; the rest is for training."""
    splits: dict[str, str] = {}
    left = list(patients)
    for split, share in _SHARES.items():
        room = share * n_lesions
        # A patient who would overfill the split by more than half of himself goes elsewhere.
        for patient in list(left):
            count = types[patient].total()
            if room >= count / 2:
                splits[patient] = split
                left.remove(patient)
                room -= count
    return splits | dict.fromkeys(left, "train")


def _merit(
    splits: Mapping[str, str], types: Mapping[str, Counter[int]], n_lesions: int
) -> tuple[int, float]:
    """Rate a draw: variety first, then how near the shares come to the plan.

    Variety counts the lesion types of each exam split, once more those that training shows too:
    nobody can learn the others.
    """
    held: dict[str, Counter[int]] = {split: Counter() for split in SPLITS}
    for patient, split in splits.items():
        held[split] += types[patient]
    variety = sum(
        weight * (len(held[split]) + len(held[split].keys() & held["train"].keys()))
        for split, weight in _WEIGHTS.items()
    )
    error = sum(abs(held[split].total() / n_lesions - share) for split, share in _SHARES.items())
    return variety, -error
