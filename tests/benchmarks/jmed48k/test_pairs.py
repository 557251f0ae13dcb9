"""Known values of the paired removal of figures, through the plan and its estimates.

Wald's interval [3.78, 26.22] points and the corrected chi-square 5.6 of the same counts are in
``tests/stats/test_paired_shares.py``; a probe gives the same states in
``tests/report/test_probe_page.py``.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from overread.analysis.estimates import estimate
from overread.benchmarks.jmed48k.plan import PLAN, macro, year_gap
from overread.records import Estimate, PlannedItem, Score, Status
from overread.stats.paired_shares import mcnemar_corrected, paired_wald

States = list[tuple[float | None, float | None]]


def _run(
    states: States, professions: tuple[str, ...] = ("nurse",)
) -> tuple[list[PlannedItem], list[Score]]:
    """Plan each state as a question of each profession, with figures and without."""
    planned: list[PlannedItem] = []
    scores: list[Score] = []
    for who in professions:
        for number, both in enumerate(states):
            base = f"{who}/2025/{number}"
            for condition, value in zip(("as-asked", "images-removed"), both, strict=True):
                name = base if condition == "as-asked" else f"{base}::{condition}"
                strata = dict.fromkeys((key for keys in PLAN.strata for key in keys), "x")
                strata |= {
                    "condition": condition,
                    "image": "with figure",
                    "profession": who,
                    "era": "last year",
                }
                planned.append(
                    PlannedItem(
                        item=name,
                        request_hash=name,
                        groups={"pair": base, "case": base},
                        strata=strata,
                        chance=0.2,
                    )
                )
                scores.append(
                    Score(
                        run="r",
                        item=name,
                        patient=None,
                        metric="accuracy",
                        metric_version="1",
                        profile="honest",
                        unit="share",
                        value=value,
                        status=Status.OK if value is not None else Status.UNPARSED,
                        answer="a",
                    )
                )
    return planned, scores


def _found(planned: list[PlannedItem], scores: list[Score], **stratum: str) -> dict[str, Estimate]:
    return {
        row.metric: row
        for row in estimate(scores, planned, replace(PLAN, bootstrap_draws=300))
        if row.profile == "honest" and dict(row.stratum) == stratum
    }


HUNDRED: States = [(1.0, 1.0)] * 40 + [(1.0, 0.0)] * 25 + [(0.0, 1.0)] * 10 + [(0.0, 0.0)] * 25


def test_forty_twenty_five_ten_twenty_five():
    found = _found(*_run(HUNDRED), profession="nurse")
    values = {name: row.value for name, row in found.items()}
    assert values["accuracy"] == pytest.approx(0.65)
    assert values["accuracy_with_figures"] == pytest.approx(0.65)
    assert values["accuracy_without_figures"] == pytest.approx(0.50)
    assert values["image_effect"] == pytest.approx(0.15)
    assert values["accuracy_with_figures"] * values["persistence"] == pytest.approx(0.40)  # p11
    assert values["persistence"] == pytest.approx(0.6154, abs=5e-5)
    assert values["right_without_alone"] == pytest.approx(10 / 35)
    effect = found["image_effect"]
    assert effect.n == 100
    assert effect.low is not None
    assert effect.high is not None
    # Resampled cases give nearly Wald's interval; it is not the same method.
    wald = paired_wald(40, 25, 10, 25)
    assert (wald.low, wald.high) == (
        pytest.approx(0.0378, abs=5e-5),
        pytest.approx(0.2622, abs=5e-5),
    )
    assert effect.low == pytest.approx(0.0378, abs=0.02)
    assert effect.high == pytest.approx(0.2622, abs=0.02)
    # p01 of them are lost when figures are added, p10 are gained.
    assert "100 pairs: 10 lost, 25 gained; McNemar exact p 0.0167" in (effect.reason or "")
    assert mcnemar_corrected(25, 10).p_value == pytest.approx(0.017960, abs=5e-7)


def test_figures_that_mislead_have_a_negative_effect():
    found = _found(*_run([(0.0, 1.0)] * 3 + [(1.0, 0.0)] + [(1.0, 1.0)] * 6), profession="nurse")
    assert found["image_effect"].value == pytest.approx(-0.2)


def test_where_nothing_moves_there_is_no_effect():
    found = _found(*_run([(1.0, 1.0)] * 4 + [(0.0, 0.0)] * 2), profession="nurse")
    assert found["image_effect"].value == 0
    assert "0 lost, 0 gained; McNemar exact p 1" in (found["image_effect"].reason or "")


def test_pure_guessing_fills_all_states_and_has_no_effect():
    guesses = [(float(one == 0), float(two == 0)) for one, two in product(range(5), repeat=2)]
    found = _found(*_run(guesses), profession="nurse")
    assert found["accuracy_with_figures"].value == pytest.approx(0.2)
    assert "25 pairs: 4 lost, 4 gained" in (found["image_effect"].reason or "")  # 0.16 each
    assert found["image_effect"].value == 0
    assert found["persistence"].value == pytest.approx(0.2)


def test_silence_without_figures_is_not_right():
    found = _found(*_run([(1.0, None), (1.0, 1.0)]), profession="nurse")
    assert found["persistence"].value == 0.5
    assert found["image_effect"].value == 0.5


def test_a_macro_average_weighs_professions_alike():
    planned, scores = _run([(1.0, 1.0)] * 2, ("nurse", "midwife"))
    more, other = _run([(0.0, 0.0)] * 6, ("dentist",))
    found = _found(planned + more, scores + other)
    assert found["accuracy"].value == pytest.approx(0.4)
    assert found["macro_accuracy"].value == pytest.approx(2 / 3)
    assert _found(planned + more, scores + other, profession="dentist")["macro_accuracy"].value == 0


def test_formulas_of_rates():
    nan = float("nan")
    assert macro({("a",): 0.2, ("b",): 0.6, ("c",): nan}) == pytest.approx(0.4)
    assert macro({("a",): nan}) != macro({("a",): nan})
    assert year_gap({("last year",): 0.5, ("earlier",): 0.7}) == pytest.approx(-0.2)
    gap = year_gap({("last year",): 0.5})
    assert gap != gap  # undefined with one year alone


def test_one_condition_alone_makes_no_pair():
    planned, scores = _run(HUNDRED)
    removed = [line for line in planned if line.strata["condition"] == "images-removed"]
    names = {line.item for line in removed}
    found = _found(removed, [row for row in scores if row.item in names], profession="nurse")
    assert found["accuracy_without_figures"].value == pytest.approx(0.5)
    assert found["image_effect"].value is None
    assert not {"accuracy", "persistence", "accuracy_with_figures"} & found.keys()
