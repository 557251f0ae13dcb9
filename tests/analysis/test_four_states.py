from __future__ import annotations

import numpy as np
import pytest

from overread.analysis.four_states import FourStates, four_states, paired_effect


def pairs(kept: int, lost: int, won: int, never: int) -> tuple[np.ndarray, np.ndarray]:
    first = [1.0] * (kept + lost) + [0.0] * (won + never)
    second = [1.0] * kept + [0.0] * lost + [1.0] * won + [0.0] * never
    return np.array(first), np.array(second)


def test_the_four_states_of_a_worked_example() -> None:
    # 100 questions with and without images: 40, 25, 10, 25 (JMed48k's audit, states p11, p10, p01,
    # p00); 65 % and 50 %, net +15 points, persistence 40/65, exact McNemar 2 P(X <= 10 | 35, 1/2).
    first, second = pairs(40, 25, 10, 25)
    states = four_states(first, second)
    assert states == FourStates(right_right=40, right_wrong=25, wrong_right=10, wrong_wrong=25)
    assert (first.mean(), second.mean()) == (0.65, 0.5)
    assert states.net_effect == pytest.approx(0.15)
    assert states.persistence.value == pytest.approx(0.6154, abs=5e-5)
    assert states.mcnemar.p_value == pytest.approx(0.016674, abs=5e-7)
    assert states.wald.low == pytest.approx(0.0378, abs=5e-5)
    assert states.wald.high == pytest.approx(0.2622, abs=5e-5)


def test_more_won_than_lost_is_a_negative_net_effect() -> None:
    states = FourStates(right_right=10, right_wrong=3, wrong_right=8, wrong_wrong=9)
    assert states.net_effect == pytest.approx(-5 / 30)


def test_nothing_moved_is_no_effect_at_all() -> None:
    states = FourStates(right_right=10, right_wrong=0, wrong_right=0, wrong_wrong=9)
    assert states.net_effect == 0
    assert states.mcnemar.p_value == 1
    assert states.persistence.value == 1


def test_nothing_is_right_or_nothing_is_there() -> None:
    nothing_right = FourStates(right_right=0, right_wrong=0, wrong_right=2, wrong_wrong=3)
    assert nothing_right.persistence.value is None
    empty = FourStates(right_right=0, right_wrong=0, wrong_right=0, wrong_wrong=0)
    assert empty.net_effect is None
    assert empty.mcnemar.p_value is None


def test_guessing_twice_fills_all_states() -> None:
    # Five options, independent guesses: 4, 16, 16 and 64 %.
    rng = np.random.default_rng(1)
    first, second = ((rng.random(200_000) < 0.2).astype(float) for _ in range(2))
    states = four_states(first, second)
    assert states is not None
    counts = (states.right_right, states.right_wrong, states.wrong_right, states.wrong_wrong)
    assert [count / 200_000 for count in counts] == [
        pytest.approx(share, abs=0.005) for share in (0.04, 0.16, 0.16, 0.64)
    ]


def test_shares_have_no_states_and_a_mean_all_the_same() -> None:
    first, second = np.array([0.5, 1.0, 0.25, 0.75] * 5), np.array([0.25, 1.0, 0.0, 0.5] * 5)
    assert four_states(first, second) is None
    effect = paired_effect(
        first,
        second,
        np.arange(20),
        bootstrap_draws=500,
        swaps=2000,
        level=0.95,
        rng=np.random.default_rng(0),
    )
    assert effect.states is None
    assert effect.net.value == pytest.approx(0.1875)
    assert effect.net.low is not None
    assert effect.net.low < 0.1875


def test_the_interval_of_the_net_effect_holds_its_level_under_clusters() -> None:
    """60 patients with 5 questions each, lost together: the true cost is 20 points."""
    hits = tried = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        tilt = np.repeat(rng.normal(0, 0.25, 60), 5)
        codes = np.repeat(np.arange(60), 5)
        first = (rng.random(300) < 0.7).astype(float)
        second = (rng.random(300) < np.clip(0.5 + tilt, 0, 1)).astype(float)
        found = paired_effect(
            first, second, codes, bootstrap_draws=400, swaps=1, level=0.95, rng=rng
        ).net
        assert found.low is not None
        assert found.high is not None
        # The clip is symmetric around one half: the true share stays 0.5.
        hits += found.low <= 0.2 <= found.high
        tried += 1
    assert 0.88 <= hits / tried <= 1.0
