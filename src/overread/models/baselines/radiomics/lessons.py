"""What the reader takes from a release's training split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from overread.contracts import Renderer, Training, TrainingCase
from overread.errors import ImageError, UnsafePathError
from overread.models.baselines.radiomics.candidates import CandidateFinder, Spots, find_spots
from overread.models.baselines.radiomics.evidence import Evidence
from overread.models.baselines.radiomics.lesion_features import (
    LESION_WEIGHTS,
    lesion_features,
    size_features,
)
from overread.models.baselines.radiomics.pixels import View, views_of
from overread.models.baselines.radiomics.slice_features import SLICE_WEIGHTS, slice_features
from overread.records import Box

__all__ = ["SEED", "Lessons", "measure"]

SEED = 20260219
_MOST_FINDER_SLICES = 1000
"""More slices than this hardly teach the finder more, and cost time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lessons:
    """What was learned: how texts follow from measurements, and where lesions tend to be."""

    evidence: Evidence
    finder: CandidateFinder
    boxed: bool
    """Whether training boxes were seen; without any, whole slices were measured."""

    @classmethod
    def learn(cls, training: Training, render: Renderer) -> Self | None:
        """Measure the training cases; None when fewer than two can be shown and have texts.

        Cases without a drawn box are left out where others have one.
        """
        measured = [
            lesson
            for number, case in enumerate(training.cases)
            if case.texts
            and (lesson := _lesson(case, render, find=number % _every(training) == 0)) is not None
        ]
        boxed = any(lesson.box for lesson in measured)
        kept = [lesson for lesson in measured if lesson.box or not boxed]
        if len(kept) < 2:
            return None
        evidence = Evidence(
            np.stack([lesson.features for lesson in kept]),
            np.stack([lesson.sizes for lesson in kept]),
            [lesson.texts for lesson in kept],
            np.concatenate([LESION_WEIGHTS, SLICE_WEIGHTS]),
        )
        places = [(lesson.spots, lesson.box) for lesson in kept if lesson.spots and lesson.box]
        finder = CandidateFinder(places, np.random.default_rng(SEED))
        return cls(evidence=evidence, finder=finder, boxed=boxed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Lesson:
    """One training case, measured."""

    features: NDArray[np.float64]
    sizes: NDArray[np.float64]
    texts: Mapping[str, str]
    box: Box | None
    spots: Spots | None
    """Of the view without a box."""


def measure(
    view: View, boxes: Sequence[Box]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Measure each boxed place with its slice (n_features,), and the box (n_size_features,)."""
    whole = slice_features(view)
    return [
        (np.concatenate([lesion_features(view, box), whole]), size_features(view, box))
        for box in boxes
    ]


def _every(training: Training) -> int:
    """Give the step through the cases that leaves at most so many for the finder."""
    return -(-len(training.cases) // _MOST_FINDER_SLICES)


def _lesson(case: TrainingCase, render: Renderer, *, find: bool) -> _Lesson | None:
    """Measure a case by its first view with a box, else by its first view; None without any."""
    views: list[View] = []
    for media in case.media:
        spacing_mm = None if media.recipe.max_side_px else media.spacing_mm
        try:
            found = [view for picture in render(media) for view in views_of(picture, spacing_mm)]
        except (ImageError, UnsafePathError):
            continue  # `overread check` reports it; here the other cases must do
        views.extend(found)
    if not views:
        return None
    shown = next((view for view in views if view.box), views[0])
    plain = next((view for view in views if not view.box), None)
    # Without a box, the body as a whole stands in for the lesion.
    ((features, sizes),) = measure(shown, [shown.box or shown.body])
    return _Lesson(
        features=features,
        sizes=sizes,
        texts=case.texts,
        box=shown.box,
        spots=find_spots(plain) if find and plain is not None and shown.box else None,
    )
