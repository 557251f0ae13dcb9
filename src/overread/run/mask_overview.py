"""Scored masks in a few numbers a label: what a terminal shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Final

from overread.analysis.empty_masks import POLICIES, LedgerRow, Policy
from overread.analysis.mask_results import MaskResults, MaskRow

__all__ = [
    "LabelLine",
    "distance_metrics",
    "is_compared",
    "label_lines",
    "ledger_of_labels",
    "share_metrics",
    "worst_rows",
]

_SHARES: Final = ("dice", "nsd_", "cldice")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLine:
    """One label over all cases."""

    label: str
    n: int
    """Cases in which it was looked for."""
    means: Mapping[str, float | None]
    """Metric → mean over the cases with a value; None where no case has one."""
    medians: Mapping[str, float | None]
    counted: Mapping[str, int]
    """Metric → cases with a value."""
    n_both_present: int
    n_missed: int
    n_invented: int
    n_both_empty: int
    n_without: int
    """Cases without a prediction that could be compared."""


def share_metrics(results: MaskResults) -> tuple[str, ...]:
    """Name the overlaps to show: Dice, surface Dice, centreline Dice."""
    return tuple(name for name in results.metrics if name.startswith(_SHARES))


def distance_metrics(results: MaskResults) -> tuple[str, ...]:
    """Name the distances to show: HD95 and the mean surface distance."""
    return tuple(name for name in ("hd95_mm", "assd_mm") if name in results.metrics)


def label_lines(results: MaskResults) -> tuple[LabelLine, ...]:
    """Sum each label up over its cases, in the order of labels."""
    return tuple(
        _line(label or "all", rows, results.metrics) for label, rows in results.by_label().items()
    )


def ledger_of_labels(ledger: Sequence[LedgerRow]) -> tuple[LedgerRow, ...]:
    """Put before the ledger rows of several labels one that takes all labels of all cases together.

    The rows of whole cases are left out where there are labels: what a mean over labels would be
    worth where one of them is missed is no question of the case alone.
    """
    of_labels = [row for row in ledger if row.target is not None]
    names = {row.target for row in of_labels}
    if not names:
        return tuple(ledger)
    if len(names) == 1:
        return tuple(of_labels)
    found: list[LedgerRow] = []
    for metric in dict.fromkeys(row.metric for row in of_labels):
        own = [row for row in of_labels if row.metric == metric]
        found += [_together(own), *own]
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


def is_compared(results: MaskResults) -> bool:
    """Tell whether any case was compared at all."""
    return any(row.fate is not None for row in results.rows)


def worst_rows(results: MaskResults, *, most: int) -> tuple[MaskRow, ...]:
    """Give the rows of the lowest headline, cases without a prediction first and once each.

    Rows that the metric has no value for (both empty) are no failures and are left out, and so are
    perfect ones.
    """
    lost = [row for row in results.rows if row.label is None and row.fate is None]
    rows = [
        row
        for row in results.label_rows
        if row.fate not in (None, "both empty") and _rank(row, results.headline) < 1.0
    ]
    rows.sort(key=lambda row: (_rank(row, results.headline), row.case, row.label or ""))
    return (*lost, *rows)[:most]


def _rank(row: MaskRow, metric: str) -> float:
    value = row.values.get(metric)
    return 0.0 if value is None else value


def _line(label: str, rows: Sequence[MaskRow], metrics: Sequence[str]) -> LabelLine:
    values = {
        metric: [value for row in rows if (value := row.values.get(metric)) is not None]
        for metric in metrics
    }
    fates = Counter(row.fate for row in rows)
    return LabelLine(
        label=label,
        n=len(rows),
        means={metric: fmean(found) if found else None for metric, found in values.items()},
        medians={metric: median(found) if found else None for metric, found in values.items()},
        counted={metric: len(found) for metric, found in values.items()},
        n_both_present=fates["both present"],
        n_missed=fates["missed"],
        n_invented=fates["invented"],
        n_both_empty=fates["both empty"],
        n_without=fates[None],
    )
