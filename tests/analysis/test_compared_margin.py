from __future__ import annotations

import numpy as np
import pytest

from overread.analysis.compared_margin import within_margin, within_margins
from overread.stats.equivalence import equivalence


def runs(better: int, worse: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    first = np.repeat([1.0, 0.0, 1.0, 0.0], [better, worse, n // 2, n - n // 2 - better - worse])
    second = np.repeat([0.0, 1.0, 1.0, 0.0], [better, worse, n // 2, n - n // 2 - better - worse])
    return first, second


def found(better: int, worse: int, n: int, margin: float = 0.05):
    one, two = runs(better, worse, n)
    return within_margin(one, two, np.arange(n), margin=margin, power=0.8, level=0.95)


@pytest.mark.parametrize(
    ("better", "worse", "n", "verdict"),
    [
        (20, 20, 1000, "equivalent"),
        (60, 20, 1000, "first not worse"),
        (20, 60, 1000, "second not worse"),
        (5, 5, 40, "open"),
        (10, 10, 100, "open"),
    ],
)
def test_verdicts(better, worse, n, verdict) -> None:
    assert found(better, worse, n).verdict == verdict


def test_numbers_are_those_of_the_test() -> None:
    one, two = runs(30, 20, 900)
    theirs = equivalence(one, two, np.arange(900), margin=0.05)
    ours = found(30, 20, 900)
    assert (ours.low, ours.high, ours.level) == (theirs.low, theirs.high, 0.9)
    assert ours.p_equivalent == theirs.p_value
    # (1.645 + 1.282)² · 0.0555 / 0.0025 = 190
    assert ours.units_needed == pytest.approx(190, abs=2)


def test_one_pair_needs_no_adjusting() -> None:
    alone = found(30, 20, 900)
    assert within_margins([alone], adjust="holm") == [alone]
    assert within_margins([alone], adjust="bh") == [alone]
    assert within_margins([], adjust="holm") == []


def test_pairs_are_adjusted_together() -> None:
    pairs = [found(20, 20, 500), found(24, 20, 500), found(5, 5, 40)]
    adjusted = within_margins(pairs, adjust="holm")
    # Of six one-sided hypotheses no more than three can be true: the smallest p counts three times.
    smallest = min(min(p.p_first_not_worse, p.p_second_not_worse) for p in pairs)
    after = min(min(p.p_first_not_worse, p.p_second_not_worse) for p in adjusted)
    assert after == pytest.approx(3 * smallest)
    assert all(
        late.p_equivalent >= early.p_equivalent for early, late in zip(pairs, adjusted, strict=True)
    )
    loose = within_margins(pairs, adjust="bh")
    assert all(b.p_equivalent <= h.p_equivalent for b, h in zip(loose, adjusted, strict=True))


def test_runs_that_never_differ_are_equivalent_and_need_no_plan() -> None:
    same = found(0, 0, 400)
    assert (same.verdict, same.units_needed) == ("equivalent", None)


def test_one_patient_leaves_it_open() -> None:
    one, two = runs(3, 2, 40)
    single = within_margin(
        one, two, np.zeros(40, dtype=np.int64), margin=0.1, power=0.8, level=0.95
    )
    assert (single.verdict, single.p_equivalent) == ("open", None)
    assert single.reason == "one cluster has no spread"
    assert within_margins([single], adjust="holm") == [single]
