"""How scores of the exams become estimates: strata, macro averages, four states, years."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.contracts import AlsoMetric, AnalysisPlan, PairedItems, RateFormula
from overread.contracts.benchmarks import Rates
from overread.metrics.image_removal import (
    ACCURACY_WITH_FIGURES,
    ACCURACY_WITHOUT_FIGURES,
    ANSWERED,
    IMAGE_EFFECT,
    LAST_YEAR_GAP,
    MACRO_ACCURACY,
    PERSISTENCE,
    RIGHT_WITHOUT_ALONE,
    TEXT_ONLY_ACCURACY,
)
from overread.metrics.sets import SET_OVERLAP
from overread.records import Status
from overread.scoring.exam.kinds import ExamKind

__all__ = [
    "AS_ASKED",
    "EARLIER",
    "IMAGES_REMOVED",
    "KINDS",
    "LAST_YEAR",
    "PLAN",
    "WITHOUT_FIGURE",
    "WITH_FIGURE",
    "macro",
    "year_gap",
]

AS_ASKED: Final = "as-asked"
IMAGES_REMOVED: Final = "images-removed"
WITH_FIGURE: Final = "with figure"
WITHOUT_FIGURE: Final = "no figure"
"""Values of the stratum ``image``."""
LAST_YEAR: Final = "last year"
EARLIER: Final = "earlier"
"""Values of the stratum ``era``."""
KINDS: Final[Mapping[ExamKind, str]] = {
    "one": "one option",
    "several": "several options",
    "number": "a number",
}
"""Kind → value of the stratum ``kind``."""

_Only = Mapping[str, tuple[str, ...]]
_ASKED: Final[_Only] = {"condition": (AS_ASKED,)}
_REMOVED: Final[_Only] = {"condition": (IMAGES_REMOVED,), "image": (WITH_FIGURE,)}
_SHOWN: Final[_Only] = {"condition": (AS_ASKED,), "image": (WITH_FIGURE,)}
_PAIRS: Final[_Only] = {"image": (WITH_FIGURE,)}


def macro(rates: Rates) -> NDArray[np.float64]:
    """Give the mean over cells that have an item; NaN where none has."""
    stacked: NDArray[np.float64] = np.stack([np.asarray(each, float) for each in rates.values()])
    n = (~np.isnan(stacked)).sum(axis=0)
    total = np.nansum(stacked, axis=0)
    return np.divide(total, n, out=np.full(np.shape(total), np.nan), where=n > 0)


def year_gap(rates: Rates) -> NDArray[np.float64]:
    """Give the last year's rate less that of all earlier years; NaN where one has no item."""
    shape = np.shape(next(iter(rates.values())))
    nothing = np.full(shape, np.nan)
    gap: Any = rates.get((LAST_YEAR,), nothing) - rates.get((EARLIER,), nothing)
    return gap


def _rate(metric: str, only: _Only) -> AlsoMetric:
    return AlsoMetric(metric=metric, only=only, pooled=RateFormula(by=("condition",), value=macro))


_ALSO: Final = (
    AlsoMetric(
        metric=MACRO_ACCURACY.name,
        only=_ASKED,
        pooled=RateFormula(by=("profession",), value=macro),
    ),
    _rate(TEXT_ONLY_ACCURACY.name, {**_ASKED, "image": (WITHOUT_FIGURE,)}),
    _rate(ACCURACY_WITH_FIGURES.name, _SHOWN),
    _rate(ACCURACY_WITHOUT_FIGURES.name, _REMOVED),
    # From the side without figures: what they gain is p10, what they lose p01.
    AlsoMetric(
        metric=IMAGE_EFFECT.name,
        only=_REMOVED,
        pooled=PairedItems(first=_REMOVED, second=_SHOWN, join="pair", statistic="effect"),
    ),
    AlsoMetric(
        metric=PERSISTENCE.name,
        only=_SHOWN,
        pooled=PairedItems(first=_SHOWN, second=_REMOVED, join="pair", statistic="kept"),
    ),
    AlsoMetric(
        metric=RIGHT_WITHOUT_ALONE.name,
        profiles=("honest",),
        only=_SHOWN,
        pooled=PairedItems(first=_SHOWN, second=_REMOVED, join="pair", statistic="gained"),
    ),
    # A fall may be silence: how many were answered at all, with figures and without.
    AlsoMetric(
        metric=ANSWERED.name,
        profiles=("honest",),
        only=_PAIRS,
        drops=(Status.FAILED, Status.UNDEFINED),
        is_share=True,
    ),
    AlsoMetric(
        metric=LAST_YEAR_GAP.name,
        profiles=("honest",),
        only=_ASKED,
        pooled=RateFormula(by=("era",), value=year_gap, low=-1.0),
    ),
    # How far off wrong sets are; no answer shares nothing.
    AlsoMetric(
        metric=SET_OVERLAP.name,
        profiles=("honest",),
        only={**_ASKED, "kind": (KINDS["several"],)},
        drops=(Status.UNDEFINED,),
        is_share=True,
    ),
)

PLAN: Final = AnalysisPlan(
    strata=(
        (),
        ("image",),
        ("profession",),
        ("year",),
        ("section",),
        ("kind",),
        ("figure_in",),
        ("quality",),
    ),
    cells=("condition", "image"),
    headline_only=_ASKED,
    also=_ALSO,
    # Questions on one case share its passage or its figures: whoever misreads it misses several.
    cluster="case",
    cells_are_independent=False,
    # Ten metrics of 15,000 items in forty strata: twice the draws take minutes.
    bootstrap_draws=1000,
)
