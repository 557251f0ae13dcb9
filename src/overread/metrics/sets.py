"""How far a chosen set of options is the right one, beside whether it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from overread.metrics.spec import MetricSpec

__all__ = ["SET_OVERLAP", "set_overlap"]

SET_OVERLAP: Final = MetricSpec(
    name="set_overlap",
    version="1",
    title="Shared options, of all chosen or right",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"order invariant", "relabelling invariant", "symmetric"}),
    undefined="no option is right",
)


def set_overlap(chosen: Collection[str], right: Collection[str]) -> float | None:
    """Give the share of options in both sets among those in either (the Jaccard index).

    Parameters
    ----------
    chosen, right
        Letters; repeated ones count once.

    Returns
    -------
    float or None
        In 0 to 1; 1 for the very set alone. None where no option is right, 0 where none is chosen.

    Examples
    --------
    >>> set_overlap("cd", "ce"), set_overlap("ec", "ce"), set_overlap("", "ce")
    (0.3333333333333333, 1.0, 0.0)
    """
    one, other = set(chosen), set(right)
    return len(one & other) / len(one | other) if other else None
