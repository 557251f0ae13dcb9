from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.metrics.choice import (
    ACCURACY,
    ACCURACY_ANSWERED,
    CHOICE_METRICS,
    LETTER_BALANCE,
    NO_ANSWER,
    accuracy,
    accuracy_answered,
    letter_balance,
    no_answer,
)
from overread.metrics.spec import MetricSpec

Measure = Callable[..., float | None]
BY_ITEM: dict[MetricSpec, Measure] = {
    ACCURACY: accuracy,
    ACCURACY_ANSWERED: accuracy_answered,
    NO_ANSWER: no_answer,
}
# "right", "wrong" or "silent" for each item
OUTCOMES = st.lists(st.sampled_from(["right", "wrong", "silent"]), max_size=40)


def arrays(outcomes: list[str]) -> tuple[Any, Any]:
    right = np.array([each == "right" for each in outcomes], dtype=np.bool_)
    return right, np.array([each != "silent" for each in outcomes], dtype=np.bool_)


def claims(fact: str) -> Any:
    return pytest.mark.parametrize(
        "spec", [spec for spec in BY_ITEM if fact in spec.properties], ids=lambda spec: spec.name
    )


def test_four_items_by_hand() -> None:
    # right, wrong, silent, right: 2 of 4; 2 of the 3 answered; 1 of 4 silent
    right, answered = arrays(["right", "wrong", "silent", "right"])
    assert accuracy(right, answered) == 0.5
    assert accuracy_answered(right, answered) == pytest.approx(2 / 3)
    assert no_answer(right, answered) == 0.25


def test_540_of_1900_right_is_28_4_percent() -> None:
    # CT-Bench (arXiv 2602.14879) prints 28.4 % for GPT-4V on 1,900 questions.
    right = np.arange(1900) < 540
    value = accuracy(right, np.ones(1900, dtype=np.bool_))
    assert value is not None
    assert round(100 * value, 1) == 28.4


def test_without_items_there_is_no_value() -> None:
    assert [measure(*arrays([])) for measure in BY_ITEM.values()] == [None, None, None]


def test_without_answers_only_the_answered_share_is_undefined() -> None:
    right, answered = arrays(["silent", "silent"])
    assert accuracy(right, answered) == 0.0
    assert accuracy_answered(right, answered) is None
    assert no_answer(right, answered) == 1.0


@pytest.mark.parametrize("spec", BY_ITEM, ids=lambda spec: spec.name)
@given(outcomes=OUTCOMES)
def test_values_stay_in_their_range(spec: MetricSpec, outcomes: list[str]) -> None:
    value = BY_ITEM[spec](*arrays(outcomes))
    assert value is None or spec.low <= value <= spec.high


@claims("order invariant")
@given(outcomes=OUTCOMES, seed=st.integers(0, 100))
def test_order_changes_nothing(spec: MetricSpec, outcomes: list[str], seed: int) -> None:
    shuffled = list(np.random.default_rng(seed).permutation(outcomes))
    assert BY_ITEM[spec](*arrays(shuffled)) == BY_ITEM[spec](*arrays(outcomes))


@claims("monotone in right answers")
@given(outcomes=OUTCOMES.filter(lambda each: "wrong" in each))
def test_one_more_right_answer_raises_it(spec: MetricSpec, outcomes: list[str]) -> None:
    better = list(outcomes)
    better[better.index("wrong")] = "right"
    before, after = BY_ITEM[spec](*arrays(outcomes)), BY_ITEM[spec](*arrays(better))
    assert before is not None
    assert after is not None
    assert after > before


@claims("lowered by silence")
@given(outcomes=OUTCOMES.filter(lambda each: "right" in each))
def test_one_more_silence_lowers_it(spec: MetricSpec, outcomes: list[str]) -> None:
    before = BY_ITEM[spec](*arrays(outcomes))
    after = BY_ITEM[spec](*arrays([*outcomes, "silent"]))
    assert before is not None
    assert after is not None
    assert after < before


@claims("blind to silence")
@given(outcomes=OUTCOMES)
def test_one_more_silence_changes_nothing(spec: MetricSpec, outcomes: list[str]) -> None:
    assert BY_ITEM[spec](*arrays(outcomes)) == BY_ITEM[spec](*arrays([*outcomes, "silent"]))


@claims("blind to right answers")
@given(outcomes=OUTCOMES)
def test_right_or_wrong_changes_nothing(spec: MetricSpec, outcomes: list[str]) -> None:
    wrong = ["wrong" if each == "right" else each for each in outcomes]
    assert BY_ITEM[spec](*arrays(outcomes)) == BY_ITEM[spec](*arrays(wrong))


@pytest.mark.parametrize(
    ("counts", "balance"),
    [
        ([5, 5, 5, 5], 1.0),
        ([20, 0, 0, 0], 0.0),
        ([10, 10, 0, 0], 0.5),  # one bit of two
        ([1, 0], 0.0),
    ],
)
def test_balance_of_known_counts(counts: list[int], balance: float) -> None:
    assert letter_balance(np.array(counts)) == pytest.approx(balance)


@pytest.mark.parametrize("counts", [[], [4], [0, 0, 0, 0]])
def test_balance_is_undefined_without_a_choice(counts: list[int]) -> None:
    assert letter_balance(np.array(counts, dtype=np.int_)) is None


@given(counts=st.lists(st.integers(0, 1000), min_size=2, max_size=8), seed=st.integers(0, 9))
def test_balance_knows_no_letters(counts: list[int], seed: int) -> None:
    value = letter_balance(np.array(counts))
    relabelled = letter_balance(np.random.default_rng(seed).permutation(np.array(counts)))
    assert relabelled == pytest.approx(value)
    assert value is None or LETTER_BALANCE.low <= value <= LETTER_BALANCE.high


@pytest.mark.parametrize(
    ("right", "answered", "message"),
    [
        ([True], [True, True], "same shape"),
        ([[True]], [[True]], "same shape"),
        ([1.0], [True], "boolean arrays"),
        ([True], [False], "no right answer where there is no answer"),
    ],
)
@pytest.mark.parametrize("measure", BY_ITEM.values())
def test_arrays_that_cannot_be_are_refused(
    measure: Measure, right: list[Any], answered: list[Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        measure(np.array(right), np.array(answered))


def test_negative_counts_are_refused() -> None:
    with pytest.raises(UsageError, match="counts of 0 or more"):
        letter_balance(np.array([3, -1]))


def test_specs_are_distinct_and_say_when_they_are_undefined() -> None:
    assert len({spec.name for spec in CHOICE_METRICS}) == len(CHOICE_METRICS)
    assert all(spec.undefined and spec.low < spec.high for spec in CHOICE_METRICS)
