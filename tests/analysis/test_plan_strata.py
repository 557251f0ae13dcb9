"""What a blind policy is credited with where it has no rule."""

from __future__ import annotations

import pytest

from overread.analysis.blind_floor import BlindFloor
from overread.analysis.plan_strata import plan_strata
from overread.contracts import AnalysisPlan
from overread.records import PlannedItem

PLAN = AnalysisPlan(strata=((),), cells=(), cluster=None)


def line(item: str, chance: float | None) -> PlannedItem:
    return PlannedItem(
        item=item, request_hash=item, groups={}, strata={"task": "exam"}, chance=chance
    )


def floor(**credit: float) -> BlindFloor:
    return BlindFloor(
        stratum={}, policy="always A", value=0.5, n=2, low=None, high=None, chance=0.2,
        chance_best_high=0.9, credit=credit,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("floors", "credit"),
    [
        ([floor(q0=1.0, q1=0.0, q2=1.0, q3=0.0)], [1.0, 0.0, 1.0, 0.0]),
        # A set of two out of five is guessed, and a number cannot be.
        ([floor(q0=1.0, q1=0.0)], [1.0, 0.0, 0.1, 0.0]),
    ],
)
def test_what_has_no_rule_is_guessed(floors: list[BlindFloor], credit: list[float]) -> None:
    planned = [line("q0", 0.2), line("q1", 0.2), line("q2", 0.1), line("q3", None)]
    (stratum,) = plan_strata(planned, PLAN, floors)
    assert stratum.credit is not None
    assert stratum.credit.tolist() == credit


def test_a_floor_that_is_but_a_number_has_no_credit() -> None:
    (stratum,) = plan_strata([line("q0", 0.2)], PLAN, [floor()])
    assert stratum.credit is None
