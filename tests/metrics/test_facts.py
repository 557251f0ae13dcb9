from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.metrics.facts import (
    BY_MODEL,
    CLINICAL,
    FACT_SCORE,
    FACTS,
    ORGAN_ERROR,
    SIDE_ERROR,
    WEIGHTS,
    FactCount,
    FactName,
    fact_score,
)
from overread.registry import metric_specs
from overread.scoring.facts.compare import compare_facts
from overread.scoring.facts.reader import read_facts

NUMBER = st.integers(0, 3)
COUNTS = st.dictionaries(
    st.sampled_from(FACTS),
    st.builds(FactCount, right=NUMBER, wrong=NUMBER, missing=NUMBER, added=NUMBER, invented=NUMBER),
)


def test_the_contracts_are_registered() -> None:
    assert {FACT_SCORE, SIDE_ERROR, ORGAN_ERROR} <= set(metric_specs())
    assert (FACT_SCORE.direction, SIDE_ERROR.direction) == ("up", "down")
    assert {BY_MODEL.score, BY_MODEL.side_error, BY_MODEL.organ_error} <= set(metric_specs())
    assert BY_MODEL.side_error.name == "side_error_by_model"
    assert BY_MODEL.side_error.direction == "down"


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        ({}, None),
        ({"organ": FactCount(added=1)}, None),
        ({"organ": FactCount(right=1)}, 1.0),
        ({"organ": FactCount(wrong=1)}, 0.0),
        # 3 + 2 right; 3 wrong, a side, so twice: 5 / (5 + 6)
        (
            {
                "organ": FactCount(right=1),
                "type": FactCount(right=1),
                "side": FactCount(wrong=1),
            },
            5 / 11,
        ),
        # 3 right; 2 wrong, a size, once: 3 / (3 + 2)
        ({"organ": FactCount(right=1), "size": FactCount(wrong=1)}, 3 / 5),
        # 3 right; two attributes of 1 missing, half: 3 / (3 + 1)
        ({"organ": FactCount(right=1), "attribute": FactCount(missing=2)}, 3 / 4),
        # 3 right; a size of 2 added, a quarter: 3 / (3 + 0.5)
        ({"organ": FactCount(right=1), "size": FactCount(added=1)}, 3 / 3.5),
        # 3 right; an organ of 3 invented, half: 3 / (3 + 1.5)
        ({"organ": FactCount(right=1, invented=1)}, 3 / 4.5),
    ],
)
def test_values_by_hand(counts: dict[FactName, FactCount], score: float | None) -> None:
    assert fact_score(counts) == (score if score is None else pytest.approx(score))


@given(counts=COUNTS)
def test_the_range_and_when_there_is_none(counts: dict[FactName, FactCount]) -> None:
    score = fact_score(counts)
    stated = any(each.right or each.wrong or each.missing for each in counts.values())
    assert (score is not None) == stated
    assert score is None or FACT_SCORE.low <= score <= FACT_SCORE.high


@given(counts=COUNTS)
def test_order_changes_nothing(counts: dict[FactName, FactCount]) -> None:
    turned = dict(reversed(list(counts.items())))
    score = fact_score(counts)
    assert fact_score(turned) == (None if score is None else pytest.approx(score))


@pytest.mark.parametrize("fact", FACTS)
def test_wrong_costs_more_than_missing_and_missing_more_than_added(fact: FactName) -> None:
    def with_one(**outcome: int) -> float:
        score = fact_score({"organ": FactCount(right=4), fact: FactCount(**outcome)})
        if fact == "organ":
            score = fact_score({"organ": FactCount(right=4, **outcome)})
        assert score is not None
        return score

    assert with_one(wrong=1) < with_one(missing=1) < with_one(added=1) < 1.0
    assert with_one(invented=1) == with_one(missing=1)


def test_places_weigh_most() -> None:
    assert frozenset(("presence", "organ", "side")) == CLINICAL
    assert min(WEIGHTS[fact] for fact in CLINICAL) > max(
        weight for fact, weight in WEIGHTS.items() if fact not in CLINICAL
    )


@pytest.mark.parametrize("text", ["Left lung nodule, 8 mm", "No mass in the right kidney"])
def test_claims_of_the_contract(text: str) -> None:
    assert {"deaf to case", "best for identical texts"} <= FACT_SCORE.properties
    facts = read_facts(text)
    assert compare_facts(facts, facts).score == 1.0
    assert compare_facts(facts, read_facts(text.upper())).score == 1.0
