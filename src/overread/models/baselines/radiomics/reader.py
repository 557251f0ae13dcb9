"""The built-in reader that looks: answers by what similar training lesions are said to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from overread.contracts import ModelOptions, Picture, Query, Renderer, Training
from overread.imaging.slice_weights import slice_weights
from overread.models.baselines.base import Baseline, DeclinedError, NothingToSayError
from overread.models.baselines.radiomics.candidates import find_spots
from overread.models.baselines.radiomics.evidence import Judgement
from overread.models.baselines.radiomics.lessons import SEED, Lessons, measure
from overread.models.baselines.radiomics.pixels import View, views_of
from overread.records import Media, Option

__all__ = ["Radiomics"]

_MOST_CANDIDATES = 6
_UNSURE_SIZE_SPREAD = 0.4
"""Added (as a standard deviation of log mm) to sizes measured without a box."""
_UNSURE_TRUST = 0.6
"""Weight of a candidate's evidence against its probability of being the lesion."""
_DESCRIPTION = "description"
"""The kind of training text that an open question is answered with."""
_LEAST_SLICE_WEIGHT = 0.1
"""Slices of a stack that count less are not looked at; of nine, the middle three are left."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Lesion:
    """One place in a slice that may be the lesion."""

    log_probability: float
    trust: float
    judgement: Judgement


_T = TypeVar("_T")
_Slices = tuple[tuple[float, tuple[_Lesion, ...]], ...]
"""Weight of each slice of a picture, and what may be the lesion in it."""


class Radiomics(Baseline):
    """Measures the lesion, finds similar training lesions, and compares their texts.

    With a box it measures what is in the box. Without one it ranks the blobs of the slice by what
    it learned from boxed training slices, measures the likeliest ones, and weighs their evidence.
    A stack counts by its middle slices. Where pictures are the options, the one whose evidence
    agrees best with the description wins. An open question gets the description of a training
    lesion, the one that agrees best with the likeliest lesion of the picture.
    """

    sees = True

    def __init__(self, argument: str, options: ModelOptions) -> None:
        super().__init__("radiomics", settings={"candidates": _MOST_CANDIDATES, "seed": SEED})
        self._lessons: Lessons | None = None
        self._seen: dict[tuple[str, str, tuple[float, ...] | None], _Slices] = {}

    def learn(self, training: Training, render: Renderer) -> None:
        """Measure the training lesions; cases whose pictures cannot be shown are left out."""
        self._seen = {}
        self._lessons = Lessons.learn(training, render)

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Give the option that agrees best with the pictures; the first of equal ones."""
        if self._lessons is None:
            raise NothingToSayError("the release has no training pictures with texts to learn from")
        pictured = [option.media for option in options if option.media]
        if len(pictured) == len(options):
            asked = [query.item.question]
            scores = [self._agreement(self._lessons, query, media, asked)[0] for media in pictured]
        elif query.item.media:
            texts = [option.text or "" for option in options]
            scores = sum(
                self._agreement(self._lessons, query, media, texts) for media in query.item.media
            )
        else:
            raise DeclinedError("the question comes without a picture")
        # Rounding keeps the last bits of a sum, which depend on the machine, out of the answer.
        return options[int(np.argmax(np.round(scores, 7)))].letter

    def say(self, query: Query) -> str:
        """Give the training description that agrees best; the first of equal ones."""
        lessons = self._lessons
        if lessons is None or not (texts := lessons.evidence.texts_of(_DESCRIPTION)):
            raise NothingToSayError("the release has no training pictures with descriptions")
        scores = np.zeros(len(texts))
        for media in query.item.media:
            pictures = query.pictures.get(media, ())
            for outer, picture in _weighted(pictures) if pictures else ():
                for inner, lesions in self._look(lessons, picture, _spacing_mm(media)):
                    likeliest = max(lesions, key=lambda lesion: lesion.log_probability)
                    agreements = lessons.evidence.agreements(likeliest.judgement, _DESCRIPTION)
                    scores += outer * inner * agreements
        if not scores.any():
            raise DeclinedError("the question comes without a picture")
        return texts[int(np.argmax(np.round(scores, 7)))]

    def _agreement(
        self, lessons: Lessons, query: Query, media: Media, texts: Sequence[str]
    ) -> NDArray[np.float64]:
        """Give the log likelihood of each text, given what the media show: shape (n_texts,)."""
        pictures = query.pictures.get(media, ())
        if not pictures:
            raise NothingToSayError("a picture of the question was not shown")
        scores = np.zeros(len(texts))
        for outer, picture in _weighted(pictures):
            for inner, lesions in self._look(lessons, picture, _spacing_mm(media)):
                agreement = [
                    lesion.log_probability
                    + lesion.trust * lessons.evidence.agreement(lesion.judgement, texts)
                    for lesion in lesions
                ]
                scores += outer * inner * np.asarray(logsumexp(agreement, axis=0))
        return scores

    def _look(
        self, lessons: Lessons, picture: Picture, spacing_mm: tuple[float, ...] | None
    ) -> _Slices:
        """Find and judge what may be the lesion in a picture, once for each picture."""
        key = picture.receipt.sha256, picture.receipt.layout, spacing_mm
        if key not in self._seen:
            self._seen[key] = tuple(
                (weight, _lesions(lessons, view))
                for weight, view in _weighted(views_of(picture, spacing_mm))
            )
        return self._seen[key]


def _spacing_mm(media: Media) -> tuple[float, ...] | None:
    """Give the pixel size; a stated one does not describe a picture that was shrunk on its way."""
    return None if media.recipe.max_side_px else media.spacing_mm


def _weighted(slices: Sequence[_T]) -> list[tuple[float, _T]]:
    """Give the middle slices with their weights, which sum to 1."""
    weights = slice_weights(len(slices))
    weights[weights < _LEAST_SLICE_WEIGHT] = 0.0
    weights /= weights.sum()
    return [(float(w), one) for w, one in zip(weights, slices, strict=True) if w > 0]


def _lesions(lessons: Lessons, view: View) -> tuple[_Lesion, ...]:
    """Judge the boxed lesion, or the likeliest places where there is no box."""
    if view.box is not None or not lessons.boxed:
        box = view.box if view.box and lessons.boxed else view.body
        judged = [lessons.evidence.judge(*found) for found in measure(view, [box])]
        return tuple(_Lesion(log_probability=0.0, trust=1.0, judgement=one) for one in judged)
    places = lessons.finder(find_spots(view), most=_MOST_CANDIDATES) or ((0.0, view.body),)
    measured = measure(view, [box for _, box in places])
    return tuple(
        _Lesion(
            log_probability=log_probability,
            trust=_UNSURE_TRUST,
            judgement=_unsure(lessons.evidence.judge(*found)),
        )
        for (log_probability, _), found in zip(places, measured, strict=True)
    )


def _unsure(judgement: Judgement) -> Judgement:
    spread = float(np.hypot(judgement.log_size_spread, _UNSURE_SIZE_SPREAD))
    return replace(judgement, log_size_spread=spread)
