from __future__ import annotations

import pytest

from overread.errors import UsageError
from overread.metrics.text.pairs import check_pairs, comparable


def test_white_space_is_no_text_on_either_side() -> None:
    predictions = ["left lung", "", " \n\t", "left lung", ""]
    references = ["left", "left", "left", "\u2003", ""]
    assert comparable(predictions, references).tolist() == [True, False, False, False, False]


def test_no_pair_is_no_error() -> None:
    assert comparable([], []).shape == (0,)
    check_pairs([], [])


def test_sides_of_different_length_are_refused() -> None:
    with pytest.raises(UsageError, match="as many of one as of the other, got 1 and 2"):
        comparable(["a"], ["a", "b"])


def test_the_first_pair_without_text_is_named() -> None:
    with pytest.raises(UsageError, match="2 pairs with an empty side, the first at 1"):
        check_pairs(["a", "", "b"], ["a", "b", " "])
