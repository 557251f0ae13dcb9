"""The printed leaderboard, computed again: positions, overall ranks, scores.

A position is the rank of a subset's mean among all entrants: 29 in category 1, of whom 19 are
listed, and 7 in category 2, of whom 5 are. An overall rank is the mean of four positions, and the
score weighs the three of them. So scores follow from overall ranks exactly, overall ranks from
positions up to shared places (who shares a place has half a position more than is printed), and
positions from no rows but all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.contracts.replay import RebuiltCell

__all__ = ["METRICS", "listed_scores", "rebuilt_cells", "subset_values"]

METRICS: Final[Mapping[str, tuple[float, bool]]] = {
    "DSC": (0.5, False),
    "FNV": (0.25, True),
    "FPV": (0.25, True),
}
"""Metric → its weight, and whether less is better."""
_SUBSETS: Final = ("LMU FDG", "LMU PSMA", "UKT FDG", "UKT PSMA")
_TIE: Final = 0.125
"""A place shared by two in one of four subsets moves the overall rank by 0.5 / 4."""
_CELL: Final = re.compile(r"\s*([0-9.]+)\s*(?:\((\d+)\))?\s*")


def rebuilt_cells(rows: Sequence[Mapping[str, str]], category: str) -> Iterator[RebuiltCell]:
    """Give the cells that can be computed, column by column.

    Parameters
    ----------
    rows
        The printed rows, cells as printed.
    category
        Of the table: ``category 1``.

    Yields
    ------
    RebuiltCell
        The score from the printed overall ranks; the overall ranks from the printed positions; then
        the score that each row would have if the listed ones were all, which was never printed.
    """
    for row in rows:
        ranks = {name: float(row[f"{name} overall rank"]) for name in METRICS}
        yield RebuiltCell(
            row=row["algorithm"],
            column=f"mean position, {category}",
            unit="1",
            published=float(row["mean position"]),
            decimals=4,
            source=f"leaderboard of {category}",
            recomputed=sum(weight * ranks[name] for name, (weight, _) in METRICS.items()),
        )
    for name in METRICS:
        for row in rows:
            yield _overall_rank(row, name, category)
    yield from _among_listed(rows, category)


def subset_values(rows: Sequence[Mapping[str, str]], metric: str) -> NDArray[np.float64]:
    """Give the printed means of a metric; shape (rows, 4), in the order of the table."""
    return np.array([[_value(row[f"{metric} {subset}"]) for subset in _SUBSETS] for row in rows])


def listed_scores(rows: Sequence[Mapping[str, str]]) -> NDArray[np.float64]:
    """Give the challenge's score of each row when these rows alone are ranked.

    Means of ranks over subsets, weighted over metrics; equal means share the average of their
    places.
    """
    total = np.zeros(len(rows))
    for name, (weight, smaller_is_better) in METRICS.items():
        values = subset_values(rows, name)
        total += weight * _ranks(values if smaller_is_better else -values).mean(axis=1)
    return total


def _among_listed(rows: Sequence[Mapping[str, str]], category: str) -> Iterator[RebuiltCell]:
    scores = listed_scores(rows)
    places, alone = _places(rows), _ranks(scores[:, np.newaxis])[:, 0]
    for number, row in enumerate(rows):
        moved = places[number] != alone[number]
        yield RebuiltCell(
            row=row["algorithm"],
            column=f"mean position among the rows listed, {category}",
            unit="1",
            published=None,
            decimals=4,
            source=f"leaderboard of {category}",
            recomputed=float(scores[number]),
            fault=f"place {places[number]:g} of the rows by the printed score, place "
            f"{alone[number]:g} here: the order of two depends on who else takes part"
            if moved
            else None,
        )


def _overall_rank(row: Mapping[str, str], name: str, category: str) -> RebuiltCell:
    positions = [_position(row[f"{name} {subset}"]) for subset in _SUBSETS]
    published = float(row[f"{name} overall rank"])
    mean = sum(positions) / len(positions)
    off = abs(mean - published)
    shown = ", ".join(f"{each:g}" for each in positions)
    fault = None
    if off == _TIE:
        fault = f"positions {shown}: a place shared by two is printed as a whole number"
    elif off > 0:
        fault = f"positions {shown} have the mean {mean:g}: one of them or the rank is misprinted"
    return RebuiltCell(
        row=row["algorithm"],
        column=f"{name} overall rank, {category}",
        unit="1",
        published=published,
        decimals=4,
        source=f"leaderboard of {category}",
        recomputed=mean,
        fault=fault,
    )


def _places(rows: Sequence[Mapping[str, str]]) -> NDArray[np.float64]:
    """Rank the listed rows by their printed scores."""
    return _ranks(np.array([[float(row["mean position"])] for row in rows]))[:, 0]


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank each column from its least value on; equals share the mean of their places."""
    less = (values[:, np.newaxis] > values[np.newaxis]).sum(axis=1)
    same = (values[:, np.newaxis] == values[np.newaxis]).sum(axis=1)
    return less + (same + 1) / 2


def _value(cell: str) -> float:
    match = _CELL.fullmatch(cell)
    return float(match[1]) if match else float("nan")


def _position(cell: str) -> int:
    match = _CELL.fullmatch(cell)
    if match is None or match[2] is None:
        raise ValueError(f"no position in {cell!r}")  # pragma: no cover - the file is ours
    return int(match[2])
