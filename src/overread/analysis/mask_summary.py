"""Distributions of mask metrics over rows: quartiles beside the mean, and the mean's interval.

A row without a value (a distance to an empty mask, a case without a prediction) is in no mean and
is counted apart; what the mean would be under other policies the ledger says
(`analysis.empty_masks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.mask_results import MaskResults, MaskRow
from overread.stats.bootstrap import cluster_codes
from overread.stats.cluster_wilson import SHARE
from overread.stats.few_clusters import cluster_interval

__all__ = [
    "NO_REFERENCE",
    "SIZE_EDGES_ML",
    "MetricSummary",
    "by_size",
    "by_stratum",
    "strata_keys",
    "summarise",
]

SIZE_EDGES_ML: Final = (0.1, 1.0, 10.0, 100.0, 1000.0)
"""Edges of size classes: each holds its lower edge."""
NO_REFERENCE: Final = "empty in the reference"
_SIZE: Final = "reference_ml"
_DRAWS: Final = 1000
_SEED: Final = 20260219


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """How one metric is spread over some rows."""

    metric: str
    n: int
    """Rows."""
    values: tuple[float, ...] = ()
    """Of those rows that have one, in the order of the rows."""
    cases: tuple[str, ...] = ()
    """Whose they are."""
    n_patients: int = 0
    """Independent units among them."""
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    """95 % interval of the mean, patients kept together; None, with `reason`, where there is
    none."""
    method: str = "none"
    reason: str | None = None
    quartiles: tuple[float, float, float, float, float] | None = None
    """Lowest, lower quarter, median, upper quarter, highest; interpolated in a straight line."""

    @property
    def median(self) -> float | None:
        """The middle value."""
        return None if self.quartiles is None else self.quartiles[2]


def summarise(
    rows: Sequence[MaskRow], metrics: Sequence[str], results: MaskResults
) -> dict[str, MetricSummary]:
    """Summarise metrics over rows.

    Parameters
    ----------
    rows
        Some rows of the results, such as those of one label.
    metrics
        Which.
    results
        Whose rows they are: it knows the patient of a case (a case without one is its own unit)
        and the unit of a metric (a ``share`` lies from 0 to 1, which its interval keeps to).

    Returns
    -------
    dict
        Metric → summary, every metric that was asked for.
    """
    patients = {case.id: case.patient or f"case {case.id}" for case in results.cases}
    codes = cluster_codes([patients[row.case] for row in rows])
    return {
        metric: _summary(metric, rows, codes, results.units.get(metric) == "share")
        for metric in metrics
    }


def _summary(
    metric: str, rows: Sequence[MaskRow], codes: NDArray[np.int64], is_share: bool
) -> MetricSummary:
    found = [row.values.get(metric) for row in rows]
    values = np.array([value for value in found if value is not None], dtype=np.float64)
    own = codes[[value is not None for value in found]]
    if not values.size or not np.isfinite(values).all():
        return MetricSummary(
            metric=metric,
            n=len(rows),
            reason="a value is infinite" if values.size else "no row has a value",
        )
    within = is_share and bool(((values >= 0) & (values <= 1)).all())
    (interval,) = cluster_interval(
        values,
        own,
        ends=(SHARE if within else None,),
        draws=_DRAWS,
        rng=np.random.default_rng(_SEED),
    )
    lowest, lower, median, upper, highest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return MetricSummary(
        metric=metric,
        n=len(rows),
        values=tuple(values.tolist()),
        cases=tuple(row.case for row, value in zip(rows, found, strict=True) if value is not None),
        n_patients=int(np.unique(own).size),
        mean=float(values.mean()),
        low=interval.low,
        high=interval.high,
        method=interval.method,
        reason=interval.reason,
        quartiles=(lowest, lower, median, upper, highest),
    )


def by_size(
    rows: Iterable[MaskRow], *, edges_ml: Sequence[float] = SIZE_EDGES_ML
) -> dict[str, tuple[MaskRow, ...]]:
    """Part rows by the volume of their reference; classes without a row are left out.

    Rows whose reference volume is not known are in no class.

    Examples
    --------
    >>> from overread.records import Status
    >>> row = MaskRow(
    ...     case="a", label=None, status=Status.OK, reason=None, fate=None,
    ...     values={"reference_ml": 10.0},
    ... )
    >>> list(by_size([row]))
    ['10 to 100 ml']
    """
    names = [NO_REFERENCE, f"below {edges_ml[0]:g} ml"]
    names += [f"{low:g} to {high:g} ml" for low, high in pairwise(edges_ml)]
    names.append(f"{edges_ml[-1]:g} ml and more")
    classes: dict[str, list[MaskRow]] = {name: [] for name in names}
    for row in rows:
        volume = row.values.get(_SIZE)
        if volume is None:
            continue
        place = 0 if volume == 0 else 1 + sum(volume >= edge for edge in edges_ml)
        classes[names[place]].append(row)
    return {name: tuple(found) for name, found in classes.items() if found}


def strata_keys(results: MaskResults) -> tuple[str, ...]:
    """Name what cases can be parted by: keys with two values or more, and fewer than cases."""
    values: dict[str, set[str]] = {}
    for case in results.cases:
        for key, value in case.strata.items():
            values.setdefault(key, set()).add(value)
    return tuple(
        key for key, found in values.items() if 1 < len(found) < max(3, len(results.cases))
    )


def by_stratum(results: MaskResults, key: str) -> dict[str, tuple[MaskRow, ...]]:
    """Part the rows to look at (`MaskResults.label_rows`) by a stratum of their cases."""
    values: Mapping[str, str] = {
        case.id: case.strata[key] for case in results.cases if key in case.strata
    }
    parts: dict[str, list[MaskRow]] = {value: [] for value in sorted(set(values.values()))}
    for row in results.label_rows:
        if row.case in values:
            parts[values[row.case]].append(row)
    return {value: tuple(rows) for value, rows in parts.items() if rows}
