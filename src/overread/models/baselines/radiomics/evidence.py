"""What the texts of similar training lesions say, and how well a new text agrees with them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.models.baselines.radiomics.projection import Projection
from overread.models.baselines.words import StatedSize, stated_size, terms

__all__ = ["Evidence", "Judgement"]

_MOST_TERMS = 400
_MOST_NEIGHBOURS = 25
"""Or a sixth of the cases, if that is fewer, but at least five."""
_LEAST_SIZES = 8
_PRIOR_WEIGHT = 1.0
"""How many neighbours the average of all training cases counts for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Kind:
    """One kind of text, such as descriptions: which cases have it, and which terms are in it."""

    cases: NDArray[np.int64]
    columns: Mapping[str, int]
    present: NDArray[np.float64]
    """Shape (n_cases of this kind, n_terms): 1 where the text holds the term."""
    frequency: NDArray[np.float64]
    """Shape (n_terms,): share of the texts that hold the term, never 0 or 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgement:
    """What the neighbours of one lesion let expect."""

    places: NDArray[np.float64]
    """Shape (n_terms of all kinds,): where the lesion lies on the line of each term."""
    log_size: NDArray[np.float64]
    """Expected logarithms of the long and the short diameter, in the unit of the training texts;
    NaN where unknown."""
    log_size_spread: float


class Evidence:
    """Learns from features and texts of training lesions; judges texts by neighbours.

    Parameters
    ----------
    features
        Shape (n_cases, n_features).
    sizes
        Shape (n_cases, n_size_features): logarithms of the box's sides.
    texts
        Per case, kind → text.
    weights
        Shape (n_features,): how much each feature counts.
    """

    def __init__(
        self,
        features: NDArray[np.float64],
        sizes: NDArray[np.float64],
        texts: Sequence[Mapping[str, str]],
        weights: NDArray[np.float64],
    ) -> None:
        names = sorted({kind for case in texts for kind in case})
        self._kinds = {name: _kind(name, texts) for name in names}
        # One projection for all kinds: its costly part does not depend on the targets.
        ends = np.cumsum([0, *(kind.present.shape[1] for kind in self._kinds.values())])
        self._starts = dict(zip(self._kinds, ends.tolist(), strict=False))
        targets = np.full((len(texts), int(ends[-1])), np.nan)
        for name, kind in self._kinds.items():
            start = self._starts[name]
            targets[kind.cases, start : start + kind.present.shape[1]] = kind.present
        self._projection = Projection(features, targets, weights)
        self._size_unit, self._size_fit, self._size_spread = _fit_sizes(sizes, texts)
        self._texts = texts
        self._stated: dict[str, list[StatedSize | None]] = {}

    def judge(self, features: NDArray[np.float64], sizes: NDArray[np.float64]) -> Judgement:
        """Judge one lesion by its features (n_features,) and its sizes (n_size_features,)."""
        return Judgement(
            places=self._projection(features),
            log_size=np.append(sizes, 1.0) @ self._size_fit,
            log_size_spread=self._size_spread,
        )

    def agreement(self, judgement: Judgement, texts: Sequence[str]) -> NDArray[np.float64]:
        """Give the log likelihood of each text under a judgement, up to a common constant.

        Terms that a text could hold, going by the other texts, and does not hold count too.
        """
        stated = [stated_size(text) for text in texts]
        scores = _size_agreement(judgement, stated, self._size_unit)
        name = self.kind_of(texts)
        if name is None:
            return scores
        bags = [terms(text) for text in texts]
        known = sorted(frozenset().union(*bags) & self._kinds[name].columns.keys())
        holds = np.array([[term in bag for term in known] for bag in bags])
        p = self.probabilities(judgement, name, known)
        return scores + np.where(holds, np.log(p), np.log1p(-p)).sum(axis=1)

    def texts_of(self, kind: str) -> tuple[str, ...]:
        """Give all training texts of a kind, in the order of the cases; none of an unknown kind."""
        cases = self._kinds[kind].cases.tolist() if kind in self._kinds else ()
        return tuple(self._texts[number][kind] for number in cases)

    def agreements(self, judgement: Judgement, kind: str) -> NDArray[np.float64]:
        """Give the log likelihood of every text of a kind (`texts_of`), up to a common constant.

        Unlike `agreement` it is about all terms of the kind, whichever the texts hold.
        """
        of_kind = self._kinds[kind]
        p = self.probabilities(judgement, kind, list(of_kind.columns))
        scores = of_kind.present @ (np.log(p) - np.log1p(-p))
        if kind not in self._stated:
            self._stated[kind] = [stated_size(text) for text in self.texts_of(kind)]
        return scores + _size_agreement(judgement, self._stated[kind], self._size_unit)

    def probabilities(
        self, judgement: Judgement, kind: str, known: Sequence[str]
    ) -> NDArray[np.float64]:
        """Give the probability that a text of a kind holds each known term: shape (n_terms,).

        It is the weighted share of the term's nearest neighbours that hold it, drawn towards the
        average, hence never 0 or 1.
        """
        of_kind = self._kinds[kind]
        columns = np.array([of_kind.columns[term] for term in known], dtype=np.int64)
        on_lines = columns + self._starts[kind]
        lines = self._projection.cases[np.ix_(of_kind.cases, on_lines)]
        distance = np.abs(lines - judgement.places[on_lines])
        n_near = min(_MOST_NEIGHBOURS, max(len(distance) // 6, 5), len(distance))
        width = np.partition(distance, n_near - 1, axis=0)[n_near - 1] + 1e-9
        weights = np.clip(1 - (distance / width) ** 2, 0, None)
        held = (weights * of_kind.present[:, columns]).sum(axis=0)
        total = weights.sum(axis=0) + _PRIOR_WEIGHT
        return (held + _PRIOR_WEIGHT * of_kind.frequency[columns]) / total

    def kind_of(self, texts: Sequence[str]) -> str | None:
        """Name the kind of training text whose terms cover most of these texts' terms."""
        bag = frozenset().union(*(terms(text) for text in texts))
        cover = {name: len(bag & kind.columns.keys()) for name, kind in self._kinds.items()}
        best = max(cover, key=lambda name: cover[name], default=None)
        return best if best is not None and cover[best] else None


def _kind(name: str, texts: Sequence[Mapping[str, str]]) -> _Kind:
    cases = [number for number, case in enumerate(texts) if name in case]
    bags = [terms(texts[number][name]) for number in cases]
    counts = Counter(term for bag in bags for term in bag)
    least = max(2, len(bags) // 200)
    kept = sorted((t for t in counts if counts[t] >= least), key=lambda t: (-counts[t], t))
    columns = {term: column for column, term in enumerate(kept[:_MOST_TERMS])}
    present = np.zeros((len(bags), len(columns)))
    for row, bag in enumerate(bags):
        present[row, [columns[term] for term in sorted(bag) if term in columns]] = 1.0
    return _Kind(
        cases=np.array(cases, dtype=np.int64),
        columns=columns,
        present=present,
        frequency=(present.sum(axis=0) + 0.5) / (len(bags) + 1.0),
    )


def _fit_sizes(
    sizes: NDArray[np.float64], texts: Sequence[Mapping[str, str]]
) -> tuple[str, NDArray[np.float64], float]:
    """Fit log diameters to log box sides by ridge regression.

    Returns
    -------
    tuple
        The unit that most training texts state, weights (n_size_features + 1, 2), and the spread
        of what is left; weights are NaN when fewer than eight texts state a size.
    """
    stated = [_size_of_case(case) for case in texts]
    units = Counter(size.unit for size in stated if size)
    unit = max(units, key=lambda one: (units[one], one), default="mm")
    rows = [row for row, size in enumerate(stated) if size and size.unit == unit]
    if len(rows) < _LEAST_SIZES:
        return unit, np.full((sizes.shape[1] + 1, 2), np.nan), float("nan")
    target = np.array([_log_pair(size) for size in stated if size and size.unit == unit])
    design = np.column_stack([sizes[rows], np.ones(len(rows))])
    ridge = 0.1 * np.eye(design.shape[1])
    ridge[-1, -1] = 0.0
    weights = np.linalg.solve(design.T @ design + ridge, design.T @ target)
    spread = float(np.sqrt(np.mean((design @ weights - target) ** 2)))
    return unit, np.asarray(weights, dtype=np.float64), max(spread, 0.05)


def _size_of_case(case: Mapping[str, str]) -> StatedSize | None:
    """Read the size of a case: from the text of that name, else from the first that states one."""
    texts = [case.get("size", ""), *(case[kind] for kind in sorted(case))]
    stated = (stated_size(text) for text in texts)
    return next((size for size in stated if size and min(size.lengths) > 0), None)


def _log_pair(size: StatedSize) -> tuple[float, float]:
    return math.log(size.lengths[0]), math.log(size.lengths[-1])


def _size_agreement(
    judgement: Judgement, stated: Sequence[StatedSize | None], unit: str
) -> NDArray[np.float64]:
    """Give the Gaussian log likelihood of stated sizes; 0 for all unless every text states one."""
    usable = [s for s in stated if s and s.unit == unit and min(s.lengths) > 0]
    if len(usable) < len(stated) or np.isnan(judgement.log_size).any():
        return np.zeros(len(stated))
    log_sizes = np.array([_log_pair(size) for size in usable])
    off = (log_sizes - judgement.log_size) / judgement.log_size_spread
    return -0.5 * (off**2).sum(axis=1)
