"""Scored masks in a few numbers a label: what a terminal shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

from overread.analysis.mask_results import MaskResults, MaskRow
from overread.records import Status

__all__ = [
    "LabelLine",
    "distance_metrics",
    "is_compared",
    "label_lines",
    "n_cases",
    "share_metrics",
    "worst_rows",
]

_SHARES: Final = ("dice", "nsd_", "cldice")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLine:
    """One label over all cases."""

    label: str
    n: int
    """Cases in which it was looked for: those whose reference can be used."""
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
    """Sum each label up over its cases, in the order of labels.

    A case whose reference cannot be used counts nowhere.
    """
    return tuple(
        _line(label or "all", kept, results.metrics)
        for label, rows in results.by_label().items()
        if (kept := [row for row in rows if not _is_nobodys(row)])
    )


def n_cases(results: MaskResults) -> tuple[int, int, int]:
    """Count the cases whose reference can be used, those of them without a mask, and the others."""
    whole = {row.case: row for row in results.rows if row.label is None}
    n_unusable = sum(_is_nobodys(row) for row in whole.values())
    n_without = sum(row.fate is None for row in whole.values()) - n_unusable
    return len(results.cases) - n_unusable, n_without, n_unusable


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


def _is_nobodys(row: MaskRow) -> bool:
    """Tell a row whose reference cannot be used: nobody can be scored on it."""
    return row.status is Status.UNDEFINED and row.fate is None


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
