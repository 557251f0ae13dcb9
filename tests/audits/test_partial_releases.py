"""A download is often a part of a release: whatever is missing, nothing breaks."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from overread.audits.inspection import inspect_release
from overread.audits.reproduce import text_cells
from overread.audits.reproduce.table import reproduce
from overread.contracts.replay import Replay
from overread.errors import MissingExtraError, UsageError

PARTS: dict[str, Any] = {
    "questions": (),
    "predictions": (),
    "votes": (),
    "published": (),
    "matrix": {},
}


@pytest.mark.parametrize(
    "gone",
    [gone for n in range(len(PARTS) + 1) for gone in combinations(PARTS, n)],
    ids=lambda gone: "+".join(gone) or "nothing",
)
def test_whatever_is_missing_the_rest_is_looked_at(
    gone: tuple[str, ...], slipped: Replay, shipped: Any, monkeypatch: pytest.MonkeyPatch
):
    def absent() -> None:
        raise MissingExtraError("this column", extra="torch")

    monkeypatch.setattr(text_cells, "open_wordnet", absent)
    monkeypatch.setattr(text_cells, "open_sentence_model", absent)
    release = shipped(replace(slipped, **{name: PARTS[name] for name in gone}))
    inspect_release(release)
    if {"predictions", "votes", "matrix"} <= set(gone):
        with pytest.raises(UsageError, match="ships predictions"):
            reproduce(release)
        return
    found = reproduce(release)
    numbers = [
        number
        for cell in found.cells
        for number in (cell.recomputed, cell.corrected, cell.low, cell.high)
    ]
    assert all(number is None or number == number for number in numbers)  # never NaN
    if not gone:
        assert any(cell.corrected is not None for cell in found.cells)


def test_files_that_are_there_and_hold_no_row(slipped: Replay, shipped: Any):
    empty = replace(
        slipped,
        predictions=tuple(replace(one, rows=()) for one in slipped.predictions),
        votes=tuple(replace(one, rows=()) for one in slipped.votes),
        matrix={},
    )
    release = shipped(empty)
    codes = {one.code for one in inspect_release(release)}
    assert "missing-predictions" in codes
    jury = [cell for cell in reproduce(release).cells if cell.column == "jury"]
    assert [cell.recomputed for cell in jury] == [None]
