from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from overread.analysis.paired_gap import paired_gap
from overread.contracts import AnalysisPlan
from overread.errors import UsageError
from overread.records import PlannedItem, Score, Status

PLAN = AnalysisPlan(
    strata=((), ("phase",)),
    cells=("phase",),
    cluster="patient",
    headline="dice",
    headline_drops=(Status.UNDEFINED,),
)


def line(patient, phase, number=0):
    return PlannedItem(
        item=f"{phase}_{patient}_{number}",
        request_hash="h",
        groups={"patient": str(patient)},
        strata={"phase": phase},
        chance=None,
    )


def score(planned, value, status=Status.OK):
    return Score(
        run="r",
        item=planned.item,
        patient=planned.groups["patient"],
        metric="dice",
        metric_version="1",
        profile="honest",
        unit="share",
        value=value,
        status=status,
        reason=None if status is Status.OK else "why",
    )


def gap(rows, plan=PLAN, **options):
    planned = [planned for planned, *_ in rows]
    scores = [score(*row) for row in rows if row[1:]]
    asked = {"key": "phase", "first": "venous", "second": "plain", "profile": "honest", **options}
    return paired_gap(scores, planned, plan, **asked)


def test_the_gap_is_within_patients():
    # Patient 1: 0.8 - 0.6; patient 2: 0.5 - 0.2; patient 3 has one phase alone.
    found = gap(
        [
            (line(1, "venous"), 0.8),
            (line(1, "plain"), 0.6),
            (line(2, "venous"), 0.5),
            (line(2, "plain"), 0.2),
            (line(3, "venous"), 0.9),
        ]
    )
    assert found.value == pytest.approx(0.25)
    assert (found.first_mean, found.second_mean) == (pytest.approx(0.65), pytest.approx(0.4))
    assert (found.n_pairs, found.n_unpaired, found.n_missing) == (2, 1, 0)
    assert found.low is not None
    assert found.low < 0.25 < found.high


def test_pairing_knows_a_small_gap_among_very_unlike_patients():
    rng = np.random.default_rng(1)
    rows = []
    for patient in range(30):
        level = rng.uniform(0.1, 0.9)
        rows.append((line(patient, "venous"), level + 0.05))
        rows.append((line(patient, "plain"), level + rng.normal(0, 0.005)))
    found = gap(rows)
    assert found.value == pytest.approx(0.05, abs=0.005)
    assert found.high - found.low < 0.02
    assert found.method == "cluster bootstrap (patient)"


def test_several_items_of_a_patient_are_averaged_first():
    found = gap(
        [
            (line(1, "venous"), 0.8),
            (line(1, "plain", 0), 0.2),
            (line(1, "plain", 1), 0.6),
            (line(2, "venous"), 0.4),
            (line(2, "plain"), 0.4),
        ]
    )
    assert found.value == pytest.approx((0.4 + 0.0) / 2)


def test_what_has_no_answer_counts_as_0_and_what_has_no_value_leaves_the_pair():
    rows = [
        (line(1, "venous"), 0.8),
        (line(1, "plain"), None, Status.FAILED),
        (line(2, "venous"), 0.6),
        (line(2, "plain"), None, Status.UNDEFINED),
        (line(3, "venous"), 0.6),
        (line(3, "plain"), 0.2),
        (line(4, "venous"), 0.5),
        (line(4, "plain"),),  # not asked yet
    ]
    found = gap(rows)
    assert found.value == pytest.approx((0.8 + 0.4 + 0.5) / 3)
    assert (found.n_pairs, found.n_unpaired, found.n_missing) == (3, 1, 2)


def test_one_pair_has_a_gap_and_no_interval():
    found = gap([(line(1, "venous"), 0.8), (line(1, "plain"), 0.6)])
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.method) == (None, "none")
    assert found.reason


def test_without_a_pair_there_is_no_gap():
    found = gap([(line(1, "venous"), 0.8), (line(2, "plain"), 0.6)])
    assert (found.value, found.n_pairs, found.n_unpaired) == (None, 0, 2)
    assert found.reason == "no patient has both"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"key": "centre"}, "--by: expected one of phase"),
        ({"first": "late"}, "two of plain, venous"),
        ({"plan": AnalysisPlan(strata=((),), cells=(), cluster=None)}, "of one patient"),
    ],
)
def test_what_cannot_be_paired_is_said(options, words):
    with pytest.raises(UsageError, match=words):
        gap([(line(1, "venous"), 0.8), (line(1, "plain"), 0.6)], **options)


def distance(planned, value, status=Status.OK):
    return replace(score(planned, value, status), metric="assd_mm", unit="mm")


def test_a_distance_without_a_mask_is_no_distance_of_0():
    rows = [
        (line(1, "venous"), 4.0),
        (line(1, "plain"), None, Status.FAILED),
        (line(2, "venous"), 2.0),
        (line(2, "plain"), 5.0),
        (line(3, "venous"), 1.0),
        (line(3, "plain"), 3.0),
        (line(3, "plain", 1), None, Status.UNPARSED),
    ]
    planned = [planned for planned, *_ in rows]
    scores = [distance(*row) for row in rows]
    asked = {"key": "phase", "first": "venous", "second": "plain", "profile": "honest"}
    found = paired_gap(scores, planned, PLAN, **asked, metric="assd_mm")
    assert found.value == pytest.approx((-3.0 - 2.0) / 2)
    assert (found.n_pairs, found.n_unpaired, found.n_missing) == (2, 1, 0)
    assert (found.missing_count_as_0, found.n_lost) == (False, 2)


def test_a_metric_that_nothing_was_scored_by_has_no_gap_of_0():
    rows = [(line(1, "venous"), 0.8), (line(1, "plain"), 0.6)]
    with pytest.raises(UsageError, match=r"--metric: expected one that .* \(dice\), got hd95"):
        gap(rows, metric="hd95")
    with pytest.raises(UsageError, match="there is none"):
        gap(rows, profile="published")
