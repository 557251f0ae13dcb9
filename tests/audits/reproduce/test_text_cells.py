"""The cosine column, with vectors that count letters in place of a model's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.audits.reproduce import text_cells
from overread.audits.reproduce.cells import Cell
from overread.audits.reproduce.table import reproduce
from overread.contracts.replay import Replay
from overread.errors import UsageError


class CountsLetters:
    """Embeds a text as how often it holds a and b; says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float32)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> CountsLetters:
    def no_wordnet() -> None:
        raise UsageError("METEOR: expected the files of WordNet 3.0, got none. Install them.")

    found = CountsLetters()
    monkeypatch.setattr(text_cells, "open_sentence_model", lambda: found)
    monkeypatch.setattr(text_cells, "open_wordnet", no_wordnet)
    return found


def cosine_of(held: Replay, shipped: Any) -> Cell:
    (cell,) = (one for one in reproduce(shipped(held)).cells if one.column == "SBERT cosine")
    return cell


def test_cosine_is_the_mean_over_pairs_with_words(
    slipped: Replay, shipped: Any, make: Any, model: CountsLetters
):
    # Against "aab" (2, 1): "a" has 2/√5, "b" 1/√5, "aab" 1; "ccc" has no length; "" has no words.
    asked = [replace(one, answer="aab") for one in slipped.questions]
    texts = ["a", "b", "aab", "ccc", "", "a", "b", "aab"]
    held = replace(
        slipped,
        questions=tuple(asked),
        predictions=(make.predictions("m", asked, texts),),
        votes=(),
    )
    cell = cosine_of(held, shipped)
    assert cell.recomputed == pytest.approx((3 / 5**0.5 + 1) / 3, abs=1e-7)
    assert cell.corrected == pytest.approx(cell.recomputed, abs=1e-12)
    assert (cell.n_published, cell.n_corrected) == (6, 6)
    assert cell.fault == "1 empty answer left out"
    assert sorted(model.asked) == ["a", "aab", "b", "ccc"]  # each distinct text once


@pytest.mark.parametrize(("off_by", "differs"), [(5e-7, False), (5e-6, True)])
def test_a_cosine_may_move_with_the_computer_by_a_millionth(
    off_by: float, differs: bool, slipped: Replay, shipped: Any, make: Any, model: CountsLetters
):
    asked = [replace(one, answer="ab") for one in slipped.questions]
    value = make.published("cosine", "Model M", 0.7071067812 + off_by)
    held = replace(
        slipped,
        questions=tuple(asked),
        predictions=(make.predictions("m", asked, ["a"] * 8),),
        votes=(),
        published=(value,),
    )
    assert cosine_of(held, shipped).differs is differs


def test_meteor_without_wordnet_says_so(slipped: Replay, shipped: Any, make: Any, model: Any):
    held = replace(slipped, published=(make.published("meteor", "Model M", 0.3),))
    (cell,) = (one for one in reproduce(shipped(held)).cells if one.column == "METEOR")
    assert (cell.published, cell.recomputed) == (0.3, None)
    assert "WordNet" in (cell.fault or "")
