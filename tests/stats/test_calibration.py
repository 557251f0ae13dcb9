from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.stats.calibration import (
    FEWEST_LABELS,
    CalibratedShare,
    CalibrationMethod,
    calibrated_share,
)
from overread.stats.intervals import wilson

METHODS: tuple[CalibrationMethod, ...] = ("double sampling", "rogan-gladen")


def _rows(
    *counts: tuple[bool | None, bool | None, int],
) -> tuple[list[bool | None], list[bool | None]]:
    return (
        [verdict for verdict, _, n in counts for _ in range(n)],
        [label for _, label, n in counts for _ in range(n)],
    )


# 400 verdicts, 180 yes. Of 100 labelled: yes and right 36, yes and wrong 9, no and right 4,
# no and wrong 51. Sensitivity 36/40 = 0.9, specificity 51/60 = 0.85.
HAND = _rows(
    (True, True, 36), (True, False, 9), (False, True, 4), (False, False, 51),
    (True, None, 135), (False, None, 165),
)  # fmt: skip


def test_both_methods_by_hand() -> None:
    gladen = calibrated_share(*HAND, method="rogan-gladen")
    assert gladen.judged == 180 / 400
    assert (gladen.sensitivity.value, gladen.specificity.value) == (0.9, 0.85)
    assert gladen.value == pytest.approx((0.45 + 0.85 - 1) / (0.9 + 0.85 - 1))  # 0.4
    double = calibrated_share(*HAND)
    assert double.value == pytest.approx(0.45 * 36 / 45 + 0.55 * 4 / 55)  # 0.4
    for found in (gladen, double):
        assert (found.n, found.n_labelled, found.n_clusters_labelled) == (400, 100, 100)
        assert found.low is not None
        assert found.high is not None
        assert found.low < 0.4 < found.high
        assert found.reason is None


def test_the_interval_of_rogan_and_gladen_against_its_published_form() -> None:
    """Lang and Reiczigel take independent samples: 100 labels among 20,000 verdicts all but are."""
    verdicts, labels = _rows((True, None, 8820), (False, None, 10780))
    ours = calibrated_share([*HAND[0], *verdicts], [*HAND[1], *labels], method="rogan-gladen")
    # se 36/40 → 37/42, sp 51/60 → 52/62, share 9,000/20,000 → (9,000 + z²/2) / (20,000 + z²).
    z = 1.959963984540054
    se, sp, q = 37 / 42, 52 / 62, (9000 + z * z / 2) / (20000 + z * z)
    p = (q + sp - 1) / (se + sp - 1)
    centre = p + 2 * z * z * (p * se * (1 - se) / 42 - (1 - p) * sp * (1 - sp) / 62)
    variance = q * (1 - q) / (20000 + z * z) + p**2 * se * (1 - se) / 42
    variance += (1 - p) ** 2 * sp * (1 - sp) / 62
    half = z * variance**0.5 / (se + sp - 1)
    assert ours.low is not None
    assert ours.high is not None
    assert (ours.low + ours.high) / 2 == pytest.approx(centre, abs=1e-9)
    # t with 99 degrees for the normal quantile is 1.2 % wider.
    assert (ours.high - ours.low) / 2 == pytest.approx(1.984217 / z * half, rel=0.01)


def test_labels_among_the_judged_are_worth_more_than_a_sample_from_elsewhere() -> None:
    """With all labelled there is nothing left to estimate but the share of the labels itself."""
    rows = _rows((True, True, 36), (True, False, 9), (False, True, 4), (False, False, 51))
    for method in METHODS:
        found = calibrated_share(*rows, method=method)
        plain = wilson(40, 100)
        assert found.low is not None
        assert found.high is not None
        assert plain.low is not None
        assert plain.high is not None
        width = plain.high - plain.low
        assert found.high - found.low == pytest.approx(width, rel=0.15)


def test_a_perfect_judge_changes_nothing_but_does_not_claim_certainty() -> None:
    rows = _rows((True, True, 30), (False, False, 50), (True, None, 120), (False, None, 200))
    for method in METHODS:
        found = calibrated_share(*rows, method=method)
        assert found.value == pytest.approx(150 / 400)
        naive = wilson(150, 400)
        assert found.low is not None
        assert found.high is not None
        assert naive.low is not None
        assert naive.high is not None
        assert found.high - found.low > naive.high - naive.low


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=8, max_size=80))
def test_with_every_item_labelled_the_share_is_that_of_the_labels(
    pairs: list[tuple[bool, bool]],
) -> None:
    verdicts, labels = [one for one, _ in pairs], [two for _, two in pairs]
    for method in METHODS:
        found = calibrated_share(verdicts, labels, method=method)
        if found.value is not None:
            assert found.value == pytest.approx(np.mean(labels))
            assert len(labels) >= FEWEST_LABELS
            assert {True, False} == set(labels)
            assert {True, False} == set(verdicts)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ((20, 22, 20, 21), "finds 50% of what people call right and 49% of what they call wrong"),
        ((0, 8, 8, 0), "finds 0% of what people call right and 0%"),  # always the other way round
        ((12, 8, 0, 0), "finds 100% of what people call right and 0%"),  # always yes
        ((0, 0, 12, 8), "finds 0% of what people call right and 100%"),  # always no
        ((1, 80, 0, 20), "finds 100% of what people call right and 20%"),  # one lucky label
    ],
)
def test_a_judge_no_better_than_a_coin_is_refused(
    method: CalibrationMethod, cells: tuple[int, int, int, int], words: str
) -> None:
    four = ((True, True), (True, False), (False, True), (False, False))
    rows = [(*pair, n) for pair, n in zip(four, cells, strict=True)]
    found = calibrated_share(*_rows(*rows), method=method)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.reason is not None
    assert words in found.reason
    assert "no better than a coin" in found.reason
    # What the labels show of the judge is the evidence, and stays.
    assert found.sensitivity.value is not None
    assert found.judged == (cells[0] + cells[1]) / sum(cells)


@pytest.mark.parametrize(
    ("rows", "method", "reason"),
    [
        (_rows((True, None, 5), (None, True, 5)), "double sampling", "no item with a verdict"),
        (_rows((True, None, 5), (None, True, 5)), "rogan-gladen", "no item with a verdict"),
        (
            _rows((True, True, 6), (True, False, 6), (False, None, 5)),
            "double sampling",
            "calls wrong has a label",
        ),
        (
            _rows((False, True, 6), (False, False, 6), (True, None, 5)),
            "double sampling",
            "calls right has a label",
        ),
        *(
            (rows, method, reason)
            for method in METHODS
            for rows, reason in (
                (_rows((True, True, 15), (False, True, 5)), "called no item wrong"),
                (_rows((True, False, 15), (False, False, 5)), "called no item right"),
                (_rows((True, True, 5), (False, False, 4)), "9 labels: fewer than 10 carry no"),
                (_rows((True, False, 1), (False, None, 9)), "1 label: fewer than 10 carry no"),
            )
        ),
    ],
)
def test_what_cannot_be_corrected_says_why(rows, method, reason) -> None:
    found = calibrated_share(*rows, method=method)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.reason is not None
    assert reason in found.reason
    if found.n_labelled < FEWEST_LABELS:
        assert (found.sensitivity.value, found.specificity.value) == (None, None)


def test_ten_labels_of_a_good_judge_suffice() -> None:
    rows = _rows((True, True, 5), (False, False, 5), (True, None, 45), (False, None, 45))
    for method in METHODS:
        found = calibrated_share(*rows, method=method)
        assert found.value == 0.5
        assert found.low is not None
        assert found.high is not None
        assert found.high - found.low > 0.4  # ten labels know little


def test_labels_of_one_patient_have_no_interval() -> None:
    verdicts, labels = _rows((True, True, 5), (False, False, 5), (True, None, 10))
    found = calibrated_share(verdicts, labels, clusters=np.array([0] * 10 + list(range(1, 11))))
    assert (found.value, found.low, found.reason) == (0.75, None, "one cluster has no spread")


def test_an_item_without_a_verdict_counts_nowhere() -> None:
    more = ([*HAND[0], None, None], [*HAND[1], True, None])
    assert calibrated_share(*more) == calibrated_share(*HAND)


def test_rows_of_different_length_are_refused() -> None:
    with pytest.raises(UsageError, match="got 2, 1 and 2"):
        calibrated_share([True, False], [True])
    with pytest.raises(UsageError, match="coverage between 0 and 1"):
        calibrated_share([True], [True], level=1.0)


@pytest.mark.parametrize("method", METHODS)
def test_few_labels_claim_too_little_rather_than_too_much(method: CalibrationMethod) -> None:
    """Ten labels: of judges that pass the intervals hold, and of coins few pass."""
    rng = np.random.default_rng(3)
    kept, held = 0, 0
    for _ in range(250):
        right = rng.random(200) < 0.5
        yes = np.where(right, rng.random(200) < 0.9, rng.random(200) >= 0.9)
        labels = [bool(one) if row < 10 else None for row, one in enumerate(right)]
        found = calibrated_share(yes.tolist(), labels, method=method)
        kept += found.value is not None
        held += found.value is not None and _holds(found, 0.5)
    assert kept > 150
    assert held / kept > 0.93
    coins = sum(
        calibrated_share(
            (rng.random(200) < 0.5).tolist(),
            [bool(rng.random() < 0.5) if row < 20 else None for row in range(200)],
            method=method,
        ).value
        is not None
        for _ in range(250)
    )
    assert coins / 250 < 0.07


def _world(
    rng: np.random.Generator, n_patients: int, share: float, found: float, spared: float
) -> tuple[list[bool], list[bool], np.ndarray]:
    """Four questions a patient; the patient and the judge's luck with the patient hang together."""
    patients = np.arange(n_patients).repeat(4)

    def alike(mean: float) -> np.ndarray:
        return rng.beta(mean * 4, (1 - mean) * 4, n_patients)[patients]

    right = rng.random(patients.size) < alike(share)
    yes = np.where(
        right,
        rng.random(patients.size) < alike(found),
        rng.random(patients.size) >= alike(spared),
    )
    return yes.tolist(), right.tolist(), patients


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("n_patients", "n_labelled", "share", "found", "spared"),
    [(300, 200, 0.3, 0.9, 0.9), (50, 100, 0.5, 0.8, 0.97), (300, 60, 0.1, 0.95, 0.9)],
)
def test_intervals_cover_what_people_would_find(
    method: CalibrationMethod,
    n_patients: int,
    n_labelled: int,
    share: float,
    found: float,
    spared: float,
) -> None:
    rng = np.random.default_rng(11)
    rounds, covered, naive = 250, 0, 0
    for _ in range(rounds):
        yes, right, patients = _world(rng, n_patients, share, found, spared)
        sample = set(rng.choice(len(yes), n_labelled, replace=False).tolist())
        labels = [one if row in sample else None for row, one in enumerate(right)]
        result = calibrated_share(yes, labels, clusters=patients, method=method)
        covered += _holds(result, share)
        plain = wilson(sum(yes), len(yes))
        assert plain.low is not None
        assert plain.high is not None
        naive += plain.low <= share <= plain.high
    assert 0.92 <= covered / rounds <= 0.995
    assert naive / rounds < 0.7  # what a judge's own interval is worth


def _holds(result: CalibratedShare, share: float) -> bool:
    if result.low is None or result.high is None:
        return True  # refused, so nothing false is claimed
    return result.low <= share <= result.high
