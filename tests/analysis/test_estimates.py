from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from overread.analysis.blind_floor import BlindFloor, blind_floors
from overread.analysis.estimates import estimate
from overread.errors import UsageError
from overread.records import PublishedValue, Reference, Status

_METRICS = ("accuracy", "accuracy_answered", "no_answer", "gain_over_blind")


def _pick(estimates, metric="accuracy", profile="honest", **stratum):
    (found,) = [
        row
        for row in estimates
        if (row.metric, row.profile, row.stratum) == (metric, profile, stratum)
    ]
    return found


def _floor(value: float, credit: dict[str, float], stratum=None) -> BlindFloor:
    return BlindFloor(
        stratum=stratum or {}, policy="always A", value=value, n=len(credit), low=None, high=None,
        chance=0.25, chance_best_high=0.3, credit=credit,
    )  # fmt: skip


@pytest.fixture
def eight(make_line, make_score):
    """Eight questions of eight patients: 3 right, 2 wrong, 1 unread, 1 refused, 1 failed."""
    planned = [make_line(str(n), patient=f"p{n}") for n in range(8)]
    values = [1.0, 1.0, 1.0, 0.0, 0.0]
    scores = [make_score(str(n), value, answer="A") for n, value in enumerate(values)]
    scores += [
        make_score("5", None, reason="several letters"),
        make_score("6", None, status=Status.REFUSED),
        make_score("7", None, status=Status.FAILED),
    ]
    return scores, planned


def test_five_numbers_by_hand(eight, plan) -> None:
    credit = {str(n): float(n in (0, 3, 6)) for n in range(8)}
    estimates = estimate(*eight, plan, floors=[_floor(3 / 8, credit)])
    accuracy = _pick(estimates)
    assert (accuracy.value, accuracy.n, accuracy.n_answered) == (3 / 8, 8, 5)
    assert accuracy.n_clusters == 8
    assert _pick(estimates, task="img2txt", box="box").reason is None  # a patient a question
    answered = _pick(estimates, "accuracy_answered")
    assert (answered.value, answered.n, answered.n_answered) == (3 / 5, 5, 5)
    none = _pick(estimates, "no_answer")
    assert (none.value, none.n) == (3 / 8, 8)
    gain = _pick(estimates, "gain_over_blind")
    assert gain.value == pytest.approx(0.0)
    assert (accuracy.blind_floor, accuracy.blind_policy) == (3 / 8, "always A")
    # Of eight guesses at 1/4: P(none) = 0.100, P(≥5) = 0.027 > 0.025 > P(≥6) = 0.004.
    assert (accuracy.chance, accuracy.chance_low, accuracy.chance_high) == (0.25, 0.0, 5 / 8)
    assert (none.chance, answered.blind_floor) == (None, None)


def test_the_published_total_of_gpt4v(make_line, make_score, plan) -> None:
    # 540 of 1,900 right, 95 % Wilson 26.44 to 30.49, where the release names no patients.
    planned = [make_line(str(n), patient=None) for n in range(1900)]
    scores = [make_score(str(n), float(n < 540)) for n in range(1900)]
    total = _pick(estimate(scores, planned, plan))
    assert (total.low, total.high) == pytest.approx((0.2644, 0.3049), abs=5e-5)
    assert (total.method, total.n_clusters) == ("wilson", None)
    # Guessing on 1,900: 25.0 ± 1.9.
    assert (total.chance_low, total.chance_high) == pytest.approx((0.231, 0.269), abs=1e-3)


def test_cells_have_wilson_and_totals_a_bootstrap_over_patients(make_line, make_score, plan):
    rng = np.random.default_rng(0)
    planned = [
        make_line(str(n), patient=f"p{n // 6}", box="box" if n % 2 else "nobox") for n in range(600)
    ]
    ease = rng.random(100)
    scores = [make_score(str(n), float(rng.random() < ease[n // 6])) for n in range(600)]
    estimates = estimate(scores, planned, plan)
    cell = _pick(estimates, task="img2txt", box="box")
    assert cell.method == "wilson"
    theirs = proportion_confint(round(cell.value * 300), 300, method="wilson")
    assert (cell.low, cell.high) == pytest.approx(theirs)
    assert cell.reason.startswith("300 items of 100 patients, taken as independent")
    total = _pick(estimates)
    assert total.method == "cluster bootstrap (patient)"
    assert total.n_clusters == 100
    low, high = proportion_confint(round(total.value * 600), 600, method="wilson")
    # The questions of a patient hang together: the honest interval is wider.
    assert total.high - total.low > 1.3 * (high - low)


def test_interval_of_the_total_covers_as_often_as_it_says(make_line, make_score, plan) -> None:
    few_draws = dataclasses.replace(plan, bootstrap_draws=300, strata=((),), cells=())
    few_draws = dataclasses.replace(few_draws, cells=("task", "box"))
    planned = [make_line(str(n), patient=f"p{n // 5}") for n in range(400)]
    holds = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        ease = rng.uniform(0.2, 0.8, 80)
        scores = [make_score(str(n), float(rng.random() < ease[n // 5])) for n in range(400)]
        total = estimate(scores, planned, few_draws)[0]
        holds.append(total.low <= 0.5 <= total.high)
    assert 0.89 <= np.mean(holds) <= 0.99


def test_the_plan_fixes_the_denominator(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient=f"p{n}") for n in range(40)]
    scores = [make_score(str(n), 1.0) for n in range(10)]
    scores.append(make_score("not planned", 1.0))
    estimates = estimate(scores, planned, plan)
    accuracy = _pick(estimates)
    assert (accuracy.value, accuracy.n, accuracy.n_answered) == (10 / 40, 40, 10)
    assert "30 of 40 items have no response yet" in accuracy.reason
    assert _pick(estimates, "accuracy_answered").value == 1.0


def test_unusable_references_stay_and_are_told(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient=f"p{n}") for n in range(4)]
    scores = [make_score("0", 1.0, answer="A"), make_score("1", 0.0, answer="B")]
    scores += [
        make_score("2", None, status=Status.UNDEFINED, answer="A"),
        make_score("3", None, status=Status.UNDEFINED, answer=None),
    ]
    estimates = estimate(scores, planned, plan)
    accuracy = _pick(estimates)
    assert (accuracy.value, accuracy.n, accuracy.n_answered) == (1 / 4, 4, 3)
    assert "2 items have no usable reference" in accuracy.reason
    assert _pick(estimates, "accuracy_answered").value == 1 / 2
    assert _pick(estimates, "no_answer").value == 1 / 4
    one = _pick(estimate(scores[:3], planned[:3], plan))
    assert "1 item has no usable reference: nobody can be right there" in one.reason


def test_nothing_asked_is_undefined_and_not_zero(make_line, plan) -> None:
    estimates = estimate([], [make_line("1"), make_line("2")], plan)
    assert {row.profile for row in estimates} == {"published", "honest"}
    for row in estimates:
        assert (row.value, row.low, row.high, row.status) == (None, None, None, Status.UNDEFINED)
        assert row.reason == "no response to any of 2 items"


def test_nothing_answered_has_no_accuracy_over_answered(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient=f"p{n}") for n in range(30)]
    estimates = estimate([make_score(str(n), None) for n in range(30)], planned, plan)
    answered = _pick(estimates, "accuracy_answered")
    assert (answered.value, answered.status, answered.n) == (None, Status.UNDEFINED, 0)
    assert answered.reason == "no items"
    accuracy = _pick(estimates)
    assert (accuracy.value, accuracy.low, accuracy.method) == (0.0, None, "none")
    assert "no variation" in accuracy.reason
    cell = _pick(estimates, task="img2txt", box="box")
    assert (cell.low, cell.method) == (0.0, "wilson")
    assert cell.high > 0


def test_one_patient_has_a_value_and_no_interval(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient="p") for n in range(10)]
    total = _pick(estimate([make_score(str(n), float(n % 2)) for n in range(10)], planned, plan))
    assert (total.value, total.status) == (0.5, Status.OK)
    assert (total.low, total.high, total.method) == (None, None, "none")
    assert total.reason == "one cluster has no spread"


def test_one_item_has_a_value_and_no_interval(make_line, make_score, plan) -> None:
    cell = _pick(
        estimate([make_score("1", 1.0)], [make_line("1")], plan), task="img2txt", box="box"
    )
    assert (cell.value, cell.low, cell.high) == (1.0, None, None)
    assert cell.reason == "one item has no spread"


def test_few_patients_are_told(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient=f"p{n % 7}") for n in range(70)]
    scores = [make_score(str(n), float(n % 3 == 0)) for n in range(70)]
    total = _pick(estimate(scores, planned, plan))
    assert total.method == "cluster wilson (patient)"
    assert 0 < total.low < total.high < 1
    assert total.reason == "only 7 patients: read the interval with care"


def test_items_that_name_no_patient_stand_alone(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient=None if n < 5 else f"p{n}") for n in range(40)]
    scores = [make_score(str(n), float(n % 2)) for n in range(40)]
    total = _pick(estimate(scores, planned, plan))
    assert total.n_clusters == 40
    assert "5 items of the run name no patient" in total.reason


def test_repeated_draws_are_no_independent_items(make_line, make_score, plan) -> None:
    # Thirty items, asked ten times each, always the same reply: worth thirty, not three hundred.
    planned = [
        make_line(str(n), patient=f"p{n}", draw=draw) for n in range(30) for draw in range(10)
    ]
    scores = [make_score(str(n), float(n % 2), draw=draw) for n in range(30) for draw in range(10)]
    cell = _pick(estimate(scores, planned, plan), task="img2txt", box="box")
    assert cell.method == "cluster bootstrap (patient)"
    assert (cell.n, cell.n_clusters) == (300, 30)
    low, high = proportion_confint(15, 30, method="wilson")
    assert cell.high - cell.low == pytest.approx(high - low, rel=0.15)
    nobody = [dataclasses.replace(line, groups={}) for line in planned]
    alone = _pick(estimate(scores, nobody, plan), task="img2txt", box="box")
    assert (alone.method, alone.n_clusters) == ("cluster bootstrap (item)", None)
    assert alone.high - alone.low == pytest.approx(high - low, rel=0.15)


def test_gain_keeps_the_pairs_together(make_line, make_score, plan) -> None:
    # The model is right exactly where the blind policy is, and on every fifth item besides: the
    # gain varies far less than the accuracy.
    planned = [make_line(str(n), patient=f"p{n}") for n in range(400)]
    rng = np.random.default_rng(0)
    credit = {str(n): float(rng.random() < 0.4) for n in range(400)}
    scores = [make_score(str(n), max(credit[str(n)], float(n % 5 == 0))) for n in range(400)]
    floor = _floor(float(np.mean(list(credit.values()))), credit)
    paired = _pick(estimate(scores, planned, plan, floors=[floor]), "gain_over_blind")
    fixed = _pick(
        estimate(scores, planned, plan, floors=[dataclasses.replace(floor, credit={})]),
        "gain_over_blind",
    )
    assert paired.value == pytest.approx(fixed.value)
    assert 0 < paired.low < paired.value < paired.high
    assert paired.high - paired.low < 0.8 * (fixed.high - fixed.low)
    assert fixed.reason == "the blind floor is taken as a fixed number"
    assert paired.reason is None


def test_the_best_policy_of_the_stratum_is_the_floor(eight, plan) -> None:
    def always(credit: float) -> dict[str, float]:
        return {str(n): credit for n in range(8)}

    floors = [
        dataclasses.replace(_floor(0.2, always(0.2)), policy="longest option"),
        _floor(0.5, always(0.5)),
        _floor(0.9, always(0.9), {"box": "box"}),
    ]
    estimates = estimate(*eight, plan, floors=floors)
    assert _pick(estimates).blind_floor == 0.5
    assert _pick(estimates, box="box").blind_floor == pytest.approx(0.9)
    assert _pick(estimates, task="img2txt").blind_floor is None
    with_gain = {tuple(row.stratum.items()) for row in estimates if row.metric == "gain_over_blind"}
    assert with_gain == {(), (("box", "box"),)}


def test_published_values_join_their_metric_and_stratum(eight, plan) -> None:
    def row(metric, stratum, who):
        return PublishedValue(
            metric=metric, stratum=stratum, who=who, kind="reader", value=0.8, count=80, n=100,
            source="arXiv 2602.14879",
        )  # fmt: skip

    rows = [
        row("accuracy", {}, "senior 1"),
        row("accuracy", {}, "senior 2"),
        row("accuracy", {"box": "box"}, "junior"),
        row("no_answer", {"box": "nobox"}, "nobody"),
    ]
    estimates = estimate(*eight, plan, published=rows)
    assert [value.who for value in _pick(estimates).published] == ["senior 1", "senior 2"]
    assert [value.who for value in _pick(estimates, box="box").published] == ["junior"]
    assert _pick(estimates, "no_answer").published == ()


def test_chance_follows_the_options_on_offer(make_line, make_score, plan) -> None:
    planned = [
        make_line(str(n), patient=f"p{n}", chance=0.25 if n < 60 else 0.5) for n in range(100)
    ]
    scores = [make_score(str(n), 1.0 if n < 90 else None) for n in range(100)]
    estimates = estimate(scores, planned, plan)
    assert _pick(estimates).chance == pytest.approx((60 / 4 + 40 / 2) / 100)
    answered = _pick(estimates, "accuracy_answered")
    assert answered.chance == pytest.approx((60 / 4 + 30 / 2) / 90)
    assert answered.chance_low < answered.chance < answered.chance_high
    without = [dataclasses.replace(planned[0], chance=None), *planned[1:]]
    unknown = _pick(estimate(scores, without, plan))
    assert (unknown.chance, unknown.chance_low, unknown.chance_high) == (None, None, None)


def test_profiles_are_estimated_side_by_side(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient=f"p{n}") for n in range(40)]
    scores = [make_score(str(n), 1.0 if n < 20 else 0.0) for n in range(40)]
    scores += [make_score(str(n), 1.0 if n < 10 else None, profile="published") for n in range(40)]
    estimates = estimate(scores, planned, plan)
    assert _pick(estimates, profile="honest").value == 0.5
    assert _pick(estimates, profile="published").value == 0.25
    honest_only = estimate([s for s in scores if s.profile == "honest"], planned, plan)
    assert {row.profile for row in honest_only} == {"honest"}


def test_the_published_profile_drops_what_the_benchmark_drops(make_line, make_score, plan) -> None:
    # CT-Bench's chat script prints a failed call and goes on: 20 right of 30 calls that came.
    dropping = dataclasses.replace(plan, published_drops=(Status.FAILED,))
    planned = [make_line(str(n), patient=f"p{n}") for n in range(40)]
    scores = []
    for profile in ("published", "honest"):
        scores += [make_score(str(n), float(n < 20), profile=profile) for n in range(30)]
        scores += [
            make_score(str(n), None, status=Status.FAILED, profile=profile) for n in range(30, 40)
        ]
    estimates = estimate(scores, planned, dropping)
    published, honest = (_pick(estimates, profile=name) for name in ("published", "honest"))
    assert (published.value, published.n) == (pytest.approx(20 / 30), 30)
    assert "10 items are left out, as the benchmark's own code does" in published.reason
    assert (honest.value, honest.n, honest.reason) == (0.5, 40, None)
    assert _pick(estimates, "no_answer", "published").value == 0.0
    assert _pick(estimates, "no_answer", "honest").value == 0.25
    # The floor is that of the items left: of the dropped ten its policy is right on all.
    floor = _floor(22 / 40, {str(n): float(n < 12 or n >= 30) for n in range(40)})
    floored = estimate(scores, planned, dropping, floors=[floor])
    for profile, value in (("published", 12 / 30), ("honest", 22 / 40)):
        accuracy, gain = (_pick(floored, name, profile) for name in ("accuracy", "gain_over_blind"))
        assert accuracy.blind_floor == gain.blind_floor == pytest.approx(value)
        assert gain.value == pytest.approx(accuracy.value - accuracy.blind_floor)
    cell = _pick(estimates, profile="published", task="img2txt", box="box")
    assert (cell.low, cell.high) == pytest.approx(proportion_confint(20, 30, method="wilson"))
    everything = [
        make_score(str(n), None, status=Status.FAILED, profile="published") for n in (0, 1)
    ]
    lost = _pick(estimate(everything, planned[:2], dropping), profile="published")
    assert (lost.value, lost.n, lost.status) == (None, 0, Status.UNDEFINED)


def test_scores_that_are_no_right_or_wrong_are_bootstrapped(make_line, make_score, plan) -> None:
    planned = [make_line(str(n), patient=f"p{n}") for n in range(50)]
    values = np.random.default_rng(0).random(50)
    scores = [make_score(str(n), float(v)) for n, v in enumerate(values)]
    cell = _pick(estimate(scores, planned, plan), task="img2txt", box="box")
    assert cell.method == "cluster bootstrap (patient)"
    assert cell.value == pytest.approx(values.mean())


def test_an_interval_does_not_depend_on_the_other_strata(ct_bench, make_score, plan) -> None:
    items, _, planned = ct_bench(1)
    planned = planned[::5]
    scores = [make_score(item.id, float(n % 3 == 0)) for n, item in enumerate(items)]
    everything = estimate(scores, planned, plan)
    alone = estimate(scores, planned, dataclasses.replace(plan, strata=(("box",),)))
    for box in ("box", "nobox"):
        assert _pick(everything, box=box) == _pick(alone, box=box)
    reseeded = estimate(scores, planned, dataclasses.replace(plan, seed=1))
    assert _pick(reseeded) != _pick(everything)


def test_two_rows_for_one_question_are_refused(make_line, make_score, plan) -> None:
    scores = [make_score("1", 1.0), make_score("1", 0.0)]
    with pytest.raises(UsageError, match=r"two of accuracy \(honest\) for item '1', draw 0"):
        estimate(scores, [make_line("1")], plan)


def test_rows_of_other_metrics_and_targets_are_left_out(make_line, make_score, plan) -> None:
    scores = [
        make_score("1", 1.0),
        make_score("1", 0.0, metric="brier"),
        make_score("1", 0.0, target="liver"),
    ]
    assert _pick(estimate(scores, [make_line("1")], plan)).value == 1.0


def test_estimates_of_the_whole_exam_are_plain_and_complete(ct_bench, make_score, plan) -> None:
    items, references, planned = ct_bench(2)
    rng = np.random.default_rng(0)
    scores = []
    for profile in ("published", "honest"):
        for item in items:
            value = None if rng.random() < 0.1 else float(rng.random() < 0.5)
            scores.append(make_score(item.id, value, profile=profile))
    floors = blind_floors(items, references, plan.strata)
    estimates = estimate(scores, planned, plan, floors=floors)
    # 1 total, 7 tasks, 2 conditions, 13 cells; two profiles; four metrics.
    assert len(estimates) == (1 + 7 + 2 + 13) * 2 * 4
    assert tuple(row.metric for row in estimates[:4]) == _METRICS
    cells = [row for row in estimates if len(row.stratum) == 2 and row.metric == "accuracy"]
    assert sum(row.n for row in cells) == 2 * 1900
    for row in estimates:
        assert row.low < row.value < row.high
    written = json.loads(json.dumps([dataclasses.asdict(row) for row in estimates]))
    assert written[0]["value"] == estimates[0].value
    numbers = [value for row in written for value in row.values() if isinstance(value, float)]
    assert np.isfinite(numbers).all()
    for row in estimates:
        for value in (row.value, row.low, row.high, row.chance, row.blind_floor):
            assert value is None or type(value) is float
        assert type(row.n) is type(row.n_answered) is type(row.n_clusters) is int


def test_floors_of_real_exams_feed_the_gain(make_item, make_line, make_score, plan) -> None:
    items = [make_item(str(n), ["a", "b", "c", "d"], patient=f"p{n}") for n in range(40)]
    references = {str(n): Reference(item=str(n), answer="A" if n < 20 else "B") for n in range(40)}
    planned = [make_line(str(n), patient=f"p{n}") for n in range(40)]
    scores = [make_score(str(n), float(n % 4 != 0)) for n in range(40)]
    floors = blind_floors(items, references, plan.strata)
    gain = _pick(estimate(scores, planned, plan, floors=floors), "gain_over_blind")
    assert gain.value == pytest.approx(0.75 - 0.5)
    assert gain.low < 0.25 < gain.high


def test_a_value_beyond_its_range_does_not_stop_the_others(make_line, make_score, plan) -> None:
    # autoPET's script multiplies arrays: a mask of 255s has a Dice of 1.99.
    planned = [make_line(str(n), patient=f"p{n}") for n in range(5)]
    scores = [make_score(str(n), (1.99, 0.5, 0.7, 0.9, 0.4)[n]) for n in range(5)]
    estimates = estimate(scores, planned, plan)
    total = _pick(estimates)
    assert total.value == pytest.approx(0.898)
    assert total.low < total.value < total.high
