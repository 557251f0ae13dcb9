"""Splits that never share a patient: those a table states, or drawn ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from overread.records import Finding, Severity

__all__ = ["SPLITS", "SplitLesion", "split_patients"]

SPLITS = ("train", "validation", "test")

_SHARES = {"test": 0.3, "validation": 0.2}
"""Of the lesions. More than in the published release, whose training set is large anyway."""
_WEIGHTS = {"test": 3, "validation": 1}
"""How much variety counts: results come from the test."""
_LONGEST = 40
"""Characters of a strange split's name that a finding shows."""
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
        """The split that its table gives it; whatever the table says where that is none."""
        ...


def split_patients(
    lesions: Sequence[SplitLesion], rng: np.random.Generator
) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """Give each patient one split.

    The table's own splits are kept where all three occur and no patient is in two of them. A
    patient without a split that is known is left to training then: whoever may have been trained
    on is asked about by nothing. Otherwise patients are drawn, and a finding says how many that
    were for training are not any more: about 30 % of the lesions for the test, 20 % for
    validation, and many lesion types in each.

    Returns
    -------
    splits, findings
        Patient → ``train``, ``validation`` or ``test``; what was wrong with the stated splits.
    """
    stated: dict[str, set[str]] = {}
    for lesion in lesions:
        of_patient = stated.setdefault(lesion.patient, set())
        if lesion.stated_split in SPLITS:
            of_patient.add(lesion.stated_split)
    mixed = sorted(patient for patient, splits in stated.items() if len(splits) > 1)
    occurring = set[str]().union(*stated.values())
    if not mixed and occurring == set(SPLITS):
        kept = {patient: min(splits, default="train") for patient, splits in stated.items()}
        effect = "they follow their patient's other lesions, and are left to training without any"
        return kept, tuple(_unknown(lesions, effect))
    drawn = _draw(lesions, rng)
    findings = list(_unknown(lesions, "the splits were drawn anew, by patient"))
    moved = sum("train" in splits and drawn[p] != "train" for p, splits in stated.items())
    effect = "the splits were drawn anew, by patient" + (
        f"; {moved} patients of the stated training split are in test or validation now: a model "
        "that was trained on it has seen them"
        if moved
        else ""
    )
    if mixed:
        findings.append(
            Finding(
                severity=Severity.WARNING,
                code="patient-in-two-splits",
                where=f"patient {mixed[0]}",
                evidence="the stated splits put lesions of one patient into several of them",
                effect=effect,
                count=len(mixed),
            )
        )
    elif occurring:
        lacking = ", ".join(split for split in SPLITS if split not in occurring)
        findings.append(
            Finding(
                severity=Severity.WARNING if moved else Severity.INFO,
                code="splits-incomplete",
                where="the table",
                evidence=f"the stated splits lack {lacking}",
                effect=effect,
            )
        )
    return drawn, tuple(findings)


def _unknown(lesions: Sequence[SplitLesion], effect: str) -> Iterator[Finding]:
    """Name the stated splits that are none; lesions without any, where others have one."""
    values = Counter(str(lesion.stated_split or "") for lesion in lesions)
    for value, count in sorted(values.items()):
        if value in SPLITS or (not value and count == len(lesions)):
            continue
        first = next(one.patient for one in lesions if str(one.stated_split or "") == value)
        said = f"{value[:_LONGEST]!r}, none of {', '.join(SPLITS)}"
        yield Finding(
            severity=Severity.WARNING,
            code="split-unknown",
            where=f"patient {first}",
            evidence=f"the split is stated as {said}" if value else "no split is stated",
            effect=effect,
            remedy="Correct the table where they belong to a split.",
            count=count,
        )


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
