"""What the geometry doctor saw of a mask, put into the reason of a row and read out of it again.

A process that scores cases gives only rows back, so a run's findings are made of their reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from overread.imaging.label_resample import RESAMPLED
from overread.imaging.mask_geometry import GeometryReport

__all__ = ["GRID_RULE", "MaskDoubts", "doubts_in", "doubts_of", "some_labels"]

GRID_RULE: Final = "the grid of its reference"
"""What is expected of a mask that is refused for lying elsewhere."""

_GRID: Final = f": expected {GRID_RULE}, got "
_TURNED: Final = "With "
_FITS: Final = " the prediction would reach a Dice of "
_UNNAMED: Final = "labels that nobody named: "
_BETWEEN: Final = "; "
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskDoubts:
    """What the reason of a row says of grids and labels; None where it says nothing of it."""

    grid: str | None = None
    """How the mask's grid differs, and what would mend it: it was not scored."""
    turned: str | None = None
    """The turn that would fit far better than the mask as stored, which was scored."""
    unnamed: str | None = None
    """Labels of the prediction that count as background."""
    resampled: str | None = None
    """That the mask was brought onto the reference's grid."""


def doubts_of(report: GeometryReport, warnings: Sequence[str]) -> str | None:
    """Say what is doubtful of a mask that is scored all the same; None where nothing is.

    Parameters
    ----------
    report
        Of the pair.
    warnings
        Of the predicted mask.

    Examples
    --------
    >>> doubts_of(GeometryReport(same=True, unknown_labels=(9,)), ())
    'labels that nobody named: 9'
    """
    said = [report.advice.rstrip(".")] if report.advice else []
    if report.unknown_labels:
        said.append(f"{_UNNAMED}{some_labels(report.unknown_labels)}")
    if RESAMPLED in warnings:
        said.append(RESAMPLED)
    return _BETWEEN.join(said) or None


def doubts_in(reason: str | None) -> MaskDoubts:
    """Read the reason of a row of a mask scorer.

    Examples
    --------
    >>> doubts_in("labels that nobody named: 9").unnamed
    'labels that nobody named: 9'
    """
    if reason is None:
        return MaskDoubts()
    _, mark, what = reason.partition(_GRID)
    if mark:
        return MaskDoubts(grid=what)
    parts = reason.split(_BETWEEN)
    turned = (each for each in parts if each.startswith(_TURNED) and _FITS in each)
    return MaskDoubts(
        turned=next(turned, None),
        unnamed=next((each for each in parts if each.startswith(_UNNAMED)), None),
        resampled=RESAMPLED if RESAMPLED in parts else None,
    )


def some_labels(labels: Sequence[int]) -> str:
    """List the first few labels."""
    return ", ".join(map(str, labels[:_SHOWN])) + (", …" if len(labels) > _SHOWN else "")
