"""Which patients, lesions and splits a synthetic release has, before a pixel is painted.

Patients have one to three lesions and belong to one split. A few lesions of the exam's splits are
*crowded*: three more lesions of the same organ lie in the key slice, crossing side with
attenuation, so that "the picture with the right box" is a question about facts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from overread.benchmarks.ct_bench.lesions import (
    KINDS,
    SIZE_CLASSES_MM,
    Facts,
    Lesion,
    draw_lesion,
)

__all__ = ["SMALLEST_RELEASE", "Case", "Split", "draw_cases", "questions_per_unit"]

Split: TypeAlias = Literal["train", "validation", "test"]

T = TypeVar("T")

SMALLEST_RELEASE = 24
"""Lesions below which the exam's splits could not hold four unlike ones."""

_COMPLETE_EXAM_UNIT = 100
_LARGEST_CROWDED_CLASS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One lesion of the lesion set and what else lies in its key slice."""

    lesion_idx: int
    patient: int
    study: int
    split: Split
    lesions: tuple[Lesion, ...]
    """The lesion itself; in a crowded slice followed by three that are not in the set."""

    @property
    def lesion(self) -> Lesion:
        """The lesion this case is about."""
        return self.lesions[0]

    @property
    def crowded(self) -> bool:
        """Whether other lesions lie in the key slice."""
        return len(self.lesions) > 1


def questions_per_unit(size: int, split: Split) -> int:
    """Give how many questions the smaller settings have; the description settings have twice it.

    A complete release has 100 in the test split; ours has one for every 15 lesions up to that,
    and half of it in validation.
    """
    unit = max(2, min(_COMPLETE_EXAM_UNIT, size // 15))
    return unit if split == "test" else unit // 2


def draw_cases(size: int, rng: np.random.Generator) -> list[Case]:
    """Draw `size` cases (24 or more), test first, then validation, then training.

    A small release needs a larger share for its exam than the real one's 24 %: 27 % test and
    13 % validation.
    """
    n_test, n_validation = max(9, round(0.27 * size)), max(6, round(0.13 * size))
    cases: list[Case] = []
    patient = 0
    order = rng.permutation(size) + 1  # an index says nothing about the split
    for split, n in _splits(n_test, n_validation, size):
        n_crowded = 0 if split == "train" else questions_per_unit(size, split)
        for group in _patients(n, n_crowded, rng):
            patient += 1
            for study, lesions in enumerate(group, start=1):
                cases.append(
                    Case(
                        lesion_idx=int(order[len(cases)]),
                        patient=patient,
                        study=study,
                        split=split,
                        lesions=lesions,
                    )
                )
    return cases


def _splits(n_test: int, n_validation: int, size: int) -> Iterator[tuple[Split, int]]:
    yield "test", n_test
    yield "validation", n_validation
    yield "train", size - n_test - n_validation


def _patients(
    n: int, n_crowded: int, rng: np.random.Generator
) -> Iterator[list[tuple[Lesion, ...]]]:
    """Give each patient's lesions: crowded slices alone, the rest one to three to a patient."""
    for coarse_type in _cycle(list(KINDS), n_crowded, rng):
        yield [_crowd(coarse_type, rng)]
    singles = [(draw_lesion(facts, None, rng),) for facts in _spread_facts(n - n_crowded, rng)]
    while singles:
        take = int(rng.choice([1, 1, 1, 2, 2, 3]))
        yield singles[:take]
        singles = singles[take:]


def _spread_facts(n: int, rng: np.random.Generator) -> list[Facts]:
    """Draw facts independently of each other, each value about equally often."""
    attributes = list(
        itertools.product(("low", "high"), ("smooth", "irregular"), ("homogeneous", "calcified"))
    )
    columns = zip(
        _cycle(list(KINDS), n, rng),
        _cycle(("left", "right"), n, rng),
        _cycle(attributes, n, rng),
        _cycle(range(len(SIZE_CLASSES_MM)), n, rng),
        strict=True,
    )
    return [
        Facts(
            coarse_type=coarse_type,
            side=side,
            attenuation=attenuation,
            margin=margin,
            core=core,
            size_class=size_class,
        )
        for coarse_type, side, (attenuation, margin, core), size_class in columns
    ]


def _cycle(values: Sequence[T], n: int, rng: np.random.Generator) -> list[T]:
    """Give n values in random order, none of them more than once oftener than another."""
    order = rng.permutation(len(values)).tolist()
    return [values[order[i % len(values)]] for i in rng.permutation(n)]


def _crowd(coarse_type: int, rng: np.random.Generator) -> tuple[Lesion, ...]:
    """Draw four lesions of one organ that cross side with attenuation, in random order."""
    place = str(rng.choice(list(KINDS[coarse_type].places)))
    crossed = [(side, level) for side in ("left", "right") for level in ("low", "high")]
    return tuple(
        draw_lesion(
            Facts(
                coarse_type=coarse_type,
                side=crossed[i][0],
                attenuation=crossed[i][1],
                margin="smooth" if rng.uniform() < 0.5 else "irregular",
                core="homogeneous" if rng.uniform() < 0.5 else "calcified",
                size_class=int(rng.integers(_LARGEST_CROWDED_CLASS + 1)),
            ),
            place,
            rng,
        )
        for i in rng.permutation(4)
    )
