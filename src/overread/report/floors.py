"""Blind floors: how far each policy that sees no picture gets, and whether that is a leak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from overread.analysis.blind_floor import BlindFloor
from overread.report.data import ReportData
from overread.report.marks import SHARE_AXIS, Mark
from overread.report.wording import count, percent, stratum_label

__all__ = ["FloorRow", "Floors", "floors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRow:
    """One policy over one stratum."""

    stratum: str
    policy: str
    value: str
    interval: str
    n: str
    chance: str
    best_by_luck: str
    is_leak: bool
    mark: Mark | None
    luck_x: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """All policies over all questions, and the best policy of every other stratum."""

    total: tuple[FloorRow, ...]
    strata: tuple[FloorRow, ...]


def floors(data: ReportData) -> Floors | None:
    """Build the rows; None for a report without floors."""
    if not data.floors:
        return None
    best: dict[frozenset[tuple[str, str]], BlindFloor] = {}
    for floor in data.floors:
        name = _name(floor.stratum)
        if name and (name not in best or floor.value > best[name].value):
            best[name] = floor
    return Floors(
        total=tuple(_row(floor) for floor in data.floors if not floor.stratum),
        strata=tuple(_row(floor) for floor in best.values()),
    )


def _name(stratum: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(stratum.items())


def _row(floor: BlindFloor) -> FloorRow:
    has_interval = floor.low is not None and floor.high is not None
    return FloorRow(
        stratum=stratum_label(floor.stratum),
        policy=floor.policy,
        value=percent(floor.value),
        interval=f"{percent(floor.low)} to {percent(floor.high)}" if has_interval else "",
        n=count(floor.n),
        chance=percent(floor.chance),
        best_by_luck=percent(floor.chance_best_high),
        is_leak=floor.is_leak,
        mark=SHARE_AXIS.mark(floor.value, floor.low, floor.high),
        luck_x=SHARE_AXIS.x(floor.chance_best_high),
    )
