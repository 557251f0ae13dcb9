"""A cell of a published table: as published, as its release gives it, and as it should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from overread.audits.reproduce.samples import Sample
from overread.records import Finding

__all__ = ["Cell", "Draft", "Reproduction", "Unit", "agrees"]

Unit: TypeAlias = Literal["share", "points", "1"]
"""``share``: 0 to 1, shown in per cent; ``points``: 0 to 100; ``1``: shown as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A cell before its published value is looked up and its interval made."""

    model: str
    title: str
    metric: str
    """As `PublishedValue.metric`."""
    stratum: tuple[tuple[str, str], ...] = ()
    column: str
    unit: Unit
    recomputed: float | None
    n_recomputed: int | None
    sample: Sample | None
    """What the corrected value is made of; None where the release does not allow one."""
    faults: tuple[str, ...] = ()
    tolerance: float = 0.0
    """How far a recomputed value may be off for reasons that are no fault (another computer)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number of a table, three times."""

    row: str
    """The model, as the table names it."""
    column: str
    unit: Unit
    published: float | None
    """With as many digits as were published."""
    source: str | None
    """Where it was published."""
    recomputed: float | None
    """By the release's own way, faults included."""
    corrected: float | None
    """By the honest way."""
    low: float | None
    high: float | None
    """Interval of `corrected`, clustered by patient (95 %)."""
    n_published: int | None
    """Denominator of the published number: as stated, else as recomputed."""
    n_corrected: int | None
    differs: bool
    """Whether recomputed and published disagree within the digits published."""
    fault: str | None
    """What is wrong with the published number, or why there is no other; None where all is well."""

    @property
    def moved(self) -> bool:
        """Whether the corrected value is not the published or recomputed one."""
        if self.corrected is None:
            return False
        before = self.recomputed if self.recomputed is not None else self.published
        return before is not None and abs(self.corrected - before) > 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """A published table, rebuilt."""

    benchmark: str
    cells: tuple[Cell, ...]
    """Column by column, rows in the order of the published table."""
    findings: tuple[Finding, ...]


def agrees(published: float, recomputed: float, *, within: float) -> bool:
    """Tell whether a recomputed number is the published one.

    Parameters
    ----------
    published
        The published number.
    recomputed
        Ours.
    within
        Half a unit of the last published digit, or more where computers differ.

    Examples
    --------
    >>> agrees(0.3057, 2774 / 9074, within=0.00005), agrees(0.3057, 2833 / 9074, within=0.00005)
    (True, False)
    """
    return abs(published - recomputed) <= within + 1e-12
