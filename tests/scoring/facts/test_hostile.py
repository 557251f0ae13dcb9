"""Whatever a text holds, reading it ends soon, never raises, and compares with anything."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.scoring.facts.compare import compare_facts
from overread.scoring.facts.contradiction import contradicts, same_lesion_facts
from overread.scoring.facts.reader import read_facts

WORDS = st.sampled_from(
    """
    left right both bilateral lung liver kidney rib node nodule mass cyst lesion lymph upper lower
    lobe pole segment 7 VIII 12 mm cm 2.3 x × - to up less than no not without none and or but ,
    . ; : ( ) with a the is seen in of from adjacent abutting metastasis smooth spiculated calcified
    calcification non enhancing solid stable soft tissue L3 7th history likely the two half largest
    """.split()  # noqa: SIM905  words read better as words
)
SPOKEN = st.lists(WORDS, max_size=30).map(" ".join)
ANY = st.one_of(SPOKEN, st.text(max_size=200))


@given(one=ANY, other=ANY)
@settings(max_examples=200, deadline=None)
def test_anything_is_read_and_compared(one: str, other: str) -> None:
    a, b = read_facts(one), read_facts(other)
    assert (a.unreadable is None) == bool(a.lesions)
    found = compare_facts(a, b)
    assert found.score is None or 0.0 <= found.score <= 1.0
    assert (found.score is None) == (not a.lesions) or not a.present
    assert (contradicts(a, b) is None) == (contradicts(b, a) is None)


@given(text=SPOKEN)
@settings(max_examples=200, deadline=None)
def test_a_text_agrees_with_itself(text: str) -> None:
    facts = read_facts(text)
    assert contradicts(facts, facts) is None
    if facts.lesions and all(lesion.present for lesion in facts.lesions):
        assert compare_facts(facts, facts).score == 1.0
        assert same_lesion_facts(facts, facts)


@given(text=SPOKEN)
@settings(max_examples=200, deadline=None)
def test_case_and_markup_change_nothing(text: str) -> None:
    assert read_facts(f"**{text.upper()}**") == read_facts(text)


@pytest.mark.parametrize(
    "piece",
    [
        "left ",
        "no nodule, ",
        "nodule and ",
        "a 2 x 3 x ",
        "9",
        "1-",
        "(",
        "segment 7/8/",
        "a",
        "non",
        "without ",
        "adjacent to the ",
        "<think>",
        "{",
        "\n",
        "\u0301",
        "lymph ",
        "the nodule is ",
        "1,",
        "half a ",
    ],
)
def test_two_megabytes_are_read_at_once(piece: str) -> None:
    text = piece * (2_000_000 // len(piece))
    start = time.perf_counter()
    compare_facts(read_facts(text), read_facts("Left lung nodule"))
    assert time.perf_counter() - start < 1.0
