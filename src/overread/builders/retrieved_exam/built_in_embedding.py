"""The embedder that needs nothing: measurements of the boxed lesion, weighted words of the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.builders.retrieved_exam.embeddings import Seen
from overread.errors import ImageError
from overread.imaging.picture import Picture
from overread.imaging.render import PictureRenderer
from overread.models.baselines.radiomics.lesion_features import LESION_WEIGHTS
from overread.models.baselines.radiomics.lessons import measure
from overread.models.baselines.radiomics.pixels import views_of
from overread.models.baselines.radiomics.slice_features import SLICE_WEIGHTS
from overread.models.baselines.words import terms
from overread.records import Media

__all__ = ["BuiltInEmbedder", "tf_idf"]

_MOST_TERMS: Final = 1024
_AT_ONCE: Final = 2


class BuiltInEmbedder:
    """Radiomics for pictures, TF-IDF for texts.

    Pictures: the numbers that the built-in reader measures (place, size, density, edge, texture,
    coarse grey values), each brought to mean 0 and spread 1 over the lesions, then weighted as the
    reader weighs them. A picture that cannot be measured gets zeros: it is like no other.
    """

    label = "radiomics and TF-IDF, version 1"

    def embed(
        self, lesions: Sequence[Seen], *, on_progress: Callable[[int], None]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Measure pictures, two at a time, and count words; the pictures take the time."""
        width = len(LESION_WEIGHTS) + len(SLICE_WEIGHTS)
        table = np.full((len(lesions), width), np.nan)
        with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
            for row, numbers in enumerate(pool.map(_measured, lesions)):
                if numbers is not None:
                    table[row] = numbers
                on_progress(row + 1)
        return _standard(table), tf_idf([lesion.description for lesion in lesions])


def _measured(lesion: Seen) -> NDArray[np.float64] | None:
    render = PictureRenderer(lesion.boxed.parent)
    try:
        (picture,) = render(Media(paths=(lesion.boxed.name,)))
        return _numbers(picture, lesion.spacing_mm)
    except ImageError:
        return None


def _numbers(picture: Picture, spacing_mm: tuple[float, float] | None) -> NDArray[np.float64]:
    (view,) = views_of(picture, spacing_mm)
    ((features, _),) = measure(view, [view.box or view.body])
    return features


def _standard(table: NDArray[np.float64]) -> NDArray[np.float64]:
    known = np.asarray(~np.isnan(table).any(axis=1), dtype=np.bool_)
    if not known.any():
        return np.zeros_like(table)
    mean, spread = table[known].mean(axis=0), table[known].std(axis=0)
    weights = np.concatenate([LESION_WEIGHTS, SLICE_WEIGHTS])
    scaled = (table - mean) / np.where(spread > 0, spread, 1.0) * weights
    return np.where(known[:, np.newaxis], scaled, 0.0)


def tf_idf(texts: Sequence[str]) -> NDArray[np.float64]:
    """Weigh the words and word pairs of texts by how rare they are.

    Only the 1,024 commonest that occur in two texts or more are kept: they are what texts can have
    in common.

    Returns
    -------
    NDArray[np.float64]
        Shape (n, number of terms); term present × log(n / texts that hold it).
    """
    bags = [terms(text) for text in texts]
    counts = Counter(term for bag in bags for term in bag)
    kept = sorted((term for term, n in counts.items() if n > 1), key=lambda t: (-counts[t], t))
    column = {term: place for place, term in enumerate(kept[:_MOST_TERMS])}
    table = np.zeros((len(texts), max(1, len(column))))
    for row, bag in enumerate(bags):
        for term in bag & column.keys():
            table[row, column[term]] = np.log(len(texts) / counts[term])
    return table
