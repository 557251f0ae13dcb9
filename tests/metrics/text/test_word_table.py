from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from overread.metrics.text.word_table import tabulate

WORDS = st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8)


def runs(text: str, order: int) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))


def test_two_pairs_by_hand() -> None:
    # "a b a" and "b a": shared words a, b; shared run "b a". "c" and "a": nothing.
    one, two = tabulate(["a b a", "c"], ["b a", "a"], str.split).overlaps(2)
    assert one.shared.tolist() == [2, 0]
    assert (one.predicted.tolist(), one.referred.tolist()) == ([3, 1], [2, 1])
    assert two.shared.tolist() == [1, 0]
    assert (two.predicted.tolist(), two.referred.tolist()) == ([2, 0], [1, 0])


@settings(max_examples=40)
@given(pairs=PAIRS)
def test_counts_are_those_of_plain_counting(pairs: list[tuple[str, str]]) -> None:
    predictions, references = zip(*pairs, strict=True)
    overlaps = tabulate(predictions, references, str.split).overlaps(4)
    for order, overlap in enumerate(overlaps, start=1):
        for row, (prediction, reference) in enumerate(pairs):
            ours, theirs = runs(prediction, order), runs(reference, order)
            assert overlap.shared[row] == (ours & theirs).total()
            assert overlap.predicted[row] == ours.total()
            assert overlap.referred[row] == theirs.total()


def test_each_distinct_text_is_split_once() -> None:
    seen: list[str] = []

    def split(text: str) -> list[str]:
        seen.append(text)
        return text.split()

    tabulate(["a b", "a b", "c"], ["c", "a b", "c"], split)
    assert sorted(seen) == ["a b", "c"]
