"""Whose masks a page shows: one set of results, or one for each run, in its colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from overread.analysis.mask_results import MaskResults, MaskRow

__all__ = ["MaskSide", "has_one_label", "row_name", "row_names", "shown_metrics", "unit_of"]

_ASIDE = ("voxels", "grid_diagonal_mm", "skeleton_mm")
"""Ends of the names of metrics that are steps on the way to others."""
_WHOLE = "case as a whole"
_FIRST = ("hd95_mm", "nsd_", "assd_mm", "hd_mm", "volume_difference", "fnv_ml", "fpv_ml")
_LAST = ("iou", "reference_", "prediction_")


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskSide:
    """One set of results."""

    label: str
    """The run; empty where a page has one side only."""
    colour: int
    results: MaskResults


def shown_metrics(sides: Sequence[MaskSide]) -> tuple[str, ...]:
    """List the metrics worth a picture: the headline, then what tells most beside it."""
    headline = sides[0].results.headline
    found = dict.fromkeys(metric for side in sides for metric in side.results.metrics)
    rest = [
        metric
        for metric in found
        if metric != headline
        and not metric.endswith(_ASIDE)
        and any(row.values.get(metric) is not None for s in sides for row in s.results.label_rows)
    ]
    return (*([headline] if headline in found else []), *sorted(rest, key=_place))


def _place(metric: str) -> int:
    """Order metrics by what they tell that an overlap does not; the rest keep their order."""
    if metric.startswith(_LAST):
        return len(_FIRST) + 1
    places = (place for place, name in enumerate(_FIRST) if metric.startswith(name))
    return next(places, len(_FIRST))


def unit_of(sides: Sequence[MaskSide], metric: str) -> str:
    """Give the unit of a metric's values."""
    return next((s.results.units[metric] for s in sides if metric in s.results.units), "")


def has_one_label(results: MaskResults) -> bool:
    """Tell whether a case is one row, so that it needs no label's name."""
    return len(results.by_label()) == 1


def row_name(row: MaskRow, results: MaskResults) -> str:
    """Name a row for people: its case, and its label where there are several."""
    one = row.label is None or has_one_label(results)
    return row.case if one else f"{row.case}, {row.label}"


def row_names(sides: Sequence[MaskSide]) -> dict[str | None, str]:
    """Name the labels that have rows, in the order of the first side that has them."""
    found: dict[str | None, str] = {}
    for side in sides:
        for label in side.results.by_label():
            found.setdefault(label, label if label is not None else _WHOLE)
    return found
