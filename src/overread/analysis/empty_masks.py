"""The ledger of empty masks: how often a side was empty, and what the mean is under each policy.

Libraries differ in what an empty reference or prediction is worth, and leaving such cases out can
make a method that finds less look better. So every mean stands beside the two others that the same
cases give, with the counts that set them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from overread.errors import UsageError, expected
from overread.metrics.spec import MetricSpec
from overread.records import Profile, Score, Status
from overread.registry import metric_spec

__all__ = [
    "BOTH_EMPTY",
    "BOTH_PRESENT",
    "DIAGONAL",
    "INVENTED",
    "MISSED",
    "POLICIES",
    "LedgerRow",
    "Policy",
    "has_worst_value",
    "ledger_of_labels",
    "mask_ledger",
]

BOTH_PRESENT: Final = "both present"
MISSED: Final = "missed"
INVENTED: Final = "invented"
BOTH_EMPTY: Final = "both empty"
DIAGONAL: Final = "grid_diagonal_mm"
"""The metric whose one row a case says what a distance to nothing is taken for."""
_REFERENCE_VOXELS: Final = "reference_voxels"
_OF_EMPTY_REFERENCES: Final = ("clean_negative",)

Policy: TypeAlias = Literal["defined", "reference present", "empty agreement is perfect"]
POLICIES: Final[Mapping[Policy, str]] = {
    "defined": "cases that have a value by the metric's own definition",
    "reference present": "cases with foreground in the reference; no prediction there is the worst "
    "value",
    "empty agreement is perfect": "all cases: two empty masks are the best value, one empty mask "
    "and no prediction the worst",
}
"""Policy → what it counts. The worst overlap is 0, the worst distance the diagonal of the grid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One metric of one label over all cases of a run."""

    metric: str
    profile: Profile
    target: str | None
    n: int
    """Cases whose reference can be used."""
    n_both_present: int
    n_missed: int
    """The reference has foreground, the prediction has none."""
    n_invented: int
    """The prediction has foreground, the reference has none."""
    n_both_empty: int
    n_without_prediction: int
    """No mask came, or none that could be laid over the reference."""
    means: Mapping[Policy, float | None]
    """None where no case counts, or where a value that the policy needs is not known."""
    counted: Mapping[Policy, int]
    """Cases that each mean is over."""

    @property
    def is_moved(self) -> bool:
        """Whether the policies disagree, so that a reader must know which one was taken."""
        known = [mean for mean in self.means.values() if mean is not None]
        return len(known) < len(self.means) or max(known) - min(known) > 1e-12


def mask_ledger(scores: Iterable[Score], *, metrics: Sequence[str]) -> tuple[LedgerRow, ...]:
    """Count empty sides and give the mean of each metric under three policies.

    Parameters
    ----------
    scores
        Score rows of mask scorers; `Score.answer` says which side was empty, and where no mask was
        read a row of ``reference_voxels`` whether the reference is. Rows of ``grid_diagonal_mm``
        are the worst distance of their item. A row that is UNDEFINED without a fate and without an
        empty reference has an unusable one: it counts nowhere.
    metrics
        Which metrics, in the order wanted: overlaps from 0 to 1 or distances in mm.

    Returns
    -------
    tuple
        By metric, profile and target; metrics without rows are left out.

    Raises
    ------
    UsageError
        A metric that has no worst value (`has_worst_value`).
    """
    every = list(scores)
    diagonals = {
        (score.item, score.draw): score.value for score in every if score.metric == DIAGONAL
    }
    empty = {
        (score.item, score.draw, score.target)
        for score in every
        if score.metric == _REFERENCE_VOXELS and score.value == 0
    }
    rows: list[LedgerRow] = []
    for metric in metrics:
        spec = _checked(metric)
        groups: dict[tuple[Profile, str | None], list[Score]] = {}
        for score in every:
            if score.metric == metric and not _is_nobodys(score, empty):
                groups.setdefault((score.profile, score.target), []).append(score)
        for (profile, target), group in groups.items():
            rows.append(_row(spec, profile, target, group, diagonals, empty))
    return tuple(rows)


def ledger_of_labels(ledger: Iterable[LedgerRow]) -> tuple[LedgerRow, ...]:
    """Put before the rows of several labels one that takes all labels of all cases together.

    Rows of whole cases are left out where the same metric and profile has labels: a mean over the
    labels of a case has no value when one of them was missed, and would be charged with the worst
    there is although the others were found.

    Parameters
    ----------
    ledger
        From `mask_ledger`.

    Returns
    -------
    tuple
        By metric and profile; of several labels the first row has None for target, and counts a
        case as often as it has labels. A sole label stands alone.
    """
    groups: dict[tuple[str, Profile], list[LedgerRow]] = {}
    for row in ledger:
        groups.setdefault((row.metric, row.profile), []).append(row)
    found: list[LedgerRow] = []
    for rows in groups.values():
        of_labels = [row for row in rows if row.target is not None]
        if len(of_labels) > 1:
            found.append(_together(of_labels))
        found += of_labels or rows
    return tuple(found)


def _together(rows: Sequence[LedgerRow]) -> LedgerRow:
    counted = {policy: sum(row.counted[policy] for row in rows) for policy in POLICIES}
    means: dict[Policy, float | None] = {}
    for policy in POLICIES:
        sums = [(row.means[policy], row.counted[policy]) for row in rows if row.counted[policy]]
        known = [mean * n for mean, n in sums if mean is not None]
        means[policy] = sum(known) / counted[policy] if known and len(known) == len(sums) else None
    return replace(
        rows[0],
        target=None,
        n=sum(row.n for row in rows),
        n_both_present=sum(row.n_both_present for row in rows),
        n_missed=sum(row.n_missed for row in rows),
        n_invented=sum(row.n_invented for row in rows),
        n_both_empty=sum(row.n_both_empty for row in rows),
        n_without_prediction=sum(row.n_without_prediction for row in rows),
        means=means,
        counted=counted,
    )


def has_worst_value(spec: MetricSpec) -> bool:
    """Tell whether the ledger has a worst value for a metric, so that a policy can count it.

    An overlap or another share of which more is better has 0, a distance of which less is better
    the diagonal of the grid. A length that is neither good nor bad has none, and what is measured
    of empty references alone is no matter of these policies.
    """
    if spec.name in _OF_EMPTY_REFERENCES:
        return False
    if spec.unit == "mm":
        return spec.direction == "down"
    return (spec.low, spec.high) == (0.0, 1.0) and spec.direction == "up"


def _checked(metric: str) -> MetricSpec:
    spec = metric_spec(metric)
    if spec is None or not has_worst_value(spec):
        raise UsageError(
            expected(
                "metrics",
                rule="overlaps from 0 to 1 of which more is better, or distances in mm",
                got=metric,
                remedy="A volume has no worst value: show its median and its count instead.",
            )
        )
    return spec


def _is_nobodys(score: Score, empty: Collection[tuple[str, int, str | None]]) -> bool:
    """Tell a row whose reference cannot be used: nobody can be scored on it."""
    if score.status is not Status.UNDEFINED or score.answer is not None:
        return False
    return (score.item, score.draw, score.target) not in empty


def _row(
    spec: MetricSpec,
    profile: Profile,
    target: str | None,
    scores: Sequence[Score],
    diagonals: Mapping[tuple[str, int], float | None],
    empty: Collection[tuple[str, int, str | None]],
) -> LedgerRow:
    is_distance = spec.unit == "mm"
    best = 0.0 if is_distance else 1.0
    values: dict[Policy, list[float | None]] = {policy: [] for policy in POLICIES}
    fates = Counter(score.answer for score in scores)
    for score in scores:
        worst = diagonals.get((score.item, score.draw)) if is_distance else 0.0
        known = score.value if score.value is not None else worst
        is_empty = score.answer in (INVENTED, BOTH_EMPTY)
        is_empty = is_empty or (score.item, score.draw, score.target) in empty
        if score.value is not None:
            values["defined"].append(score.value)
        if not is_empty:
            values["reference present"].append(known)
        values["empty agreement is perfect"].append(best if score.answer == BOTH_EMPTY else known)
    return LedgerRow(
        metric=spec.name,
        profile=profile,
        target=target,
        n=len(scores),
        n_both_present=fates[BOTH_PRESENT],
        n_missed=fates[MISSED],
        n_invented=fates[INVENTED],
        n_both_empty=fates[BOTH_EMPTY],
        n_without_prediction=len(scores)
        - sum(fates[fate] for fate in (BOTH_PRESENT, MISSED, INVENTED, BOTH_EMPTY)),
        means={policy: _mean(each) for policy, each in values.items()},
        counted={policy: len(each) for policy, each in values.items()},
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
