"""Which lesions were found: rules that match components of a reference and of a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.lesions import LesionOverlap, voxel_ml
from overread.metrics.spec import MetricSpec

__all__ = [
    "LESIONS_FOUND",
    "LESIONS_INVENTED",
    "LESIONS_MISSED",
    "LESIONS_RIGHT",
    "LESION_F1",
    "LESION_PRECISION",
    "LESION_RECALL",
    "LESION_RECALL_BY_SIZE",
    "SIZE_LESIONS",
    "SIZE_LESIONS_FOUND",
    "LesionMatch",
    "LesionRule",
    "SizeClass",
    "detection_by_size",
    "f_beta",
    "match_lesions",
]

LesionRule: TypeAlias = Literal["any overlap", "centre"] | tuple[Literal["iou"], float]
"""When two components are one lesion. ``any overlap``: they share a voxel. ``centre``: the centre
of mass of one lies in the other. ``("iou", 0.5)``: they share more than that of all their voxels,
and each is matched once."""


def _count(
    name: str, title: str, direction: Literal["up", "down", "none"], undefined: str
) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction=direction,
        low=0.0,
        high=float("inf"),
        unit="lesions",
        properties=frozenset({"relabelling invariant"}),
        undefined=undefined,
    )


def _share(name: str, title: str, undefined: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="up",
        low=0.0,
        high=1.0,
        unit="share",
        properties=frozenset({"relabelling invariant"}),
        undefined=undefined,
    )


LESIONS_FOUND: Final = _count("lesions_found", "Lesions found", "up", "never")
LESIONS_MISSED: Final = _count("lesions_missed", "Lesions missed", "down", "never")
LESIONS_INVENTED: Final = _count("lesions_invented", "Lesions invented", "down", "never")
LESIONS_RIGHT: Final = _count("lesions_right", "Predicted lesions that match one", "none", "never")
LESION_RECALL: Final = _share(
    "lesion_recall", "Lesions found, of all there are", "the reference has no lesion"
)
SIZE_LESIONS: Final = _count("size_lesions", "Lesions of a size", "none", "never")
SIZE_LESIONS_FOUND: Final = _count(
    "size_lesions_found", "Lesions of a size that were found", "up", "never"
)
"""Rows of these two have a range of volumes for target."""
LESION_RECALL_BY_SIZE: Final = _share(
    "lesion_recall_by_size",
    "Lesions found, of all of a size",
    "the reference has no lesion of the size",
)
LESION_PRECISION: Final = _share(
    "lesion_precision", "Predicted lesions that match one, of all", "the prediction has no lesion"
)
LESION_F1: Final = _share("lesion_f1", "Lesion F1", "neither mask has a lesion")


@dataclass(frozen=True, slots=True, kw_only=True)
class LesionMatch:
    """Which components were matched under a rule."""

    rule: LesionRule
    is_found: NDArray[np.bool_]
    """Shape (reference components,): whether a predicted one matches it."""
    is_right: NDArray[np.bool_]
    """Shape (prediction components,): whether a reference lesion matches it."""
    pairs: NDArray[np.int64]
    """Shape (matches, 2): reference and prediction component."""
    iou: NDArray[np.float64]
    """Shape (matches,): shared voxels of all voxels of both; 0 where two match by centre alone."""

    @property
    def found(self) -> int:
        """Reference lesions that were found."""
        return int(self.is_found.sum())

    @property
    def missed(self) -> int:
        """Reference lesions that were not."""
        return len(self.is_found) - self.found

    @property
    def right(self) -> int:
        """Predicted lesions that match one: other than `found` where several may match one."""
        return int(self.is_right.sum())

    @property
    def invented(self) -> int:
        """Predicted lesions that match none."""
        return len(self.is_right) - self.right

    @property
    def recall(self) -> float | None:
        """Share of reference lesions found; None where there are none."""
        return self.found / len(self.is_found) if len(self.is_found) else None

    @property
    def precision(self) -> float | None:
        """Share of predicted lesions that match one; None where there are none."""
        return self.right / len(self.is_right) if len(self.is_right) else None


def match_lesions(table: LesionOverlap, rule: LesionRule) -> LesionMatch:
    """Match the components of a table under a rule.

    Parameters
    ----------
    table
        From `lesion_overlap`.
    rule
        ``any overlap`` and ``centre`` let one component match several; ``("iou", t)`` with t in
        [0, 1) matches those pairs of overlap above t whose overlaps sum to most, each component at
        most once. Above one half no other pair can be in question.

    Returns
    -------
    LesionMatch

    Raises
    ------
    UsageError
        The rule is none of these.

    Examples
    --------
    >>> from overread.metrics.lesions import lesion_overlap
    >>> reference, prediction = np.array([[1, 1, 0, 1]]), np.array([[0, 1, 1, 1]])
    >>> table = lesion_overlap(reference, prediction, connectivity=4)
    >>> [match_lesions(table, rule).found for rule in ("any overlap", ("iou", 0.2), ("iou", 0.5))]
    [2, 1, 0]
    """
    if rule == "any overlap":
        pairs, iou = table.pairs, table.iou
    elif rule == "centre":
        pairs = table.centre_pairs
        iou = _iou_of(table, pairs)
    else:
        taken = _one_to_one(table, _threshold(rule))
        pairs, iou = table.pairs[taken], table.iou[taken]
    is_found = np.zeros(table.n_reference, dtype=np.bool_)
    is_right = np.zeros(table.n_prediction, dtype=np.bool_)
    is_found[pairs[:, 0]] = True
    is_right[pairs[:, 1]] = True
    return LesionMatch(rule=rule, is_found=is_found, is_right=is_right, pairs=pairs, iou=iou)


def f_beta(match: LesionMatch, *, beta: float = 1.0) -> float | None:
    """Give the F score of lesions: recall weighs `beta` times as much as precision.

    Parameters
    ----------
    match
        From `match_lesions`.
    beta
        Above 0; 1 is the harmonic mean, 2 favours recall.

    Returns
    -------
    float or None
        In 0 to 1; None where neither mask has a lesion, 0 where one has none or nothing matches.

    Raises
    ------
    UsageError
        `beta` is not above 0.
    """
    if not 0 < beta < float("inf"):
        raise UsageError(
            expected("beta", rule="a number above 0", got=beta, remedy="1 weighs both alike.")
        )
    precision, recall = match.precision, match.recall
    if precision is None and recall is None:
        return None
    if not precision or not recall:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeClass:
    """The reference lesions of one range of volumes, and how many were found."""

    low_ml: float
    """Lesions of this volume belong to it."""
    high_ml: float
    """Lesions of this volume belong to the next."""
    lesions: int
    found: int

    @property
    def title(self) -> str:
        """The range in words: ``1 to 10 ml``."""
        if self.low_ml == 0:
            return f"under {self.high_ml:g} ml" if self.high_ml < float("inf") else "any volume"
        if self.high_ml == float("inf"):
            return f"{self.low_ml:g} ml and more"
        return f"{self.low_ml:g} to {self.high_ml:g} ml"

    @property
    def recall(self) -> float | None:
        """Share found; None without a lesion."""
        return self.found / self.lesions if self.lesions else None


def detection_by_size(
    table: LesionOverlap,
    match: LesionMatch,
    *,
    spacing_mm: Sequence[float],
    edges_ml: Sequence[float],
) -> tuple[SizeClass, ...]:
    """Count found lesions by volume of the reference lesion.

    Parameters
    ----------
    table, match
        From `lesion_overlap` and `match_lesions` on it.
    spacing_mm
        Size of a voxel along each axis.
    edges_ml
        Volumes where a new class begins, ascending and above 0: two edges make three classes.

    Returns
    -------
    tuple of SizeClass
        From 0 to the first edge, and so on; the last is open.

    Raises
    ------
    UsageError
        The edges do not ascend.
    """
    edges = [0.0, *map(float, edges_ml), float("inf")]
    if any(not low < high for low, high in pairwise(edges)):
        raise UsageError(
            expected(
                "edges_ml",
                rule="ascending volumes above 0",
                got=tuple(edges_ml),
                remedy="For example 1, 10.",
            )
        )
    volumes_ml = table.reference_voxels * voxel_ml(spacing_mm)
    place = np.searchsorted(np.asarray(edges[1:-1]), volumes_ml, side="right")
    lesions = np.bincount(place, minlength=len(edges) - 1)
    found = np.bincount(place[match.is_found], minlength=len(edges) - 1)
    return tuple(
        SizeClass(low_ml=low, high_ml=high, lesions=int(n), found=int(k))
        for (low, high), n, k in zip(pairwise(edges), lesions, found, strict=True)
    )


# ---------------------------------------------------------------- rules


def _threshold(rule: object) -> float:
    parts = cast("tuple[object, ...]", rule) if isinstance(rule, tuple) else ()
    if len(parts) == 2 and parts[0] == "iou" and isinstance(parts[1], int | float):
        threshold = float(parts[1])
        if 0 <= threshold < 1:
            return threshold
    raise UsageError(
        expected(
            "rule",
            rule="'any overlap', 'centre' or ('iou', t) with t of 0 or more and below 1",
            got=repr(cast("object", rule)),
            remedy="('iou', 0.5) is the usual one of panoptic quality.",
        )
    )


def _iou_of(table: LesionOverlap, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the overlap of any pairs: 0 for those that share no voxel."""
    width = max(table.n_prediction, 1)
    known = table.pairs[:, 0] * width + table.pairs[:, 1]
    asked = pairs[:, 0] * width + pairs[:, 1]
    found = np.zeros(len(asked))
    if known.size:
        place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        is_known = known[place] == asked
        found[is_known] = table.iou[place[is_known]]
    return found


def _one_to_one(table: LesionOverlap, threshold: float) -> NDArray[np.int64]:
    """Choose among the pairs above a threshold those whose overlaps sum to most."""
    taken = np.flatnonzero(table.iou > threshold)
    if threshold >= 0.5 or not taken.size:
        return taken
    chosen: list[int] = []
    for block in _blocks(table, taken):
        chosen.extend(_assigned(table, block) if len(block) > 1 else block)
    return np.array(sorted(chosen), dtype=np.int64)


def _blocks(table: LesionOverlap, taken: NDArray[np.int64]) -> list[list[int]]:
    """Part the pairs into groups that share no component, so that each is a small assignment."""
    from scipy.sparse import coo_array  # pyright: ignore[reportMissingTypeStubs] - ships none
    from scipy.sparse.csgraph import (  # pyright: ignore[reportMissingTypeStubs]
        connected_components,  # pyright: ignore[reportUnknownVariableType]
    )

    one = table.pairs[taken, 0]
    other = table.pairs[taken, 1] + table.n_reference
    size = table.n_reference + table.n_prediction
    graph = coo_array((np.ones(len(taken), dtype=np.int8), (one, other)), shape=(size, size))
    group = cast(
        "NDArray[np.int32]",
        connected_components(graph, directed=False)[1],  # pyright: ignore[reportUnknownMemberType]
    )
    found: dict[int, list[int]] = {}
    for pair, reference in zip(taken, one, strict=True):
        found.setdefault(int(group[reference]), []).append(int(pair))
    return list(found.values())


def _assigned(table: LesionOverlap, block: list[int]) -> list[int]:
    from scipy.optimize import (  # pyright: ignore[reportMissingTypeStubs] - ships none
        linear_sum_assignment,  # pyright: ignore[reportUnknownVariableType]
    )

    rows, row = np.unique(table.pairs[block, 0], return_inverse=True)
    columns, column = np.unique(table.pairs[block, 1], return_inverse=True)
    weight = np.zeros((len(rows), len(columns)))
    which = np.full(weight.shape, -1, dtype=np.int64)
    weight[row, column] = table.iou[block]
    which[row, column] = block
    chosen = which[linear_sum_assignment(weight, maximize=True)]
    return [int(pair) for pair in chosen if pair >= 0]
